/**
 * Reads the version and the number of pages of a PDF, without drawing it.
 *
 * @module
 */

/** Facts about a PDF. */
export interface PdfFacts {
  /** The version, such as `1.7`. */
  readonly version: string;
  /** Undefined if it cannot be told: encrypted or damaged files. */
  readonly pages: number | undefined;
}

/** Characters of a decompressed stream, and of all. */
const MOST_INFLATED = 20_000_000;
const PAGE = /\/Type\s*\/Page(?![\w-])/g;
/** Streams of objects (PDF 1.5 and later), in which pages may be described. */
const OBJECTS = /<<[^<>]*\/Type\s*\/ObjStm(?:[^<>]|<<[^<>]*>>)*>>\s*stream\r?\n/g;

/** Reads the facts; undefined for anything that is no PDF. */
export async function pdfFacts(bytes: Uint8Array<ArrayBuffer>): Promise<PdfFacts | undefined> {
  const text = new TextDecoder("latin1").decode(bytes);
  const version = /%PDF-(\d\.\d)/.exec(text.slice(0, 1_024))?.[1];
  if (version === undefined) return undefined;
  if (/\/Encrypt\s+\d/.test(text)) return { version, pages: undefined };
  let pages = count(text);
  let left = MOST_INFLATED;
  for (const { index, 0: head } of text.matchAll(OBJECTS)) {
    const start = index + head.length;
    const end = text.indexOf("endstream", start);
    if (end === -1 || !head.includes("/FlateDecode")) continue;
    const inflated = await inflate(bytes.subarray(start, end), left);
    left -= inflated.length;
    pages += count(inflated);
  }
  return { version, pages: pages === 0 || left <= 0 ? undefined : pages };
}

const count = (text: string): number => text.match(PAGE)?.length ?? 0;

/** Decompresses at most `most` bytes. What is readable before an error counts: a line end may follow the stream. */
async function inflate(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<string> {
  const decoder = new TextDecoder("latin1");
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  let text = "";
  try {
    while (text.length < most) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // Damaged, or more than a stream.
  } finally {
    void reader.cancel().catch(() => {});
  }
  return text;
}

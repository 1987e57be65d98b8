/**
 * The documents of a server's views: read once, and again when their file has changed. Kept outside of the servers that are made
 * for each request.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { type Document, documentOf, type View } from "./view.js";

/** Documents of a view that are still found under the address they had. */
const OLD = 8;

interface Kept {
  /** What the file was when it was read. */
  readonly mark: string | undefined;
  readonly document: Promise<Document>;
}

/** Reads documents, and keeps them. */
export class Documents {
  readonly #limit: number;
  readonly #current = new Map<View, Kept>();
  readonly #old = new Map<View, Map<string, Document>>();

  /** @param limit bytes of a document */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The document as it is now.
   *
   * @throws {DefinitionError}
   */
  async current(view: View): Promise<Document> {
    const mark = await markOf(view);
    const kept = this.#current.get(view);
    if (kept && kept.mark === mark) return kept.document;
    const document = documentOf(view, this.#limit);
    this.#current.set(view, { mark, document });
    try {
      this.#keep(view, await document);
    } catch (error) {
      // It may be right the next time.
      if (this.#current.get(view)?.document === document) this.#current.delete(view);
      throw error;
    }
    return document;
  }

  /** The document that had this hash; the current one, when that is long ago. */
  async version(view: View, hash: string | undefined): Promise<Document> {
    const kept = hash === undefined ? undefined : this.#old.get(view)?.get(hash);
    return kept ?? this.current(view);
  }

  /** Reads it again the next time, whatever its file says. */
  forget(view: View): void {
    this.#current.delete(view);
  }

  #keep(view: View, document: Document): void {
    const old = this.#old.get(view) ?? new Map<string, Document>();
    this.#old.set(view, old);
    old.delete(document.hash);
    old.set(document.hash, document);
    const [oldest] = old.keys();
    if (old.size > OLD && oldest !== undefined) old.delete(oldest);
  }
}

/** What changes when the file does; undefined where there is none. */
async function markOf({ source }: View): Promise<string | undefined> {
  if (!("file" in source)) return undefined;
  const file = await stat(source.file).catch(() => undefined);
  return file && `${file.dev} ${file.ino} ${file.size} ${file.mtimeMs}`;
}

/**
 * Splits a stream of bytes into lines.
 *
 * @module
 */

const NEWLINE = 0x0a;
/** Size of the buffer for an incomplete line: initially, and the maximum that is kept for the next line. */
const SMALL = 64 * 1024;
/** Bytes kept from each end of a line that is too long. */
const KEPT = 500;

/** Options of {@link LineReader}. */
export interface LineReaderOptions {
  /** Maximum length of a line in bytes. */
  limit: number;
  /** Bytes after which a line counts as endless. */
  endless: number;
  online: (line: string) => void;
  /**
   * Called with the start of a line as soon as it exceeds the limit, and again with its end when the line is
   * over.
   */
  ontoolong: (head: string, tail?: string) => void;
  /** Called for an endless line. Nothing is read after it. */
  onendless: () => void;
}

/**
 * Emits each line as text. A line is copied once, however small its chunks are, and decoded as a whole,
 * because a chunk may split a character. A line above the limit is skipped rather than buffered.
 */
export class LineReader {
  readonly #options: LineReaderOptions;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Both ends of the line that is being skipped. */
  #skipped: { head: string; tail: Buffer } | undefined;
  #over = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Bytes buffered for an incomplete line. */
  get held(): number {
    return this.#buffer.length;
  }

  /** Emits at most `lines` lines, and returns the rest of the chunk, if there is one: push it before any other chunk. */
  push(chunk: Buffer, lines = Number.POSITIVE_INFINITY): Buffer | undefined {
    let from = 0;
    for (let count = 0; !this.#over; count++) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) break;
      if (count >= lines) return chunk.subarray(from);
      if (this.#length === 0 && end - from <= this.#options.limit) {
        this.#options.online(chunk.toString("utf8", from, end));
      } else {
        this.#append(chunk.subarray(from, end));
        this.#endLine();
      }
      from = end + 1;
    }
    if (!this.#over && from < chunk.length) this.#append(chunk.subarray(from));
    return undefined;
  }

  #endLine(): void {
    const skipped = this.#skipped;
    const length = this.#length;
    this.#skipped = undefined;
    this.#length = 0;
    if (skipped) {
      if (!this.#over) this.#options.ontoolong(skipped.head, skipped.tail.toString());
      return;
    }
    const line = this.#buffer.toString("utf8", 0, length);
    if (this.#buffer.length > SMALL) this.#buffer = Buffer.alloc(0);
    this.#options.online(line);
  }

  #append(piece: Buffer): void {
    const { limit } = this.#options;
    const length = this.#length + piece.length;
    if (length > limit) this.#skip(piece);
    else {
      if (length > this.#buffer.length) {
        const grown = Buffer.allocUnsafe(Math.max(SMALL, Math.min(length * 2, limit)));
        this.#buffer.copy(grown, 0, 0, this.#length);
        this.#buffer = grown;
      }
      piece.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  #skip(piece: Buffer): void {
    const { endless, ontoolong, onendless } = this.#options;
    if (this.#skipped) this.#skipped.tail = lastOf(this.#skipped.tail, piece);
    else {
      const before = this.#buffer.subarray(0, this.#length);
      const head = Buffer.concat([before.subarray(0, KEPT), piece.subarray(0, KEPT)]).toString(
        "utf8",
        0,
        KEPT,
      );
      this.#skipped = { head, tail: lastOf(before, piece) };
      this.#buffer = Buffer.alloc(0);
      ontoolong(head);
    }
    if (this.#length + piece.length <= endless || this.#over) return;
    this.#over = true;
    onendless();
  }
}

/** The last bytes of two chunks, copied so that the chunks can be released. */
const lastOf = (before: Buffer, piece: Buffer): Buffer =>
  Buffer.concat([before.subarray(-KEPT), piece.subarray(-KEPT)]).subarray(-KEPT);

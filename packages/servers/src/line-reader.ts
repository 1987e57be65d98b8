/**
 * Cuts a stream of bytes into lines.
 *
 * @module
 */

const NEWLINE = 0x0a;
/** The buffer of a line that is not complete: its first size, and the one above which it is not kept for the next line. */
const SMALL = 64 * 1024;
/** Bytes that are kept of each end of a line that is too long. */
const KEPT = 500;

/** Options of {@link LineReader}. */
export interface LineReaderOptions {
  /** Bytes of the longest line that is handed over. */
  limit: number;
  /** Bytes after which a line counts as one that has no end. */
  endless: number;
  online: (line: string) => void;
  /** Hears how a line above the limit begins, as soon as it is above it, and once more when it is over: how it ends. */
  ontoolong: (head: string, tail?: string) => void;
  /** Hears of a line without an end; nothing is read after it. */
  onendless: () => void;
}

/**
 * Hands over each line as text. A line is copied once, however small the pieces are in which it comes, and is
 * decoded as a whole: a character may be cut in two by the pieces. What is longer than the limit is not held: it is
 * skipped, and the next line is read.
 */
export class LineReader {
  readonly #options: LineReaderOptions;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  /** The ends of a line that is being skipped. */
  #skipped: { head: string; tail: Buffer } | undefined;
  #over = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Bytes that are held for a line that is not complete. */
  get held(): number {
    return this.#buffer.length;
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (!this.#over) {
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) break;
      if (this.#length === 0 && end - from <= this.#options.limit) {
        this.#options.online(chunk.toString("utf8", from, end));
      } else {
        this.#append(chunk.subarray(from, end));
        this.#endLine();
      }
      from = end + 1;
    }
    if (!this.#over && from < chunk.length) this.#append(chunk.subarray(from));
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

/** The last bytes of two pieces, copied: what they were cut from is not held. */
const lastOf = (before: Buffer, piece: Buffer): Buffer =>
  Buffer.concat([before.subarray(-KEPT), piece.subarray(-KEPT)]).subarray(-KEPT);

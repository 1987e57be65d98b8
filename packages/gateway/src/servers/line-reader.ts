/**
 * Cuts a stream of bytes into lines.
 *
 * @module
 */

const NEWLINE = 0x0a;
/** The buffer of a line that is not complete: its first size, and the one above which it is not kept for the next line. */
const SMALL = 64 * 1024;

/**
 * Hands over each line as text. A line is copied once, however small the pieces are in which it comes, and is
 * decoded as a whole: a character may be cut in two by the pieces. What is longer than the limit is told once, and
 * nothing is read after it.
 */
export class LineReader {
  readonly #limit: number;
  readonly #online: (line: string) => void;
  readonly #ontoolarge: () => void;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  #over = false;

  constructor(limit: number, online: (line: string) => void, ontoolarge: () => void) {
    this.#limit = limit;
    this.#online = online;
    this.#ontoolarge = ontoolarge;
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
      if (this.#length === 0) {
        if (end - from > this.#limit) this.#giveUp();
        else this.#online(chunk.toString("utf8", from, end));
      } else if (this.#append(chunk.subarray(from, end))) {
        const line = this.#buffer.toString("utf8", 0, this.#length);
        this.#length = 0;
        if (this.#buffer.length > SMALL) this.#buffer = Buffer.alloc(0);
        this.#online(line);
      }
      from = end + 1;
    }
    if (!this.#over && from < chunk.length) this.#append(chunk.subarray(from));
  }

  #append(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > this.#limit) {
      this.#giveUp();
      return false;
    }
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(SMALL, Math.min(length * 2, this.#limit)));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
    return true;
  }

  #giveUp(): void {
    this.#over = true;
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    this.#ontoolarge();
  }
}

/**
 * Keeps the end of a program's output.
 *
 * @module
 */

/** Keeps the last bytes of a stream in constant memory. */
export class TextTail {
  readonly #ring: Buffer;
  #written = 0;

  constructor(size = 16 * 1024) {
    this.#ring = Buffer.alloc(size);
  }

  push(chunk: Buffer): void {
    const size = this.#ring.length;
    const last = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    const at = (this.#written + chunk.length - last.length) % size;
    const first = last.copy(this.#ring, at);
    last.copy(this.#ring, 0, first);
    this.#written += chunk.length;
  }

  toString(): string {
    const size = this.#ring.length;
    if (this.#written <= size) return this.#ring.toString("utf8", 0, this.#written);
    const at = this.#written % size;
    // The oldest character may be cut.
    const text = Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]).toString("utf8");
    return text.replace(/^\uFFFD+/, "");
  }
}

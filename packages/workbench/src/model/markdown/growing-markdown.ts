/**
 * The blocks of a text that grows. Only its last block is parsed again.
 *
 * @module
 */
import type { MarkdownBlock, MarkdownDefinitions, MarkdownParser } from "./markdown-nodes.js";
import { visibleText } from "./visible-text.js";

/** A block with a key that stays while the text grows. */
export interface KeyedBlock {
  readonly key: number;
  readonly block: MarkdownBlock;
  /** Whether no later text can change it. */
  readonly isFinished: boolean;
}

/** An open block of more characters is parsed again only when it has grown by 1/50. */
const LARGE = 4_000;
const GROWTH = 1.02;

/** Maximum characters of the line with the fence. */
const MAX_FENCE = 200;

/** A line that could end code. */
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*$/m;

/** Parses a growing text incrementally. The result is that of parsing all of it. */
export class GrowingMarkdown {
  readonly #parse: MarkdownParser;
  #text = "";
  /** Where the open part begins: the last block, and what follows it. */
  #openAt = 0;
  #finished: readonly KeyedBlock[] = [];
  #definitions: MarkdownDefinitions = {};
  #blocks: readonly KeyedBlock[] = [];
  /** Length of the open part when it was parsed. */
  #parsed = 0;
  #isComplete = false;
  #hasDefinitions = false;
  /** Whether the open part is code, and none of its lines could end it. */
  #isCodeOpen = false;

  constructor(parse: MarkdownParser) {
    this.#parse = parse;
  }

  /**
   * Takes the text so far, and returns its blocks. Finished blocks stay the same objects.
   *
   * @param isComplete whether nothing follows
   */
  update(given: string, isComplete: boolean): readonly KeyedBlock[] {
    const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
    const before = this.#text;
    if (text === before && isComplete === this.#isComplete) return this.#blocks;
    if (this.#isComplete || !text.startsWith(before)) this.#restart();
    this.#text = text;
    this.#isComplete = isComplete;
    const open = text.length - this.#openAt;
    const isEarly = !isComplete && open > LARGE && open < this.#parsed * GROWTH;
    if (!isComplete && text.length > before.length && this.#growsCode(text.length - before.length))
      return this.#blocks;
    if (!isEarly) this.#read();
    // A definition counts for all of the text, also for what was before it.
    if (isComplete && this.#hasDefinitions && this.#finished.length > 0) {
      this.#restart();
      this.#read();
    }
    return this.#blocks;
  }

  #restart(): void {
    this.#openAt = 0;
    this.#parsed = 0;
    this.#finished = [];
    this.#blocks = [];
    this.#definitions = {};
    this.#hasDefinitions = false;
    this.#isCodeOpen = false;
  }

  /** Appends to code that is still open, without parsing it again. */
  #growsCode(added: number): boolean {
    const last = this.#blocks.at(-1);
    if (!this.#isCodeOpen || last?.block.kind !== "code") return false;
    const open = this.#text.slice(this.#openAt);
    const head = headOf(open).length;
    const line = open.lastIndexOf("\n", open.length - added - 1) + 1;
    if (FENCE_END.test(open.slice(Math.max(head, line)))) return false;
    const text = visibleText(open.slice(head).replace(/\n$/, ""));
    this.#blocks = [...this.#finished, { ...last, block: { ...last.block, text } }];
    this.#parsed = open.length;
    return true;
  }

  #read(): void {
    const open = this.#text.slice(this.#openAt);
    this.#parsed = open.length;
    // Definitions in the open part are incomplete, and count only for it.
    const definitions: MarkdownDefinitions = Object.create(this.#definitions);
    const parsed = this.#parse(open, definitions);
    const lines = offsetsOf(open);
    let done = this.#isComplete ? parsed.length : 0;
    // The last line is incomplete: it may still become part of the block before it.
    while (done < parsed.length - 1 && (parsed[done + 1]?.line ?? 0) < lines.length - 1) done++;
    const first = this.#finished.length;
    const keyed = parsed.map(
      ({ block }, at): KeyedBlock => ({ key: first + at, block, isFinished: at < done }),
    );
    this.#blocks = [...this.#finished, ...keyed];
    this.#hasDefinitions ||= Object.keys(definitions).length > 0;
    const head = headOf(open).length;
    this.#isCodeOpen = head > 0 && parsed.length === 1 && !FENCE_END.test(open.slice(head));
    if (this.#isComplete || done === 0) return;
    this.#finished = this.#blocks.slice(0, first + done);
    const next = lines[parsed[done]?.line ?? 0] ?? 0;
    if (Object.keys(definitions).length > 0) this.#parse(open.slice(0, next), this.#definitions);
    this.#openAt += next;
    this.#parsed -= next;
  }
}

/** The complete line with the fence of code that begins at the margin; otherwise empty. */
const headOf = (open: string): string =>
  /^(?:`{3,}[^`\n]*|~{3,}[^\n]*)\n/.exec(open.slice(0, MAX_FENCE))?.[0] ?? "";

/** The offset of each line. */
function offsetsOf(text: string): number[] {
  const offsets = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) offsets.push(at + 1);
  return offsets;
}

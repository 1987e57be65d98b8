/**
 * The documents of a server's views: read once, and again when their file has changed. Kept outside of the servers that are made
 * for each request. One that cannot be read now is as it was when it could be.
 *
 * @module
 */
import { DefinitionError } from "./errors.js";
import { jsonSchemaOf, type Schema } from "./schemas.js";
import type { ShownTool } from "./templates/template.js";
import type { AnyTool } from "./tool.js";
import { type Document, documentAtOnce, documentOf, type View, viewFiles } from "./view.js";

/** Documents of a view that are still found under the address they had. */
const OLD = 8;

interface Kept {
  /** What the file was when it was read, or the tool. */
  readonly mark: string | object | undefined;
  readonly document: Document | Promise<Document>;
  /** The same, when it is there. */
  read?: Document;
}

/** Told once, for as long as it is there. */
export type TellProblem = (view: View, problem: DefinitionError) => void;

/** Reads documents, and keeps them. */
export class Documents {
  readonly #limit: number;
  readonly #tell: TellProblem;
  /** Those that are offered: a view may depend on the one that has it. */
  tools: readonly AnyTool[] = [];
  // A view that is no longer offered is forgotten with its documents.
  readonly #current = new WeakMap<View, Kept>();
  readonly #old = new WeakMap<View, Map<string, Document>>();
  readonly #problems = new WeakMap<View, DefinitionError>();

  /**
   * @param limit bytes of a document
   * @param tell hears of documents that cannot be read
   */
  constructor(limit: number, tell: TellProblem) {
    this.#limit = limit;
    this.#tell = tell;
  }

  /**
   * The document as it is now.
   *
   * @throws {DefinitionError}
   */
  async current(view: View): Promise<Document> {
    const tool = this.#toolOf(view);
    const mark = tool ?? (await markOf(view));
    const kept = this.#current.get(view);
    if (kept && kept.mark === mark) return kept.document;
    const document = documentOf(view, this.#limit, tool && shownTool(tool));
    const reading: Kept = { mark, document };
    this.#current.set(view, reading);
    try {
      reading.read = await document;
      this.#keep(view, reading.read);
    } catch (error) {
      // It may be right the next time.
      if (this.#current.get(view)?.document === document) this.#current.delete(view);
      throw error;
    }
    return document;
  }

  /**
   * The document of a view where nobody need wait for it: it was read, and has no file whose changes are noticed; or it is in the
   * definition.
   */
  settled(view: View): Document | undefined {
    if ("file" in view.source) return undefined;
    const kept = this.#current.get(view);
    if (!kept) return this.#readAtOnce(view);
    if (!kept.read || kept.mark !== this.#toolOf(view)) return undefined;
    this.#problems.delete(view);
    return kept.read;
  }

  #readAtOnce(view: View): Document | undefined {
    // What is wrong with it is told to those who wait.
    if (this.#problems.has(view)) return undefined;
    try {
      const read = documentAtOnce(view, this.#limit);
      if (read) {
        this.#current.set(view, { mark: undefined, document: read, read });
        this.#keep(view, read);
      }
      return read;
    } catch {
      return undefined;
    }
  }

  /** The document as it is now; while it cannot be read, the last one that could be; undefined where there never was one. */
  async newest(view: View): Promise<Document | undefined> {
    try {
      const document = await this.current(view);
      this.#problems.delete(view);
      return document;
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      const isKnown = this.#problems.get(view)?.message === error.message;
      this.#problems.set(view, error);
      if (!isKnown) this.#tell(view, error);
      return [...(this.#old.get(view)?.values() ?? [])].at(-1);
    }
  }

  /**
   * The document that had this hash; the newest one, when that is long ago.
   *
   * @throws {DefinitionError} when there never was one
   */
  async version(view: View, hash: string | undefined): Promise<Document> {
    const kept = hash === undefined ? undefined : this.#old.get(view)?.get(hash);
    return kept ?? (await this.newest(view)) ?? this.current(view);
  }

  /** What is wrong with a view's document, since it was last asked for. */
  problem(view: View): DefinitionError | undefined {
    return this.#problems.get(view);
  }

  /** Reads it again the next time, whatever its file says. */
  forget(view: View): void {
    this.#current.delete(view);
  }

  /** The tool that the view's page uses, if there is one alone. */
  #toolOf(view: View): AnyTool | undefined {
    if (!("template" in view.source) || !view.source.template.usesTool) return undefined;
    const [tool, other] = this.tools.filter((each) => each.view === view);
    return other ? undefined : tool;
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

const shownTool = ({ name, input }: AnyTool): ShownTool => ({
  name,
  inputSchema: input && jsonSchemaOf(input as Schema, "input"),
});

/** What changes when the file does; undefined where there is none. */
async function markOf({ source }: View): Promise<string | undefined> {
  return "file" in source ? (await viewFiles()).markOf(source) : undefined;
}

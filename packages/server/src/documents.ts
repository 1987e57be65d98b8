/**
 * The documents of a server's views. They are read once, and again when their file changes. They are shared
 * by the servers of all requests. An unreadable document keeps its last good version.
 *
 * @module
 */
import { DefinitionError } from "./errors.js";
import { jsonSchemaOf, type Schema } from "./schemas.js";
import type { ShownTool } from "./templates/template.js";
import type { AnyTool } from "./tool.js";
import { type Document, documentAtOnce, documentOf, type ViewDefinition, viewFiles } from "./view.js";

/** Number of earlier versions per view that stay available under their old address. */
const OLD = 8;

interface Kept {
  /** Identifies the version of the file, or the tool. */
  readonly mark: string | object | undefined;
  readonly document: Document | Promise<Document>;
  /** The document, once it has been read. */
  read?: Document;
}

/** Called once per problem, until it is fixed. */
export type TellProblem = (view: ViewDefinition, problem: DefinitionError) => void;

/** Reads and caches documents. */
export class Documents {
  readonly #limit: number;
  readonly #tell: TellProblem;
  /** The offered tools: a view may depend on its tool. */
  tools: readonly AnyTool[] = [];
  // Weak, so that a view that is no longer offered is collected with its documents.
  readonly #current = new WeakMap<ViewDefinition, Kept>();
  readonly #old = new WeakMap<ViewDefinition, Map<string, Document>>();
  readonly #problems = new WeakMap<ViewDefinition, DefinitionError>();

  /**
   * @param limit maximum bytes of a document
   * @param tell called for documents that cannot be read
   */
  constructor(limit: number, tell: TellProblem) {
    this.#limit = limit;
    this.#tell = tell;
  }

  /**
   * The current document.
   *
   * @throws {DefinitionError}
   */
  async current(view: ViewDefinition): Promise<Document> {
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
      // Try again next time.
      if (this.#current.get(view)?.document === document) this.#current.delete(view);
      throw error;
    }
    return document;
  }

  /**
   * The document if it is available without waiting: it is in the definition, or was read and has no file to
   * watch.
   */
  settled(view: ViewDefinition): Document | undefined {
    if ("file" in view.source) return undefined;
    const kept = this.#current.get(view);
    if (!kept) return this.#readAtOnce(view);
    if (!kept.read || kept.mark !== this.#toolOf(view)) return undefined;
    this.#problems.delete(view);
    return kept.read;
  }

  #readAtOnce(view: ViewDefinition): Document | undefined {
    // The asynchronous path reports the problem.
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

  /**
   * The current document, or the last good one if it cannot be read now; undefined if there never was one.
   */
  async newest(view: ViewDefinition): Promise<Document | undefined> {
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
   * The document with this hash, or the newest one if that version is no longer kept.
   *
   * @throws {DefinitionError} if there never was one
   */
  async version(view: ViewDefinition, hash: string | undefined): Promise<Document> {
    const kept = hash === undefined ? undefined : this.#old.get(view)?.get(hash);
    return kept ?? (await this.newest(view)) ?? this.current(view);
  }

  /** The problem of a view's document at its last read. */
  problem(view: ViewDefinition): DefinitionError | undefined {
    return this.#problems.get(view);
  }

  /** Forces a new read, even if the file has not changed. */
  forget(view: ViewDefinition): void {
    this.#current.delete(view);
  }

  /** The tool that the view's page uses, if there is exactly one. */
  #toolOf(view: ViewDefinition): AnyTool | undefined {
    if (!("template" in view.source) || !view.source.template.usesTool) return undefined;
    const [tool, other] = this.tools.filter((each) => each.view === view);
    return other ? undefined : tool;
  }

  #keep(view: ViewDefinition, document: Document): void {
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

/** A string that changes with the file; undefined if there is no file. */
async function markOf({ source }: ViewDefinition): Promise<string | undefined> {
  return "file" in source ? (await viewFiles()).markOf(source) : undefined;
}

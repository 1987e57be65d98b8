/**
 * Lists what a server offers, lists it again when the server reports a change, and compares the two.
 *
 * @module
 */
import { createHash } from "node:crypto";
import {
  type ToolView,
  UiResources,
  type UiResourcesOptions,
  type Upstream,
  type UpstreamNotification,
} from "@vitrine/guard";
import {
  isRecord,
  JsonText,
  Listeners,
  METHOD_NOT_FOUND,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
  type UiDocument,
} from "@vitrine/protocol";
import type { Catalogue, CatalogueChange } from "./server.js";

/** Options of {@link CatalogueCache}. */
export interface CatalogueOptions extends UiResourcesOptions {
  /** Called with errors that listeners throw. */
  onerror?: ((error: unknown) => void) | undefined;
}

/** Limits of a listing. Entries beyond them are unknown, and unknown tools are refused. */
const MAX_PAGES = 100;
const MAX_ENTRIES = 10_000;
/** UI documents that are read ahead, in total and at a time. Each may be large. */
const MOST_VIEWS = 100;
const AT_ONCE = 4;
/** Listings in a row that a server may invalidate by reporting a change in the middle. */
const MAX_TRIES = 3;

/** The parts that each notification invalidates. */
const INVALIDATES: Record<UpstreamNotification, readonly Part[]> = {
  "notifications/tools/list_changed": ["tools", "views"],
  "notifications/resources/list_changed": ["resources", "templates", "views"],
  "notifications/resources/updated": ["views"],
  "notifications/prompts/list_changed": ["prompts"],
};

/** Optional lists, with the method that requests each. */
const LISTS = {
  resources: { method: "resources/list", key: "resources" },
  templates: { method: "resources/templates/list", key: "resourceTemplates" },
  prompts: { method: "prompts/list", key: "prompts" },
} as const;
/** Maximum length of a server's own explanation of why it did not deliver a list. */
const MOST_SAID = 500;

type Views = Catalogue["views"];
/** A list, as far as it could be read. */
interface Listed<T> {
  readonly entries: readonly T[];
  /** The error that ended the listing early. */
  readonly error?: unknown;
}
interface Kept {
  tools: readonly Tool[];
  resources: Listed<Resource>;
  templates: Listed<ResourceTemplate>;
  prompts: Listed<Prompt>;
  views: Views;
}
type Part = keyof Kept;
type Parts = { [K in Part]?: Promise<Kept[K]> };
type Hashes = Map<string, CatalogueChange & { after: string }>;

/** Keeps the catalogue of one server. */
export class CatalogueCache {
  readonly #upstream: Upstream;
  readonly #ui: UiResources;
  readonly #stop: () => void;
  readonly #listeners: Listeners<[readonly CatalogueChange[]]>;
  /** Parts listed, or being listed, since the server last reported a change. */
  #parts: Parts = {};
  /** Number of changes that the server reported. */
  #changes = 0;
  /** The UIs, once they are read. */
  #views: Views | undefined;
  #loading: Promise<Catalogue> | undefined;
  #known: Hashes | undefined;
  /** A hash of the lists whose changes are reported without details. */
  #listed = "";
  #tools: readonly Tool[] = [];

  constructor(upstream: Upstream, options: CatalogueOptions = {}) {
    this.#upstream = upstream;
    this.#listeners = new Listeners(options.onerror);
    // Created first, so that its listener runs first: it drops its cache before this class drops its own.
    this.#ui = new UiResources(upstream, options);
    this.#stop = upstream.listen((method, { uri }) => {
      // A server may have many resources that change all the time and are not UIs.
      const isOther = this.#views?.every((view) => view.uri !== uri) ?? false;
      if (method !== "notifications/resources/updated" || !isOther) this.#invalidate(INVALIDATES[method]);
    });
  }

  /** The tools of the last listing, even if outdated. Requests nothing. */
  get lastTools(): readonly Tool[] {
    return this.#tools;
  }

  /** The whole catalogue. A failure is not cached: the next call tries again. */
  get(): Promise<Catalogue> {
    return (this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    }));
  }

  /** The UIs alone, independent of the server's other lists. The same array until something changes. */
  views(): Promise<Views> {
    const kept = this.#parts.views;
    if (kept) return kept;
    this.#views = undefined;
    const read = this.#part("views", async () => this.#readViews(await this.#listTools()));
    const keep = (views: Views): void => {
      if (this.#parts.views === read) this.#views = views;
    };
    read.then(keep, () => {});
    return read;
  }

  /** A UI document; see `UiResources.read`. */
  async document(uri: string): Promise<UiDocument> {
    const document = await this.#ui.read(uri);
    // The document could not be read before. Listeners that depend on its hash must be notified.
    const isNews = this.#views?.some((view) => view.uri === uri && view.hash === undefined);
    if (document.ok && isNews) this.#invalidate(["views"]);
    return document;
  }

  /**
   * Reports the tools and UIs that differ from the last listing; an empty list if only other lists changed.
   * As soon as there is a listener, changes are listed again at once.
   */
  onChange(listener: (changes: readonly CatalogueChange[]) => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#stop();
    this.#ui.close();
    this.#listeners.clear();
  }

  #invalidate(parts: readonly Part[]): void {
    this.#changes++;
    for (const part of parts) delete this.#parts[part];
    // Only a catalogue that was listed before can have changed. A failure is reported to the next caller.
    if (this.#listeners.size > 0 && this.#known) this.get().catch(() => {});
  }

  async #load(): Promise<Catalogue> {
    for (let tries = 1; ; tries++) {
      const before = this.#changes;
      const catalogue = await this.#loadParts();
      // Older than the last change: it may still contain a removed tool.
      if (this.#changes !== before && tries < MAX_TRIES) continue;
      this.#compare(catalogue);
      return catalogue;
    }
  }

  async #loadParts(): Promise<Catalogue> {
    const parts = this.#parts;
    try {
      // First and alone: this starts a stopped server, and its capabilities are known only afterwards.
      const tools = await this.#listTools();
      const { capabilities } = this.#upstream;
      const has = capabilities.resources !== undefined;
      const [resources, templates, prompts, views] = await Promise.all([
        this.#list("resources", has),
        this.#list("templates", has),
        this.#list("prompts", capabilities.prompts !== undefined),
        this.views(),
      ]);
      const missing = [
        ...missingOf("resources", resources),
        ...missingOf("resource templates", templates),
        ...missingOf("prompts", prompts),
      ];
      return {
        tools,
        resources: resources.entries,
        templates: templates.entries,
        prompts: prompts.entries,
        views,
        ...(missing.length > 0 && { missing }),
      };
    } catch (error) {
      // Keep no part either: all parts must come from the same time.
      if (this.#parts === parts) this.#parts = {};
      throw error;
    }
  }

  /** Returns a cached part, or loads it. A failure is not cached. */
  #part<K extends Part>(key: K, load: () => Promise<Kept[K]>): Promise<Kept[K]> {
    const parts: { [P in K]?: Promise<Kept[K]> } = this.#parts;
    const kept = parts[key];
    if (kept) return kept;
    // Cached before loading starts, so that a change reported meanwhile drops it.
    const part = Promise.resolve().then(load);
    parts[key] = part;
    part.catch(() => {
      if (parts[key] === part) delete parts[key];
    });
    return part;
  }

  #listTools(): Promise<readonly Tool[]> {
    return this.#part("tools", async () => {
      const { entries, error } = await listAll(this.#upstream, "tools/list", "tools");
      if (error !== undefined) throw error;
      this.#tools = entries as Tool[];
      return this.#tools;
    });
  }

  /** Lists one optional part. A failure affects this list alone; the next call tries again. */
  async #list<K extends keyof typeof LISTS>(part: K, isOffered: boolean): Promise<Kept[K]> {
    const { method, key } = LISTS[part];
    const none: Listed<never> = { entries: [] };
    const reading = this.#part(part, async () =>
      isOffered ? ((await listAll(this.#upstream, method, key)) as Kept[K]) : none,
    );
    const listed = await reading;
    // A server that did not answer is not waited for twice.
    const isOver = listed.error !== undefined && codeOf(listed.error) !== "timeout";
    if (isOver && this.#parts[part] === reading) delete this.#parts[part];
    return listed;
  }

  async #readViews(tools: readonly Tool[]): Promise<Views> {
    const wanted = tools
      .flatMap((tool) => {
        const uri = this.#ui.uriOf(tool);
        return uri === undefined ? [] : [{ tool, uri }];
      })
      .slice(0, MOST_VIEWS);
    const views: (ToolView & { hash?: string | undefined })[] = [];
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE).map(async (view) => {
        const document = await this.#ui.read(view.uri);
        return { ...view, document, hash: documentHash(document) };
      });
      views.push(...(await Promise.all(some)));
    }
    return views;
  }

  #compare({ tools, views, resources, templates, prompts }: Catalogue): void {
    const now: Hashes = new Map();
    for (const tool of tools)
      now.set(`tool ${tool.name}`, { kind: "tool", name: tool.name, after: hashOf(tool) });
    for (const { uri, hash } of views)
      if (hash) now.set(`view ${uri}`, { kind: "view", name: uri, after: hash });
    const listed = JSON.stringify([resources, templates, prompts]);
    const isListedAnew = listed !== this.#listed;
    this.#listed = listed;
    const before = this.#known;
    this.#known = now;
    if (!before) return;
    const changes: CatalogueChange[] = [];
    for (const [key, { kind, name, after }] of now) {
      const old = before.get(key)?.after;
      if (old !== after) changes.push({ kind, name, before: old, after });
    }
    for (const [key, { kind, name, after }] of before)
      if (!now.has(key)) changes.push({ kind, name, before: after });
    if (changes.length > 0 || isListedAnew) this.#listeners.notify(changes);
  }
}

type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

const codeOf = (error: unknown): unknown => Object(error)["code"];

/** A sentence that says what is missing from a list, if anything is. */
function missingOf(called: string, { entries, error }: Listed<unknown>): string[] {
  if (error === undefined) return [];
  const what = entries.length > 0 ? `Not all of its ${called} could` : `Its ${called} could not`;
  return [`${what} be listed: ${String(Object(error)["message"] ?? error).slice(0, MOST_SAID)}`];
}

/**
 * Reads the entries of every page, until one fails; entries that are not objects are skipped. A server that
 * does not know the method has no entries.
 */
async function listAll(upstream: Upstream, method: ListMethod, key: string): Promise<Listed<unknown>> {
  const entries: unknown[] = [];
  let params: { cursor?: string } = {};
  for (let page = 0; page < MAX_PAGES; page++) {
    let result: unknown;
    try {
      result = await upstream.request(method, params);
    } catch (error) {
      return { entries, ...(codeOf(error) !== METHOD_NOT_FOUND && { error }) };
    }
    const value = result instanceof JsonText ? result.parse() : result;
    const list = isRecord(value) ? value[key] : undefined;
    if (Array.isArray(list)) entries.push(...list.filter(isRecord).slice(0, MAX_ENTRIES - entries.length));
    const cursor = isRecord(value) ? value["nextCursor"] : undefined;
    if (typeof cursor !== "string" || entries.length >= MAX_ENTRIES) break;
    params = { cursor };
  }
  return { entries };
}

/** Cached by document: documents can be large, so each is hashed once. */
const documentHashes = new WeakMap<UiDocument, string>();

/**
 * The SHA-256 of a UI; undefined if it could not be read. The metadata counts too: a document with access to
 * other origins is a different one.
 */
export function documentHash(document: UiDocument): string | undefined {
  if (!document.ok) return undefined;
  const hash = documentHashes.get(document) ?? hashOf({ html: document.html, meta: document.meta });
  documentHashes.set(document, hash);
  return hash;
}

/** The SHA-256 of a value, independent of the order of its members. */
function hashOf(value: unknown): string {
  const sorted = (_name: string, member: unknown): unknown =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return createHash("sha256").update(JSON.stringify(value, sorted)).digest("hex");
}

/**
 * What a server offers: listed once, again when the server says so, and compared with what it was.
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
  METHOD_NOT_FOUND,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
  type UiDocument,
} from "@vitrine/protocol";
import type { Catalogue, CatalogueChange } from "./server.js";
import { Listeners } from "./support/listeners.js";

/** Options of {@link ServerCatalogue}. */
export interface CatalogueOptions extends UiResourcesOptions {
  /** Hears what a listener threw. */
  onerror?: ((error: unknown) => void) | undefined;
}

/** A server may have more than this; what is beyond is unknown, and what is unknown is refused. */
const MAX_PAGES = 100;
const MAX_ENTRIES = 10_000;
/** UI documents that are read ahead, and at a time: each may be large. */
const MOST_VIEWS = 100;
const AT_ONCE = 4;
/** Listings in a row that a server may spoil by saying "changed" in the middle. */
const MAX_TRIES = 3;

/** Which notification spoils which part. */
const SPOILS: Record<UpstreamNotification, readonly Part[]> = {
  "notifications/tools/list_changed": ["tools", "views"],
  "notifications/resources/list_changed": ["resources", "templates", "views"],
  "notifications/resources/updated": ["views"],
  "notifications/prompts/list_changed": ["prompts"],
};

/** Lists that a server can do without, and how they are asked for. */
const LISTS = {
  resources: { method: "resources/list", key: "resources" },
  templates: { method: "resources/templates/list", key: "resourceTemplates" },
  prompts: { method: "prompts/list", key: "prompts" },
} as const;
/** Most characters of a server's own words on why it did not hand over a list. */
const MOST_SAID = 500;

type Views = Catalogue["views"];
/** A list, as far as it could be read. */
interface Listed<T> {
  readonly entries: readonly T[];
  /** What went wrong before its end. */
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
export class ServerCatalogue {
  readonly #upstream: Upstream;
  readonly #ui: UiResources;
  readonly #stop: () => void;
  readonly #listeners: Listeners<[readonly CatalogueChange[]]>;
  /** What was listed, or is being listed, since the server last called it changed. */
  #parts: Parts = {};
  /** How often the server called something changed. */
  #changes = 0;
  /** The UIs, once they are read. */
  #views: Views | undefined;
  #loading: Promise<Catalogue> | undefined;
  #known: Hashes | undefined;
  /** The lists of which it is not told what changed in them. */
  #listed = "";
  #tools: readonly Tool[] = [];

  constructor(upstream: Upstream, options: CatalogueOptions = {}) {
    this.#upstream = upstream;
    this.#listeners = new Listeners(options.onerror);
    // Made first, so that it hears first: what it kept is dropped when ours is.
    this.#ui = new UiResources(upstream, options);
    this.#stop = upstream.listen((method, { uri }) => {
      // A server may have much that changes all the time, and is no UI.
      const isOther = this.#views?.every((view) => view.uri !== uri) ?? false;
      if (method !== "notifications/resources/updated" || !isOther) this.#spoil(SPOILS[method]);
    });
  }

  /** The tools of the last listing, old or not; nothing is asked for. */
  get lastTools(): readonly Tool[] {
    return this.#tools;
  }

  /** All of it. A failure is not kept: the next one to ask tries again. */
  get(): Promise<Catalogue> {
    return (this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    }));
  }

  /** The UIs alone, whatever the server's other lists are like; while nothing changes, the same array. */
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

  /** One UI document; see `UiResources.read`. */
  async document(uri: string): Promise<UiDocument> {
    const document = await this.#ui.read(uri);
    // It could not be read before: what depends on its hash must hear of it.
    const isNews = this.#views?.some((view) => view.uri === uri && view.hash === undefined);
    if (document.ok && isNews) this.#spoil(["views"]);
    return document;
  }

  /**
   * Hears which tools and UIs are not what they were at the last listing (C03), and of none when only other lists changed.
   * Once somebody listens, what the server calls changed is listed again at once.
   */
  onChange(listener: (changes: readonly CatalogueChange[]) => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#stop();
    this.#ui.close();
    this.#listeners.clear();
  }

  #spoil(parts: readonly Part[]): void {
    this.#changes++;
    for (const part of parts) delete this.#parts[part];
    // Only what was listed before can have changed. What fails here fails again for whoever asks, and is told there.
    if (this.#listeners.size > 0 && this.#known) this.get().catch(() => {});
  }

  async #load(): Promise<Catalogue> {
    for (let tries = 1; ; tries++) {
      const before = this.#changes;
      const catalogue = await this.#loadParts();
      // Older than the last "changed": it may still show a tool that is gone (C03).
      if (this.#changes !== before && tries < MAX_TRIES) continue;
      this.#compare(catalogue);
      return catalogue;
    }
  }

  async #loadParts(): Promise<Catalogue> {
    const parts = this.#parts;
    try {
      // First and alone: it starts a server that does not run, and what it can do is known after that.
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
      // Not kept in part either: all of it comes from one time.
      if (this.#parts === parts) this.#parts = {};
      throw error;
    }
  }

  /** A part as it is kept, or loaded now. A failure is not kept. */
  #part<K extends Part>(key: K, load: () => Promise<Kept[K]>): Promise<Kept[K]> {
    const parts: { [P in K]?: Promise<Kept[K]> } = this.#parts;
    const kept = parts[key];
    if (kept) return kept;
    // Kept before it begins: what the server calls changed from then on is not kept.
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

  /** What goes wrong with it costs that list alone, and it is asked for again the next time. */
  async #list<K extends keyof typeof LISTS>(part: K, isOffered: boolean): Promise<Kept[K]> {
    const { method, key } = LISTS[part];
    const none: Listed<never> = { entries: [] };
    const reading = this.#part(part, async () =>
      isOffered ? ((await listAll(this.#upstream, method, key)) as Kept[K]) : none,
    );
    const listed = await reading;
    // A server that does not answer is not waited for twice.
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
    if (changes.length > 0 || isListedAnew) this.#listeners.tell(changes);
  }
}

type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

const codeOf = (error: unknown): unknown => Object(error)["code"];

/** A sentence on what is missing of a list, if anything is. */
function missingOf(called: string, { entries, error }: Listed<unknown>): string[] {
  if (error === undefined) return [];
  const what = entries.length > 0 ? `Not all of its ${called} could` : `Its ${called} could not`;
  return [`${what} be listed: ${String(Object(error)["message"] ?? error).slice(0, MOST_SAID)}`];
}

/** Every entry of every page that is an object, until one fails. A server that does not know the method has none. */
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

/** By document: they can be large, and are hashed once. */
const documentHashes = new WeakMap<UiDocument, string>();

/**
 * The SHA-256 of a UI; undefined for one that could not be read. Its metadata counts too: a document that may reach
 * other places is another one.
 */
export function documentHash(document: UiDocument): string | undefined {
  if (!document.ok) return undefined;
  const hash = documentHashes.get(document) ?? hashOf({ html: document.html, meta: document.meta });
  documentHashes.set(document, hash);
  return hash;
}

/** The SHA-256 of a value, whatever the order of its members. */
function hashOf(value: unknown): string {
  const sorted = (_name: string, member: unknown): unknown =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return createHash("sha256").update(JSON.stringify(value, sorted)).digest("hex");
}

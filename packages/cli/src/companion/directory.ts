/**
 * The combined tools, resources and prompts of all servers.
 *
 * @module
 */
import {
  isVisibleTo,
  Listeners,
  type Prompt,
  RESOURCE_URI_META_KEY,
  type Resource,
  type ResourceTemplate,
  readToolUi,
  type Tool,
} from "@vitrine/protocol";
import type { ServerCatalogue } from "@vitrine/wire";
import { addressOf, readAddress } from "./addresses.js";
import type { CompanionHost, ListedServer } from "./companion-host.js";
import { toolName } from "./names.js";

/** A tool of a server. */
export interface DirectoryTool extends ListedServer {
  readonly name: string;
  readonly tool: Tool;
}

/** A prompt of a server. */
export interface ListedPrompt extends ListedServer {
  readonly name: string;
  readonly prompt: Prompt;
}

/** The server and address of a resource. */
export interface FoundResource extends ListedServer {
  readonly uri: string;
}

/** Milliseconds that a list waits for starting servers, so that a client need not wait for the slowest. */
const LIST_TIMEOUT = 10_000;

/**
 * Caches every server's catalogue. It stays while a server restarts, unless another server takes its name.
 */
export class Directory {
  readonly #host: CompanionHost;
  readonly #known = new Map<string, ServerCatalogue>();
  /** Identity of the server of each catalogue. */
  readonly #identities = new Map<string, string | undefined>();
  readonly #reading = new Map<string, Promise<void>>();
  /** Servers that a list has waited for. If one arrives later, clients are notified. */
  readonly #awaited = new Set<string>();
  /** Servers that changed while they were read. */
  readonly #again = new Set<string>();
  readonly #changed: Listeners<[updated: readonly string[]]>;
  readonly #stop: () => void;

  constructor(host: CompanionHost, onerror?: (error: unknown) => void) {
    this.#host = host;
    this.#changed = new Listeners(onerror);
    this.#stop = host.onServer((server) => this.#refresh(server));
  }

  /** Whether there is a view at exactly this address. */
  hasView(address: string): boolean {
    return [...this.#known].some(([server, { views }]) =>
      views.some(({ uri }) => addressOf(server, uri) === address),
    );
  }

  /**
   * Adds a listener for changes of the lists, with the addresses of changed views; returns a function that
   * removes it.
   */
  onChange(listener: (updated: readonly string[]) => void): () => void {
    return this.#changed.add(listener);
  }

  close(): void {
    this.#stop();
  }

  /**
   * Resolves when every server's catalogue is known, has failed, or takes too long. Clients are notified of
   * late ones.
   */
  async ready(signal?: AbortSignal): Promise<void> {
    const asked = this.#host.servers.filter(
      (server) => !this.#known.has(server) && !this.#awaited.has(server),
    );
    if (asked.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LIST_TIMEOUT);
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([Promise.all(asked.map((server) => this.#read(server))), late]);
    clearTimeout(timer);
    if (!signal?.aborted) for (const server of asked) this.#awaited.add(server);
  }

  /** Tools for the model of a client without views: without app-only tools and UI metadata. */
  plainTools(): Tool[] {
    return this.#tools()
      .filter(({ tool }) => isVisibleTo(tool, "model"))
      .map(({ name, tool }) => withoutUi({ ...tool, name }));
  }

  /**
   * Tools for a client with views: all tools, with their views under the companion's addresses. Apps call
   * tools by their names on their own server, so unambiguous ones are also listed under that name, for apps
   * only.
   */
  uiTools(): Tool[] {
    const tools = this.#tools();
    const listed = tools.map(({ name, server, tool }) => withAddress({ ...tool, name }, server));
    const names = new Set(listed.map(({ name }) => name));
    const own = this.#ownNames();
    const aliases = [...own].flatMap(([name, found]) =>
      found && !names.has(name) && isVisibleTo(found.tool, "app") ? [forAppsAlone(found)] : [],
    );
    return [...listed, ...aliases];
  }

  /** Finds a tool by the companion's name or, for apps, by its name on its own server. */
  find(name: string, isForApps: boolean): DirectoryTool | undefined {
    const listed = this.#tools().find((each) => each.name === name);
    if (listed || !isForApps) return listed;
    const own = this.#ownNames().get(name);
    return own && isVisibleTo(own.tool, "app") ? own : undefined;
  }

  prompts(): ListedPrompt[] {
    return this.#named(({ prompts }) => prompts).map(({ entry: prompt, ...listed }) => ({
      ...listed,
      prompt,
    }));
  }

  /** All resources; views only for a client that shows them. */
  resources(isForViews: boolean): Resource[] {
    return this.#all(({ resources }) => resources)
      .filter(({ entry }) => isForViews || !isView(entry.uri))
      .map(({ server, entry }) => ({ ...entry, uri: addressOf(server, entry.uri) }));
  }

  /** Resource templates of views: other templates cannot be mapped to addresses here. */
  templates(isForViews: boolean): ResourceTemplate[] {
    return this.#all(({ templates }) => templates)
      .filter(({ entry }) => isForViews && isView(entry.uriTemplate))
      .map(({ server, entry }) => ({ ...entry, uriTemplate: addressOf(server, entry.uriTemplate) }));
  }

  /** Resolves an address: one of the companion's or, for apps, one of their own server's. */
  locate(address: string): FoundResource | undefined {
    const read = readAddress(address);
    const server = read && this.#nameOf(read.server);
    const there = server === undefined || !read ? undefined : this.#at(server, read.uri);
    if (there && this.#lists(there)) return there;
    const owners = [...this.#known.keys()].filter((each) => this.#lists(this.#at(each, address)));
    const [owner] = owners;
    // A web address is the same resource on every server.
    const isClear = owners.length === 1 || /^https?:/i.test(address);
    if (owner !== undefined && isClear) return this.#at(owner, address);
    // Not listed, but its server may still know it.
    return there;
  }

  #at(server: string, uri: string): FoundResource {
    return { server, identity: this.#identities.get(server), uri };
  }

  #lists({ server, uri }: FoundResource): boolean {
    const known = this.#known.get(server);
    if (!known) return false;
    return known.resources.some((each) => each.uri === uri) || known.views.some((each) => each.uri === uri);
  }

  /** Host names are case-insensitive. */
  #nameOf(server: string): string | undefined {
    return this.#host.servers.find((each) => each.toLowerCase() === server.toLowerCase());
  }

  #tools(): DirectoryTool[] {
    return this.#named(({ tools }) => tools).map(({ entry: tool, ...listed }) => ({ ...listed, tool }));
  }

  /** Entries of all servers under unique names. */
  #named<T extends { name: string }>(
    entries: (catalogue: ServerCatalogue) => readonly T[],
  ): (ListedServer & { name: string; entry: T })[] {
    const all = this.#all(entries).map((each) => ({ ...each, name: toolName(each.server, each.entry.name) }));
    // Of two equal names, the one with a hash is genuine and the other imitates it.
    const marked = all.filter(({ name, server, entry }) => name !== `${server}__${entry.name}`);
    const found = new Map<string, T>();
    for (const { name, entry } of [...marked, ...all]) if (!found.has(name)) found.set(name, entry);
    return all.filter(({ name, entry }) => found.get(name) === entry);
  }

  /** Tools by their names on their own servers; undefined if ambiguous. */
  #ownNames(): Map<string, DirectoryTool | undefined> {
    const found = new Map<string, DirectoryTool | undefined>();
    for (const each of this.#tools())
      found.set(each.tool.name, found.has(each.tool.name) ? undefined : { ...each, name: each.tool.name });
    return found;
  }

  #all<T>(entries: (catalogue: ServerCatalogue) => readonly T[]): (ListedServer & { entry: T })[] {
    return this.#host.servers.flatMap((server) => {
      const known = this.#known.get(server);
      const identity = this.#identities.get(server);
      return known ? entries(known).map((entry) => ({ server, identity, entry })) : [];
    });
  }

  #refresh(server: string): void {
    if (this.#reading.has(server)) this.#again.add(server);
    else void this.#read(server);
  }

  #read(server: string): Promise<void> {
    const before = this.#reading.get(server);
    if (before) return before;
    const reading = this.#take(server).finally(() => {
      this.#reading.delete(server);
      if (this.#again.delete(server)) void this.#read(server);
    });
    this.#reading.set(server, reading);
    return reading;
  }

  async #take(server: string): Promise<void> {
    const before = this.#known.get(server);
    if (!this.#host.servers.includes(server)) {
      if (this.#known.delete(server)) this.#changed.notify([]);
      return;
    }
    const identity = this.#host.identityOf(server);
    const isOther = before !== undefined && this.#identities.get(server) !== identity;
    // Also if the other server does not start.
    if (isOther && this.#known.delete(server)) this.#changed.notify([]);
    try {
      const now = await this.#host.catalogue(server);
      this.#known.set(server, now);
      this.#identities.set(server, identity);
      if (!isOther && JSON.stringify(before) === JSON.stringify(now)) return;
      const hashes = new Map(before?.views.map(({ uri, hash }) => [uri, hash]));
      const updated = now.views.filter(({ uri, hash }) => hashes.has(uri) && hashes.get(uri) !== hash);
      this.#changed.notify([...new Set(updated.map(({ uri }) => addressOf(server, uri)))]);
    } catch {
      // The reason is in the host's problems, which the agent gets. The previous catalogue stays.
    }
  }
}

const isView = (uri: string): boolean => uri.startsWith("ui://");

function withoutUi({ _meta, ...tool }: Tool): Tool {
  const { ui: _ui, [RESOURCE_URI_META_KEY]: _uri, ...meta } = _meta ?? {};
  return Object.keys(meta).length > 0 ? { ...tool, _meta: meta } : tool;
}

/** Replaces the view's address, under both keys that hosts read. */
export function withAddress<T extends { _meta?: Record<string, unknown> | undefined }>(
  entry: T,
  server: string,
): T {
  const { resourceUri } = readToolUi(entry);
  if (resourceUri === undefined) return entry;
  const uri = addressOf(server, resourceUri);
  const ui = { ...Object(entry._meta?.["ui"]), resourceUri: uri };
  return { ...entry, _meta: { ...entry._meta, ui, [RESOURCE_URI_META_KEY]: uri } };
}

/** A tool that is hidden from the model, which has it under another name. */
function forAppsAlone({ name, server, tool }: DirectoryTool): Tool {
  const listed = withAddress({ ...tool, name }, server);
  const ui = { ...Object(listed._meta?.["ui"]), visibility: ["app"] };
  return { ...listed, _meta: { ...listed._meta, ui } };
}

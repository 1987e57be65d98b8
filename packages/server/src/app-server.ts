/**
 * A server: tools and their views, over the official SDK, by stdio and HTTP from one definition.
 *
 * @module
 */
import {
  createMcpHandler,
  type McpHttpHandler,
  type McpRequestContext,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { RELOADS_KEY, RELOADS_VARIABLE, UI_MIME_TYPE, uiExtension } from "@vitrine/protocol";
import { addressOf, placeOf, readAddress } from "./addresses.js";
import type { Advice } from "./advice.js";
import { MAX_BYTES } from "./check-document.js";
import type { Connected, Removable } from "./connected.js";
import { Documents } from "./documents.js";
import { DefinitionError } from "./errors.js";
import { checkName } from "./names.js";
import { negotiateTools } from "./negotiation.js";
import { type McpUiAppResourceConfig, registerAppResource } from "./official.js";
import { registerTool } from "./register-tool.js";
import { type AnyTool, checkSchemas } from "./tool.js";
import { type Document, uiOf, type ViewDefinition } from "./view.js";

/** Options of {@link appServer}. */
export interface AppServerOptions<Tools extends readonly AnyTool[]> {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  /** Instructions for the model: what the server is for. */
  readonly instructions?: string | undefined;
  readonly tools: Tools;
  /** Views without a tool. */
  readonly views?: readonly ViewDefinition[] | undefined;
  /** Maximum bytes of a view's document; 1 MiB by default. */
  readonly maxViewBytes?: number | undefined;
  /**
   * Whether connected clients are notified of changes: {@link AppServer.replace}, and saved view files. For
   * development. On by default if `vitrine dev` started this process (it sets `VITRINE_RELOADS=1`).
   */
  readonly reloads?: boolean | undefined;
  /**
   * Called when a view's document cannot be read, once until it is fixed. Writes a line to standard error by
   * default. Everything else is still served: the view's last good document or, if there never was one, its
   * tools without the view.
   */
  readonly onproblem?: ((view: ViewDefinition, problem: DefinitionError) => void) | undefined;
  /**
   * Addresses of resources that clients may subscribe to. {@link AppServer.resourceUpdated} notifies the
   * subscribers.
   *
   * @example
   * ```ts source="./notifications.examples.ts#subscribable"
   * const lines: string[] = [];
   *
   * const note = tool({
   *   name: "note",
   *   input: z.object({ line: z.string() }),
   *   run: ({ line }) => {
   *     lines.push(line);
   *     notes.resourceUpdated("notes://all");
   *     return "Noted";
   *   },
   * });
   *
   * export const notes = appServer({
   *   name: "notes",
   *   version: "1.0.0",
   *   tools: [note],
   *   subscribable: ["notes://all"],
   *   extend: (server) => {
   *     server.registerResource("notes", "notes://all", { mimeType: "text/plain" }, ({ href }) => ({
   *       contents: [{ uri: href, mimeType: "text/plain", text: lines.join("\n") }],
   *     }));
   *   },
   * });
   * ```
   */
  readonly subscribable?: readonly string[] | undefined;
  /** Adds resources, prompts and other features of the official SDK. Called for every server instance. */
  readonly extend?:
    | ((server: McpServer, context: McpRequestContext | undefined) => void | Promise<void>)
    | undefined;
}

/**
 * Defines a server.
 *
 * @example
 * ```ts source="./server.examples.ts#appServer"
 * export const weather = appServer({ name: "weather", version: "1.0.0", tools: [forecast] });
 * ```
 *
 * @throws {DefinitionError} `name-taken`, `name-invalid`, `tool-invalid`
 */
export function appServer<const Tools extends readonly AnyTool[]>(
  options: AppServerOptions<Tools>,
): AppServer<Tools> {
  return new AppServer(options);
}

/** The tools and views that a server offers. They can be replaced. */
export type Offer<Tools extends readonly AnyTool[]> = Pick<AppServerOptions<Tools>, "tools" | "views">;

/**
 * Caching hints for a document whose address contains its hash: a day, because another document has another
 * address.
 */
const KEPT = { ttlMs: 86_400_000, cacheScope: "public" } as const;

const OLD_ADDRESSES = {
  description: "Views, including their earlier addresses",
  mimeType: UI_MIME_TYPE,
};
// Created once, not per server: for stateless clients, each request gets its own server.
const addressesLike = (template: string): ResourceTemplate =>
  new ResourceTemplate(template, { list: undefined });
let byName: ResourceTemplate | undefined;

/** Address and document hash of each view. */
type Addresses = ReadonlyMap<ViewDefinition, { readonly uri: string; readonly hash: string }>;

/** Whether the program that started this process wants changes to be live. */
export const isFollowed = (): boolean => process.env[RELOADS_VARIABLE] === "1";

/** A server definition. */
export class AppServer<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  readonly #documents: Documents;
  readonly #place: string;
  readonly #oldAddresses: ResourceTemplate;
  readonly #connected = new Set<Connected>();
  readonly #handlers = new Set<McpHttpHandler>();
  /** @internal Watched files and folders. Clients are notified of their changes. */
  readonly followed = new Set<string>();
  #options: AppServerOptions<Tools>;
  #views: ReadonlyMap<string, ViewDefinition>;
  /** The addresses that clients know. */
  #told: Addresses | undefined;
  #changing: Promise<void> = Promise.resolve();

  constructor(options: AppServerOptions<Tools>) {
    this.#options = { ...options, reloads: options.reloads ?? isFollowed() };
    this.#views = viewsOf(options);
    this.#documents = new Documents(options.maxViewBytes ?? MAX_BYTES, options.onproblem ?? tellProblem);
    this.#documents.tools = options.tools;
    this.#place = placeOf(options.name);
    this.#oldAddresses = addressesLike(`ui://${this.#place}/{view}`);
  }

  get options(): AppServerOptions<Tools> {
    return this.#options;
  }

  /** All views, by name. */
  get views(): ReadonlyMap<string, ViewDefinition> {
    return this.#views;
  }

  /**
   * Creates a server of the official SDK: one per connection, or per request of a stateless client. They
   * share the documents. Unreadable documents are reported to `onproblem`; the rest is served.
   */
  readonly create = async (context?: McpRequestContext): Promise<McpServer> => {
    const { name, version, title, instructions, extend, reloads, subscribable } = this.#options;
    // A stateless request of the older protocol has no connection for notifications.
    const hasConnection = !context?.requestInfo || context.era === "modern";
    const following =
      reloads || (hasConnection && subscribable?.length) ? await import("./connected.js") : undefined;
    const server = new McpServer(
      { name, version, ...(title !== undefined && { title }) },
      {
        ...(instructions !== undefined && { instructions }),
        ...(following && { debouncedNotificationMethods: following.DEBOUNCED }),
        capabilities: {
          extensions: uiExtension(),
          ...(this.followed.size > 0 && { experimental: { [RELOADS_KEY]: { paths: [...this.followed] } } }),
        },
      },
    );
    negotiateTools(server);
    const connected =
      following && new following.Connected(server, { reloads, subscribable, era: context?.era });
    const addresses = await this.#addresses();
    this.#told ??= addresses;
    // A local parent process sees standard error anyway; remote clients must not learn about files.
    const registered = this.#register(server, addresses, !context?.requestInfo);
    if (reloads || addresses.size > 0) this.#registerOldAddresses(server);
    if (connected && !context?.requestInfo) this.#follow(connected, registered);
    await extend?.(server, context);
    return server;
  };

  /**
   * Serves HTTP: `fetch` takes web requests. For Node, use `toNodeHandler` of `@modelcontextprotocol/node`.
   */
  http(options?: Parameters<typeof createMcpHandler>[1]): McpHttpHandler {
    const handler = createMcpHandler(this.create, options);
    const { reloads, subscribable } = this.#options;
    if (reloads || subscribable?.length) this.#handlers.add(handler);
    return handler;
  }

  /** Lists origins that views use but do not declare: hosts will block them. */
  async advice(): Promise<Advice[]> {
    const all: Advice[] = [];
    for (const view of this.#views.values()) {
      const { text = "" } = this.#documents.settled(view) ?? (await this.#documents.newest(view)) ?? {};
      // Most documents name no other origin, so most servers need not load this module at startup.
      if (text.includes("://")) all.push(...(await import("./advice.js")).adviceOn(view, text));
    }
    return all;
  }

  /**
   * Reads all documents and returns their problems by view name, for a test before the server is published.
   */
  async problems(): Promise<ReadonlyMap<string, DefinitionError>> {
    const found = new Map<string, DefinitionError>();
    for (const view of this.#views.values()) {
      if (this.#documents.settled(view)) continue;
      await this.#documents.newest(view);
      const problem = this.#documents.problem(view);
      if (problem) found.set(view.name, problem);
    }
    return found;
  }

  /**
   * The current document of a view.
   *
   * @throws {DefinitionError} if it cannot be read or is not a valid view
   */
  document(view: ViewDefinition): Promise<Document> {
    return this.#documents.current(view);
  }

  /**
   * Replaces the tools and views. With `reloads`, connected clients are notified of changed lists, and of
   * changed documents whose address stayed the same. On an error, nothing changes.
   *
   * @throws {DefinitionError} `name-taken`, `name-invalid`, `tool-invalid`
   */
  replace(offer: Offer<Tools>): Promise<void> {
    return this.#inTurn(() => this.#replace(offer));
  }

  async #replace(offer: Offer<Tools>): Promise<void> {
    const options = { ...this.#options, tools: offer.tools, views: offer.views };
    const views = viewsOf(options);
    const before = this.#told ?? (await this.#addresses());
    this.#documents.tools = offer.tools;
    const after = await this.#addressesOf(views);
    this.#options = options;
    this.#views = views;
    this.#told = after;
    if (!options.reloads) return;
    for (const connected of this.#connected)
      connected.exchange((server) => this.#register(server, after, true));
    for (const { notify } of this.#handlers) {
      notify.toolsChanged();
      notify.resourcesChanged();
    }
    for (const uri of updatedOf(before, after)) this.#updated(uri);
  }

  /**
   * Notifies subscribers of a change.
   *
   * @throws {RangeError} if it is not in `subscribable`
   */
  resourceUpdated(uri: string): void {
    if (!this.#options.subscribable?.includes(uri))
      throw new RangeError(`${uri} is not subscribable: add it to the options`);
    this.#updated(uri);
  }

  #updated(uri: string): void {
    for (const connected of this.#connected) connected.updated(uri);
    for (const { notify } of this.#handlers) notify.resourceUpdated(uri);
  }

  /**
   * Reads the documents of all views again, and notifies clients of changes. An unreadable document keeps its
   * last version and is reported to `onproblem`.
   */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      for (const view of this.#views.values()) if ("folder" in view.source) this.#documents.forget(view);
      const before = this.#told ?? new Map();
      const after = await this.#addresses();
      const isSame = [...after].every(([view, { hash }]) => before.get(view)?.hash === hash);
      if (!isSame) await this.#replace(this.#options);
    });
  }

  /** Serializes changes, so that clients end with the last one. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(change);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  #follow(connected: Connected, registered: readonly Removable[]): void {
    this.#connected.add(connected);
    connected.begin(registered, () => this.#connected.delete(connected));
  }

  /** Addresses of the current views, even if these change while it waits. */
  async #addresses(): Promise<Addresses> {
    const views = this.#views;
    const addresses = await this.#addressesOf(views);
    return views === this.#views ? addresses : this.#addresses();
  }

  /** Omits views without a document: their tools are offered as text only. */
  async #addressesOf(views: ReadonlyMap<string, ViewDefinition>): Promise<Addresses> {
    const addresses = new Map<ViewDefinition, { uri: string; hash: string }>();
    for (const view of views.values()) {
      // No await if the document is ready: this runs for each request.
      const hash = (this.#documents.settled(view) ?? (await this.#documents.newest(view)))?.hash;
      if (hash === undefined) continue;
      addresses.set(view, { uri: view.uri ?? addressOf(this.#place, view.name, hash), hash });
    }
    return addresses;
  }

  #register(server: McpServer, addresses: Addresses, tellsProblems: boolean): Removable[] {
    const views = [...addresses].map(([view, { uri, hash }]) => {
      const version = view.uri === undefined ? hash : undefined;
      return registerAppResource(server, view.name, uri, configOf(view), async ({ href }) =>
        this.#read(view, href, version),
      );
    });
    const tools = this.#options.tools.map((tool) => {
      const uri = tool.view && addresses.get(tool.view)?.uri;
      const problem = tellsProblems && uri === undefined ? this.#viewProblem(tool) : undefined;
      return registerTool(server, tool, uri, problem);
    });
    return [...views, ...tools];
  }

  /** Why a tool's view cannot be shown: the same message as on standard error. */
  #viewProblem({ view, viewProblem }: AnyTool): string | undefined {
    const problem = view && this.#documents.problem(view);
    return problem ? `${problem.message} (${problem.code})` : viewProblem;
  }

  /** Hosts store addresses: an old conversation may contain one that has changed since. */
  #registerOldAddresses(server: McpServer): void {
    const read = async ({ href }: URL, { view: last }: { view?: string | string[] }) => {
      const { name, hash } = readAddress(String(last));
      const view = this.#views.get(name);
      if (!view) throw new ResourceNotFoundError(href, `there is no view named ${name}`);
      return this.#read(view, href, view.uri === undefined ? hash : undefined);
    };
    server.registerResource("vitrine: views", this.#oldAddresses, OLD_ADDRESSES, read);
    // An address that an author wrote by hand may omit the server.
    if (!this.#options.reloads && [...this.#views.values()].every(({ uri }) => uri === undefined)) return;
    byName ??= addressesLike("ui://{view}");
    server.registerResource("vitrine: views by name", byName, OLD_ADDRESSES, read);
  }

  async #read(view: ViewDefinition, uri: string, hash: string | undefined) {
    const { text } = await this.#documents.version(view, hash);
    const { _meta } = configOf(view);
    return { contents: [{ uri, mimeType: UI_MIME_TYPE, text, ...(_meta && { _meta }) }] };
  }
}

/** By view, not by server: for stateless clients, each request gets its own server. */
const configs = new WeakMap<ViewDefinition, McpUiAppResourceConfig>();

/** The entry of a view in `resources/list`. */
function configOf(view: ViewDefinition): McpUiAppResourceConfig {
  const known = configs.get(view);
  if (known) return known;
  const { title, description, uri } = view;
  const ui = uiOf(view);
  const config: McpUiAppResourceConfig = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(uri === undefined && { cacheHint: KEPT }),
    // Without metadata, hosts use the defaults.
    ...(ui && { _meta: { ui } }),
  };
  configs.set(view, config);
  return config;
}

/** Addresses that stayed the same but now have another document. */
function updatedOf(before: Addresses, after: Addresses): string[] {
  const known = new Map([...before.values()].map(({ uri, hash }) => [uri, hash]));
  return [...after.values()].flatMap(({ uri, hash }) =>
    known.has(uri) && known.get(uri) !== hash ? [uri] : [],
  );
}

/** The views of a server, without duplicates. */
function viewsOf({
  name,
  tools,
  views = [],
}: AppServerOptions<readonly AnyTool[]>): Map<string, ViewDefinition> {
  const names = new Set<string>();
  for (const tool of tools) {
    checkName(tool.name, "tool");
    checkSchemas(tool);
    if (names.has(tool.name)) throw taken("tools", tool.name, name);
    names.add(tool.name);
  }
  const found = new Map<string, ViewDefinition>();
  for (const view of [...views, ...tools.flatMap((tool) => tool.view ?? [])]) {
    const known = found.get(view.name);
    if (known && known !== view) throw taken("views", view.name, name);
    found.set(view.name, view);
  }
  const fixed = [...found.values()].flatMap(({ uri }) => uri ?? []);
  const twice = fixed.find((uri, at) => fixed.indexOf(uri) !== at);
  if (twice !== undefined)
    throw new DefinitionError(
      "name-taken",
      `two views of ${name} have the address ${twice}: change one of them`,
    );
  return found;
}

/** Standard error, because standard output is for messages. */
const tellProblem = ({ name }: ViewDefinition, { message, code }: DefinitionError): void =>
  void process.stderr.write(`the view ${name}: ${message} (${code})\n`);

const taken = (what: string, name: string, server: string): DefinitionError =>
  new DefinitionError("name-taken", `two ${what} of ${server} are named ${name}: rename one of them`);

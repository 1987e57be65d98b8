/**
 * A server: tools and their views, over the official SDK, by stdio and by HTTP from one definition.
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
import { type Document, uiOf, type View } from "./view.js";

/** What {@link appServer} takes. */
export interface AppServerOptions<Tools extends readonly AnyTool[]> {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  /** For the model: what the server is good for. */
  readonly instructions?: string | undefined;
  readonly tools: Tools;
  /** Views that no tool names. */
  readonly views?: readonly View[] | undefined;
  /** Bytes of a view's document; 1 MiB by default. */
  readonly maxViewBytes?: number | undefined;
  /**
   * Whether changes are to reach clients that are connected: {@link AppServer.replace}, and files of views that are saved. For
   * development; by default where `vitrine dev` has started this process (it sets `VITRINE_RELOADS=1`).
   */
  readonly reloads?: boolean | undefined;
  /**
   * Hears of a view whose document cannot be read, once for as long as it is so; a line on standard error by default. The rest is
   * served all the same: the view as it was before, or, if it never could be read, its tools without it.
   */
  readonly onproblem?: ((view: View, problem: DefinitionError) => void) | undefined;
  /** Everything else: resources, prompts, and whatever the official SDK offers. Called for every server that is made. */
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

/** What a server offers, and can offer something else in place of. */
export type Offer<Tools extends readonly AnyTool[]> = Pick<AppServerOptions<Tools>, "tools" | "views">;

/** What hosts are told of a document whose address has its hash in it: another one would be elsewhere. A day. */
const KEPT = { ttlMs: 86_400_000, cacheScope: "public" } as const;

const OLD_ADDRESSES = {
  description: "Views, also under addresses that they had before",
  mimeType: UI_MIME_TYPE,
};
// Made once, and not for each server: for stateless clients one is made for each request.
const addressesLike = (template: string): ResourceTemplate =>
  new ResourceTemplate(template, { list: undefined });
let byName: ResourceTemplate | undefined;

/** Where a view is found, and which version of it. */
type Addresses = ReadonlyMap<View, { readonly uri: string; readonly hash: string }>;

/** Whether whoever started this process wants to see changes at once. */
export const isFollowed = (): boolean => process.env[RELOADS_VARIABLE] === "1";

/** A server that was defined. */
export class AppServer<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  readonly #documents: Documents;
  readonly #place: string;
  readonly #oldAddresses: ResourceTemplate;
  readonly #connected = new Set<Connected>();
  readonly #handlers = new Set<McpHttpHandler>();
  /** @internal Files and folders whose changes are followed: clients are told of them. */
  readonly followed = new Set<string>();
  #options: AppServerOptions<Tools>;
  #views: ReadonlyMap<string, View>;
  /** What clients were told last. */
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
  get views(): ReadonlyMap<string, View> {
    return this.#views;
  }

  /**
   * Makes a server of the official SDK: one for each connection, or each request of a stateless client. Documents are read once
   * for all of them; what cannot be read is told to `onproblem`, and the rest is served.
   */
  readonly create = async (context?: McpRequestContext): Promise<McpServer> => {
    const { name, version, title, instructions, extend, reloads } = this.#options;
    const following = reloads ? await import("./connected.js") : undefined;
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
    const connected = following && new following.Connected(server, context?.era);
    const addresses = await this.#addresses();
    this.#told ??= addresses;
    // Whoever started this process reads its standard error anyway; others need not know its files.
    const registered = this.#register(server, addresses, !context?.requestInfo);
    if (connected || addresses.size > 0) this.#registerOldAddresses(server);
    if (connected && !context?.requestInfo) this.#follow(connected, registered);
    await extend?.(server, context);
    return server;
  };

  /** Serves HTTP: `fetch` takes web requests; for Node there is `toNodeHandler` of `@modelcontextprotocol/node`. */
  http(options?: Parameters<typeof createMcpHandler>[1]): McpHttpHandler {
    const handler = createMcpHandler(this.create, options);
    if (this.#options.reloads) this.#handlers.add(handler);
    return handler;
  }

  /** What views refer to and do not declare: hosts will block it. */
  async advice(): Promise<Advice[]> {
    const all: Advice[] = [];
    for (const view of this.#views.values()) {
      const { text = "" } = this.#documents.settled(view) ?? (await this.#documents.newest(view)) ?? {};
      // Most name nothing elsewhere, and every start of a server would pay for the search.
      if (text.includes("://")) all.push(...(await import("./advice.js")).adviceOn(view, text));
    }
    return all;
  }

  /** Reads all documents, and gives what is wrong with them by the names of views: for tests, before a server is published. */
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
   * A view's document as it is now.
   *
   * @throws {DefinitionError} when it cannot be read, or may not be a view
   */
  document(view: View): Promise<Document> {
    return this.#documents.current(view);
  }

  /**
   * Offers something else from now on. With `reloads`, clients that are connected are told: of lists that changed, and of
   * documents under an address that stayed. If it cannot be offered, everything stays as it was.
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
    const updated = updatedOf(before, after);
    for (const connected of this.#connected) {
      connected.exchange((server) => this.#register(server, after, true));
      for (const uri of updated) connected.updated(uri);
    }
    for (const { notify } of this.#handlers) {
      notify.toolsChanged();
      notify.resourcesChanged();
      for (const uri of updated) notify.resourceUpdated(uri);
    }
  }

  /**
   * Reads the documents of all views again, and tells clients of those that are others now. One that cannot be read stays as it
   * was, and `onproblem` hears of it.
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

  /** One change after another: the last that is asked for is the last that is told. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(change);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  #follow(connected: Connected, registered: readonly Removable[]): void {
    this.#connected.add(connected);
    connected.begin(registered, () => this.#connected.delete(connected));
  }

  /** Those of the views of now, also when they change meanwhile. */
  async #addresses(): Promise<Addresses> {
    const views = this.#views;
    const addresses = await this.#addressesOf(views);
    return views === this.#views ? addresses : this.#addresses();
  }

  /** Without views of which there is no document: their tools are offered in words. */
  async #addressesOf(views: ReadonlyMap<string, View>): Promise<Addresses> {
    const addresses = new Map<View, { uri: string; hash: string }>();
    for (const view of views.values()) {
      // Without a wait where there is nothing to wait for: it is asked for each request.
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

  /** Why a tool's view cannot be shown: the same words as on standard error. */
  #viewProblem({ view, viewProblem }: AnyTool): string | undefined {
    const problem = view && this.#documents.problem(view);
    return problem ? `${problem.message} (${problem.code})` : viewProblem;
  }

  /** Hosts keep addresses: in a conversation from yesterday there may be one that has changed since. */
  #registerOldAddresses(server: McpServer): void {
    const read = async ({ href }: URL, { view: last }: { view?: string | string[] }) => {
      const { name, hash } = readAddress(String(last));
      const view = this.#views.get(name);
      if (!view) throw new ResourceNotFoundError(href, `there is no view ${name}`);
      return this.#read(view, href, view.uri === undefined ? hash : undefined);
    };
    server.registerResource("vitrine: views", this.#oldAddresses, OLD_ADDRESSES, read);
    // Whoever names a fixed address by hand may leave the server out.
    if (!this.#options.reloads && [...this.#views.values()].every(({ uri }) => uri === undefined)) return;
    byName ??= addressesLike("ui://{view}");
    server.registerResource("vitrine: views by name", byName, OLD_ADDRESSES, read);
  }

  async #read(view: View, uri: string, hash: string | undefined) {
    const { text } = await this.#documents.version(view, hash);
    const { _meta } = configOf(view);
    return { contents: [{ uri, mimeType: UI_MIME_TYPE, text, ...(_meta && { _meta }) }] };
  }
}

/** By view, and not by server: for stateless clients a server is made for each request. */
const configs = new WeakMap<View, McpUiAppResourceConfig>();

/** What lists say of a view. */
function configOf(view: View): McpUiAppResourceConfig {
  const known = configs.get(view);
  if (known) return known;
  const { title, description, uri } = view;
  const ui = uiOf(view);
  const config: McpUiAppResourceConfig = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(uri === undefined && { cacheHint: KEPT }),
    // Nothing is what hosts take the defaults for.
    ...(ui && { _meta: { ui } }),
  };
  configs.set(view, config);
  return config;
}

/** Addresses that stayed, and lead to another document. */
function updatedOf(before: Addresses, after: Addresses): string[] {
  const known = new Map([...before.values()].map(({ uri, hash }) => [uri, hash]));
  return [...after.values()].flatMap(({ uri, hash }) =>
    known.has(uri) && known.get(uri) !== hash ? [uri] : [],
  );
}

/** The views of a server, each once. */
function viewsOf({ name, tools, views = [] }: AppServerOptions<readonly AnyTool[]>): Map<string, View> {
  const names = new Set<string>();
  for (const tool of tools) {
    checkName(tool.name, "tool");
    checkSchemas(tool);
    if (names.has(tool.name)) throw taken("tools", tool.name, name);
    names.add(tool.name);
  }
  const found = new Map<string, View>();
  for (const view of [...views, ...tools.flatMap((tool) => tool.view ?? [])]) {
    const known = found.get(view.name);
    if (known && known !== view) throw taken("views", view.name, name);
    found.set(view.name, view);
  }
  const fixed = [...found.values()].flatMap(({ uri }) => uri ?? []);
  const twice = fixed.find((uri, at) => fixed.indexOf(uri) !== at);
  if (twice !== undefined)
    throw new DefinitionError("name-taken", `two views of ${name} have the address ${twice}: change one`);
  return found;
}

/** Not to standard output: that is for messages. */
const tellProblem = ({ name }: View, { message, code }: DefinitionError): void =>
  void process.stderr.write(`the view ${name}: ${message} (${code})\n`);

const taken = (what: string, name: string, server: string): DefinitionError =>
  new DefinitionError("name-taken", `two ${what} of ${server} have the name ${name}: rename one`);

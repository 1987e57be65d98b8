/**
 * The host in a test: its answers to a view, and its records.
 *
 * @module
 */
import {
  type CallToolResult,
  diffHostContext,
  type HostCapabilities,
  type HostContext,
  type HostContextUpdate,
  INVALID_PARAMS,
  isVisibleTo,
  METHOD_NOT_FOUND,
  mergeHostContext,
  negotiateVersion,
  type Params,
  type RequestContext,
  type RequestFrom,
  type Result,
  VitrineError,
} from "@vitrine/protocol";
import type { TestedServer } from "./test-server.js";
import type { TestViewChannel } from "./view-channel.js";

/** A tool that a view called. */
export interface CalledTool {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The result; absent while it runs, or if it was refused. */
  result?: CallToolResult;
}

/** Answers a view's call instead of the server. */
export type ToolOverride = (
  input: Record<string, unknown>,
  context: RequestContext,
) => CallToolResult | Promise<CallToolResult>;

/** Requests of a view to its host, in order. */
export interface HostRequests {
  readonly calls: CalledTool[];
  readonly messages: Params<"ui/message">[];
  /** Updates of the model context; each replaces the one before. */
  modelContext: Params<"ui/update-model-context"> | undefined;
  readonly links: string[];
  readonly downloads: Params<"ui/download-file">["contents"][];
  readonly sizes: Params<"ui/notifications/size-changed">[];
  readonly logs: Params<"notifications/message">[];
  /** Whether the view asked to be removed. */
  wantsToClose: boolean;
}

/** Options of a test's host. */
export interface TestHostOptions {
  readonly server: Pick<TestedServer<readonly []>, "request"> | undefined;
  readonly tools: Readonly<Record<string, ToolOverride>>;
  readonly context: HostContext;
}

/** Requests that the server answers. */
const SERVERS = [
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
] as const satisfies RequestFrom<"view">[];

const REFUSED = -32000;

/** The host of one view. */
export class TestHost {
  readonly asked: HostRequests = {
    calls: [],
    messages: [],
    modelContext: undefined,
    links: [],
    downloads: [],
    sizes: [],
    logs: [],
    wantsToClose: false,
  };
  readonly #options: TestHostOptions;
  readonly #channel: TestViewChannel;
  #context: HostContext;

  constructor(channel: TestViewChannel, options: TestHostOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#context = options.context;
    this.#serve();
  }

  get context(): HostContext {
    return this.#context;
  }

  /** Changes some keys of the context, and notifies the view; `null` removes a key. */
  update(update: HostContextUpdate): void {
    const before = this.#context;
    this.#context = mergeHostContext(before, update);
    const changed = diffHostContext(before, this.#context, false) as HostContext | undefined;
    if (changed) this.#channel.tell("ui/notifications/host-context-changed", changed);
  }

  #serve(): void {
    const { peer } = this.#channel;
    const { asked } = this;
    peer.handle("ui/initialize", ({ protocolVersion }) => ({
      protocolVersion: negotiateVersion(protocolVersion),
      hostInfo: { name: "vitrine-test", version: "1.0.0" },
      hostCapabilities: this.#capabilities(),
      hostContext: this.#context,
    }));
    peer.handle("tools/call", (params, context) => this.#call(params, context));
    peer.handle("tools/list", async (params, context) => {
      const { tools } = (await this.#ask("tools/list", params, context)) as Result<"tools/list">;
      return { tools: tools.filter((each) => isVisibleTo(each, "app")) };
    });
    for (const method of SERVERS) {
      peer.handle(
        method,
        (params, context) => this.#ask(method, params, context) as Promise<Result<typeof method>>,
      );
    }
    peer.handle("ui/message", (params) => {
      asked.messages.push(params);
      return {};
    });
    peer.handle("ui/update-model-context", (params) => {
      asked.modelContext = params;
      return {};
    });
    peer.handle("ui/open-link", ({ url }) => {
      if (!URL.canParse(url) || !/^(https?|mailto):$/.test(new URL(url).protocol))
        throw new VitrineError(INVALID_PARAMS, "only http, https and mailto links can be opened");
      asked.links.push(url);
      return {};
    });
    peer.handle("ui/download-file", ({ contents }) => {
      asked.downloads.push(contents);
      return {};
    });
    peer.handle("ui/request-display-mode", ({ mode }) => {
      const { displayMode = "inline", availableDisplayModes = [] } = this.#context;
      if (!availableDisplayModes.includes(mode)) return { mode: displayMode };
      this.update({ displayMode: mode });
      return { mode };
    });
    peer.on("ui/notifications/size-changed", (size) => asked.sizes.push(size));
    peer.on("notifications/message", (log) => asked.logs.push(log));
    peer.on("ui/notifications/request-teardown", () => {
      asked.wantsToClose = true;
    });
  }

  /** Announces only capabilities that work. */
  #capabilities(): HostCapabilities {
    const { server, tools } = this.#options;
    return {
      openLinks: {},
      downloadFile: {},
      logging: {},
      message: { text: {} },
      updateModelContext: { text: {} },
      ...((server || Object.keys(tools).length > 0) && { serverTools: {} }),
      ...(server && { serverResources: {} }),
    };
  }

  async #ask(method: string, params: object, { signal, progress }: RequestContext): Promise<object> {
    const { server } = this.#options;
    if (!server) throw new VitrineError(METHOD_NOT_FOUND, "there is no server behind this view");
    return server.request(method, params, { signal, onprogress: progress });
  }

  async #call(params: Params<"tools/call">, context: RequestContext): Promise<CallToolResult> {
    const { name, arguments: input = {} } = params;
    const call: CalledTool = { name, arguments: input };
    this.asked.calls.push(call);
    const { tools, server } = this.#options;
    const answer = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (!answer) await this.#checkVisible(name, context);
    if (!answer && !server) throw new VitrineError(REFUSED, `the test has no answer of the tool ${name}`);
    call.result = answer
      ? await answer(input, context)
      : ((await this.#ask("tools/call", params, context)) as CallToolResult);
    return call.result;
  }

  /** Like every host: a view may call only tools that its server offers to views. */
  async #checkVisible(name: string, context: RequestContext): Promise<void> {
    if (!this.#options.server) return;
    const { tools } = (await this.#ask("tools/list", {}, context)) as Result<"tools/list">;
    const found = tools.find((each) => each.name === name);
    if (!found) throw new VitrineError(REFUSED, `the server lists no tool "${name}"`);
    if (!isVisibleTo(found, "app"))
      throw new VitrineError(REFUSED, `"${name}" is not for views: its visibility lacks "app"`);
  }
}

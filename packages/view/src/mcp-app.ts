/**
 * The `McpApp` class for hand-written views, with positional arguments and bare values in handlers. Existing
 * views for it run unchanged, on the same runtime as {@link App}.
 *
 * @module
 */
import type {
  AppCapabilities,
  CallToolResult,
  ContentBlock,
  DisplayMode,
  HostCapabilities,
  HostContext,
  Implementation,
  Result,
  Transport,
} from "@vitrine/protocol";
import { recordOf } from "@vitrine/protocol";
import { App } from "./app.js";
import { parentTransport } from "./view.js";

/** Options of {@link McpApp}. */
export interface McpAppOptions {
  /** Name and version of the app. */
  appInfo?: Implementation;
  /** Logs the direction and method of every message, never its contents. */
  debug?: boolean;
  /** Accepted for compatibility, but ignored: the handshake negotiates the version. */
  protocolVersion?: string;
}

/** Result of {@link McpApp.connect}. */
export interface McpAppHost {
  hostCapabilities: HostCapabilities;
  hostContext: HostContext;
}

/**
 * A view with positional arguments.
 *
 * @example
 * ```ts source="./view.examples.ts#mcpApp"
 * const app = new McpApp({ appInfo: { name: "dashboard", version: "1.0.0" } });
 * app.ontoolinput = (args) => {
 *   status.textContent = `Analyzing ${args.dataset}`;
 * };
 * app.ontoolresult = (result) => {
 *   status.textContent = JSON.stringify(result.structuredContent);
 * };
 * const { hostContext } = await app.connect();
 * document.body.className = hostContext.theme ?? "light";
 * ```
 */
export class McpApp {
  /** Name and version if the options have none. `viewScript` sets it. */
  static info: Implementation = { name: "app", version: "0.0.0" };

  readonly #app: App;
  readonly #debug: boolean;

  constructor({ appInfo = McpApp.info, debug = false }: McpAppOptions = {}) {
    this.#app = new App(appInfo);
    this.#debug = debug;
  }

  set ontoolinput(handler: ((args: Record<string, unknown>) => unknown) | undefined) {
    this.#app.ontoolinput = handler && (({ arguments: args = {} }) => handler(args));
  }
  set ontoolinputpartial(handler: ((args: Record<string, unknown>) => unknown) | undefined) {
    this.#app.ontoolinputpartial = handler && (({ arguments: args = {} }) => handler(args));
  }
  set ontoolresult(handler: ((result: CallToolResult) => unknown) | undefined) {
    this.#app.ontoolresult = handler;
  }
  set ontoolcancelled(handler: ((reason: string | undefined) => unknown) | undefined) {
    this.#app.ontoolcancelled = handler && (({ reason }) => handler(reason));
  }
  set onhostcontextchanged(handler: ((change: HostContext) => unknown) | undefined) {
    this.#app.onhostcontextchanged = handler;
  }
  set onteardown(handler: ((reason: string | undefined) => unknown) | undefined) {
    this.#app.onteardown = handler && (({ reason }) => handler(reason));
  }

  /** Connects to the host. */
  async connect(appCapabilities: AppCapabilities = {}, transport?: Transport): Promise<McpAppHost> {
    Object.assign(this.#app.capabilities, appCapabilities);
    const to = this.#debug ? logged(transport ?? parentTransport()) : transport;
    await this.#app.connect(to);
    return {
      hostCapabilities: this.#app.getHostCapabilities() ?? {},
      hostContext: this.#app.getHostContext() ?? {},
    };
  }
  /** Closes the connection and rejects pending requests. */
  disconnect(): Promise<void> {
    return this.#app.close();
  }

  callServerTool(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
    return this.#app.callServerTool({ name, arguments: args });
  }
  /** Reads a resource of the view's own server. */
  readServerResource(uri: string): Promise<Result<"resources/read">> {
    return this.#app.readServerResource({ uri });
  }
  /** Adds a message to the conversation. It is always a user turn, whatever the role. */
  sendMessage(_role: string, content: ContentBlock | ContentBlock[]): Promise<Result<"ui/message">> {
    return this.#app.sendMessage({ role: "user", content: [content].flat() });
  }
  updateModelContext(
    content?: ContentBlock[],
    structuredContent?: Record<string, unknown>,
  ): Promise<Result<"ui/update-model-context">> {
    return this.#app.updateModelContext({ content, structuredContent });
  }
  openLink(url: string): Promise<Result<"ui/open-link">> {
    return this.#app.openLink({ url });
  }
  requestDisplayMode(mode: DisplayMode): Promise<Result<"ui/request-display-mode">> {
    return this.#app.requestDisplayMode({ mode });
  }
  reportSizeChanged(width: number, height: number): Promise<void> {
    return this.#app.sendSizeChanged({ width, height });
  }
}

/** Wraps a transport and logs the method of each message, never its contents. */
function logged(transport: Transport): Transport {
  const log = (arrow: string, message: unknown): void => {
    const { method = "answer", id = "" } = recordOf(message);
    // biome-ignore lint/suspicious/noConsole: the author asked for it with `debug`.
    console.debug("[McpApp]", arrow, method, id);
  };
  return {
    start: (receive, closed) =>
      transport.start((message) => {
        log("←", message);
        receive(message);
      }, closed),
    send: (message) => {
      log("→", message);
      transport.send(message);
    },
    close: () => transport.close(),
  };
}

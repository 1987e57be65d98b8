/**
 * The messages that an `AppBridge` sends.
 *
 * @module
 */
import { type Params, type RequestOptions, type Result, VitrineError } from "@vitrine/protocol";
import type { AppChannel } from "./app-channel.js";
import { EventHandlers } from "./event-handlers.js";
import type { SdkMessage } from "./types.js";

/** Messages of the tool call: each is sent once, and again by itself to a view that restarts. */
const ONCE = /tool-(input|result|cancelled)$/;
/** The sending half of an `AppBridge`. */
export abstract class SentMessages extends EventHandlers {
  /** The sent messages of the tool call, as text. */
  readonly #sent = new Map<string, string>();

  /** The channel; throws without a connection. */
  protected abstract connected(): AppChannel;
  /** Called with the result of the tool call: it may name resources that the view may read. */
  protected abstract learn(result: Params<"ui/notifications/tool-result">): void;

  /** A new connection gets the tool call from the beginning. */
  protected forgetSent(): void {
    this.#sent.clear();
  }

  /** Sends the complete arguments, once. */
  async sendToolInput(params: Params<"ui/notifications/tool-input">): Promise<void> {
    this.send("ui/notifications/tool-input", params);
  }

  /** Sends the arguments received so far, while the model still writes them. */
  async sendToolInputPartial(params: Params<"ui/notifications/tool-input-partial">): Promise<void> {
    this.send("ui/notifications/tool-input-partial", params);
  }

  /** Sends the result of the tool call, after the input. */
  async sendToolResult(params: Params<"ui/notifications/tool-result">): Promise<void> {
    this.learn(params);
    this.send("ui/notifications/tool-result", params);
  }

  /** Reports that the tool call was cancelled. */
  async sendToolCancelled(params: Params<"ui/notifications/tool-cancelled">): Promise<void> {
    this.send("ui/notifications/tool-cancelled", params);
  }

  /** Sends the view's document to the sandbox proxy. */
  async sendSandboxResourceReady(params: Params<"ui/notifications/sandbox-resource-ready">): Promise<void> {
    this.send("ui/notifications/sandbox-resource-ready", params);
  }

  /** Reports that the server's tools changed. With a client, the bridge does so by itself. */
  async sendToolListChanged(params: object = {}): Promise<void> {
    this.send("notifications/tools/list_changed", params);
  }

  /** Reports that the server's resources changed. With a client, the bridge does so by itself. */
  async sendResourceListChanged(params: object = {}): Promise<void> {
    this.send("notifications/resources/list_changed", params);
  }

  /** Reports that the server's prompts changed. With a client, the bridge does so by itself. */
  async sendPromptListChanged(params: object = {}): Promise<void> {
    this.send("notifications/prompts/list_changed", params);
  }

  /** Calls a tool of the view. */
  async callTool(params: Params<"tools/call">, options?: RequestOptions): Promise<Result<"tools/call">> {
    return (await this.connected().request("tools/call", params, options)) as Result<"tools/call">;
  }

  /** Lists the tools of the view. */
  async listTools(
    params: Params<"tools/list"> = {},
    options?: RequestOptions,
  ): Promise<Result<"tools/list">> {
    return (await this.connected().request("tools/list", params, options)) as Result<"tools/list">;
  }

  /** Sends a request to the view. A schema, if given, checks the result. */
  async request(
    { method, params = {} }: SdkMessage,
    schemaOrOptions?: unknown,
    options?: RequestOptions,
  ): Promise<unknown> {
    const schema = standardSchema(schemaOrOptions);
    const own = schema ? options : (options ?? (schemaOrOptions as RequestOptions | undefined));
    const result = await this.connected().request(method, params, own);
    const { issues, value } = schema ? await schema.validate(result) : { issues: undefined, value: result };
    if (issues) throw new VitrineError("invalid", `${method}: ${JSON.stringify(issues)}`);
    return value;
  }

  /** Sends a notification to the view. */
  async notification({ method, params = {} }: SdkMessage): Promise<void> {
    this.send(method, params);
  }

  protected send(method: string, params: object): void {
    const channel = this.connected();
    // Hosts send the call again after each `initialized`, and a view that restarted already got it.
    const text = ONCE.test(method) && JSON.stringify(params);
    if (text && this.#sent.get(method) === text) return;
    channel.notify(method, params);
    if (text) this.#sent.set(method, text);
  }
}

/** A Standard Schema. */
interface StandardSchema {
  validate(value: unknown): Outcome | Promise<Outcome>;
}
interface Outcome {
  issues?: unknown;
  value?: unknown;
}

const standardSchema = (value: unknown): StandardSchema | undefined =>
  // A schema may be a function, as in some libraries.
  value ? (Object(value)["~standard"] as StandardSchema | undefined) : undefined;

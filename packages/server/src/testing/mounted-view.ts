/**
 * A view that runs in a test.
 *
 * @module
 */
import { type HostContext, type HostContextUpdate, VitrineError } from "@vitrine/protocol";
import { now, turn } from "./real-time.js";
import type { CalledTool, HostRequests, TestHost } from "./test-host.js";
import type { AnyTypes, ResultOf } from "./test-server.js";
import type { TestViewChannel } from "./view-channel.js";
import { textOf, type ViewFrame, type ViewWindow } from "./view-window.js";

/** A tool's result for the view; every field is optional. */
export type ToldResult<Data> = Partial<ResultOf<Data>>;

/** Parts of a mounted view. */
export interface Mounting<W extends ViewWindow> {
  readonly window: W;
  readonly frame: ViewFrame;
  readonly channel: TestViewChannel;
  readonly host: TestHost;
  readonly problems: readonly Error[];
  /** Calls the view's own tool on the server. */
  readonly call: (input: Record<string, unknown>) => Promise<ResultOf<unknown>>;
}

/**
 * A view in a window of the test. The test is its host: it sends the view messages, and sees the view's
 * requests.
 */
export class MountedView<
  W extends ViewWindow,
  Types extends { input: unknown; partial: unknown; result: unknown } = AnyTypes,
> {
  /** Errors: those that scripts threw, and invalid messages. */
  readonly problems: readonly Error[];
  readonly window: W;
  readonly #mounting: Mounting<W>;

  constructor(mounting: Mounting<W>) {
    this.#mounting = mounting;
    this.window = mounting.window;
    this.problems = mounting.problems;
  }

  get document(): W["document"] {
    return this.window.document;
  }
  /** The visible text. */
  get text(): string {
    return textOf(this.document);
  }
  /**
   * Waits until the view shows a text, because frameworks render asynchronously.
   *
   * @throws {VitrineError} `timeout`, with the current text and the errors of its scripts
   */
  async shows(expected: string | RegExp, limit = 2000): Promise<void> {
    const isShown = (): boolean =>
      typeof expected === "string" ? this.text.includes(expected) : expected.test(this.text);
    const deadline = now() + limit;
    while (!isShown()) {
      if (now() > deadline) {
        const thrown = this.problems.map(({ message }) => ` A script threw: ${message}.`).join("");
        throw new VitrineError(
          "timeout",
          `The view shows ${JSON.stringify(this.text)}, not ${expected}.${thrown}`,
        );
      }
      await turn();
    }
  }

  /** The tools that the view called, with their results. */
  get calls(): readonly CalledTool[] {
    return this.#asked.calls;
  }
  get messages(): Readonly<HostRequests["messages"]> {
    return this.#asked.messages;
  }
  /** The last model context of the view. */
  get modelContext(): HostRequests["modelContext"] {
    return this.#asked.modelContext;
  }
  /** The links that the view asked to open. */
  get links(): readonly string[] {
    return this.#asked.links;
  }
  get downloads(): Readonly<HostRequests["downloads"]> {
    return this.#asked.downloads;
  }
  /** The sizes that the view reported; without a layout they mean little. */
  get sizes(): Readonly<HostRequests["sizes"]> {
    return this.#asked.sizes;
  }
  get logs(): Readonly<HostRequests["logs"]> {
    return this.#asked.logs;
  }
  /** Whether the view asked to be removed. */
  get wantsToClose(): boolean {
    return this.#asked.wantsToClose;
  }
  /** The host context that the view knows, including its current display mode. */
  get hostContext(): HostContext {
    return this.#mounting.host.context;
  }
  get #asked(): HostRequests {
    return this.#mounting.host.asked;
  }

  /** Sends partial arguments of the tool. */
  partial(input: Types["partial"]): Promise<void> {
    return this.#tell("ui/notifications/tool-input-partial", { arguments: input });
  }

  /** Sends the tool's complete arguments. */
  input(input: Types["input"]): Promise<void> {
    return this.#tell("ui/notifications/tool-input", { arguments: input });
  }

  /** Sends the tool's result. */
  result(result: ToldResult<Types["result"]>): Promise<void> {
    return this.#tell("ui/notifications/tool-result", { content: [], ...result });
  }

  /** Cancels the tool call. */
  cancel(reason?: string): Promise<void> {
    return this.#tell("ui/notifications/tool-cancelled", { reason });
  }

  /** Changes the host context, such as the theme; `null` removes a key. */
  context(update: HostContextUpdate): Promise<void> {
    this.#mounting.host.update(update);
    return this.settled();
  }

  /**
   * Runs a whole call: sends the input to the view, calls the tool on the server, and sends the view the
   * result.
   */
  async run(input: Types["input"]): Promise<ResultOf<Types["result"]>> {
    await this.input(input);
    const result = await this.#mounting.call(input as Record<string, unknown>);
    await this.result(result as ToldResult<Types["result"]>);
    return result as ResultOf<Types["result"]>;
  }

  /** Calls a tool that the view itself offers. */
  callViewTool(name: string, input: Record<string, unknown> = {}): Promise<ResultOf<unknown>> {
    return this.#mounting.channel.peer.request("tools/call", { name, arguments: input });
  }

  /**
   * Waits until all requests of the view are answered and no more messages are sent, for example after a
   * click. It does not wait for the view's own timers.
   */
  settled(): Promise<void> {
    return this.#mounting.channel.settled();
  }

  /** Tears down the view, and closes its window. */
  async close(reason = "the test is over"): Promise<void> {
    await this.#mounting.channel.close(reason);
    this.#mounting.frame.remove();
  }

  #tell(method: Parameters<TestViewChannel["tell"]>[0], params: object): Promise<void> {
    this.#mounting.channel.tell(method, params);
    return this.settled();
  }
}

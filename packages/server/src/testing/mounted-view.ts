/**
 * A view that runs in a test.
 *
 * @module
 */
import { type HostContext, type HostContextUpdate, VitrineError } from "@vitrine/protocol";
import { now, turn } from "./real-time.js";
import type { Asked, TestHost, ViewCall } from "./test-host.js";
import type { AnyTypes, ResultOf } from "./test-server.js";
import type { ViewChannel } from "./view-channel.js";
import { textOf, type ViewFrame, type ViewWindow } from "./view-window.js";

/** What a view is told of its tool's result: everything in it may be left out. */
export type ToldResult<Data> = Partial<ResultOf<Data>>;

/** What a mounted view is made of. */
export interface Mounting<W extends ViewWindow> {
  readonly window: W;
  readonly frame: ViewFrame;
  readonly channel: ViewChannel;
  readonly host: TestHost;
  readonly problems: readonly Error[];
  /** Calls the view's own tool, on the server. */
  readonly call: (input: Record<string, unknown>) => Promise<ResultOf<unknown>>;
}

/** A view in a window of the test, whose host is the test: it tells the view what happens, and sees what the view asks. */
export class MountedView<
  W extends ViewWindow,
  Types extends { input: unknown; partial: unknown; result: unknown } = AnyTypes,
> {
  /** What went wrong: what scripts threw, and messages that no host would take. */
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
  /** What is to be read: without what is hidden. */
  get text(): string {
    return textOf(this.document);
  }
  /**
   * Waits until the view shows a text: frameworks draw some time after they were told something.
   *
   * @throws {VitrineError} `timeout`, with what the view shows instead and what its scripts threw
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

  /** The tools that the view called, with what came of it. */
  get calls(): readonly ViewCall[] {
    return this.#asked.calls;
  }
  get messages(): Readonly<Asked["messages"]> {
    return this.#asked.messages;
  }
  /** What the view told the model last. */
  get modelContext(): Asked["modelContext"] {
    return this.#asked.modelContext;
  }
  /** The addresses that the view wanted to be opened. */
  get links(): readonly string[] {
    return this.#asked.links;
  }
  get downloads(): Readonly<Asked["downloads"]> {
    return this.#asked.downloads;
  }
  /** The sizes that the view reported; without a layout they say little. */
  get sizes(): Readonly<Asked["sizes"]> {
    return this.#asked.sizes;
  }
  get logs(): Readonly<Asked["logs"]> {
    return this.#asked.logs;
  }
  /** Whether the view asked to be removed. */
  get wantsToClose(): boolean {
    return this.#asked.wantsToClose;
  }
  /** What the view knows of its host: also the display mode that it was given. */
  get hostContext(): HostContext {
    return this.#mounting.host.context;
  }
  get #asked(): Asked {
    return this.#mounting.host.asked;
  }

  /** The model has written so much of the tool's arguments. */
  partial(input: Types["partial"]): Promise<void> {
    return this.#tell("ui/notifications/tool-input-partial", { arguments: input });
  }

  /** The tool was called with these arguments. */
  input(input: Types["input"]): Promise<void> {
    return this.#tell("ui/notifications/tool-input", { arguments: input });
  }

  /** The tool gave this. */
  result(result: ToldResult<Types["result"]>): Promise<void> {
    return this.#tell("ui/notifications/tool-result", { content: [], ...result });
  }

  /** The tool's call was taken back. */
  cancel(reason?: string): Promise<void> {
    return this.#tell("ui/notifications/tool-cancelled", { reason });
  }

  /** Something about the host is another now, such as its theme; `null` for what is gone. */
  context(update: HostContextUpdate): Promise<void> {
    this.#mounting.host.update(update);
    return this.settled();
  }

  /** The whole of it: tells the view the input, calls the tool on the server, tells the view the result. */
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
   * Waits until everything that the view asked was answered, and nothing is said any more: after a click, for example. What
   * the view does later by a timer of its own is for the test to wait for.
   */
  settled(): Promise<void> {
    return this.#mounting.channel.settled();
  }

  /** Has the view finish, and closes its window. */
  async close(reason = "the test is over"): Promise<void> {
    await this.#mounting.channel.close(reason);
    this.#mounting.frame.remove();
  }

  #tell(method: Parameters<ViewChannel["tell"]>[0], params: object): Promise<void> {
    this.#mounting.channel.tell(method, params);
    return this.settled();
  }
}

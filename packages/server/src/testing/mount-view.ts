/**
 * Mounts a view in a test, with the test as its host.
 *
 * @module
 */
import { type HostContext, recordOf, type Tool, VitrineError } from "@vitrine/protocol";
import type { AnyTool, ToolsOf } from "../tool.js";
import { MountedView, type Mounting } from "./mounted-view.js";
import { TestHost, type ToolOverride } from "./test-host.js";
import type { AnyTypes, ResultOf, TestedServer, TypesOf } from "./test-server.js";
import { TestViewChannel } from "./view-channel.js";
import { type JsdomWindow, newWindow, ViewFrame, type ViewWindow } from "./view-window.js";

/** Options of every mount. */
interface MountOptions<W extends ViewWindow> {
  /**
   * A new jsdom window that runs scripts: `new JSDOM("", { runScripts: "dangerously" }).window`. It is closed
   * with the view. By default, `mountView` creates one; the package `jsdom` must be installed.
   */
  readonly window?: W | undefined;
  /** Answers of tools by name, instead of the server's. */
  readonly tools?: Readonly<Record<string, ToolOverride>> | undefined;
  /** Additional host context. */
  readonly context?: HostContext | undefined;
  /** Milliseconds until the view must have started; 5000 by default. */
  readonly limit?: number | undefined;
}

/** Mounts the view of a tool; the server answers its requests. */
export interface MountToolOptions<
  W extends ViewWindow,
  Tools extends readonly AnyTool[],
  Name extends keyof ToolsOf<Tools> & string,
> extends MountOptions<W> {
  readonly server: TestedServer<Tools>;
  readonly tool: Name;
}

/** Mounts a document that needs no server. */
export interface MountHtmlOptions<W extends ViewWindow> extends MountOptions<W> {
  readonly html: string;
}

const CONTEXT: HostContext = {
  theme: "light",
  displayMode: "inline",
  availableDisplayModes: ["inline", "fullscreen"],
  locale: "en",
  timeZone: "UTC",
  platform: "desktop",
};

/**
 * Mounts a view in a jsdom window: its scripts run, it connects to the test, and its tool calls reach the
 * server in the same process. jsdom has no layout, no content security policy and no sandbox; for those, use
 * `vitrine render`.
 *
 * @example
 * ```ts source="./mount-view.examples.ts#mountView"
 * const server = await testServer(shop);
 * const { window } = new JSDOM("", { runScripts: "dangerously" });
 * const mounted = await mountView({ server, tool: "order", window });
 * await mounted.input({ article: "Green tea", count: 2 });
 * mounted.document.querySelector("button")?.click();
 * await mounted.settled();
 * // The form called the tool on the test's server, and shows its answer.
 * expect(mounted.calls[0]?.arguments).toEqual({ article: "Green tea", count: 2 });
 * expect(mounted.text).toContain("40 are left.");
 * expect(mounted.problems).toEqual([]);
 * await mounted.close();
 * await server.close();
 * ```
 *
 * @throws {VitrineError} `timeout` when the view does not begin in time, with what its scripts threw as the `cause`;
 *   `invalid` when there is no window, and jsdom is not installed
 */
export async function mountView<
  Tools extends readonly AnyTool[],
  Name extends keyof ToolsOf<Tools> & string,
  W extends ViewWindow = JsdomWindow,
>(options: MountToolOptions<W, Tools, Name>): Promise<MountedView<W, TypesOf<Tools, Name>>>;
export async function mountView<W extends ViewWindow = JsdomWindow>(
  options: MountHtmlOptions<W>,
): Promise<MountedView<W, AnyTypes>>;
export async function mountView(
  options: MountOptions<ViewWindow> & {
    readonly html?: string;
    readonly server?: TestedServer<readonly AnyTool[]>;
    readonly tool?: string;
  },
): Promise<MountedView<ViewWindow, AnyTypes>> {
  const { server, tool: name = "", tools = {}, limit = 5000 } = options;
  const window = options.window ?? (await newWindow());
  const html = options.html ?? (await server?.view(name))?.html ?? "";
  const tool = await listed(server, name);
  const problems: Error[] = [];
  const noted = (error: unknown): void => void problems.push(errorOf(error));
  const frame = new ViewFrame(window, noted);
  // Messages of its scripts arrive asynchronously, so the view's timeout starts after they have run.
  frame.write(html);
  const channel = new TestViewChannel(frame, limit, noted);
  const context = { ...CONTEXT, ...(tool && { toolInfo: { tool } }), ...options.context };
  const host = new TestHost(channel, { server, tools, context });
  const call = async (input: Record<string, unknown>): Promise<ResultOf<unknown>> => {
    if (!server) throw new Error("there is no server: tell the view its input and its result");
    return server.call(name, input);
  };
  try {
    await channel.ready();
  } catch (error) {
    frame.remove();
    throw withCause(error as VitrineError, problems[0]);
  }
  await channel.settled();
  const mounting: Mounting<ViewWindow> = { window, frame, channel, host, problems, call };
  return new MountedView(mounting);
}

async function listed(
  server: TestedServer<readonly AnyTool[]> | undefined,
  name: string,
): Promise<Tool | undefined> {
  const { tools = [] } = ((await server?.request("tools/list")) ?? {}) as { tools?: Tool[] };
  return tools.find((each) => each.name === name);
}

/** Errors of another window are not instances of this program's classes. */
function errorOf(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message = thrown, name } = recordOf(thrown);
  return Object.assign(new Error(String(message), { cause: thrown }), name !== undefined && { name });
}

const withCause = (error: VitrineError, cause: Error | undefined): VitrineError =>
  cause ? new VitrineError(error.code, `${error.message} ${cause.message}`, { cause }) : error;

/**
 * Apps that outlive their server: a host stores what an app shows, and shows it again later.
 *
 * @module
 */
import type { Upstream } from "@vitrine/guard";
import {
  type CallToolResult,
  isRecord,
  JsonText,
  METHOD_NOT_FOUND,
  recordOf,
  type Tool,
  VitrineError,
} from "@vitrine/protocol";
import type { Bridge } from "./bridge.js";
import type { AppFrameOptions } from "./frame/frame.js";
import type { FrameView } from "./frame/proxy-frame.js";
import { type InPageDocument, pageView } from "./page-view.js";

/** An app as JSON: its document and its tool call. */
export interface AppSnapshot {
  readonly version: 1;
  /** The identity of its server. */
  readonly server: string;
  readonly document: InPageDocument;
  readonly tool?: Tool | undefined;
  readonly input?: Record<string, unknown> | undefined;
  readonly result?: CallToolResult | undefined;
  /** Why there is no result. */
  readonly cancelled?: string | undefined;
}

/** Options of {@link snapshotApp}. */
export interface SnapshotOptions extends Omit<AppFrameOptions, "view" | "title" | "upstream" | "guard"> {
  /** The app's title; the tool's title by default. */
  title?: string | undefined;
  /** The `origin` of the sandbox, as for `pageView`. Without it, `view` is needed. */
  sandbox?: string | undefined;
  /** The view, if a back end has registered the snapshot's document. */
  view?: FrameView | PromiseLike<FrameView> | undefined;
  /**
   * The identity of the app's server; that of the snapshot by default. The app has the storage of the apps of this
   * server, so pass another identity for a snapshot that a stranger may have written.
   */
  server?: string | undefined;
}

/** An app of a snapshot: the options of an `<mcp-app>`, and its tool call, as the props of `<McpApp>`. */
export interface SnapshotApp extends AppFrameOptions {
  input?: Record<string, unknown> | undefined;
  result?: CallToolResult | undefined;
  cancelled?: string | undefined;
}

/** The error of an app that asks its server. */
const GONE = "this app is shown from a snapshot, without its server";
/** The app reads why it gets no result. */
const UNFINISHED = "the call had not ended when it was saved";

/**
 * Saves an app as JSON: its document, input and result. Store it with the conversation.
 *
 * @example
 * ```ts source="./in-page.examples.ts#snapshot"
 * const view = await weather.view(tool);
 * app.app = { info, title: "Weather", view, upstream: weather.upstream, guard };
 * // When the call has ended:
 * if (app.bridge) store(JSON.stringify(takeSnapshot(app.bridge, view)));
 * // Later, without the server:
 * showSnapshot(app, JSON.parse(stored), { info, sandbox });
 * ```
 *
 * @param view - a view of this page, or the document that a back end has read, and its server
 */
export function takeSnapshot(
  bridge: Pick<Bridge, "call" | "context">,
  { server, document }: Pick<AppSnapshot, "server" | "document">,
): AppSnapshot {
  const said = (end: string): Record<string, unknown> | undefined => {
    const params = bridge.call.find(({ method }) => method === `ui/notifications/tool-${end}`)?.params;
    return params && recordOf(params instanceof JsonText ? params.parse() : params);
  };
  const cancelled = said("cancelled");
  return {
    version: 1,
    server,
    document,
    tool: bridge.context.toolInfo?.tool,
    input: said("input")?.["arguments"] as AppSnapshot["input"],
    result: said("result") as AppSnapshot["result"],
    cancelled: cancelled && `${cancelled["reason"] ?? ""}`,
  };
}

/**
 * The app of a snapshot: props of `<McpApp>`, or options of an `<mcp-app>` whose call is sent by {@link showSnapshot}.
 * The frame says that the server is not connected. A value that is no snapshot becomes an app that fails with
 * `bad-resource`, and shows the result as text.
 *
 * @example
 * ```ts source="./in-page.examples.ts#snapshotApp"
 * const { input, result, cancelled, ...options } = snapshotApp(JSON.parse(stored), { info, sandbox });
 * ```
 */
export function snapshotApp(saved: unknown, options: SnapshotOptions): SnapshotApp {
  const { sandbox, server, view, ...rest } = options;
  const { version, tool, input, result, cancelled, ...read } = recordOf(saved);
  const toolInfo =
    isRecord(tool) && typeof tool["name"] === "string" ? { tool: tool as unknown as Tool } : undefined;
  const identity = server ?? `${read["server"]}`;
  const show = async (): Promise<FrameView> => {
    const { document } = read;
    if (version !== 1)
      throw new VitrineError("bad-resource", "this is not a snapshot of an app, or of a newer version");
    if (view) return view;
    if (!isRecord(document) || typeof document["html"] !== "string")
      throw new VitrineError("bad-resource", "the snapshot has no document");
    if (sandbox === undefined)
      throw new VitrineError("bad-resource", "a snapshot needs a sandbox, or a view");
    return pageView(document as unknown as InPageDocument, { sandbox, server: identity });
  };
  let shown: Promise<FrameView> | undefined;
  const isOver = isRecord(result) || typeof cancelled === "string";
  return {
    title: toolInfo?.tool.title ?? toolInfo?.tool.name ?? "",
    fallback: () => textOf(result),
    ...rest,
    upstream: goneUpstream(identity),
    guard: "behind-upstream",
    view: {
      // biome-ignore lint/suspicious/noThenProperty: read with the first mount; frameworks make the options anew with each render.
      then: (...heard) => (shown ??= show().then((each) => ({ ...each, saved: true }))).then(...heard),
    },
    context: { ...(toolInfo && { toolInfo }), ...rest.context },
    input: isRecord(input) ? input : {},
    ...(isRecord(result) && { result: result as unknown as CallToolResult }),
    ...(!isRecord(result) && { cancelled: isOver ? `${cancelled}` : UNFINISHED }),
  };
}

/** Shows a snapshot in an `<mcp-app>`: {@link snapshotApp}, and the messages of its call. */
export function showSnapshot(
  element: {
    app: AppFrameOptions | undefined;
    readonly bridge: Pick<Bridge, "sendToolInput" | "sendToolResult" | "sendToolCancelled"> | undefined;
  },
  saved: unknown,
  options: SnapshotOptions,
): void {
  const { input, result, cancelled, ...app } = snapshotApp(saved, options);
  element.app = app;
  const { bridge } = element;
  bridge?.sendToolInput(input);
  if (result) bridge?.sendToolResult(result);
  else bridge?.sendToolCancelled(cancelled);
}

/** A server that no request reaches. */
const goneUpstream = (server: string): Upstream => ({
  server,
  capabilities: {},
  gone: GONE,
  request: () => Promise.reject(new VitrineError(METHOD_NOT_FOUND, GONE)),
  listen: () => () => {},
});

/** The text of a result, which may be anything. */
const textOf = (result: unknown): string =>
  [recordOf(result)["content"]]
    .flat()
    .flatMap((block) => recordOf(block)["text"] ?? [])
    .join("\n");

/**
 * The source of an app: a view of the gateway, or a recording.
 *
 * @module
 */
import type { AppFrameOptions, Bridge, FrameView } from "@vitrine/host";
import { type GatewayView, gatewayApp } from "@vitrine/host/gateway";
import { type CallToolResult, INSTANCE_KEY, JsonText, type ResourceMeta, type Tool } from "@vitrine/protocol";
import type { OpenedView, ViewPlace } from "@vitrine/wire";
import { readTool, toolTitle } from "./foreign.js";

/** The part of an app that an {@link AppModel} needs. */
export interface AppSource {
  readonly id: string;
  readonly server: string;
  /** Which server it is, whatever its name; undefined for a recording. */
  readonly identity?: string | undefined;
  readonly title: string;
  /** The address of its UI. */
  readonly uri: string;
  readonly tool: Tool | undefined;
  /** Where and under which policy it is shown; undefined if it cannot be shown. */
  readonly place: ViewPlace | undefined;
  /** Why it cannot be shown. */
  readonly problem?: OpenedView["problem"];
  /** Played from a file: server and title come from the file and are untrusted. */
  readonly isRecording?: true | undefined;
  /** The document itself, if known: that of a recording. */
  readonly document?: { readonly html: string; readonly meta: ResourceMeta } | undefined;
  /** Whether it was open before, such as before a page reload, and may have stored state. */
  readonly isRestored?: boolean | undefined;
  /** Options of its frame; its look and handlers come from the model. */
  readonly frame: Pick<AppFrameOptions, "view" | "upstream" | "guard" | "instance" | "context">;
  /** Sends the app the call that it shows, now and as it continues. */
  tell(bridge: Bridge, heard: CallListener): void;
  close(): Promise<void>;
}

/** Receives events of the call that an app shows. */
export interface CallListener {
  input?(input: Record<string, unknown>): void;
  result?(result: CallToolResult): void;
  cancelled?(reason: string | undefined): void;
}

/** Options of {@link gatewaySource}. */
export interface GatewaySourceOptions {
  /** Whether its app was open before. */
  readonly isRestored?: boolean | undefined;
  /** Its instance id for stored state: the same when it is opened again. */
  readonly instance?: string | undefined;
  /** Asks the gateway again where it is shown. */
  readonly refresh?: ((view: GatewayView) => Promise<void>) | undefined;
}

/** A view of the gateway's. */
export function gatewaySource(
  view: GatewayView,
  { isRestored = false, instance = view.id, refresh }: GatewaySourceOptions = {},
): AppSource {
  const tool = readTool(view.opened.tool);
  const { title, ...frame } = gatewayApp(view, {
    info: { name: "", version: "" },
    title: tool ? toolTitle(tool) : view.opened.uri,
    context: { [INSTANCE_KEY]: instance },
  });
  const { id } = view;
  const place = async (): Promise<FrameView> => {
    // A frame that is shown again, or retried, may find that the document is available again.
    if (view.opened.problem?.code === "load-failed") await refresh?.(view);
    return frame.view;
  };
  return {
    id,
    title,
    // biome-ignore lint/suspicious/noThenProperty: read anew with each mount.
    frame: { ...frame, view: { then: (...heard) => place().then(...heard) } },
    isRestored,
    server: view.upstream.server,
    identity: view.opened.identity,
    uri: view.opened.uri,
    tool,
    get place() {
      return view.opened.place;
    },
    get problem() {
      return view.opened.problem;
    },
    tell(bridge, heard) {
      let isInputTold = false;
      const input = (value: Record<string, unknown>): void => {
        // Only once: the gateway may send the same input when a view is opened and again later.
        if (isInputTold) return;
        isInputTold = true;
        bridge.sendToolInput(value);
        heard.input?.(value);
      };
      const result = (value: CallToolResult | JsonText): void => {
        bridge.sendToolResult(value);
        heard.result?.(value instanceof JsonText ? (value.parse() as CallToolResult) : value);
      };
      const cancelled = (reason: string | undefined): void => {
        bridge.sendToolCancelled(reason);
        heard.cancelled?.(reason);
      };
      const { opened } = view;
      if (opened.input) input(opened.input);
      if (opened.result) result(opened.result);
      if (opened.cancelled !== undefined) cancelled(opened.cancelled);
      view.onnotice = ({ method, params }) => {
        if (method === "ui/notifications/tool-input-partial") {
          if (!isInputTold) bridge.sendToolInputPartial(params.arguments);
        } else if (method === "ui/notifications/tool-input") input(params.arguments);
        else if (method === "ui/notifications/tool-result") result(params);
        else cancelled(params.reason);
      };
    },
    close: () => {
      // The caller of `close` already knows.
      view.onclosed = undefined;
      return view.close();
    },
  };
}

/**
 * Where an app comes from: a view of the gateway's, or a recording.
 *
 * @module
 */
import type { AppFrameOptions, Bridge, FrameView } from "@vitrine/host";
import { type GatewayView, gatewayApp } from "@vitrine/host/gateway";
import { type CallToolResult, INSTANCE_KEY, JsonText, type ResourceMeta, type Tool } from "@vitrine/protocol";
import type { OpenedView, ViewPlace } from "@vitrine/wire";
import { readTool, toolTitle } from "./foreign.js";

/** What an {@link AppModel} needs to know of an app. */
export interface AppSource {
  readonly id: string;
  readonly server: string;
  /** Which server it is, whatever its name; undefined for a recording. */
  readonly identity?: string | undefined;
  readonly title: string;
  /** The address of its UI. */
  readonly uri: string;
  readonly tool: Tool | undefined;
  /** Where it is shown and under which policy; undefined when it cannot be. */
  readonly place: ViewPlace | undefined;
  /** Why it cannot be shown. */
  readonly problem?: OpenedView["problem"];
  /** Played from a file: server and title are the file's word (attack E09). */
  readonly isRecording?: true | undefined;
  /** The document itself, where it is known: that of a recording. */
  readonly document?: { readonly html: string; readonly meta: ResourceMeta } | undefined;
  /** It had been open before, such as before a reload of the page, and may have kept something. */
  readonly isRestored?: boolean | undefined;
  /** What its frame stands on; how it looks and what the page does for it is the model's. */
  readonly frame: Pick<AppFrameOptions, "view" | "upstream" | "guard" | "instance" | "context">;
  /** Tells the app of the call that it shows: now, and as it goes on. */
  tell(bridge: Bridge, heard: CallListener): void;
  close(): Promise<void>;
}

/** Hears of the call that an app shows, as the app does. */
export interface CallListener {
  input?(input: Record<string, unknown>): void;
  result?(result: CallToolResult): void;
  cancelled?(reason: string | undefined): void;
}

/** What is known of a view of the gateway's, beside the view. */
export interface GatewaySourceOptions {
  /** Its app had been open before. */
  readonly isRestored?: boolean | undefined;
  /** Under which name it keeps what it remembers: the same when it is opened again. */
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
    // A frame that is shown again, or tries again, finds what has come back meanwhile.
    if (view.opened.problem?.code === "load_failed") await refresh?.(view);
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
        // Once (L04): what the gateway says when a view is opened, and what it said before anybody heard, may be the same.
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
      // Whoever closes it knows.
      view.onclosed = undefined;
      return view.close();
    },
  };
}

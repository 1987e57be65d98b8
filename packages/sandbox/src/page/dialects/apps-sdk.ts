/**
 * `window.openai` of the ChatGPT Apps SDK, as its public reference describes it. docs/views/dialects.md has a row for
 * each member.
 */
import { isRecord, recordOf } from "@vitrine/protocol";
import { forModel, keepState, keptState } from "./widget-state.js";
import type { Members, Wire } from "./wire.js";

/** Members that a host of MCP Apps cannot provide, and why. */
const REFUSED = {
  uploadFile: "this host stores no files for apps",
  getFileDownloadUrl: "this host stores no files for apps",
  setOpenInAppUrl: "this host has no button that opens an app elsewhere",
  requestCheckout: "this host takes no payments",
};
/** Milliseconds in which changes of the widget state are sent to the model together. */
const TOGETHER = 100;

const refusal = (name: string, reason: string): Error => new Error(`window.openai.${name}: ${reason}`);

/** Puts `window.openai` into the window. */
export function provideOpenai(wire: Wire): void {
  const api: Members = {};
  /** Parameters of the open modal. */
  let modal: { params: unknown } | undefined;
  /** Whether the app has set its state: an earlier one does not replace it then. */
  let isStateSet = false;
  let telling: Promise<unknown> | undefined;

  const set = (globals: Members): void => {
    const isNew = ([key, value]: [string, unknown]): boolean =>
      JSON.stringify(api[key]) !== JSON.stringify(value);
    const changed = Object.fromEntries(Object.entries(globals).filter(isNew));
    if (Object.keys(changed).length === 0) return;
    Object.assign(api, changed);
    dispatchEvent(new CustomEvent("openai:set_globals", { detail: { globals: changed } }));
  };

  const surroundings = (): Members => {
    const { theme, locale, displayMode = "inline", platform } = wire.context;
    const { maxHeight, height } = recordOf(wire.context.containerDimensions);
    const { top = 0, right = 0, bottom = 0, left = 0 } = recordOf(wire.context.safeAreaInsets);
    const { hover = matches("hover: hover"), touch = matches("pointer: coarse") } = recordOf(
      wire.context.deviceCapabilities,
    );
    return {
      theme: theme ?? (matches("prefers-color-scheme: dark") ? "dark" : "light"),
      locale: locale ?? navigator.language,
      displayMode,
      maxHeight: maxHeight ?? height,
      safeArea: { insets: { top, right, bottom, left } },
      userAgent: {
        device: { type: platform === "mobile" ? "mobile" : "desktop" },
        capabilities: { hover, touch },
      },
      view: modal ? { mode: "modal", ...modal } : { mode: displayMode, params: null },
    };
  };

  const setMode = async (mode: unknown): Promise<Members> => {
    const { mode: granted } = await wire.request("ui/request-display-mode", { mode });
    return { mode: granted };
  };

  const tellModel = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, TOGETHER));
    telling = undefined;
    await wire.request("ui/update-model-context", forModel(api["widgetState"]));
  };

  const methods = {
    callTool: async (name: unknown, args: unknown) => {
      const result = await wire.request("tools/call", { name, arguments: args ?? {} });
      dispatchEvent(new CustomEvent("openai:tool_response", { detail: { tool: { name, args } } }));
      // Early apps read only the text.
      return { result: textOf(result), ...result };
    },
    sendFollowUpMessage: async (message: unknown) => {
      const params = { role: "user", content: [{ type: "text", text: recordOf(message)["prompt"] }] };
      await wire.accepted(
        "ui/message",
        params,
        refusal("sendFollowUpMessage", "the message was not accepted"),
      );
    },
    setWidgetState: async (state: unknown) => {
      isStateSet = true;
      set({ widgetState: state ?? null });
      await wire.connect();
      keepState(wire.instance, state);
      // Elsewhere, the state is still kept for the app.
      if (wire.can("updateModelContext")) await (telling ??= tellModel());
    },
    requestDisplayMode: (request: unknown) => setMode(isRecord(request) ? request["mode"] : request),
    requestModal: async (request: unknown) => {
      const { params = null, template } = recordOf(request);
      if (template !== undefined) throw refusal("requestModal", "this host opens only the current template");
      const { mode } = await setMode("fullscreen");
      if (mode !== "fullscreen") throw refusal("requestModal", "this host did not open it");
      modal = { params };
      set(surroundings());
    },
    requestClose: async () => {
      if (modal) await setMode("inline");
      else await wire.notify("ui/notifications/request-teardown", {});
    },
    openExternal: async (link: unknown) => {
      const url = isRecord(link) ? link["href"] : link;
      await wire.accepted("ui/open-link", { url }, refusal("openExternal", "the link was not opened"));
    },
    notifyIntrinsicHeight: async (size: unknown) => {
      const height = isRecord(size) ? size["height"] : size;
      if (!Number.isFinite(height)) throw refusal("notifyIntrinsicHeight", "the height is not a number");
      await wire.resize({ height });
    },
  };

  wire.onchange.push((change) => {
    if (change === "input") set({ toolInput: wire.input ?? {} });
    else if (change === "result") {
      const { structuredContent, _meta } = recordOf(wire.result);
      set({
        toolOutput: structuredContent ?? { text: textOf(wire.result) },
        toolResponseMetadata: { "openai/widgetSessionId": wire.instance, ...recordOf(_meta) },
      });
    } else {
      const { theme, displayMode } = wire.context;
      if (displayMode !== "fullscreen") modal = undefined;
      const { dataset, style } = document.documentElement;
      if (theme) dataset["theme"] = style.colorScheme = theme;
      const kept = isStateSet ? undefined : keptState(wire.instance);
      set({ ...surroundings(), ...(kept !== undefined && { widgetState: kept }) });
    }
  });
  const nothing = { toolInput: null, toolOutput: null, toolResponseMetadata: null, widgetState: null };
  Object.assign(api, nothing, surroundings(), methods, { sendFollowupTurn: methods.sendFollowUpMessage });
  for (const [name, reason] of Object.entries(REFUSED))
    api[name] = () => Promise.reject(refusal(name, reason));
  Object.assign(window, { openai: api });
}

const matches = (feature: string): boolean => matchMedia(`(${feature})`).matches;

/** The text of a result. */
function textOf(result: Members | undefined): string {
  const { content } = recordOf(result);
  const blocks = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => recordOf(block)["text"] ?? []).join("\n");
}

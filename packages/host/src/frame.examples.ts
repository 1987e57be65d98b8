import { type HostHandlers, standardGuard, type Upstream } from "@vitrine/guard";
import type { CallToolResult, Tool } from "@vitrine/protocol";
import type { Bridge } from "./bridge.js";
import { defineMcpApp } from "./element.js";
import { guardApproval } from "./frame/approval-guard.js";
import { AppFrame, type AppFrameOptions } from "./frame/frame.js";
import { oneLine } from "./frame/one-line.js";
import { askInFrame } from "./frame/prompt.js";
import type { FrameView } from "./frame/proxy-frame.js";
import { appBudget } from "./frame/release.js";
import { saveFiles } from "./frame/save-files.js";
import { warm } from "./frame/warm.js";
import { hostStyles } from "./host-styles.js";
import { bestLanguage } from "./languages/index.js";
import { ProxyTransport } from "./proxy-transport.js";
import { setLanguage } from "./words.js";
import "@vitrine/host/define";

const info = { name: "chat", version: "1.0.0" };

export function warmExample(views: FrameView[], next: FrameView) {
  //#region warm
  // After the server was connected, and its UI resources were read and registered with the sandbox:
  for (const view of views) warm(view);
  // Later, when the model starts to write a call of a tool with an app:
  warm(next, { run: true });
  //#endregion warm
}

export function appBudgetExample(app: HTMLElementTagNameMap["mcp-app"]) {
  //#region appBudget
  // Apps of this page that run far from the screen. `Infinity` releases none.
  appBudget.most = 20;
  // This one always runs.
  app.toggleAttribute("keep", true);
  app.addEventListener("released", () => app.classList.add("resting"));
  app.addEventListener("restored", () => app.classList.remove("resting"));
  //#endregion appBudget
}

export async function nextCallExample(frame: AppFrame, result: CallToolResult) {
  //#region nextCall
  await frame.nextCall();
  frame.bridge.sendToolInput({ city: "Oslo" });
  frame.bridge.sendToolResult(result);
  //#endregion nextCall
}

export function hostStylesExample(app: HTMLElementTagNameMap["mcp-app"], options: AppFrameOptions) {
  //#region hostStyles
  const styles = hostStyles({
    variables: { "--color-background-primary": "light-dark(#fffdf8, #201d18)", "--border-radius-md": "10px" },
  });
  app.app = { ...options, context: { styles } };
  // Later, when the user chooses another theme: the same variables serve both.
  app.frame?.setContext({ styles, theme: "dark" });
  //#endregion hostStyles
}

export function askInFrameExample(upstream: Upstream) {
  //#region askInFrame
  const guard = standardGuard(upstream, { ask: askInFrame });
  //#endregion askInFrame
  return guard;
}

export function guardApprovalExample(
  dialog: Element,
  allow: HTMLButtonElement,
  hint: HTMLElement,
  agree: () => void,
) {
  //#region guardApproval
  const guard = guardApproval(dialog, () => {
    allow.ariaDisabled = `${!guard.isReady()}`;
    hint.textContent = guard.hint();
  });
  allow.onclick = (click) => {
    if (guard.accepts(click)) agree();
  };
  //#endregion guardApproval
}

export function oneLineExample(heading: HTMLElement, tool: Tool) {
  //#region oneLine
  heading.textContent = oneLine(tool.title ?? tool.name);
  //#endregion oneLine
}

export function proxyTransportExample(bridge: Bridge, iframe: HTMLIFrameElement, view: FrameView) {
  //#region proxyTransport
  // Your own frame instead of `<mcp-app>`.
  const target = iframe.contentWindow as Window;
  bridge.open(new ProxyTransport({ target, origin: view.origin }));
  iframe.src = view.src;
  //#endregion proxyTransport
}

export function saveFilesExample(upstream: Upstream) {
  //#region saveFiles
  const handlers: HostHandlers = { downloadFile: saveFiles(upstream) };
  //#endregion saveFiles
  return handlers;
}

export async function appFrameExample(place: HTMLElement, view: FrameView, upstream: Upstream) {
  //#region appFrame
  const frame = new AppFrame(place.attachShadow({ mode: "open" }), {
    info,
    view,
    upstream,
    guard: standardGuard(upstream, { ask: askInFrame }),
    title: "Weather",
    onstate: (state, failure) => place.setAttribute("data-state", failure?.code ?? state),
  });
  await frame.mount();
  frame.bridge.sendToolInput({ city: "Rome" });
  // Later: lets the app finish first.
  await frame.close("the conversation was closed");
  //#endregion appFrame
}

export function elementExample(view: FrameView, upstream: Upstream, result: CallToolResult) {
  //#region element
  const app = document.createElement("mcp-app");
  app.app = {
    info,
    view,
    upstream,
    guard: standardGuard(upstream, { ask: askInFrame }),
    title: "Weather",
    handlers: { openLink: ({ url }) => void open(url, "_blank", "noopener") },
  };
  app.addEventListener("statechange", ({ detail }) => {
    app.classList.toggle("failed", detail.state === "failed");
  });
  document.body.append(app);
  app.bridge?.sendToolInput({ city: "Rome" });
  app.bridge?.sendToolResult(result);
  //#endregion element
}

export function defineMcpAppExample() {
  //#region defineMcpApp
  defineMcpApp("chat-app");
  const app = document.createElement("chat-app");
  //#endregion defineMcpApp
  return app;
}

export function setLanguageExample() {
  //#region setLanguage
  setLanguage(bestLanguage(navigator.languages));
  //#endregion setLanguage
}

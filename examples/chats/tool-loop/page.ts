import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame, type Bridge, type FrameView } from "@vitrine/host";
import "@vitrine/host/define"; // Registers <mcp-app>.
import { DEFAULT_STYLE_VARIABLES, PartialJson, type Tool } from "@vitrine/protocol";
import { ask } from "./ask.js";

interface App {
  tool: Tool;
  view: FrameView;
}
const { server, capabilities, apps } = await (await fetch("/apps")).json();
const appOf = new Map<string, App>(apps.map((app: App) => [app.tool.name, app]));
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });

/** Adds an element to the conversation. */
function add<Name extends "p" | "mcp-app">(name: Name, text = ""): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = text;
  document.querySelector("main")?.append(element);
  return element;
}

/** Shows the app of a tool. */
function show({ tool, view }: App): Bridge | undefined {
  const app = add("mcp-app");
  app.app = {
    info: { name: "chat", version: "0.1.0" },
    upstream,
    guard,
    view,
    title: tool.title ?? tool.name,
    context: { toolInfo: { tool }, styles: { variables: DEFAULT_STYLE_VARIABLES } },
    handlers: { openLink: ({ url }) => void open(url, "_blank", "noopener") },
  };
  return app.bridge;
}

/** Sends a message, and shows the answer while it is written. */
async function showAnswer(text: string, signal: AbortSignal): Promise<void> {
  const calls = new Map<string, { bridge: Bridge; json: PartialJson; sentAt: number }>();
  let paragraph: HTMLElement | undefined;
  try {
    for await (const line of ask(text, signal)) {
      if (line.type === "text") {
        paragraph ??= add("p");
        paragraph.append(line.text);
        continue;
      }
      paragraph = undefined;
      if (line.type === "error") throw new Error(line.reason);
      if (line.type === "call") {
        const app = appOf.get(line.name);
        const bridge = app ? show(app) : void add("p", `Used ${line.name}`);
        if (bridge) calls.set(line.id, { bridge, json: new PartialJson(), sentAt: 0 });
        continue;
      }
      const call = calls.get(line.id);
      // The user may have closed the app.
      call?.bridge.attempt((bridge) => {
        if (line.type === "arguments") {
          call.json.push(line.text);
          const soFar = call.json.value();
          if (!soFar || Date.now() - call.sentAt < 50) return;
          call.sentAt = Date.now();
          bridge.sendToolInputPartial(soFar);
        } else if (line.type === "input") bridge.sendToolInput(line.input);
        else {
          calls.delete(line.id);
          if (line.type === "result") bridge.sendToolResult(line.result);
          else bridge.sendToolCancelled(line.reason);
        }
      });
    }
  } finally {
    // Calls of an answer that was stopped, or that failed.
    for (const { bridge } of calls.values()) bridge.attempt((to) => to.sendToolCancelled("Stopped"));
  }
}

const form = document.querySelector("form") as HTMLFormElement;
const [send, stop] = form.querySelectorAll("button");
form.onsubmit = async (event) => {
  event.preventDefault();
  if (!send || !stop) return;
  const text = `${new FormData(form).get("text")}`;
  const stopped = new AbortController();
  stop.onclick = () => stopped.abort();
  form.reset();
  add("p", text);
  send.disabled = true;
  stop.disabled = false;
  try {
    await showAnswer(text, stopped.signal);
  } catch (error) {
    if (!stopped.signal.aborted) add("p", `${error}`);
  }
  send.disabled = false;
  stop.disabled = true;
};

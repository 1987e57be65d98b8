/** The page of `npm start`: one view in a frame, and every message on the wire beside it. */
import { DEFAULT_STYLE_VARIABLES, type HostContext } from "@vitrine/protocol";
import type { Forecast } from "../weather/forecast.ts";
import { type HostedView, hostView } from "./host.ts";

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const select = find<HTMLSelectElement>("view");
const [stage, status, log] = [find("stage"), find("status"), find("log")];
const viewOrigin = `${location.protocol}//view.localhost:${location.port}`;

let view: HostedView | undefined;
let closing: ReturnType<HostedView["teardown"]> | undefined;
/** Counts what the person asked for: only the last one is opened. */
let turn = 0;
let dark = matchMedia("(prefers-color-scheme: dark)").matches;

const context = (): HostContext => ({
  theme: dark ? "dark" : "light",
  styles: { variables: DEFAULT_STYLE_VARIABLES },
  displayMode: "inline",
  availableDisplayModes: ["inline"],
  containerDimensions: { maxHeight: 800 },
  locale: navigator.language,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  platform: "web",
  "vitrine/instance": `weather-${select.value}`,
});

function record(arrow: "←" | "→", method: string, params: unknown): void {
  const item = document.createElement("li");
  const cells = [arrow, method, `${JSON.stringify(params ?? {}).length} B`].map((text) => {
    const cell = document.createElement("span");
    cell.textContent = text;
    return cell;
  });
  item.append(...cells);
  log.append(item);
  item.scrollIntoView({ block: "nearest" });
}

/** Stands for a server's tool. */
function forecast(city: string): Forecast {
  const skies = ["☀", "☁", "☂"];
  const days = ["Mon", "Tue", "Wed", "Thu", "Fri"].map((name) => {
    const high = 16 + Math.floor(Math.random() * 12);
    return { name, sky: skies[high % skies.length] ?? "☀", high, low: high - 7 };
  });
  return { city, days };
}

const result = (city: string) => ({
  content: [{ type: "text" as const, text: `The forecast for ${city}` }],
  structuredContent: forecast(city),
});

/** Closes the view, if there is one; what is about to be opened is not. */
function close(reason: string): typeof closing {
  turn++;
  if (view) closing = view.teardown(reason);
  view = undefined;
  return closing;
}

async function open(): Promise<void> {
  const closed = close("another view is opened");
  const mine = turn;
  await closed;
  if (mine !== turn) return;
  log.replaceChildren();
  status.textContent = "";
  const frame = document.createElement("iframe");
  frame.title = "Weather";
  stage.replaceChildren(frame);
  const opened = hostView(frame, {
    origin: viewOrigin,
    info: { name: "minimal-host", version: "0.1.0" },
    capabilities: { serverTools: {} },
    context: context(),
    handlers: {
      "tools/call": async ({ arguments: args }) => result(String(args?.city ?? "Lisbon")),
    },
    listeners: {
      "ui/notifications/size-changed": ({ height }) => {
        if (height) frame.style.height = `${Math.min(height, 800)}px`;
      },
    },
    onmessage: (method, params) => record("←", method, params),
    onsent: (method, params) => record("→", method, params),
    onfailed: ({ message }) => {
      if (view === opened) view = undefined;
      status.textContent = message;
    },
  });
  view = opened;
  frame.src = `${viewOrigin}/${select.value}.html`;

  // A model that writes its arguments letter by letter; the view need not be ready yet.
  const city = "Lisbon";
  for (let length = 1; length < city.length; length++) {
    opened.tell("ui/notifications/tool-input-partial", { arguments: { city: city.slice(0, length) } });
    await new Promise((resolve) => setTimeout(resolve, 60));
    if (view !== opened) return;
  }
  opened.tell("ui/notifications/tool-input", { arguments: { city } });
  opened.tell("ui/notifications/tool-result", result(city));
}

function showTheme(): void {
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  find("theme").textContent = dark ? "Light theme" : "Dark theme";
}

select.addEventListener("change", open);
find("theme").addEventListener("click", () => {
  dark = !dark;
  showTheme();
  view?.setContext(context());
});
find("reload").addEventListener("click", () => {
  // A reload of the frame: the view begins anew, and is told again what it was told before.
  const frame = stage.querySelector("iframe");
  if (frame) frame.src = `${frame.src}`;
});
find("close").addEventListener("click", async () => {
  const problem = await close("the person closed it");
  status.textContent = problem?.message ?? "The view was closed.";
});
showTheme();
await open();

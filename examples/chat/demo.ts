/** The page of `examples/start.mjs`: a turn of a conversation with an app in it, and every message on the wire beside it. */
import { recordOf } from "@vitrine/protocol";
import { apps, show } from "./chat.js";

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const select = find<HTMLSelectElement>("view");
const [stage, status, log] = [find("stage"), find("status"), find("log")];

let app: HTMLElementTagNameMap["mcp-app"] | undefined;
/** Counts the user's requests: only the last one is opened. */
let turn = 0;
let dark = matchMedia("(prefers-color-scheme: dark)").matches;

function record({ direction, message }: { direction: "in" | "out"; message: unknown }): void {
  const { method } = recordOf(message);
  if (typeof method !== "string") return;
  const cells = [direction === "in" ? "←" : "→", method, `${JSON.stringify(message).length} B`].map((text) =>
    Object.assign(document.createElement("span"), { textContent: text }),
  );
  const item = document.createElement("li");
  item.append(...cells);
  log.append(item);
  item.scrollIntoView({ block: "nearest" });
}

/** Closes the app, if there is one, and cancels one that is about to open. */
async function close(reason: string): Promise<void> {
  turn++;
  const old = app;
  app = undefined;
  await old?.close(reason);
  old?.remove();
}

/** Stands in for a model: writes the arguments of its tool call letter by letter. */
async function* modelWrites(json: string): AsyncGenerator<string> {
  for (const letter of json) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    yield letter;
  }
}

async function open(): Promise<void> {
  const closed = close("another view is opened");
  const mine = turn;
  await closed;
  const chosen = apps.find(({ tool }) => tool.name === `weather-${select.value}`);
  if (mine !== turn || !chosen) return;
  log.replaceChildren();
  status.textContent = "";
  app = document.createElement("mcp-app");
  app.dataset["view"] = select.value;
  const shown = show(app, chosen, modelWrites('{"city":"Lisbon"}'));
  app.bridge?.on("traffic", record);
  showTheme();
  stage.append(app);
  // Closed while the model was still writing: there is no app to notify.
  await shown.catch(({ code, message }) => code === "closed" || status.replaceChildren(message));
}

function showTheme(): void {
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  find("theme").textContent = dark ? "Light theme" : "Dark theme";
  app?.frame?.setContext({ ...app.app?.context, theme: dark ? "dark" : "light" });
}

select.addEventListener("change", open);
find("theme").addEventListener("click", () => {
  dark = !dark;
  showTheme();
});
find("reload").addEventListener("click", () => {
  // The view starts again and receives the same messages again.
  app?.frame?.unmount();
  void app?.frame?.mount();
});
find("close").addEventListener("click", async () => {
  await close("the user closed it");
  status.textContent = "The view was closed.";
});
showTheme();
await open();

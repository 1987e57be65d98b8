import type { HostContext } from "@vitrine/protocol";
import { z } from "zod";
import { App } from "./app.js";
import { McpApp } from "./mcp-app.js";
import { viewScript } from "./script.js";
import {
  applyDocumentTheme,
  applyHostContext,
  applyHostFonts,
  applyHostStyleVariables,
  getDocumentTheme,
} from "./theme.js";
import type { TypedApp } from "./typed-app.js";
import { View } from "./view.js";

export async function viewExample(show: (text: string) => void) {
  //#region view
  const view = new View({ name: "weather", version: "1.0.0" });
  view.on("toolresult", ({ content }) => {
    for (const block of content) if (block.type === "text") show(block.text);
  });
  await view.connect();
  //#endregion view
}

export async function appExample(button: HTMLButtonElement, show: (data: unknown) => void) {
  //#region app
  const app = new App({ name: "weather", version: "1.0.0" });
  app.ontoolinputpartial = ({ arguments: args }) => show(args?.city);
  app.ontoolresult = ({ structuredContent }) => show(structuredContent);
  app.onteardown = () => show("Goodbye.");
  await app.connect();

  button.onclick = async () => {
    const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { days: 5 } });
    show(structuredContent);
    await app.updateModelContext({ content: [{ type: "text", text: "The user looks at the forecast." }] });
  };
  //#endregion app
}

export async function registerToolExample(app: App, select: (row: number) => string) {
  //#region registerTool
  app.registerTool(
    "select_row",
    {
      description: "Selects a row of the table that the user sees",
      inputSchema: z.object({ row: z.number().int().min(1) }),
      outputSchema: z.object({ name: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ row }) => {
      const name = select(row);
      return { content: [{ type: "text", text: `Selected ${name}` }], structuredContent: { name } };
    },
  );
  await app.connect();
  //#endregion registerTool
}

export async function stateExample(app: App, tab: (name: string) => void) {
  //#region state
  await app.connect();
  const { open = "overview" } = app.state.get<{ open: string }>() ?? {};
  tab(open);
  addEventListener("hashchange", () => app.state.set({ open: location.hash.slice(1) }));
  //#endregion state
}

export async function mcpAppExample(status: HTMLElement) {
  //#region mcpApp
  const app = new McpApp({ appInfo: { name: "dashboard", version: "1.0.0" } });
  app.ontoolinput = (args) => {
    status.textContent = `Analyzing ${args.dataset}`;
  };
  app.ontoolresult = (result) => {
    status.textContent = JSON.stringify(result.structuredContent);
  };
  const { hostContext } = await app.connect();
  document.body.className = hostContext.theme ?? "light";
  //#endregion mcpApp
  return app;
}

export function viewScriptExample() {
  //#region viewScript
  const html = `<!doctype html>
    <title>Weather</title>
    <p id="now"></p>
    <script>${viewScript({ name: "weather", version: "1.0.0" })}</script>
    <script>
      const app = new vitrine.App();
      app.ontoolresult = ({ content }) => (now.textContent = content[0].text);
      app.connect();
    </script>`;
  //#endregion viewScript
  return html;
}

export function getDocumentThemeExample(chart: { setColors(name: string): void }) {
  //#region getDocumentTheme
  chart.setColors(getDocumentTheme() === "dark" ? "bright" : "muted");
  //#endregion getDocumentTheme
}

export function applyDocumentThemeExample() {
  //#region applyDocumentTheme
  const dark = matchMedia("(prefers-color-scheme: dark)");
  applyDocumentTheme(dark.matches ? "dark" : "light");
  //#endregion applyDocumentTheme
}

export function applyHostStyleVariablesExample(app: App, widget: HTMLElement) {
  //#region applyHostStyleVariables
  const { styles } = app.getHostContext() ?? {};
  if (styles?.variables) applyHostStyleVariables(styles.variables, widget);
  //#endregion applyHostStyleVariables
}

export function applyHostFontsExample(app: App) {
  //#region applyHostFonts
  const { styles } = app.getHostContext() ?? {};
  if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
  //#endregion applyHostFonts
}

export async function applyHostContextExample(adapt: (context: HostContext) => HostContext) {
  //#region applyHostContext
  const app = new App({ name: "weather", version: "1.0.0" }, {}, { autoTheme: false });
  app.onhostcontextchanged = (change) => applyHostContext(adapt(change));
  await app.connect();
  applyHostContext(adapt(app.getHostContext() ?? {}));
  //#endregion applyHostContext
}

interface Day {
  day: string;
  high: number;
}
/** As `ToolsOf` of `@vitrine/server` derives it. */
interface Tools {
  forecast: { input: { city: string; days?: number }; partial: { city?: string }; result: { list: Day[] } };
}

export async function typedAppExample(show: (days: Day[]) => void) {
  //#region typedApp
  // `Tools` comes from the server: `export type Tools = ToolsOf<[typeof forecast]>`.
  const app = new App({ name: "weather", version: "1.0.0" }) as TypedApp<Tools, "forecast">;
  app.ontoolresult = ({ structuredContent }) => show(structuredContent?.list ?? []);
  const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { city: "Rome" } });
  //#endregion typedApp
  show(structuredContent?.list ?? []);
}

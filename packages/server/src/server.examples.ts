import type { McpServer } from "@modelcontextprotocol/server";
import {
  appServer,
  getUiCapability,
  InputError,
  RESOURCE_MIME_TYPE,
  registerAppResource,
  registerAppTool,
  reply,
  serve,
  type ToolsOf,
  textOfData,
  tool,
  uiSupport,
  view,
} from "@vitrine/server";
import { discover, uiMetaSchema } from "@vitrine/server/discovery";
import {
  approval,
  chart,
  choice,
  dataTable,
  detail,
  diffViewer,
  fileUpload,
  form,
  kanban,
  progress,
  renderTemplate,
  TEMPLATES,
  treeView,
  wizard,
} from "@vitrine/server/templates";
import { z } from "zod";

const html = "<!doctype html><title>Forecast</title>";

export function officialExamples(server: McpServer): boolean {
  //#region registerAppTool
  registerAppTool(
    server,
    "forecast",
    {
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      _meta: { ui: { resourceUri: "ui://weather/forecast.html" } },
    },
    async ({ city }) => ({ content: [{ type: "text", text: `Sunny in ${city}` }] }),
  );
  //#endregion registerAppTool

  //#region registerAppResource
  const uri = "ui://weather/forecast.html";
  registerAppResource(server, "Forecast", uri, { description: "Shows a forecast" }, () => ({
    contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: html }],
  }));
  //#endregion registerAppResource

  //#region getUiCapability
  const ui = getUiCapability(server.server.getClientCapabilities());
  const showsApps = ui?.mimeTypes?.includes(RESOURCE_MIME_TYPE) ?? false;
  //#endregion getUiCapability
  return showsApps;
}

//#region view
export const forecastView = view({
  name: "forecast",
  title: "Forecast",
  file: new URL("./forecast.html", import.meta.url),
  csp: { connectDomains: ["https://api.weather.example"] },
});
//#endregion view

//#region tool
const forecast = tool({
  name: "forecast",
  description: "The weather of the next days in a city",
  input: z.object({ city: z.string(), days: z.number().int().default(5) }),
  output: z.object({ city: z.string(), days: z.array(z.object({ day: z.string(), high: z.number() })) }),
  annotations: { readOnlyHint: true },
  view: view({ name: "forecast", file: new URL("./forecast.html", import.meta.url) }),
  text: ({ city, days }) => `${city}: ${days.map(({ day, high }) => `${day} ${high}°`).join(", ")}`,
  run: ({ city }) => ({ city, days: [{ day: "Monday", high: 21 }] }),
});
//#endregion tool

//#region appServer
export const weather = appServer({ name: "weather", version: "1.0.0", tools: [forecast] });
//#endregion appServer

//#region ToolsOf
export type Tools = ToolsOf<[typeof forecast]>;
type Result = Tools["forecast"]["result"];

// { city: string; days: { day: string; high: number }[] }
//#endregion ToolsOf
export type { Result };

//#region reply
const picture = tool({
  name: "map",
  output: z.object({ city: z.string() }),
  // Only the view gets `meta`: the model does not see it.
  run: () => reply({ city: "Berne" }, { text: "A map of Berne", meta: { tiles: 12 } }),
});

//#endregion reply
export { picture };

//#region uiSupport
export const report = tool({
  name: "report",
  run: (_input, { ui }) => (ui === "no" ? "A long report as text" : "A short one: the app shows the rest"),
});
//#endregion uiSupport

export function supportExample(server: McpServer): string {
  return uiSupport(server);
}

//#region textOfData
const text = textOfData([
  { city: "Berne", high: 21 },
  { city: "Rome", high: 30 },
]);

// | city | high |
// | --- | --- |
// | Berne | 21 |
// | Rome | 30 |
//#endregion textOfData
export { text };

//#region dataTable
const cities = view({
  name: "cities",
  template: dataTable,
  config: { title: "Cities", columns: [{ key: "name", label: "City", sortable: true }, { key: "people" }] },
});

//#endregion dataTable
export { cities };

//#region chart
const sales = view({
  name: "sales",
  template: chart,
  config: {
    title: "Sales by month",
    kind: "line",
    x: "month",
    series: [{ key: "sales", label: "Sales" }, { key: "returns" }],
    format: "currency",
    currency: "EUR",
    onSelectTool: "open_month",
  },
});

//#endregion chart
export { sales };

//#region diffViewer
const changes = view({
  name: "changes",
  template: diffViewer,
  config: { title: "Changes", leftTitle: "Before", rightTitle: "After" },
});

//#endregion diffViewer
export { changes };

//#region form
const booking = view({
  name: "booking",
  template: form,
  config: {
    title: "Book a table",
    fields: [
      { name: "name", label: "Your name", required: true },
      { name: "people", type: "number", minimum: 1, maximum: 12, default: 2 },
      { name: "room", type: "select", options: ["inside", { value: "garden", label: "In the garden" }] },
    ],
    submitTool: "book-table",
  },
});

//#endregion form
export { booking };

//#region fileUpload
const receipts = view({
  name: "receipts",
  template: fileUpload,
  config: {
    title: "Receipts of your trip",
    accept: ["image/*", ".pdf"],
    maxFiles: 10,
    submitTool: "save-receipts",
    submitArgs: { trip: "rome" },
  },
});

//#endregion fileUpload
export { receipts };

//#region treeView
const files = view({
  name: "files",
  template: treeView,
  config: { title: "Project", selectable: true, onSelectTool: "open_file", childrenTool: "list_folder" },
});

//#endregion treeView
export { files };

//#region choice
const plans = view({
  name: "plans",
  template: choice,
  config: {
    question: "Which plan do you want?",
    options: [
      { value: "basic", label: "Basic", description: "One server" },
      { value: "pro", label: "Pro", description: "Ten servers, and someone to call" },
    ],
    submitTool: "set-plan",
    argument: "plan",
  },
});

//#endregion choice
export { plans };

//#region detail
const parcel = view({
  name: "parcel",
  template: detail,
  config: {
    title: "Parcel",
    fields: [{ key: "id" }, { key: "status", type: "badge" }, { key: "due", label: "Arrives", type: "date" }],
    actions: [
      {
        label: "Return",
        tool: "return-parcel",
        args: { id: "{id}" },
        confirm: "Send it back?",
        style: "danger",
      },
    ],
  },
});

//#endregion detail
export { parcel };

//#region progress
const build = view({
  name: "build",
  template: progress,
  config: { title: "Build", pollTool: "build_status", pollInterval: 1000, cancelTool: "stop_build" },
});

//#endregion progress
export { build };

//#region approval
const release = view({
  name: "release",
  template: approval,
  config: {
    title: "Release to production?",
    reason: true,
    danger: true,
    approveTool: "release-now",
    rejectTool: "stop-release",
  },
});

//#endregion approval
export { release };

//#region wizard
const newServer = view({
  name: "new-server",
  template: wizard,
  config: {
    title: "New server",
    steps: [
      { title: "Name", fields: [{ name: "name", required: true }] },
      {
        title: "Size",
        description: "It can be changed later.",
        fields: [{ name: "memory", label: "Memory in GiB", type: "select", options: [2, 4, 8], default: 4 }],
      },
    ],
    submitTool: "create-server",
  },
});

//#endregion wizard
export { newServer };

//#region kanban
const board = view({
  name: "board",
  template: kanban,
  config: { title: "Sprint 12", onMoveTool: "move_card", onCardClickTool: "open_card" },
});

//#endregion kanban
export { board };

//#region renderTemplate
const document = renderTemplate(dataTable, { title: "Cities", pageSize: 10 });

//#endregion renderTemplate
export { document };

//#region InputError
export const order = tool({
  name: "order",
  input: z.object({ city: z.string(), count: z.number().int() }),
  run: ({ city, count }) => {
    if (count > 10) throw new InputError({ count: "There are 10 left." });
    return `${count} for ${city}`;
  },
});
//#endregion InputError

export async function serveExample(): Promise<void> {
  //#region serve
  await serve(weather);
  //#endregion serve
}

export async function discoverExample(): Promise<void> {
  //#region discover
  const found = await discover({
    root: new URL(".", import.meta.url),
    name: "weather",
    version: "1.0.0",
  });
  await found.serve();
  //#endregion discover
}

//#region uiMetaSchema
const editorSchema = JSON.stringify(uiMetaSchema(TEMPLATES));

//#endregion uiMetaSchema
export { editorSchema };

/** An MCP server with the weather view, written in three ways. */
import { McpServer } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { z } from "zod";
import type { Forecast } from "./forecast.ts";

const city = z.object({ city: z.string() });

/** The server; `views` are the documents, by the name of the way they are written. */
export function weatherServer(views: Record<string, string>): McpServer {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  for (const [name, html] of Object.entries(views)) {
    const uri = `ui://weather/${name}.html`;
    const ui = { prefersBorder: true };
    server.registerResource(name, uri, { mimeType: UI_MIME_TYPE, _meta: { ui } }, () => ({
      contents: [{ uri, mimeType: UI_MIME_TYPE, text: html, _meta: { ui } }],
    }));
    const description = `Shows the weather in a city (${name})`;
    const _meta = { ui: { resourceUri: uri } };
    const annotations = { readOnlyHint: true };
    server.registerTool(
      `weather-${name}`,
      { title: "Weather", description, annotations, inputSchema: city, _meta },
      (input) => forecast(input.city),
    );
  }
  // Only the view calls this; the model has no use for it.
  server.registerTool(
    "forecast",
    { inputSchema: city, annotations: { readOnlyHint: true }, _meta: { ui: { visibility: ["app"] } } },
    (input) => forecast(input.city),
  );
  return server;
}

function forecast(name: string) {
  const skies = ["☀", "☁", "☂"];
  const days = ["Mon", "Tue", "Wed", "Thu", "Fri"].map((day) => {
    const high = 16 + Math.floor(Math.random() * 12);
    return { name: day, sky: skies[high % skies.length] ?? "☀", high, low: high - 7 };
  });
  const structuredContent: Forecast & Record<string, unknown> = { city: name, days };
  const text = days.map(({ name, high, low }) => `${name} ${low} to ${high} °C`).join(", ");
  return { content: [{ type: "text" as const, text: `${name}: ${text}` }], structuredContent };
}

/** The same twenty tools and views with only the official SDK and its helpers. */
import {
  RESOURCE_MIME_TYPE,
  registerAppResource,
  registerAppTool,
} from "@modelcontextprotocol/ext-apps/server";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { COUNT, DOCUMENT } from "./document.mjs";

/** Schemas are created once, not for each server. */
const tools = Array.from({ length: COUNT }, (_, at) => {
  const uri = `ui://bench/view-${at}.html`;
  const config = {
    description: "A tool with a view",
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ city: z.string(), high: z.number() }),
    _meta: { ui: { resourceUri: uri } },
  };
  return { at, uri, config };
});

export function create() {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const { at, uri, config } of tools) {
    registerAppTool(server, `tool-${at}`, config, ({ city }) => ({
      content: [{ type: "text", text: `${city} 21` }],
      structuredContent: { city, high: 21 },
    }));
    registerAppResource(server, `view-${at}`, uri, {}, () => ({
      contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: DOCUMENT }],
    }));
  }
  return server;
}

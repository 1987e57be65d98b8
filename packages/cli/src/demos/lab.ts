#!/usr/bin/env node
/** The lab demo over stdio: one tool for each feature that a host must handle. */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { LAB_PAGES } from "./lab/pages.js";
import { registerPlainTools } from "./lab/tools.js";
import { registerPage } from "./page.js";

const server = new McpServer(
  { name: "lab", title: "Laboratory", version: "1.0.0" },
  { instructions: "One tool for each thing that a host of MCP Apps must handle, to look at how it does." },
);
registerPlainTools(server);

const DESCRIPTIONS: Record<keyof typeof LAB_PAGES, string> = {
  logs: "Shows an app that writes to the host's log",
  breaks_csp: "Shows an app that asks for a domain it has not declared",
  blank: "Shows an app that never starts, to see what the host says then",
  app_tools: "Shows an app that offers tools of its own to the host",
  display_modes: "Shows an app inline, fullscreen or as picture in picture",
};
for (const [name, page] of Object.entries(LAB_PAGES)) {
  const resourceUri = registerPage(server, page);
  const description = DESCRIPTIONS[name as keyof typeof LAB_PAGES];
  server.registerTool(
    name,
    {
      title: page.title,
      description,
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true, openWorldHint: false },
      _meta: { ui: { resourceUri } },
    },
    () => ({
      content: [
        {
          type: "text" as const,
          text: `${page.title}: there is nothing to read here, it is all in the app.`,
        },
      ],
    }),
  );
}

await server.connect(new StdioServerTransport());

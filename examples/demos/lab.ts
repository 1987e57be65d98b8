#!/usr/bin/env node
/** The lab demo: one tool for each feature that a host must handle. */
import { appServer, serve, tool, view } from "@vitrine/server";
import { PLAIN_TOOLS } from "./lab/tools.js";

/** A tool that shows the page of the same name, such as `breaks-csp.html` for `breaks_csp`. */
function pageTool(name: string, title: string, description: string) {
  const page = name.replaceAll("_", "-");
  return tool({
    name,
    title,
    description,
    annotations: { readOnlyHint: true, openWorldHint: false },
    view: view({
      name: page,
      title,
      folder: new URL("./lab/view/", import.meta.url),
      entry: `${page}.html`,
      prefersBorder: true,
      // Fixed: conversations that were stored with it show the app again.
      uri: `ui://lab/${page}.html`,
    }),
    run: () => `${title}: there is nothing to read here, it is all in the app.`,
  });
}

const server = appServer({
  name: "lab",
  title: "Laboratory",
  version: "1.0.0",
  instructions: "One tool for each thing that a host of MCP Apps must handle, to look at how it does.",
  tools: [
    ...PLAIN_TOOLS,
    // The first of its apps is offered to people who open the workbench for the first time.
    pageTool(
      "display_modes",
      "An app in three sizes",
      "Shows an app in the conversation, over the whole page, or in a corner",
    ),
    pageTool("logs", "An app that logs", "Shows an app that writes to the host's log"),
    pageTool(
      "breaks_csp",
      "An app that breaks its policy",
      "Shows an app that asks for a domain it has not declared",
    ),
    pageTool(
      "blank",
      "An app that never starts",
      "Shows an app that never starts, to see what the host says then",
    ),
    pageTool("app_tools", "An app with tools", "Shows an app that offers tools of its own to the host"),
  ],
});

await serve(server);

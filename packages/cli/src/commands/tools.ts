/**
 * `vitrine tools`: lists a server's tools.
 *
 * @module
 */
import { isVisibleTo, readToolUi } from "@vitrine/protocol";
import { listAll } from "../lists.js";
import { table } from "../table.js";
import type { Terminal } from "../terminal.js";
import { findServer, type PlainOptions } from "./plain.js";

/** Prints the tools. Resolves to the exit code. */
export async function toolsCommand(
  argument: string,
  options: PlainOptions,
  terminal: Terminal,
): Promise<number> {
  const { tools, about } = await findServer(argument, options, terminal, async ({ server, signal }) => ({
    tools: await listAll(server, "tools/list", signal),
    about: server.status.info,
  }));
  if (options.json) {
    terminal.json({ server: { name: about?.name ?? "", version: about?.version ?? "" }, tools });
    return 0;
  }
  if (tools.length === 0) terminal.note("the server has no tools");
  const rows = tools.map((tool) => [
    String(tool["name"]),
    shows(tool),
    String(tool["description"] ?? tool["title"] ?? ""),
  ]);
  const [head, ...lines] = table([["TOOL", "SHOWS", "DESCRIPTION"], ...rows], terminal.columns);
  if (rows.length > 0) terminal.print([terminal.dim(head ?? ""), ...lines].join("\n"));
  return 0;
}

/** Whether it has an app, and who may call it. */
function shows(tool: unknown): string {
  const parts = [
    readToolUi(tool).resourceUri === undefined ? "text" : "app",
    ...(isVisibleTo(tool, "model") ? [] : ["apps only"]),
    ...(isVisibleTo(tool, "app") ? [] : ["model only"]),
  ];
  return parts.join(", ");
}

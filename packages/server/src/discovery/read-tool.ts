/**
 * Reads a folder as a tool.
 *
 * @module
 */
import { join } from "node:path";
import { RESOURCE_URI_META_KEY } from "@vitrine/protocol";
import { checkName } from "../names.js";
import { pathInside } from "../read-document.js";
import { Reply } from "../reply.js";
import type { AnyTool } from "../tool.js";
import { FileError } from "./problem.js";
import { exists } from "./read-ui.js";
import { readToolJson } from "./tool-json.js";
import { readToolModule } from "./tool-module.js";

/** Ordered: a compiled module beside its source wins. */
export const TOOL_FILES = ["tool.js", "tool.mjs", "tool.ts", "tool.json"] as const;

/**
 * Reads a tool.
 *
 * @param folder the tool's folder, relative to the root
 * @throws {DefinitionError}
 */
export async function readTool(root: string, folder: string, name: string): Promise<AnyTool> {
  const path = await pathInside(root, folder);
  const found: string[] = [];
  for (const file of TOOL_FILES) if (await exists(join(path, file))) found.push(file);
  const [file] = found;
  if (file === undefined)
    throw new FileError("tool-missing", `the folder has no tool: add ${TOOL_FILES.join(", ")}`, {
      file: folder,
    });
  if (file !== "tool.json" && found.includes("tool.json"))
    throw new FileError("tool-invalid", `there is also a ${file}: remove one of them`, {
      file: `${folder}/tool.json`,
    });
  const tool =
    file === "tool.json"
      ? await readToolJson(root, folder, name)
      : await readToolModule(root, `${folder}/${file}`, name);
  checkName(tool.name, "tool");
  return { ...tool, run: async (input, context) => givenBack(tool, await tool.run(input, context)) };
}

/** Normalizes the return value of a function that no compiler has checked. */
function givenBack({ output }: AnyTool, given: unknown): unknown {
  const { data, details } = given instanceof Reply ? given : { data: given, details: undefined };
  // MCP data cannot be a list; templates expect it under this name.
  const wrapped = !output && Array.isArray(data) ? { items: data } : data;
  if (!details) return wrapped;
  return new Reply(wrapped, { ...details, ...(details.meta && { meta: nestedLink(details.meta) }) });
}

/** Moves the view's address from the deprecated flat key to the nested one, unless that is set. */
function nestedLink(meta: Record<string, unknown>): Record<string, unknown> {
  const { [RESOURCE_URI_META_KEY]: flat, ...rest } = meta;
  return flat === undefined ? meta : { ...rest, ui: { resourceUri: flat, ...Object(rest["ui"]) } };
}

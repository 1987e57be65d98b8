/**
 * `tool.js`: a tool that a module exports.
 *
 * @module
 */
import { readToolUi } from "@vitrine/protocol";
import { problemOfJson, problemOfSchema, type Schema } from "../schemas.js";
import type { AnyTool } from "../tool.js";
import { importDefault } from "./import-module.js";
import { FileError } from "./problem.js";

/**
 * Reads the module.
 *
 * @param file the module, relative to the root
 * @param name of the folder: the tool's default name
 * @throws {DefinitionError}
 */
export async function readToolModule(root: string, file: string, name: string): Promise<AnyTool> {
  const given = await importDefault(root, file);
  const wrong = problemOfTool(given);
  if (wrong !== undefined) throw new FileError("tool-invalid", wrong, { file });
  const found = given as AnyTool;
  return { ...found, name: found.name ?? name };
}

function problemOfTool(given: unknown): string | undefined {
  if (typeof given !== "object" || given === null)
    return "its default export must be a tool: export default tool({ … })";
  const { name, run, input, output, view, visibility, meta } = given as Record<string, unknown>;
  if (typeof run !== "function") return "run must be a function";
  if (name !== undefined && typeof name !== "string") return "name must be a string";
  const schemas = problemOfSchema(input, "input") ?? problemOfSchema(output, "output");
  if (schemas !== undefined) return schemas;
  const shown = problemOfJson(input as Schema, "input") ?? problemOfJson(output as Schema, "output");
  if (shown !== undefined) return shown;
  if (view !== undefined && !Object.hasOwn(Object(view), "source")) return "view must be created with view()";
  const ui = { ...(visibility !== undefined && { visibility }) };
  const problem = readToolUi({ _meta: { ui, ...Object(meta) } }).problems.find(
    ({ code }) => code !== "resource-uri-legacy",
  );
  return problem && `${problem.field}: ${problem.message}`;
}

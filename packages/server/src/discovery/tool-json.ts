/**
 * `tool.json`: a tool without code, or with a function in a file beside it.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { readToolUi } from "@vitrine/protocol";
import { placeOf } from "../input-error.js";
import type { Schema } from "../schemas.js";
import type { AnyTool } from "../tool.js";
import { importDefault } from "./import-module.js";
import { schemaFromJson } from "./json-schema.js";
import { FileError, messageOf } from "./problem.js";
import { type JsonFile, readJsonFile } from "./read-json.js";

/** Contents of the file. */
interface ToolJson {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly outputSchema?: object;
  readonly annotations?: AnyTool["annotations"];
  readonly icons?: AnyTool["icons"];
  readonly _meta?: Record<string, unknown>;
  readonly handler?: string;
  readonly result?: unknown;
}

const text = (description?: string): JsonSchema => ({
  type: "string",
  minLength: 1,
  ...(description !== undefined && { description }),
});
const jsonSchema = (description: string): JsonSchema => ({
  type: "object",
  description,
  properties: { type: { type: "string", enum: ["object"] } },
  required: ["type"],
});

/** JSON Schema of `tool.json`, for validation and for editors. */
export const toolJsonSchema: JsonSchema & { readonly $schema: string } = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    $schema: { type: "string", description: "Where editors find this schema." },
    name: text("The tool's name; the folder's name by default."),
    title: text("The name shown to users."),
    description: text("For the model: what the tool does, and when to call it."),
    inputSchema: jsonSchema("JSON Schema of the arguments; anything by default."),
    outputSchema: jsonSchema("JSON Schema of the result's data."),
    annotations: {
      type: "object",
      description:
        "Hints about the tool's behaviour. A host asks the user before it calls a tool that is not read-only.",
      properties: {
        title: { type: "string" },
        readOnlyHint: { type: "boolean" },
        destructiveHint: { type: "boolean" },
        idempotentHint: { type: "boolean" },
        openWorldHint: { type: "boolean" },
      },
      additionalProperties: false,
    },
    icons: {
      type: "array",
      items: { type: "object", properties: { src: text() }, required: ["src"] },
    },
    _meta: { type: "object", description: "Metadata for the client, such as ui.visibility." },
    handler: text(
      "A file in the folder whose default export is the function, such as ./run.js. Alternative to result.",
    ),
    result: {
      description: "A constant result. Alternative to handler.",
      anyOf: [{ type: "string" }, { type: "object" }, { type: "array" }],
    },
  },
  additionalProperties: false,
};

/**
 * Reads the file.
 *
 * @param folder the tool's folder, relative to the root
 * @throws {DefinitionError}
 */
export async function readToolJson(root: string, folder: string, name: string): Promise<AnyTool> {
  const file = await readJsonFile(root, `${folder}/tool.json`);
  file.check(toolJsonSchema, "tool-invalid");
  const said = file.value as ToolJson;
  const { inputSchema, outputSchema, _meta: meta, handler, result } = said;
  if ((handler === undefined) === (result === undefined))
    throw file.error("tool-invalid", `it must have either "handler" or "result"`);
  checkMeta(file, meta);
  const output = outputSchema && schemaOf(file, "outputSchema", outputSchema);
  if (handler === undefined) await checkResult(file, output, result);
  return {
    name: said.name ?? name,
    title: said.title,
    description: said.description,
    annotations: said.annotations,
    icons: said.icons,
    // Without a schema, the tool accepts any arguments.
    input: schemaOf(file, "inputSchema", inputSchema ?? { type: "object" }),
    output,
    meta,
    run: handler === undefined ? () => structuredClone(result) : await importHandler(root, folder, handler),
  };
}

function schemaOf(file: JsonFile, field: string, json: object): Schema {
  try {
    return schemaFromJson(json);
  } catch (cause) {
    throw file.error("tool-invalid", `it.${field} is not a JSON Schema: ${messageOf(cause)}`, cause);
  }
}

/** Rejects UI metadata that hosts would not understand. The legacy flat key is accepted. */
function checkMeta(file: JsonFile, meta: Record<string, unknown> | undefined): void {
  const problem = readToolUi({ _meta: meta }).problems.find(({ code }) => code !== "resource-uri-legacy");
  if (problem) throw file.error("meta-invalid", `it.${problem.field} ${problem.message}`);
}

async function checkResult(file: JsonFile, output: Schema | undefined, result: unknown): Promise<void> {
  const checked = await output?.["~standard"].validate(result);
  const [issue] = checked?.issues ?? [];
  if (!issue) return;
  const place = ["result", placeOf(issue)].filter(Boolean).join(".");
  throw file.error("tool-invalid", `it.${place} ${issue.message}, as required by outputSchema`);
}

async function importHandler(root: string, folder: string, handler: string): Promise<AnyTool["run"]> {
  const file = `${folder}/${handler.replace(/^\.\//, "")}`;
  // Inside the tool's own folder, not just inside the root.
  if (handler.split(/[/\\]/).includes(".."))
    throw new FileError("path-forbidden", `handler must name a file inside ${folder}`, {
      file: `${folder}/tool.json`,
    });
  const run = await importDefault(root, file);
  if (typeof run !== "function")
    throw new FileError("tool-invalid", "its default export must be a function", { file });
  return run as AnyTool["run"];
}

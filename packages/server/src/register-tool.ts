/**
 * Registers a tool with a server of the official SDK: its input is checked before it runs, and what it gives back afterwards.
 *
 * @module
 */
import type { CallToolResult, McpServer, RegisteredTool, ServerContext } from "@modelcontextprotocol/server";
import { InputError, inputErrorOf, resultOfInputError } from "./input-error.js";
import { uiSupport } from "./negotiation.js";
import { withBothLinks } from "./official.js";
import { Reply } from "./reply.js";
import type { Schema } from "./schemas.js";
import { textOfData } from "./text-of-data.js";
import type { AnyTool, ToolContext } from "./tool.js";
import type { View } from "./view.js";

/** @param uri the address of its view */
export function registerTool(server: McpServer, tool: AnyTool, uri: string | undefined): RegisteredTool {
  const { name, title, description, input, output, annotations, icons, visibility, meta } = tool;
  const ui = {
    ...(uri !== undefined && { resourceUri: uri }),
    ...(visibility && { visibility: [...visibility] }),
  };
  const _meta = { ...(Object.keys(ui).length > 0 && { ui }), ...meta };
  const config = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(input && { inputSchema: shownOf(input) }),
    ...(output && { outputSchema: shownOf(output) }),
    ...(annotations && { annotations }),
    ...(icons && { icons }),
    ...(Object.keys(_meta).length > 0 && { _meta: withBothLinks(_meta) }),
  };
  const run = async (given: unknown, request: ServerContext): Promise<CallToolResult> => {
    const context: ToolContext = { ui: uiSupport(server, request), signal: request.mcpReq.signal, request };
    try {
      return await resultOf(tool, await tool.run((await checkedInput(tool, given)) as never, context));
    } catch (error) {
      if (error instanceof InputError) return resultOfInputError(error);
      throw error;
    }
  };
  // Without a schema there is no input: the SDK gives the context alone.
  return server.registerTool(
    name,
    config,
    input ? run : (((request: ServerContext) => run({}, request)) as never),
  );
}

/** By schema, and not by server: for stateless clients a server is made for each request. */
const shown = new WeakMap<Schema, Schema>();

/**
 * A schema as clients see it, and that lets everything through. Input is checked here: the SDK would say in one text what is
 * wrong, and a form must know which field is meant. Output was checked before the SDK gets it.
 */
function shownOf(schema: Schema): Schema {
  const known = shown.get(schema);
  if (known) return known;
  const { jsonSchema, ...standard } = schema["~standard"];
  const once = { input: convertedOnce(jsonSchema.input), output: convertedOnce(jsonSchema.output) };
  const made: Schema = {
    "~standard": { ...standard, validate: (value) => ({ value }), jsonSchema: once },
  };
  shown.set(schema, made);
  return made;
}

type Convert = Schema["~standard"]["jsonSchema"]["input"];

/** The SDK converts every schema again each time that somebody asks for the tools: that was most of the answer's time. */
function convertedOnce(convert: Convert): Convert {
  const made = new Map<string, Record<string, unknown>>();
  return (options) => {
    const json = made.get(options.target) ?? convert(options);
    made.set(options.target, json);
    return { ...json };
  };
}

async function checkedInput({ input }: AnyTool, given: unknown): Promise<unknown> {
  if (!input) return given;
  const checked = await (input as Schema)["~standard"].validate(given ?? {});
  if (checked.issues) throw inputErrorOf(checked.issues as never);
  return checked.value;
}

/** What a function gave back, as MCP says it. */
async function resultOf(tool: AnyTool, given: unknown): Promise<CallToolResult> {
  const { data, details } = given instanceof Reply ? given : { data: given, details: {} };
  if (!tool.output) {
    const structured = isRecord(data) ? data : undefined;
    const text =
      details.text ?? (typeof data === "string" ? data : structured && textByView(tool.view, structured));
    return {
      content: [...textContent(text), ...(details.content ?? [])],
      // Only where nobody checked types: the compiler wants a schema for data.
      ...(structured && { structuredContent: structured }),
      ...metaOf(details.meta),
    };
  }
  const checked = await tool.output["~standard"].validate(data);
  if (checked.issues)
    throw new TypeError(`${tool.name} gave back what its output schema forbids: ${issuesOf(checked.issues)}`);
  const text = details.text ?? tool.text?.(checked.value as never) ?? textByView(tool.view, checked.value);
  return {
    content: [...textContent(text), ...(details.content ?? [])],
    structuredContent: checked.value,
    ...metaOf(details.meta),
  };
}

/** What the view shows, in words: a template knows best. */
function textByView(view: View | undefined, data: unknown): string {
  const source = view?.source;
  if (!source || !("template" in source)) return textOfData(data);
  return source.template.text?.(data, (source.config ?? {}) as never) ?? textOfData(data);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textContent = (text: string | undefined): { type: "text"; text: string }[] =>
  text === undefined ? [] : [{ type: "text", text }];

const metaOf = (meta: Record<string, unknown> | undefined): { _meta?: Record<string, unknown> } =>
  meta ? { _meta: meta } : {};

const issuesOf = (issues: readonly { message: string; path?: readonly unknown[] | undefined }[]): string =>
  issues
    .map(({ message, path = [] }) => [path.map(String).join("."), message].filter(Boolean).join(": "))
    .join("; ");

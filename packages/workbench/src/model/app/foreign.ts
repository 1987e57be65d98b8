/**
 * Sanitizes data from servers so that the page can always draw it: invalid parts are dropped, or shown as
 * JSON. Authors of servers want to see their answers even if they are wrong.
 *
 * @module
 */
import { oneLine } from "@vitrine/host";
import {
  type CallToolResult,
  type ContentBlock,
  decode,
  HOST_END,
  type Progress,
  type Tool,
} from "@vitrine/protocol";
import type { ServerCatalogue } from "@vitrine/wire";
import { readSchema } from "./foreign-schema.js";

type Fields = Readonly<Record<string, unknown>>;

/** Whether it is an object and not a list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === "string";

/** A tool's title on one line, without blanks that push other text out of sight. */
export const toolTitle = ({ title, annotations, name }: Tool): string =>
  oneLine(title ?? annotations?.title ?? name);

/** A tool without its invalid fields; undefined if it has no name. */
export function readTool(value: unknown): Tool | undefined {
  if (!isFields(value) || !isText(value["name"])) return undefined;
  const inputSchema = readSchema(value["inputSchema"]);
  const whole = { ...value, inputSchema: { ...inputSchema, type: "object" } };
  const decoded = decodeTool(whole);
  if (decoded) return decoded;
  // Field by field, so that an invalid one does not affect others.
  const { name } = value;
  let tool = decodeTool({ name, inputSchema: whole.inputSchema });
  for (const [key, field] of Object.entries(value))
    if (key !== "inputSchema") tool = decodeTool({ ...tool, [key]: field }) ?? tool;
  return tool;
}

function decodeTool(value: object): Tool | undefined {
  const decoded = decode(HOST_END.results["tools/list"], { tools: [value] });
  return decoded.ok ? decoded.value.tools[0] : undefined;
}

/** A sanitized catalogue. Of two tools with the same name, the first is kept. */
export function readCatalogue(catalogue: ServerCatalogue): ServerCatalogue {
  const tools = new Map<string, Tool>();
  for (const each of catalogue.tools) {
    const tool = readTool(each);
    if (tool && !tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return { ...catalogue, tools: [...tools.values()] };
}

/** Content blocks; an invalid block becomes its JSON as text. */
export function readContent(value: unknown): ContentBlock[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [asText(value)];
  return value.map((block: unknown) => {
    const decoded = decode(HOST_END.results["tools/call"], { content: [block] });
    return (decoded.ok ? decoded.value.content[0] : undefined) ?? asText(block);
  });
}

/** A sanitized tool result. */
export function readResult(value: unknown): CallToolResult {
  if (!isFields(value)) return { content: [asText(value)] };
  const { content, isError, _meta, ...rest } = value;
  // Without content, the remaining fields are shown.
  const isOther = content === undefined && !("structuredContent" in rest) && Object.keys(rest).length > 0;
  return {
    ...rest,
    content: isOther ? [asText(rest)] : readContent(content),
    ...(typeof isError === "boolean" && { isError }),
    ...(isFields(_meta) && { _meta }),
  };
}

/** A sanitized progress report. */
export function readProgress(value: unknown): Progress | undefined {
  if (!isFields(value)) return undefined;
  const { progress, total, message } = value;
  return {
    progress: isNumber(progress) ? progress : 0,
    ...(isNumber(total) && { total }),
    ...(isText(message) && { message }),
  };
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);

function asText(value: unknown): ContentBlock {
  try {
    return { type: "text", text: JSON.stringify(value, null, 2) ?? "undefined" };
  } catch {
    // Nested too deeply for the browser.
    return { type: "text", text: "(This cannot be shown as text.)" };
  }
}

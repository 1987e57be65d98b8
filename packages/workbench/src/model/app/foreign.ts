/**
 * What servers say, read so that the page can draw it whatever it is: what is not as it should be is left out, or shown as
 * JSON. A person who writes a server wants to see what it answers, also when that is wrong.
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

/** Whether it is an object with fields, and no list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === "string";

/** What a tool is called, for people: on one line, without blanks that push something else out of sight (attack E05). */
export const toolTitle = ({ title, annotations, name }: Tool): string =>
  oneLine(title ?? annotations?.title ?? name);

/** A tool, without what is wrong with it; undefined for one that has no name. */
export function readTool(value: unknown): Tool | undefined {
  if (!isFields(value) || !isText(value["name"])) return undefined;
  const inputSchema = readSchema(value["inputSchema"]);
  const whole = { ...value, inputSchema: { ...inputSchema, type: "object" } };
  const decoded = decodeTool(whole);
  if (decoded) return decoded;
  // Each field by itself: one that is wrong takes no other with it.
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

/** What a server offers: of two tools with one name the first. */
export function readCatalogue(catalogue: ServerCatalogue): ServerCatalogue {
  const tools = new Map<string, Tool>();
  for (const each of catalogue.tools) {
    const tool = readTool(each);
    if (tool && !tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return { ...catalogue, tools: [...tools.values()] };
}

/** Blocks of content; what is none is text: its JSON. */
export function readContent(value: unknown): ContentBlock[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [asText(value)];
  return value.map((block: unknown) => {
    const decoded = decode(HOST_END.results["tools/call"], { content: [block] });
    return (decoded.ok ? decoded.value.content[0] : undefined) ?? asText(block);
  });
}

/** What a tool answered. */
export function readResult(value: unknown): CallToolResult {
  if (!isFields(value)) return { content: [asText(value)] };
  const { content, isError, _meta, ...rest } = value;
  // Without any content it is the rest that there is to see.
  const isOther = content === undefined && !("structuredContent" in rest) && Object.keys(rest).length > 0;
  return {
    ...rest,
    content: isOther ? [asText(rest)] : readContent(content),
    ...(typeof isError === "boolean" && { isError }),
    ...(isFields(_meta) && { _meta }),
  };
}

/** How far a call has come. */
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
    // Nested deeper than the browser can follow.
    return { type: "text", text: "(This cannot be shown as text.)" };
  }
}

/**
 * Registers a tool with a server of the official SDK: its input is checked before it runs, and what it gives back afterwards.
 *
 * @module
 */
import type { CallToolResult, McpServer, RegisteredTool, ServerContext } from "@modelcontextprotocol/server";
import { VIEW_PROBLEM_KEY } from "@vitrine/protocol";
import { failedResult, ResultError } from "./failed-result.js";
import { type Issue, inputErrorOf, placeOf } from "./input-error.js";
import { uiSupport } from "./negotiation.js";
import { withBothLinks } from "./official.js";
import { Reply } from "./reply.js";
import { jsonSchemaOf, type Schema, shownOf } from "./schemas.js";
import { textOfData } from "./text-of-data.js";
import type { AnyTool, ToolContext } from "./tool.js";

/**
 * @param uri the address of its view; undefined when it has none, or one that cannot be shown
 * @param problem why it cannot be shown, for clients that may know
 */
export function registerTool(
  server: McpServer,
  tool: AnyTool,
  uri: string | undefined,
  problem?: string,
): RegisteredTool {
  const { name, input } = tool;
  const config = configOf(tool, uri, problem);
  const run = async (given: unknown, request: ServerContext): Promise<CallToolResult> => {
    const { signal } = request.mcpReq;
    const context: ToolContext = { ui: uiSupport(server, request), signal, request };
    try {
      const input = (await checkedInput(tool, given)) as never;
      return await resultOf(tool, await tool.run(input, context), uri !== undefined);
    } catch (error) {
      return failedResult(error);
    }
  };
  // Without a schema there is no input: the SDK gives the context alone.
  return server.registerTool(
    name,
    config,
    input ? run : (((request: ServerContext) => run({}, request)) as never),
  );
}

/** By tool, and not by server: for stateless clients a server is made for each request. */
const configs = new WeakMap<
  AnyTool,
  { uri: string | undefined; problem: string | undefined; config: ReturnType<typeof writeConfig> }
>();

function configOf(
  tool: AnyTool,
  uri: string | undefined,
  problem: string | undefined,
): ReturnType<typeof writeConfig> {
  const known = configs.get(tool);
  if (known && known.uri === uri && known.problem === problem) return known.config;
  const config = writeConfig(tool, uri, problem);
  configs.set(tool, { uri, problem, config });
  return config;
}

/** What lists say of a tool. */
function writeConfig(tool: AnyTool, uri: string | undefined, problem: string | undefined) {
  const { title, description, input, output, annotations, icons, visibility, meta } = tool;
  const ui = {
    ...(uri !== undefined && { resourceUri: uri }),
    ...(visibility && { visibility: [...visibility] }),
  };
  const _meta = {
    ...(Object.keys(ui).length > 0 && { ui }),
    ...meta,
    ...(problem !== undefined && { [VIEW_PROBLEM_KEY]: problem }),
  };
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(input && { inputSchema: shownOf(input) }),
    ...(output && { outputSchema: shownOf(output) }),
    ...(annotations && { annotations }),
    ...(icons && { icons }),
    ...(Object.keys(_meta).length > 0 && { _meta: withBothLinks(_meta) }),
  };
}

async function checkedInput({ input }: AnyTool, given: unknown): Promise<unknown> {
  if (!input) return given;
  const checked = await (input as Schema)["~standard"].validate(given ?? {});
  if (checked.issues) throw inputErrorOf(checked.issues as never);
  return checked.value;
}

/** What a function gave back, as MCP says it. */
async function resultOf(tool: AnyTool, given: unknown, isShown: boolean): Promise<CallToolResult> {
  const { data, details } = given instanceof Reply ? given : { data: given, details: {} };
  if (!tool.output) {
    const structured = isRecord(data) ? data : undefined;
    const said = typeof data === "string" ? data : undefined;
    const text = details.text ?? (said || (wordsOf(tool, structured, isShown) ?? said));
    return {
      content: [...textContent(text), ...(details.content ?? [])],
      // Only where nobody checked types: the compiler wants a schema for data.
      ...(structured && { structuredContent: structured }),
      ...metaOf(details.meta),
    };
  }
  const checked = await tool.output["~standard"].validate(data);
  if (checked.issues)
    throw new ResultError(
      `${tool.name} gave back what its output schema forbids: ${issuesOf(checked.issues)}`,
    );
  const text = details.text ?? tool.text?.(checked.value as never) ?? wordsOf(tool, checked.value, isShown);
  return {
    content: [...textContent(text), ...(details.content ?? [])],
    structuredContent: checked.value,
    ...metaOf(details.meta),
  };
}

/**
 * What the view shows, in words: a template knows best, also without data. Its configuration was checked if it is shown, and not
 * otherwise.
 */
function wordsOf({ view, input }: AnyTool, data: unknown, isShown: boolean): string | undefined {
  const source = view?.source;
  if (!source || !("template" in source)) return data === undefined ? undefined : textOfData(data);
  const { template, config = {} } = source;
  const words =
    isShown &&
    template.text?.(data, config as never, {
      inputSchema: input && jsonSchemaOf(input, "input"),
    });
  return words || textOfData(data) || `${view.title ?? template.title}: nothing to show`;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textContent = (text: string | undefined): { type: "text"; text: string }[] =>
  text === undefined ? [] : [{ type: "text", text }];

const metaOf = (meta: Record<string, unknown> | undefined): { _meta?: Record<string, unknown> } =>
  meta ? { _meta: meta } : {};

const issuesOf = (issues: readonly Issue[]): string =>
  issues.map((issue) => [placeOf(issue), issue.message].filter(Boolean).join(": ")).join("; ");

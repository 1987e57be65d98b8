/**
 * Registers a tool with a server of the official SDK. Input is checked before it runs, and its result
 * afterwards.
 *
 * @module
 */
import type { CallToolResult, McpServer, RegisteredTool, ServerContext } from "@modelcontextprotocol/server";
import { isRecord, VIEW_PROBLEM_KEY } from "@vitrine/protocol";
import { failedResult, ResultError } from "./failed-result.js";
import { type Issue, inputErrorOf, placeOf } from "./input-error.js";
import { uiSupport } from "./negotiation.js";
import { withBothLinks } from "./official.js";
import { Reply } from "./reply.js";
import { jsonSchemaOf, type Schema, shownOf } from "./schemas.js";
import { textOfData } from "./text-of-data.js";
import type { AnyTool, ToolContext } from "./tool.js";

/**
 * @param uri the address of its view; undefined if it has none, or one that cannot be shown
 * @param problem why the view cannot be shown, for local clients
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
    const ui = uiSupport(server, request);
    const context: ToolContext = { ui, signal, progress: progressOf(request), request };
    try {
      const input = (await checkedInput(tool, given)) as never;
      return await resultOf(tool, await tool.run(input, context), uri !== undefined);
    } catch (error) {
      return failedResult(error);
    }
  };
  // Without a schema there is no input: the SDK passes only the context.
  return server.registerTool(
    name,
    config,
    input ? run : (((request: ServerContext) => run({}, request)) as never),
  );
}

/** By tool, not by server: for stateless clients, each request gets its own server. */
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

/** The entry of a tool in `tools/list`. */
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

/** Sends progress with the token of the request; nothing if the client sent none. */
const progressOf =
  ({ mcpReq: { _meta: { progressToken } = {}, notify } }: ServerContext): ToolContext["progress"] =>
  async (progress, total, message) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress, total, message };
    // Fails only if the connection is closing.
    await notify({ method: "notifications/progress", params }).catch(() => undefined);
  };

async function checkedInput({ input }: AnyTool, given: unknown): Promise<unknown> {
  if (!input) return given;
  const checked = await (input as Schema)["~standard"].validate(given ?? {});
  if (checked.issues) throw inputErrorOf(checked.issues as never);
  return checked.value;
}

/** Converts a function's return value to an MCP result. */
async function resultOf(tool: AnyTool, given: unknown, isShown: boolean): Promise<CallToolResult> {
  const { data, details } = given instanceof Reply ? given : { data: given, details: {} };
  if (!tool.output) {
    const structured = isRecord(data) ? data : undefined;
    const said = typeof data === "string" ? data : undefined;
    const text = details.text ?? (said || (wordsOf(tool, structured, isShown) ?? said));
    return {
      content: [...textContent(text), ...(details.content ?? [])],
      // The compiler requires a schema for data; this is for unchecked code.
      ...(structured && { structuredContent: structured }),
      ...metaOf(details.meta),
    };
  }
  const checked = await tool.output["~standard"].validate(data);
  if (checked.issues)
    throw new ResultError(
      `the result of ${tool.name} violates its output schema: ${issuesOf(checked.issues)}`,
    );
  const text = details.text ?? tool.text?.(checked.value as never) ?? wordsOf(tool, checked.value, isShown);
  return {
    content: [...textContent(text), ...(details.content ?? [])],
    structuredContent: checked.value,
    ...metaOf(details.meta),
  };
}

/**
 * The view's contents as text. A template knows best, even without data. Its configuration has been checked
 * only if the view is shown.
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

const textContent = (text: string | undefined): { type: "text"; text: string }[] =>
  text === undefined ? [] : [{ type: "text", text }];

const metaOf = (meta: Record<string, unknown> | undefined): { _meta?: Record<string, unknown> } =>
  meta ? { _meta: meta } : {};

const issuesOf = (issues: readonly Issue[]): string =>
  issues.map((issue) => [placeOf(issue), issue.message].filter(Boolean).join(": ")).join("; ");

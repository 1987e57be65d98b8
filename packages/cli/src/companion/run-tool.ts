/**
 * Calls tools of servers and apps.
 *
 * @module
 */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type CallToolResult, isVisibleTo, readToolUi } from "@vitrine/protocol";
import { CliError, told } from "../exit.js";
import { resultHere } from "./client-answers.js";
import type { Companion } from "./companion.js";
import type { CompanionApp, FollowOptions, Showing } from "./companion-host.js";
import type { DirectoryTool } from "./directory.js";
import type { InboxReader } from "./inbox.js";
import { appToolName, isAppToolName } from "./names.js";
import { newsText, shownText } from "./news-text.js";

/** The caller, and options of the call. */
export interface RunToolOptions extends FollowOptions {
  readonly reader: InboxReader;
  /** Whether the client shows views itself. */
  readonly hasViews: boolean;
}

/** Result of a call. */
export interface RunResult {
  readonly result: CallToolResult;
  /** The tool's output schema. */
  readonly outputSchema?: Record<string, unknown> | undefined;
}

/**
 * Calls a tool by name. A failure is a result with the reason, so that the agent reads it. News are added as
 * a separate block.
 *
 * @throws {ProtocolError} if there is no such tool
 */
export async function runTool(
  companion: Companion,
  name: string,
  input: Record<string, unknown>,
  options: RunToolOptions,
): Promise<RunResult> {
  const run = await lineUp(companion, name, options);
  const { result, outputSchema } = await run(input).catch((error: unknown) => ({
    result: failure(error),
    outputSchema: undefined,
  }));
  // The caller is gone, so the news are kept for the next call.
  const news = options.signal.aborted ? undefined : newsText(options.reader.take());
  return {
    result: news === undefined ? result : withText(result, news),
    ...(outputSchema && { outputSchema }),
  };
}

type Run = (input: Record<string, unknown>) => Promise<RunResult>;

/** Finds the tool, and prepares its call. */
async function lineUp(companion: Companion, name: string, options: RunToolOptions): Promise<Run> {
  const { host, directory } = companion;
  const { hasViews, signal } = options;
  if (isAppToolName(name)) {
    const found = findAppTool(host.apps, name);
    if (!found)
      throw unknownTool(
        name,
        "the app that offered it is closed, or never offered it; app_context lists the open apps",
      );
    return async (input) => ({ result: await host.callApp(found.app.number, found.tool, input, options) });
  }
  let found = directory.find(name, hasViews);
  if (!found) {
    await directory.ready(signal);
    found = directory.find(name, hasViews);
  }
  // A client without views does not learn about app-only tools.
  const isForModel = found !== undefined && isVisibleTo(found.tool, "model");
  if (!found || !(isForModel || hasViews)) throw unknownTool(name, "list the tools to see which are there");
  const tool = found;
  // Under the tool's own name, the caller is an app, which its host has authorized.
  const isOfApp = !isForModel || name === tool.tool.name;
  return (input) =>
    isOfApp ? askServer(companion, tool, input, signal) : callServer(companion, tool, input, options);
}

/** Calls as the model: in the conversation, so that the user sees it. */
async function callServer(
  { host }: Companion,
  { server, identity, tool }: DirectoryTool,
  input: Record<string, unknown>,
  options: RunToolOptions,
): Promise<RunResult> {
  const isShownElsewhere = options.hasViews && readToolUi(tool).resourceUri !== undefined;
  const call = { server, identity, tool: tool.name, arguments: input, isShownElsewhere };
  const { result, app } = await host.call(call, options);
  const here = resultHere(result, server);
  const { outputSchema } = tool;
  if (!app || isShownElsewhere) return { result: here, outputSchema };
  return { result: withText(here, shownText(app, await host.show())), outputSchema };
}

/** Calls as an app. */
async function askServer(
  { host }: Companion,
  { server, identity, tool }: DirectoryTool,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<RunResult> {
  const answer = await host
    .ask({ server, identity }, "tools/call", { name: tool.name, arguments: input }, signal)
    .catch(async (error: unknown) => {
      // The user approves in a browser. If none is open, the agent gets instructions to open one.
      const showing = told(error)?.code === "denied" ? await host.show() : undefined;
      throw showing && showing.state !== "open" ? unasked(tool.name, showing) : error;
    });
  const result = { ...answer, content: Array.isArray(answer["content"]) ? answer["content"] : [] };
  return { result: resultHere(result, server), outputSchema: tool.outputSchema };
}

function findAppTool(
  apps: readonly CompanionApp[],
  name: string,
): { app: CompanionApp; tool: string } | undefined {
  for (const app of apps) {
    const tool = app.tools.find((each) => appToolName(app.number, each.name) === name);
    if (tool) return { app, tool: tool.name };
  }
  return undefined;
}

/** The error if no user could be asked. */
function unasked(tool: string, showing: Exclude<Showing, { state: "open" }>): CliError {
  const where = showing.state === "link" ? `let them open ${showing.url}` : `it opens at ${showing.address}`;
  return new CliError("denied", `the user must allow ${tool} in a browser: ${where}, then call it again`);
}

const withText = (result: CallToolResult, text: string): CallToolResult => ({
  ...result,
  content: [...result.content, { type: "text", text }],
});

/** An error for the agent: a stable code, and a message with the solution. */
function failure(error: unknown): CallToolResult {
  const known = told(error);
  const message = error instanceof Error && error.message ? error.message : String(error);
  const text = known ? `${known.message} (${known.code})` : message;
  return { content: [{ type: "text", text }], isError: true };
}

const unknownTool = (name: string, hint: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${JSON.stringify(name)}: ${hint}`);

/**
 * Tool calls by typing: `/tool {"an": "argument"}`, or `/server tool {…}` if two servers have a tool with
 * that name.
 *
 * @module
 */
import type { RJSFSchema } from "@rjsf/utils";
import type { ShownServer } from "../../model/servers.js";
import type { checkValue } from "../form/check-value.js";
import { errorAt, readArguments } from "../form/json-text.js";
import { type ToolFacts, toolFacts } from "../servers/tool-facts.js";

/** A tool that the user may call. */
export interface CallableTool {
  readonly server: string;
  readonly facts: ToolFacts;
}

/** A parsed command. */
export type Command =
  | { readonly kind: "call"; readonly tool: CallableTool; readonly input: Record<string, unknown> }
  /** Some arguments must be filled in first. */
  | { readonly kind: "form"; readonly tool: CallableTool }
  /** `at` is the position of the error, if known. */
  | {
      readonly kind: "problem";
      readonly problem: string;
      readonly at?: number | undefined;
      /** Whether the tool is unknown so far. */
      readonly isUnknown?: true | undefined;
    };

/** Checks arguments against a schema. It is loaded when the first command is written. */
export type CheckArguments = typeof checkValue;

/** Maximum number of arguments in a hint. */
const NAMED = 6;

/** All tools that the user may call. */
export const callableTools = (servers: readonly ShownServer[]): CallableTool[] =>
  servers.flatMap(({ summary, catalogue }) =>
    (catalogue ? toolFacts(catalogue) : []).flatMap((facts) =>
      facts.isCallable ? [{ server: summary.name, facts }] : [],
    ),
  );

/** Whether a text is a command rather than a message. A leading space makes it a message. */
export const isCommand = (text: string): boolean => text.startsWith("/");

/** The text for a selected tool. */
export const completed = ({ server, facts }: CallableTool): string => `/${server} ${facts.tool.name} `;

/**
 * Parses a text that {@link isCommand}.
 *
 * @param servers the names of all servers, including stopped ones
 */
export function readCommand(
  text: string,
  tools: readonly CallableTool[],
  servers: readonly string[],
  check: CheckArguments,
): Command {
  const { found, end } = named(text, tools, servers);
  const [tool, other] = found;
  if (!tool) {
    const [name = ""] = text.slice(1).split("{");
    const [server] = addressed(text, servers);
    const missing = server
      ? `The server “${server}” has no tool “${name.slice(server.length).trim()}” that can be called now`
      : `There is no tool “${name.trim()}”`;
    return {
      kind: "problem",
      isUnknown: true,
      problem: `${name.trim() ? missing : "Name a tool"}. Type / to list the tools. To send a message that begins with /, put a space before it.`,
    };
  }
  const { name, inputSchema } = tool.facts.tool;
  if (other) {
    const owners = found.map(({ server }) => server).join(", ");
    return {
      kind: "problem",
      problem: `Several servers have a tool “${name}”: ${owners}. Write the server's name before it, as in ${completed(tool).trim()}.`,
    };
  }
  const schema = inputSchema as RJSFSchema;
  if (text.slice(end).trim() === "")
    return check(schema, {}).length === 0 ? { kind: "call", tool, input: {} } : { kind: "form", tool };
  // Keeps positions: the name is replaced by blanks before parsing.
  const json = text.slice(0, end).replace(/\S/g, " ") + text.slice(end);
  const { value, problem } = readArguments(json);
  if (!value) return { kind: "problem", problem, at: Math.min(errorAt(json), text.length) };
  const [wrong] = check(schema, value);
  if (!wrong) return { kind: "call", tool, input: value };
  const { path, message } = wrong;
  return { kind: "problem", problem: path.length > 0 ? `${path.join(".")}: ${message}` : message };
}

/** The tools that may complete a text, prefix matches first. */
export function completions(
  text: string,
  tools: readonly CallableTool[],
  servers: readonly string[],
): CallableTool[] {
  if (!isCommand(text) || /[{\n]/.test(text)) return [];
  // Already selected: its arguments follow.
  if (/\s$/.test(text) && named(text, tools, servers).found.length === 1) return [];
  const typed = text.slice(1).trim().toLowerCase();
  const words = typed.split(/\s+/);
  const begins = ({ server, facts }: CallableTool): boolean =>
    [facts.tool.name, `${server} ${facts.tool.name}`].some((name) => name.toLowerCase().startsWith(typed));
  const has = ({ server, facts }: CallableTool): boolean => {
    const names = `${server} ${facts.tool.name} ${facts.title}`.toLowerCase();
    return words.every((word) => names.includes(word));
  };
  const found = ofAddressed(text, tools, servers).filter(has);
  return [...found.filter(begins), ...found.filter((tool) => !begins(tool))];
}

/** The tool that a text names exactly, whatever follows. */
export function namedTool(
  text: string,
  tools: readonly CallableTool[],
  servers: readonly string[],
): CallableTool | undefined {
  const { found } = isCommand(text) ? named(text, tools, servers) : { found: [] };
  return found.length === 1 ? found[0] : undefined;
}

/** A hint about the arguments of a tool. */
export function argumentsHint({ facts }: CallableTool, check: CheckArguments): string {
  const schema = facts.tool.inputSchema as RJSFSchema;
  const names = Object.keys(schema.properties ?? {});
  const form = check(schema, {}).length === 0 ? "Enter calls it" : "Enter opens its form";
  if (names.length === 0) return `${form}.`;
  const shown = names.slice(0, NAMED).map((name) => `${JSON.stringify(name)}: …`);
  return `${form}; or write its arguments: {${[...shown, ...(names.length > NAMED ? ["…"] : [])].join(", ")}}`;
}

/** Whether a text names a server before the tool. */
export const isAddressed = (text: string, servers: readonly string[]): boolean =>
  addressed(text, servers).length > 0;

/** The servers that a text addresses: their name, followed by a word. */
const addressed = (text: string, servers: readonly string[]): string[] =>
  servers.filter(
    (server) =>
      text.slice(1).toLowerCase().startsWith(server.toLowerCase()) &&
      /^\s+[^\s{]/.test(text.slice(1 + server.length)),
  );

/**
 * A server's name refers only to that server, even if it is stopped: another server could name its tool `mail
 * send`.
 */
function ofAddressed(
  text: string,
  tools: readonly CallableTool[],
  servers: readonly string[],
): readonly CallableTool[] {
  const meant = addressed(text, servers);
  return meant.length === 0 ? tools : tools.filter(({ server }) => meant.includes(server));
}

/** The tools with the longest matching name, and where it ends. */
function named(
  text: string,
  tools: readonly CallableTool[],
  servers: readonly string[],
): { found: CallableTool[]; end: number } {
  const hasServer = isAddressed(text, servers);
  const ends = ofAddressed(text, tools, servers).map((tool) => ({
    tool,
    end: endOfName(text, tool, hasServer),
  }));
  const end = Math.max(0, ...ends.map((each) => each.end));
  return { found: end === 0 ? [] : ends.filter((each) => each.end === end).map(({ tool }) => tool), end };
}

/**
 * The end of a tool's name in a text, after its server's name if that is addressed; 0 if it does not match.
 */
function endOfName(text: string, { server, facts }: CallableTool, hasServer: boolean): number {
  const { name } = facts.tool;
  // A name with spaces could be read as a server, which may be gone, and its tool.
  if (!hasServer && /\s/.test(name)) return 0;
  const [space = ""] = hasServer ? (/^\s+/.exec(text.slice(1 + server.length)) ?? []) : [];
  const start = hasServer ? 1 + server.length + space.length : 1;
  const isThere = text.startsWith(name, start) && /^(?:[\s{]|$)/.test(text.slice(start + name.length));
  return isThere ? start + name.length : 0;
}

/**
 * Who the client of the companion is, as the person sees it.
 *
 * @module
 */

/** An agent. */
export interface Agent {
  /** Such as `Claude Code`. */
  readonly name: string;
  /** The name with its version, such as `Claude Code 2.1.0`. */
  readonly label: string;
}

/** What agents call themselves to programs, and what people call them. */
const KNOWN: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  "codex-mcp-client": "Codex",
  "cursor-vscode": "Cursor",
  cursor: "Cursor",
};

const LONGEST = 60;

/**
 * Reads the client's own word of itself (`clientInfo`): anything may stand there, so that it is one short line.
 *
 * @example
 * ```ts source="./companion.examples.ts#readAgent"
 * const { name, label } = readAgent({ name: "claude-code", version: "2.1.0" });
 * // name is "Claude Code", label is "Claude Code 2.1.0"
 * ```
 */
export function readAgent(clientInfo: unknown): Agent {
  const info: Record<string, unknown> =
    typeof clientInfo === "object" && clientInfo !== null ? { ...clientInfo } : {};
  const own = line(info["name"]);
  const name = line(info["title"]) || (Object.hasOwn(KNOWN, own) ? KNOWN[own] : own) || "An agent";
  return { name, label: `${name} ${line(info["version"])}`.trim() };
}

/** Without line breaks, and without characters that nobody sees or that turn others around. */
const line = (value: unknown): string =>
  typeof value === "string"
    ? value
        .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
        .trim()
        .slice(0, LONGEST)
    : "";

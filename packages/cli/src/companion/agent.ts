/**
 * The client of the companion, as the user sees it.
 *
 * @module
 */

/** An agent. */
export interface Agent {
  /** The name, such as `Claude Code`. */
  readonly name: string;
  /** The name with its version, such as `Claude Code 2.1.0`. */
  readonly label: string;
}

/** Names of agents in the protocol, and their display names. */
const KNOWN: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  "codex-mcp-client": "Codex",
  "cursor-vscode": "Cursor",
  cursor: "Cursor",
};

const LONGEST = 60;

/**
 * Reads `clientInfo`. It is untrusted, so it is reduced to one short line.
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

/** Removes line breaks, invisible characters, and those that change the text direction. */
const line = (value: unknown): string =>
  typeof value === "string"
    ? value
        .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
        .trim()
        .slice(0, LONGEST)
    : "";

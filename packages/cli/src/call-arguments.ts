/**
 * A tool's arguments on the command line: JSON, a file, stdin, or `key=value`.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseJson } from "@vitrine/gateway";
import { recordOf } from "@vitrine/protocol";
import { closest } from "@vitrine/servers/support";
import { CliError, EXIT, usage } from "./exit.js";

const OPTION = "--args";

/** The tool's input schema: untrusted, of any form. */
type Schema = unknown;

/**
 * Reads the value of `--args`: `JSON`, `@file` or `-`.
 *
 * @throws {CliError} `arguments-invalid`; a usage error if the JSON is on the command line itself
 */
export async function jsonArguments(
  args: string | undefined,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<Record<string, unknown>> {
  if (args === undefined) return {};
  const file = args.startsWith("@") ? args.slice(1) : undefined;
  const where = file ?? (args === "-" ? "stdin" : OPTION);
  const written =
    file !== undefined
      ? await readFile(file, "utf8").catch((cause: unknown) => {
          throw new CliError("arguments-invalid", `--args @${file}: ${reason(cause)}`);
        })
      : args === "-"
        ? await text(stdin)
        : args;
  const value = parse(written.replace(/^\uFEFF/, ""), where);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw notArguments(where, ': arguments are an object, such as {"city": "Rome"}');
}

/** JSON on the command line is a usage error; a bad file is not. */
const notArguments = (where: string, why: string, cause?: unknown): CliError =>
  new CliError("arguments-invalid", `${where}${why}`, {
    cause,
    exit: where === OPTION ? EXIT.usage : EXIT.failed,
  });

function reason(cause: unknown): string {
  const { code } = recordOf(cause);
  if (code === "ENOENT") return "there is no such file; create it, or choose another";
  if (code === "EISDIR") return "it is a folder; choose a file";
  return `it cannot be read (${String(code ?? cause)}); fix that, or choose another`;
}

function parse(written: string, where: string): unknown {
  try {
    // Fast, but not every version of Node reports the position. The parser below does, and it allows
    // comments.
    return JSON.parse(written);
  } catch {
    try {
      return parseJson(written);
    } catch (error) {
      const { message } = error as Error;
      throw notArguments(where, ` is not JSON: ${message}`, error);
    }
  }
}

/**
 * Reads `key=value` words. The tool's input schema decides the type of each value.
 *
 * @throws {CliError} `usage` or `arguments-invalid`
 */
export function wordArguments(words: readonly string[], schema: Schema): Record<string, unknown> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 1) throw usage(`"${word}": write arguments as key=value, or all of them with --args`);
      const key = word.slice(0, at);
      return [key, wordValue(key, word.slice(at + 1), schema)];
    }),
  );
}

/** A string stays a string if the schema wants one; otherwise it is parsed as JSON if possible. */
function wordValue(key: string, written: string, schema: Schema): unknown {
  const properties: unknown = Object(schema)["properties"];
  const known = Object.keys(Object(properties));
  const type: unknown = Object.hasOwn(Object(properties), key)
    ? Object(Object(properties)[key])["type"]
    : undefined;
  const hint = known.includes(key) ? "" : closest(key, known);
  if (hint) throw new CliError("arguments-invalid", `the tool has no argument "${key}"${hint}`);
  if (type === "string") return written;
  try {
    return JSON.parse(written);
  } catch {
    if (type === undefined || (Array.isArray(type) && type.includes("string"))) return written;
    throw new CliError(
      "arguments-invalid",
      `${key}: the tool expects a value of type ${String(type)}; write it as JSON`,
    );
  }
}

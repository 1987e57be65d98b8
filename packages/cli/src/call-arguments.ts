/**
 * The arguments of a tool, as people write them in a terminal: JSON, a file, stdin, or `key=value`.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseJson } from "@vitrine/gateway";
import { closest } from "@vitrine/servers/support";
import { CliError, EXIT, usage } from "./exit.js";

const OPTION = "--args";

/** The shape that a tool gives its arguments: a server's word, of any form. */
type Schema = unknown;

/**
 * What `--args` says: `JSON`, `@file` or `-`.
 *
 * @throws {CliError} `arguments-invalid`: a wrong command line, if that is where it stands
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

/** A command line that has it in itself is wrong; one that says where it is was understood. */
const notArguments = (where: string, why: string, cause?: unknown): CliError =>
  new CliError("arguments-invalid", `${where}${why}`, {
    cause,
    exit: where === OPTION ? EXIT.usage : EXIT.failed,
  });

function reason(cause: unknown): string {
  const { code } = Object(cause) as { code?: unknown };
  if (code === "ENOENT") return "there is no such file; write one, or name another";
  if (code === "EISDIR") return "it is a folder; name a file in it";
  return `it cannot be read (${String(code ?? cause)}); mend that, or name another`;
}

function parse(written: string, where: string): unknown {
  try {
    // Quick, but does not say where in every version of Node; the other one does, and takes comments too.
    return JSON.parse(written);
  } catch {
    try {
      return parseJson(written);
    } catch (error) {
      const { message } = error as Error;
      throw notArguments(where, ` is no JSON: ${message}`, error);
    }
  }
}

/**
 * What `key=value` words say; the tool's input schema tells what kind of value each is.
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

/** Text is text where the schema wants text; elsewhere it is the JSON that it looks like. */
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
      `${key}: the tool wants a value of the kind ${String(type)}; write it as JSON`,
    );
  }
}

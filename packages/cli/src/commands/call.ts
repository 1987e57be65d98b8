/**
 * `vitrine call`: calls one tool.
 *
 * @module
 */

import type { Progress } from "@vitrine/protocol";
import { closest } from "@vitrine/servers/support";
import { jsonArguments, wordArguments } from "../call-arguments.js";
import { resultText } from "../content.js";
import { CliError, EXIT } from "../exit.js";
import { answerOf, listAll } from "../lists.js";
import { problemWith } from "../render/tool-arguments.js";
import { printable, type Terminal } from "../terminal.js";
import { findServer, type PlainOptions } from "./plain.js";

/** Options of {@link callCommand}. */
export interface CallCommandOptions extends PlainOptions {
  /** JSON, `@file` or `-`. */
  readonly args?: string | undefined;
}

/** Calls the tool and prints its result. Resolves to the exit code: 1 if the tool failed. */
export async function callCommand(
  argument: string,
  tool: string,
  words: readonly string[],
  options: CallCommandOptions,
  terminal: Terminal,
): Promise<number> {
  // Checked before anything is started: an error in it does not depend on the server.
  const whole = await jsonArguments(options.args);
  const result = await findServer(argument, options, terminal, async ({ server, signal, waiting }) => {
    const tools = await listAll(server, "tools/list", signal);
    const known = tools.find(({ name }) => name === tool);
    if (!known) throw unknownTool(tool, server.settings.name, tools);
    const input = { ...whole, ...wordArguments(words, known["inputSchema"]) };
    const problem = problemWith(known, input);
    if (problem !== undefined)
      throw new CliError(
        "arguments-invalid",
        `${tool}: ${problem}; write them as key=value, or all of them with --args`,
      );
    const onprogress = (progress: Progress): void => waiting.say(progressText(tool, progress));
    waiting.say(`calling ${tool}`);
    const answer = await server.upstream.request(
      "tools/call",
      { name: tool, arguments: input },
      { signal, onprogress },
    );
    return answerOf(answer);
  });
  const isError = result["isError"] === true;
  if (options.json) terminal.json(result);
  else {
    const text = printable(resultText(result));
    if (isError) terminal.note(text || `${tool} failed without a message`);
    else if (text !== "") terminal.print(text);
  }
  return isError ? EXIT.failed : EXIT.ok;
}

function unknownTool(tool: string, server: string, tools: readonly Record<string, unknown>[]): CliError {
  const names = tools.map(({ name }) => String(name));
  const hint = closest(tool, names);
  const list = names.length > 0 ? `it has ${names.slice(0, 20).join(", ")}` : "it has none";
  return new CliError("tool-unknown", `${server} has no tool "${tool}"${hint || `; ${list}`}`);
}

function progressText(tool: string, { progress, total, message }: Progress): string {
  const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return `${tool}: ${share}${message === undefined ? "" : `, ${message}`}`;
}

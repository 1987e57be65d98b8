#!/usr/bin/env node
/**
 * `vitrine`: MCP Apps from the terminal.
 *
 * @module
 */
import { type Command, CommanderError } from "commander";
import { surroundings } from "./config-places.js";
import { CliError, EXIT, told, usage } from "./exit.js";
import { failureJson } from "./failure-json.js";
import { createProgram } from "./program.js";
import { Terminal } from "./terminal.js";
import { unknownCommand } from "./unknown-command.js";

const terminal = new Terminal();
const words = process.argv.slice(2);
/** With `--json`, all output is JSON, including errors. */
const wantsJson = words.slice(0, words.indexOf("--") >>> 0).includes("--json");

/** Without a command, runs `dev` with the demos. */
function withCommand([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return ["dev", "--demos"];
  const isAsked = /^(-h|--help|-V|--version)$/.test(first);
  return first.startsWith("-") && !isAsked ? ["dev", "--demos", first, ...rest] : [first, ...rest];
}

/** A command and its subcommands, such as `new tool`. */
const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

async function main(): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(terminal, (result) => {
    code = result;
  });
  for (const each of withSubcommands(program)) {
    each.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
  }
  try {
    await program.parseAsync(withCommand(words), { from: "user" });
    return code;
  } catch (error) {
    return fail(error instanceof CommanderError ? await ofCommander(error) : error);
  }
}

/** Help and version are not errors; everything else is a usage error. */
async function ofCommander(error: CommanderError): Promise<CliError | undefined> {
  if (error.exitCode === 0) return undefined;
  if (error.code === "commander.unknownCommand") {
    const [, near] = /Did you mean (\S+)\?/.exec(error.message) ?? [];
    return unknownCommand(words, near, surroundings());
  }
  if (error.code === "commander.help") return usage("no command given; vitrine --help lists them");
  const sentence = error.message.replace(/^error: /, "").replace(/\n\((Did you mean .*\?)\)$/s, ". $1");
  return usage(`${sentence.replace(/\.$/, "")}${/[?]$/.test(sentence) ? "" : "; see --help"}`);
}

function fail(error: unknown): number {
  if (error === undefined) return EXIT.ok;
  const known = told(error);
  if (known) {
    if (wantsJson) terminal.json(failureJson(words[0], known));
    else terminal.fail(known);
    return known.exit;
  }
  // Internal error: print the stack.
  const stack = (error instanceof Error && error.stack) || String(error);
  if (wantsJson) terminal.json(failureJson(words[0], new CliError("fault", String(error))));
  terminal.note(`This is a bug in Vitrine; please report it.\n${stack}`);
  return EXIT.failed;
}

// The reader has closed the pipe: `vitrine tools x | head`. The gateway's watchdog ends running programs.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failed);
});

process.exitCode = await main();

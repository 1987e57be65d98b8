/**
 * The command line: commands, options, help.
 *
 * @module
 */
import { Command } from "commander";
import type { CallOptions } from "./commands/call.js";
import type { CompanionOptions } from "./commands/companion.js";
import type { DevOptions } from "./commands/dev.js";
import type { NewOptions, NewToolOptions, NewUiOptions } from "./commands/new.js";
import type { PlainOptions } from "./commands/plain.js";
import type { SecretOptions } from "./commands/secret.js";
import type { ServeOptions } from "./commands/serve.js";
import { usage } from "./exit.js";
import { collect, duration, port } from "./options.js";
import type { RenderOptions, RenderStep } from "./render/render-options.js";
import type { Terminal } from "./terminal.js";
import { VERSION } from "./version.js";

const SERVER = `
A server is, looked at in this order:
  https://… or http://…       the address of one
  weather, board, lab         the demos, unless the file of --config has a server of that name
  a name                      from the settings file (--config, or the first that is there: ./.mcp.json, ./mcp.json,
                              ./.vscode/mcp.json, ./.cursor/mcp.json, ~/.config/vitrine/mcp.json, ~/.cursor/mcp.json,
                              Claude Desktop's). Files of this folder need your approval first.
  a folder                    with an mcp.json, or a package.json that has "mcp", "bin" or "main"
  a file                      .js, .mjs, .cjs, .py, or one that is executable
  'a command and arguments'   in quotes; no shell is run`;

const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

/** What all commands that take a server can be told. */
const forServers = (command: Command): Command =>
  command
    .option("--config <file>", "the settings file with the servers")
    .option("--env <name=value>", "a variable for the programs that are started; again for more", collect);

/** What the commands for scripts can be told. */
const plain = (command: Command): Command =>
  forServers(command)
    .option("--timeout <time>", "give up after so long without an answer: 30s, 500ms, 2m", duration)
    .option("--json", "one JSON value on stdout");

/** The whole command. `done` gets the exit code; each command loads what it needs, and `--help` nothing. */
export function createProgram(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command("vitrine")
    .description("MCP Apps: run them, look into them, render them from a terminal.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this, or how to use a command")
    .addHelpText(
      "after",
      `${examples("vitrine", "vitrine dev 'npx -y @modelcontextprotocol/server-debug --stdio'", "vitrine tools weather --json")}
Without a command: the workbench with the built-in demo servers (vitrine dev --demos).
Exit codes: 0 it worked, 1 it failed, 2 the command line is wrong, 130 Ctrl-C.`,
    );
  addDev(program, terminal, done);
  addServe(program, terminal, done);
  addCompanion(program, terminal, done);
  addRender(program, done);
  addPlain(program, terminal, done);
  addSecret(program, terminal, done);
  addNew(program, terminal, done);
  return program;
}

function addDev(program: Command, terminal: Terminal, done: (code: number) => void): void {
  forServers(program.command("dev [server...]"))
    .description("the workbench on those servers; without any, on those of the settings file")
    .option("--demos", "the built-in demo servers too")
    .option("--port <number>", "the port to listen on; by default the first free one from 8090 on", port)
    .option("--no-open", "do not open a browser")
    .option("--no-watch", "do not start servers again when their files change")
    .option("--strict", "trust no server, and sandbox every program")
    .option("--data <folder>", "where consents, secrets and the audit log are kept")
    .option("--database <url>", "sqlite:/path/to/file or postgres://…")
    .option("--static <folder>", "a page of your own in place of the workbench")
    .option("--test-mode", "let programs drive the page, and answer its questions: for tests of the host")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      SERVER +
        examples(
          "vitrine dev",
          "vitrine dev ./my-server",
          "vitrine dev 'node server.js --stdio' https://example.com/mcp",
          "vitrine dev weather --config mcp.json --env API_KEY",
        ),
    )
    .action(async (servers: string[], options: DevOptions) => {
      const { devCommand } = await import("./commands/dev.js");
      done(await devCommand(servers, options, terminal));
    });
}

function addServe(program: Command, terminal: Terminal, done: (code: number) => void): void {
  program
    .command("serve")
    .description("gateway and workbench for others to use")
    .option(
      "--config <file>",
      "servers, users and settings; ./.mcp.json, ./mcp.json, ~/.config/vitrine/mcp.json",
    )
    .option("--port <number>", "where it listens; 8090 by default", port)
    .option("--host <address>", "an address of this machine; loopback by default")
    .option("--allow-remote", "needed, with users in the settings, for any other address")
    .option("--data <folder>", "the gateway's own files")
    .option("--database <url>", "sqlite:/path/to/file or postgres://…")
    .option("--strict", "trust no server")
    .option("--static <folder>", "a page of your own in place of the workbench")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      examples(
        "vitrine serve --config mcp.json",
        "vitrine serve --config mcp.json --host 0.0.0.0 --allow-remote",
      ),
    )
    .action(async (options: ServeOptions) => {
      const { serveCommand } = await import("./commands/serve.js");
      done(await serveCommand(options, terminal));
    });
}

function addSecret(program: Command, terminal: Terminal, done: (code: number) => void): void {
  program
    .command("secret <set|delete> <name>")
    .description("keep a secret from stdin, for the settings to name; or delete it")
    .option("--config <file>", "the settings file; the first that is there, as for dev")
    .option("--data <folder>", "the gateway's own files")
    .addHelpText(
      "after",
      examples("vitrine secret set ROUTER_KEY < key.txt", "vitrine secret delete ROUTER_KEY"),
    )
    .action(async (what: string, name: string, options: SecretOptions) => {
      const { secret } = await import("./commands/secret.js");
      done(await secret(what, name, options, terminal));
    });
}

function addCompanion(program: Command, terminal: Terminal, done: (code: number) => void): void {
  forServers(program.command("companion [server...]"))
    .description(
      "an MCP server in front of those servers: an agent calls their tools, a person sees their apps",
    )
    .option("--demos", "the built-in demo servers too")
    .option("--http [port]", "serve Streamable HTTP instead of stdio; port 8190 by default", port)
    .option("--port <number>", "the port of the workbench; by default the first free one from 8090 on", port)
    .option("--no-open", "do not open a browser when an app is first shown")
    .option("--strict", "trust no server, and sandbox every program")
    .option("--data <folder>", "where consents, secrets and the audit log are kept")
    .option("--database <url>", "sqlite:/path/to/file or postgres://…")
    .option("--static <folder>", "a page of your own in place of the workbench")
    .option("--json", "with --http: print address and token as JSON")
    .addHelpText(
      "after",
      SERVER +
        examples(
          "vitrine companion 'npx -y @modelcontextprotocol/server-budget-allocator --stdio'",
          "vitrine companion weather --config mcp.json",
          "claude mcp add apps -- vitrine companion ./my-server",
          "vitrine companion ./my-server --http 8190",
        ),
    )
    .action(async (servers: string[], options: CompanionOptions) => {
      const { companionCommand } = await import("./commands/companion.js");
      done(await companionCommand(servers, options, terminal));
    });
}

function addPlain(program: Command, terminal: Terminal, done: (code: number) => void): void {
  plain(program.command("tools <server>"))
    .description("list the tools of a server")
    .addHelpText(
      "after",
      SERVER + examples("vitrine tools 'npx -y @modelcontextprotocol/server-debug --stdio'"),
    )
    .action(async (server: string, options: PlainOptions) => {
      const { toolsCommand } = await import("./commands/tools.js");
      done(await toolsCommand(server, options, terminal));
    });
  plain(program.command("resources <server> [uri]"))
    .description("list the resources of a server, or print one")
    .addHelpText(
      "after",
      SERVER + examples("vitrine resources weather", "vitrine resources weather ui://weather/app.html"),
    )
    .action(async (server: string, uri: string | undefined, options: PlainOptions) => {
      const { resourcesCommand } = await import("./commands/resources.js");
      done(await resourcesCommand(server, uri, options, terminal));
    });
  plain(program.command("call <server> <tool> [key=value...]"))
    .description("call a tool, and print what it says; exit code 1 if it says that it failed")
    .option("--args <json>", "all arguments: JSON, @file, or - for stdin")
    .addHelpText(
      "after",
      SERVER +
        examples(
          "vitrine call weather forecast city=Rome days=3",
          `vitrine call weather forecast --args '{"city": "Rome"}'`,
          "vitrine call weather forecast --args @arguments.json --json",
        ),
    )
    .action(async (server: string, tool: string, words: string[], options: CallOptions) => {
      const { callCommand } = await import("./commands/call.js");
      done(await callCommand(server, tool, words, options, terminal));
    });
}

/** A word after `new` is the name of a project, unless it is `tool` or `ui`. */
function addNew(program: Command, terminal: Terminal, done: (code: number) => void): void {
  const made = program
    .command("new <name>")
    .description("make a project: a server with a tool, its view and a test")
    .usage("[options] <name> | tool <name> | ui [name]")
    .option("--template <template>", "html, react, vue, svelte, json-template or discovery; html by default")
    .option("--json", "one JSON value on stdout: the folder and its files")
    .addHelpText(
      "after",
      examples(
        "vitrine new my-app",
        "vitrine new my-app --template react",
        "vitrine new tool price-list --ui data-table",
        "vitrine new ui help",
      ),
    )
    .action(async (name: string, options: NewOptions) => {
      const { newCommand } = await import("./commands/new.js");
      done(await newCommand(name, options, terminal));
    });
  made
    .command("tool <name>")
    .description("add a tool to a project made of folders")
    .option("--ui [template]", "with a view: a page, or a template such as data-table")
    .option("--json", "one JSON value on stdout: the folder and its files")
    .addHelpText(
      "after",
      examples("vitrine new tool price-list", "vitrine new tool price-list --ui data-table"),
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const { newToolCommand } = await import("./commands/new.js");
      done(await newToolCommand(name, command.optsWithGlobals<NewToolOptions>(), terminal));
    });
  made
    .command("ui [name]")
    .description("add a view to a project made of folders")
    .option("--tool <tool>", "the view of that tool, which people call by the name")
    .option("--template <template>", "a template such as form; a page of your own by default")
    .option("--json", "one JSON value on stdout: the folder and its files")
    .addHelpText(
      "after",
      examples("vitrine new ui help", "vitrine new ui --tool price-list --template data-table"),
    )
    .action(async (name: string | undefined, _options: unknown, command: Command) => {
      const { newUiCommand } = await import("./commands/new.js");
      done(await newUiCommand(name, command.optsWithGlobals<NewUiOptions>(), terminal));
    });
}

/** What is said is checked by the command itself: with `--json`, what is wrong with it is told in its own form too. */
function addRender(program: Command, done: (code: number) => void): void {
  const steps: RenderStep[] = [];
  plain(program.command("render [server]"))
    .description("render an app without a screen, and print what happened")
    .option("--tool <name>", "the tool whose app is shown; again for more", collect)
    .option("--all", "every tool that has an app and says that it does no harm, with a contact sheet")
    .option("--args <json>", "the tool's arguments: JSON, @file, or - for stdin")
    .option("--theme <theme>", "light or dark")
    .option("--mode <mode>", "the display mode: inline, fullscreen or pip")
    .option("--device <device>", "the screen and how it is used: desktop, tablet or mobile")
    .option("--locale <tag>", "the language, such as de-CH")
    .option("--time-zone <name>", "the time zone, such as Europe/Zurich")
    .option("--profile <name>", "imitate a known host")
    .option("--screenshot <file>", "a PNG of the app")
    .option("--trace <file>", "a recording that --replay plays again")
    .option(
      "--redact <path>",
      "take values out of the recording: params.arguments.user, result.content.*.text; again for more",
      collect,
    )
    .option("--replay <file>", "play a recording, and fail if the app now behaves differently")
    .option("--ignore-text", "with --replay: do not compare the text that the app shows")
    .option(
      "--click <text>",
      "press what has this text, or matches this selector; in order with --wait",
      (click) => {
        steps.push({ click });
      },
    )
    .option("--wait <text>", "wait for a text, or for so many milliseconds", (wait) => {
      steps.push({ wait });
    })
    .option(
      "--allow-calls",
      "the app may call tools that change something; --all calls those that do not say what they do",
    )
    .option("--allow-messages", "the app may write into the conversation")
    .option("--allow-links", "the app may open links")
    .option("--allow-downloads", "the app may download files")
    .option("--allow-permissions", "the app gets the browser permissions that it declares")
    .option("--allow-all", "the app may do all of these")
    .addHelpText(
      "after",
      SERVER +
        examples(
          `vitrine render ./my-server --tool forecast --args '{"city": "Rome"}' --screenshot app.png`,
          "vitrine render weather --tool forecast --click Refresh --wait Sunday --json",
          "vitrine render weather --all --theme dark --screenshot sheet.png",
          "vitrine render weather --tool forecast --click Refresh --trace session.jsonl --redact result.content.*.text",
          "vitrine render --replay session.jsonl",
        ),
    )
    .action(async (server: string | undefined, options: RenderOptions) => {
      if (server === undefined && options.replay === undefined)
        throw usage("render: name a server, or --replay a file");
      const { renderCommand } = await import("./render/render-command.js");
      done(await renderCommand(server ?? "", { ...options, steps }));
    });
}

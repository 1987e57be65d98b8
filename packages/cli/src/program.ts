/**
 * The command line: commands, options, help.
 *
 * @module
 */
import { Command } from "commander";
import type { AddOptions, FileOptions } from "./commands/add.js";
import type { CallCommandOptions } from "./commands/call.js";
import type { CompanionOptions } from "./commands/companion.js";
import type { DevOptions } from "./commands/dev.js";
import type { NewOptions, NewToolOptions, NewUiOptions } from "./commands/new.js";
import type { PlainOptions } from "./commands/plain.js";
import type { SecretOptions } from "./commands/secret.js";
import type { ServeCommandOptions } from "./commands/serve.js";
import type { EvalOptions } from "./eval/eval-plan.js";
import { usage } from "./exit.js";
import { collect, duration, port, rate, wholeNumber } from "./options.js";
import type { RenderOptions, RenderStep } from "./render/render-options.js";
import type { Terminal } from "./terminal.js";
import { VERSION } from "./version.js";

const SERVER = `
A server is one of these, checked in this order:
  https://… or http://…       its URL
  weather, board, lab         the demos, unless the file of --config has a server of that name
  a name                      from the settings file (--config, or the first existing one of: ./.mcp.json, ./mcp.json,
                              ./.vscode/mcp.json, ./.cursor/mcp.json, ~/.config/vitrine/mcp.json, ~/.cursor/mcp.json,
                              Claude Desktop's). Files of this folder need your approval first.
  a folder                    with an mcp.json, or a package.json that has "mcp", "bin" or "main"
  a file                      .js, .mjs, .cjs, .py, or one that is executable
  'a command and arguments'   in quotes; no shell is run`;

const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

/** Options of all commands that take servers. */
const forServers = (command: Command): Command =>
  command
    .option("--config <file>", "the settings file with the servers")
    .option("--env <name=value>", "an environment variable for started programs; repeatable", collect);

/** Options of the commands for scripts. */
const plain = (command: Command): Command =>
  forServers(command)
    .option("--timeout <time>", "time limit without an answer: 30s, 500ms, 2m", duration)
    .option("--json", "one JSON value on stdout");

/**
 * The whole command line. `done` gets the exit code. Each command loads its own modules; `--help` loads none.
 */
export function createProgram(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command("vitrine")
    .description("MCP Apps: run, inspect and render them from a terminal.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help, also for a command")
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
  addEval(program, terminal, done);
  addPlain(program, terminal, done);
  addServers(program, terminal, done);
  addSecret(program, terminal, done);
  addNew(program, terminal, done);
  return program;
}

function addDev(program: Command, terminal: Terminal, done: (code: number) => void): void {
  forServers(program.command("dev [server...]"))
    .description("open the workbench with these servers; by default, those of the settings file")
    .option("--demos", "add the built-in demo servers")
    .option("--port <number>", "port to listen on; the first free one from 8090 by default", port)
    .option("--no-open", "do not open a browser")
    .option("--no-watch", "do not restart servers when their files change")
    .option("--strict", "sandbox every server and ask before every side effect")
    .option("--data <folder>", "folder for consents, secrets and the audit log")
    .option("--database <url>", "sqlite:/path/to/file or postgres://…")
    .option("--static <folder>", "your own page instead of the workbench")
    .option("--test-mode", "let programs drive the page and answer its questions: for tests of the host")
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
    .description("run gateway and workbench for other users")
    .option(
      "--config <file>",
      "servers, users and settings; ./.mcp.json, ./mcp.json, ~/.config/vitrine/mcp.json",
    )
    .option("--port <number>", "port to listen on; 8090 by default", port)
    .option("--host <address>", "address of this machine to listen on; loopback by default")
    .option("--allow-remote", "required, with users in the settings, for any other address")
    .option("--data <folder>", "the gateway's data folder")
    .option("--database <url>", "sqlite:/path/to/file or postgres://…")
    .option("--join <url>", "be one of several nodes on this PostgreSQL database, with the settings in it")
    .option("--node-listen <host:port>", "with --join: the local address for other nodes")
    .option("--node-address <host:port>", "with --join: the address under which other nodes reach this one")
    .option("--strict", "sandbox every server and ask before every side effect")
    .option("--static <folder>", "your own page instead of the workbench")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      examples(
        "vitrine serve --config mcp.json",
        "vitrine serve --config mcp.json --host 0.0.0.0 --allow-remote",
        "vitrine serve --join postgres://vitrine@db/vitrine --node-address 10.0.0.5:8092",
      ),
    )
    .action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import("./commands/serve.js");
      done(await serveCommand(options, terminal));
    });
}

/** Commands for the servers of the settings file. */
function addServers(program: Command, terminal: Terminal, done: (code: number) => void): void {
  const ofFile = (command: Command): Command =>
    command
      .option("--config <file>", "the settings file; ~/.config/vitrine/mcp.json by default")
      .option("--json", "one JSON value on stdout");
  ofFile(program.command("add <name> [address-or-command...]"))
    .description("add a server to the settings file: an address, or a command after --")
    .option("--env <name[=value]>", "a variable of the program; repeatable", collect)
    .option("--header <name: value>", "a header of requests to the address; repeatable", collect)
    .option("--cwd <folder>", "the program's working folder")
    .option("--isolation <driver>", "process, bubblewrap, container or auto")
    .option("--image <name>", "the image of --isolation container")
    .option("--network", "let the isolated program use the network")
    .option("--no-network", "do not let it")
    .option("--read <path>", "a path that the isolated program may read; repeatable", collect)
    .option("--write <path>", "a path that the isolated program may change; repeatable", collect)
    .option("--sse", "the address speaks the older SSE transport")
    .option("--private-network", "let the address be one of the private network")
    .option("--replace", "replace a server of this name")
    .addHelpText(
      "after",
      examples(
        "vitrine add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "vitrine add notes --env NOTES_TOKEN -- node notes.js --stdio",
        "vitrine add lab https://lab.example.com/mcp --header 'X-Team: blue'",
      ),
    )
    .action(async (name: string, words: string[], options: AddOptions) => {
      const { addCommand } = await import("./commands/add.js");
      done(await addCommand(name, words, options, terminal));
    });
  ofFile(program.command("remove <name>"))
    .description("remove a server from the settings file")
    .addHelpText("after", examples("vitrine remove lab"))
    .action(async (name: string, options: FileOptions) => {
      const { removeCommand } = await import("./commands/add.js");
      done(await removeCommand(name, options, terminal));
    });
  ofFile(program.command("list"))
    .description("list the servers of the settings file")
    .addHelpText("after", examples("vitrine list", "vitrine list --config mcp.json --json"))
    .action(async (options: FileOptions) => {
      const { listCommand } = await import("./commands/add.js");
      done(await listCommand(options, terminal));
    });
}

function addSecret(program: Command, terminal: Terminal, done: (code: number) => void): void {
  program
    .command("secret <set|delete|rotate> [name]")
    .description(
      "store a secret from stdin for use in settings, delete it, or replace the master key of nodes",
    )
    .option("--config <file>", "the settings file; the first existing one by default, as for dev")
    .option("--data <folder>", "the gateway's data folder")
    .option("--join <url>", "the PostgreSQL database of several nodes, which has their secrets")
    .addHelpText(
      "after",
      examples("vitrine secret set ROUTER_KEY < key.txt", "vitrine secret delete ROUTER_KEY"),
    )
    .action(async (what: string, name: string | undefined, options: SecretOptions) => {
      const { secret } = await import("./commands/secret.js");
      done(await secret(what, name, options, terminal));
    });
}

function addCompanion(program: Command, terminal: Terminal, done: (code: number) => void): void {
  forServers(program.command("companion [server...]"))
    .description(
      "run an MCP server in front of these servers: an agent calls their tools, the user sees their apps",
    )
    .option("--demos", "add the built-in demo servers")
    .option("--http [port]", "serve Streamable HTTP instead of stdio; port 8190 by default", port)
    .option("--port <number>", "port of the workbench; the first free one from 8090 by default", port)
    .option("--no-open", "do not open a browser when an app is first shown")
    .option("--strict", "sandbox every server and ask before every side effect")
    .option("--data <folder>", "folder for consents, secrets and the audit log")
    .option("--database <url>", "sqlite:/path/to/file or postgres://…")
    .option("--static <folder>", "your own page instead of the workbench")
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

function addEval(program: Command, terminal: Terminal, done: (code: number) => void): void {
  forServers(program.command("eval <file> [server...]"))
    .description("ask models the sentences of a YAML file, and report how often the answers are as expected")
    .option(
      "--runs <n>",
      "how often each case is run with each model, in place of the file's runs",
      wholeNumber(1_000),
    )
    .option("--model <provider/name>", "a model in place of those of the file; repeatable", collect)
    .option("--only <name>", "only this case; * stands for any characters; repeatable", collect)
    .option("--min-rate <rate>", "lowest rate for exit code 0, in place of the file's: 0.9 or 90%", rate)
    .option("--concurrency <n>", "runs at the same time; 1 by default", wholeNumber(32))
    .option("--junit <file>", "write a JUnit report")
    .option("--recordings <folder>", "keep each run as a recording, which opens in the workbench")
    .option("--data <folder>", "folder with the secrets that settings refer to")
    .option("--strict", "sandbox every server and ask before every side effect")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      `
The file has cases: sentences, and what is expected of the answer (docs/eval.md):

  models: [openai/gpt-5.4-mini]
  cases:
    - name: a forecast
      say: How is the weather in Rome?
      expect:
        calls: { tool: weather/forecast, arguments: { city: Rome } }
        app: { text: Rome }

A call that would need your approval is denied, unless the file has it under allow.
Exit codes: 0 every rate is high enough, 1 one is not or a run could not be judged, 2 the command line is wrong.
${SERVER}` +
        examples(
          "vitrine eval weather.eval.yml weather --runs 5",
          "vitrine eval evals.yml --config mcp.json --model local/qwen3 --only 'forecast*'",
          "vitrine eval evals.yml ./my-server --min-rate 90% --junit report.xml --recordings runs",
        ),
    )
    .action(async (file: string, servers: string[], options: EvalOptions) => {
      const { evalCommand } = await import("./eval/eval-command.js");
      done(await evalCommand(file, servers, options, terminal));
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
    .description("call a tool and print its result; exit code 1 if the tool failed")
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
    .action(async (server: string, tool: string, words: string[], options: CallCommandOptions) => {
      const { callCommand } = await import("./commands/call.js");
      done(await callCommand(server, tool, words, options, terminal));
    });
}

/** A word after `new` is a project name, unless it is `tool` or `ui`. */
function addNew(program: Command, terminal: Terminal, done: (code: number) => void): void {
  const made = program
    .command("new <name>")
    .description("create a project: a server with a tool, its view and a test")
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
    .option("--ui [template]", "with a view: a custom page, or a template such as data-table")
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
    .option("--tool <tool>", "add the view of this tool, with the given display name")
    .option("--template <template>", "a template such as form; a custom page by default")
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

/** Options are checked by the command itself, so that with `--json` errors have its format too. */
function addRender(program: Command, done: (code: number) => void): void {
  const steps: RenderStep[] = [];
  plain(program.command("render [server]"))
    .description("render an app without a screen, and print the outcome")
    .option("--tool <name>", "the tool whose app is rendered; repeatable", collect)
    .option("--all", "every tool with an app that declares itself harmless, with a contact sheet")
    .option("--args <json>", "the tool's arguments: JSON, @file, or - for stdin")
    .option("--theme <theme>", "light or dark")
    .option("--mode <mode>", "the display mode: inline, fullscreen or pip")
    .option("--device <device>", "the device: desktop, tablet or mobile")
    .option("--locale <tag>", "the language, such as de-CH")
    .option("--time-zone <name>", "the time zone, such as Europe/Zurich")
    .option("--profile <name>", "imitate a known host")
    .option("--screenshot <file>", "a PNG of the app")
    .option("--trace <file>", "write a recording that --replay can play")
    .option(
      "--redact <path>",
      "remove values from the recording: params.arguments.user, result.content.*.text; repeatable",
      collect,
    )
    .option("--replay <file>", "play a recording, and fail if the app behaves differently now")
    .option("--ignore-text", "with --replay: do not compare the text that the app shows")
    .option(
      "--click <text>",
      "click the element with this text or selector; in order with --wait",
      (click) => {
        steps.push({ click });
      },
    )
    .option("--wait <text>", "wait for a text, or for a number of milliseconds", (wait) => {
      steps.push({ wait });
    })
    .option(
      "--allow-calls",
      "allow the app to call tools with side effects; with --all, also run tools that do not declare any",
    )
    .option("--allow-messages", "allow the app to write into the conversation")
    .option("--allow-links", "allow the app to open links")
    .option("--allow-downloads", "allow the app to download files")
    .option("--allow-permissions", "grant the app the browser permissions that it declares")
    .option("--allow-all", "allow all of these")
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
        throw usage("render: give a server, or a recording with --replay");
      const { renderCommand } = await import("./render/render-command.js");
      done(await renderCommand(server ?? "", { ...options, steps }));
    });
}

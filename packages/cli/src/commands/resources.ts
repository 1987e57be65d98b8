/**
 * `vitrine resources`: lists a server's resources, or prints one.
 *
 * @module
 */
import { CliError } from "../exit.js";
import { answerOf, listAll } from "../lists.js";
import { table } from "../table.js";
import { controlCharacters, printable, type Terminal } from "../terminal.js";
import { findServer, type PlainOptions } from "./plain.js";

/** Prints the list of resources, or the contents of one. Resolves to the exit code. */
export async function resourcesCommand(
  argument: string,
  uri: string | undefined,
  options: PlainOptions,
  terminal: Terminal,
): Promise<number> {
  return uri === undefined ? list(argument, options, terminal) : read(argument, uri, options, terminal);
}

async function list(argument: string, options: PlainOptions, terminal: Terminal): Promise<number> {
  const found = await findServer(argument, options, terminal, async ({ server, signal }) => ({
    about: server.status.info,
    resources: await listAll(server, "resources/list", signal),
    resourceTemplates: await listAll(server, "resources/templates/list", signal),
  }));
  const { about, resources, resourceTemplates } = found;
  if (options.json) {
    const server = { name: about?.name ?? "", version: about?.version ?? "" };
    terminal.json({ server, resources, resourceTemplates });
    return 0;
  }
  const rows = [...resources, ...resourceTemplates].map((each) => [
    String(each["uri"] ?? each["uriTemplate"]),
    String(each["mimeType"] ?? ""),
    String(each["description"] ?? each["title"] ?? each["name"] ?? ""),
  ]);
  if (rows.length === 0) terminal.note("the server has no resources");
  const [head, ...lines] = table([["RESOURCE", "TYPE", "DESCRIPTION"], ...rows], terminal.columns);
  if (rows.length > 0) terminal.print([terminal.dim(head ?? ""), ...lines].join("\n"));
  return 0;
}

async function read(
  argument: string,
  uri: string,
  options: PlainOptions,
  terminal: Terminal,
): Promise<number> {
  const result = await findServer(argument, options, terminal, async ({ server, signal, waiting }) => {
    waiting.say(`reading ${uri}`);
    return answerOf(await server.upstream.request("resources/read", { uri }, { signal }));
  });
  if (options.json) {
    terminal.json(result);
    return 0;
  }
  const { contents } = result;
  for (const part of Array.isArray(contents) ? contents : []) {
    const { text, blob } = Object(part);
    if (typeof text === "string") printText(uri, text, terminal);
    else if (terminal.isWatched) {
      throw new CliError("binary", `${uri} is binary: write it to a file, with > FILE`);
    } else terminal.bytes(Buffer.from(String(blob), "base64"));
  }
  return 0;
}

/**
 * A file gets the exact text, with a warning about terminal control characters; a terminal gets it escaped.
 */
function printText(uri: string, text: string, terminal: Terminal): void {
  if (terminal.isWatched) {
    terminal.print(printable(text));
    return;
  }
  const count = controlCharacters(text);
  if (count > 0)
    terminal.note(
      `${uri} has ${count} control character${count === 1 ? "" : "s"}, printed unescaped: do not show them in a terminal, or use --json, which escapes them`,
    );
  terminal.exact(text);
}

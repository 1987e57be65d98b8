/**
 * The settings of a server on the command line.
 *
 * @module
 */
import { basename } from "node:path";
import { type Isolation, identityOf, type ServerSettings, type StdioSettings } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { ISOLATION } from "./isolation-settings.js";
import { Spot } from "./reader.js";
import { address, SERVER_LIMITS } from "./server-settings.js";

/** Options of {@link commandLineServer}. */
export interface CommandLineOptions {
  /** Names that are in use. */
  taken?: Iterable<string> | undefined;
  /** The environment of the server; empty by default. */
  env?: Readonly<Record<string, string>> | undefined;
  /** The working directory. */
  cwd?: string | undefined;
  isolation?: Partial<Isolation> | undefined;
  /** Trust it no more than servers in the file. */
  strict?: boolean | undefined;
}

/** Programs that run another program, whose name is more useful. */
const RUNNERS =
  /^(npx|bunx|uvx|pnpx|pipx|node|bun|deno|tsx|python[\d.]*|uv|pnpm|yarn|npm|run|exec|dlx)(\.exe)?$/;

/**
 * The settings of a server on the command line: a program with its arguments, or an address. Nothing is split
 * or expanded, because the user's shell did that.
 *
 * @throws {GatewayError} `config-invalid`
 * @example
 * ```ts source="./config.examples.ts#commandLineServer"
 * const weather = commandLineServer(["npx", "-y", "@example/server-weather"]); // named "server-weather"
 * const remote = commandLineServer(["https://mcp.example.com/mcp"]); // named "mcp.example.com"
 * ```
 */
export function commandLineServer(
  words: readonly string[],
  options: CommandLineOptions = {},
): ServerSettings {
  const [first = "", ...args] = words;
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(first);
  const spot = new Spot(isUrl ? "" : "the command line", []);
  if (!first.trim()) spot.wrong("names no server", "write a command with its arguments, or a URL");
  if (words.some((word) => word.includes("\0"))) spot.wrong("contains a NUL character", "remove it");
  if (isUrl && args.length) spot.wrong("a URL stands alone", "put headers into a settings file");
  const transport = isUrl ? remote(first, spot) : stdio(first, args, options);
  if (!transport || spot.problems.length)
    throw new GatewayError("config-invalid", spot.problems.join("\n"), { data: { problems: spot.problems } });
  return {
    identity: identityOf(
      isUrl
        ? { url: first }
        : { command: first, args, folder: folderOf(options), isolation: options.isolation },
    ),
    name: unused(isUrl ? new URL(first).hostname : nameOf(words), options.taken),
    transport,
    start: "eager",
    stateless: false,
    trusted: !options.strict,
    policy: {},
    idempotent: [],
    relax: [],
    permissions: {},
    schemes: [],
    limits: { ...SERVER_LIMITS, sizes: {}, rates: {}, concurrency: {} },
  };
}

const folderOf = ({ cwd = process.cwd() }: CommandLineOptions): string => cwd;

function stdio(command: string, args: string[], options: CommandLineOptions): StdioSettings {
  const { env = {}, cwd, isolation } = options;
  const folder = folderOf(options);
  return { type: "stdio", command, args, env, cwd, folder, isolation: { ...ISOLATION, ...isolation } };
}

function remote(url: string, spot: Spot) {
  const read = address(url, undefined, spot);
  return read && { ...read, type: "http" as const, headers: {}, oauth: true };
}

/** Common names of files and folders. */
const COMMON = /^(index|main|server|cli|dist|build|out|lib|src|bin|\.{0,2})$/;

/**
 * Names `npx -y @scope/server-weather@1.2`, `node dist/server-weather.js --stdio` and `node
 * server-weather/dist/index.js` all `server-weather`.
 */
function nameOf(words: readonly string[]): string {
  const telling = words.find((word) => !word.startsWith("-") && !RUNNERS.test(basename(word)));
  const path = (telling ?? words[0] ?? "").replace(/\.(js|mjs|cjs|ts|mts|py|exe|sh)$/, "");
  const names = path.split(/[\\/]/).map((name) => name.replace(/(?<=.)@.*$/, ""));
  return names.findLast((name) => !COMMON.test(name)) ?? names.at(-1) ?? "";
}

/** Makes a name valid and unique. */
function unused(wish: string, taken: Iterable<string> = []): string {
  const names = new Set([...taken].map((each) => each.toLowerCase()));
  const clean =
    wish
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/^[-.]+|[-.]+$/g, "")
      .slice(0, 56) || "server";
  let result = clean;
  for (let count = 2; names.has(result.toLowerCase()); count++) result = `${clean}-${count}`;
  return result;
}

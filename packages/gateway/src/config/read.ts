/**
 * Reads the settings: the usual `mcpServers` file, and Vitrine's own keys (docs/gateway/config.md).
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import {
  type Isolation,
  openSecrets,
  type SecretStore,
  type ServerSettings,
  secretKey,
} from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "./config.js";
import { type PathBases, path } from "./isolation-settings.js";
import { type Findings, JsonError, parseJson, pathOf } from "./json.js";
import { isObject, Spot } from "./reader.js";
import { referringText, type Sources, secretNames } from "./references.js";
import { defaultDataFolder } from "./top-settings.js";
import { readWhole, type SkippedSetting, type WrittenSettings } from "./whole-settings.js";

/** Options of {@link readSettings}. */
export interface ReadOptions {
  /** Variables for `${NAME}`; the environment of this process by default. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The path of the file: messages name it, and relative paths start at its folder. */
  file?: string | undefined;
  /** Used where the file has no value. */
  defaults?: WrittenSettings | undefined;
  /** Override the file: options of the command line. */
  overrides?: WrittenSettings | undefined;
  /** Additional servers, of the command line; see `commandLineServer`. */
  servers?: readonly ServerSettings[] | undefined;
  /**
   * Isolation of programs where neither their own nor the global settings have a value: sandboxed by default.
   */
  isolation?: Partial<Isolation> | undefined;
  /**
   * Opens the store for `${secret:NAME}` in the data folder. Called only if there is such a reference. For a
   * file, the default is the gateway's own store; `readSettings` has none.
   */
  secrets?: ((dataFolder: string) => Promise<Pick<SecretStore, "get">>) | undefined;
  /** Options to repeat with `vitrine secret set`, such as `--config mcp.json`. Messages contain them. */
  repeat?: string | undefined;
  /**
   * Gets the text of a file before anything in it is used: no variable, secret or folder is accessed before.
   * Throws to reject the file.
   */
  approve?: ((text: string) => Promise<void>) | undefined;
  /**
   * Enables lenient reading, and gets everything that is skipped: a server with a problem is left out, and an
   * unknown key is ignored as another program's. Without it, each of them is a problem, and reading fails.
   */
  onskip?: ((skipped: SkippedSetting) => void) | undefined;
}

/**
 * Reads settings: the text of a file, or an object.
 *
 * @throws {GatewayError} `config-invalid`, with every problem in `data.problems` and in the message
 * @example
 * ```ts source="./config.examples.ts#readSettings"
 * const settings = await readSettings(
 *   `{
 *     "mcpServers": {
 *       "weather": {
 *         "command": "weather-server",
 *         "env": { "API_KEY": "\${WEATHER_KEY}" },
 *         "isolation": { "network": true, "memory": "512MB" }
 *       }
 *     }
 *   }`,
 *   { env: { HOME: "/home/ana", WEATHER_KEY: "s3cret" }, overrides: { listen: { port: 9000 } } },
 * );
 * ```
 */
export async function readSettings(
  written: string | WrittenSettings,
  options: ReadOptions = {},
): Promise<GatewaySettings> {
  const { file, env = process.env, onskip, repeat } = options;
  if (typeof written === "string") await options.approve?.(written);
  const lines = new Map<string, number>();
  const twice = new Set<string>();
  const onstrange = onskip && ((problem: string) => onskip({ problem }));
  const spot = new Spot("", [], { locationOf: locationsIn(file, lines, options.overrides), onstrange });
  // If two servers have the same name, neither is used, but the others are.
  const findings = {
    lines,
    twice: onskip && ((path: string, parent: string) => holdsServers(parent) && !!twice.add(path)),
  };
  const whole = merge(options.defaults, parse(written, file, spot, findings), options.overrides);
  const bases = startsOf(options);
  const sources: Sources = { env, secrets: new Map() };
  const dataFolder = dataFolderOf(whole, sources, bases, spot);
  const secrets = await fetchSecrets(whole, dataFolder, options.secrets, spot);
  const more = { servers: options.servers ?? [], isolation: options.isolation, twice, onskip };
  const settings = whole && readWhole(whole, { env, secrets, repeat }, bases, dataFolder ?? "", more, spot);
  if (settings && !spot.problems.length) return settings;
  throw invalid(spot.problems);
}

/**
 * The data folder that a file names, or the default one. Reads nothing else of the file, so that `secret set`
 * works while the other settings still lack that secret.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function readDataFolder(
  text: string,
  options: Pick<ReadOptions, "file" | "env" | "overrides" | "approve"> = {},
): Promise<string> {
  const { file, env = process.env, overrides } = options;
  await options.approve?.(text);
  const lines = new Map<string, number>();
  const spot = new Spot("", [], { locationOf: locationsIn(file, lines, overrides) });
  const whole = merge(undefined, parse(text, file, spot, { lines, twice: () => true }), overrides);
  const dataFolder = dataFolderOf(whole, { env, secrets: new Map() }, startsOf(options), spot);
  if (dataFolder === undefined || spot.problems.length) throw invalid(spot.problems);
  return dataFolder;
}

/** The bases of relative paths, programs and `~/`. */
function startsOf({ file, env }: Pick<ReadOptions, "file" | "env">): PathBases {
  const home = (env ?? process.env)["HOME"] || (env ? undefined : homedir());
  const folder = file ? dirname(resolve(file)) : process.cwd();
  return { folder, start: file ? projectOf(file) : folder, home };
}

/**
 * The project folder of a settings file: for `.vscode/mcp.json` and `.cursor/mcp.json`, the parent folder.
 */
export const projectOf = (file: string): string =>
  dirname(resolve(file)).replace(/[\\/]\.(vscode|cursor)$/, "");

/** Finds the location of a setting: in the file, or on the command line. */
function locationsIn(
  file: string | undefined,
  lines: ReadonlyMap<string, number>,
  overrides: WrittenSettings = {},
): (path: string) => string | undefined {
  const overridden = new Set(
    Object.entries(overrides).flatMap(([key, value]) =>
      isObject(value) ? Object.keys(value).map((each) => pathOf(key, each)) : [key],
    ),
  );
  return (path) => {
    if (overridden.has(path)) return "the command line";
    const line = lines.get(path);
    if (line === undefined) return path === "" ? file : undefined;
    return file === undefined ? `line ${line}` : `${file}:${line}`;
  };
}

/**
 * Reads a file. A missing file is reported like any other problem.
 *
 * @throws {GatewayError} `config-invalid`
 * @example
 * ```ts source="./config.examples.ts#readSettingsFile"
 * const settings = await readSettingsFile("mcp.json", { overrides: { listen: { port: 0 } } });
 * ```
 */
export async function readSettingsFile(
  file: string,
  options: Omit<ReadOptions, "file"> = {},
): Promise<GatewaySettings> {
  return readSettings(await readText(file), { secrets: storedSecrets, ...options, file });
}

/** The default for files: secrets stored with `vitrine secret set`. */
export const storedSecrets = (folder: string): Promise<SecretStore> => openSecrets({ folder });

/** The text of a settings file. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw invalid([`${file}: ${unreadable(String(Object(cause).code))}`], cause);
  }
}

function unreadable(code: string): string {
  if (code === "ENOENT") return "the file does not exist; create it, or name another";
  if (code === "EISDIR") return "is a folder; name a file";
  if (code === "EACCES") return "permission denied; change its permissions, or name another";
  return `cannot be read (${code}); fix that, or name another`;
}

const invalid = (problems: readonly string[], cause?: unknown): GatewayError =>
  new GatewayError("config-invalid", problems.join("\n"), { cause, data: { problems } });

/**
 * Whether the keys of an object are names of servers. A path alone is ambiguous, because names may contain
 * dots.
 */
const holdsServers = (path: string): boolean => path === "mcpServers" || path === "servers";

function parse(
  written: string | WrittenSettings,
  file: string | undefined,
  spot: Spot,
  findings: Findings,
): WrittenSettings | undefined {
  if (typeof written !== "string") return written;
  try {
    const parsed = parseJson(written, findings);
    return isObject(parsed) ? parsed : spot.wrong("must be an object", "write all settings in { }");
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, problem, message } = error;
    throw invalid([file === undefined ? message : `${file}:${line}:${column}: ${problem}`], error);
  }
}

/** Merges key by key, one level deep; later values win: `{listen: {port}}` keeps the host. */
function merge(...all: (WrittenSettings | undefined)[]): WrittenSettings | undefined {
  const [, written] = all;
  if (!written) return undefined;
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, value] of all.flatMap((one) => Object.entries(one ?? {}))) {
    if (value === undefined) continue;
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return result;
}

const dataFolderOf = (
  whole: WrittenSettings | undefined,
  sources: Sources,
  bases: PathBases,
  spot: Spot,
): string | undefined => {
  const at = spot.at("dataFolder");
  if (whole?.["dataFolder"] !== undefined)
    return path(bases, referringText(sources))(whole["dataFolder"], at);
  return (
    defaultDataFolder(sources.env, bases.home) ??
    at.wrong("the home folder is unknown", "set HOME, or write which folder")
  );
};

async function fetchSecrets(
  whole: WrittenSettings | undefined,
  dataFolder: string | undefined,
  open: ReadOptions["secrets"],
  spot: Spot,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const names = secretNames(whole);
  if (!open || !dataFolder || !names.size) return found;
  try {
    const store = await open(dataFolder);
    for (const each of names) {
      const value = await store.get(secretKey(each));
      if (value !== undefined) found.set(each, value);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    spot.wrong(`secrets cannot be read: ${why}`, `fix that, or remove every \${secret:NAME}`);
  }
  return found;
}

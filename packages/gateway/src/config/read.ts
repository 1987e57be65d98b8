/**
 * Reads what an operator wrote: the usual `mcpServers` file, and our keys (docs/gateway/config.md).
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
import { isolation, type Places, path } from "./isolation-settings.js";
import { type Findings, JsonError, parseJson, pathOf } from "./json.js";
import { modelReader, modelSettings } from "./model-settings.js";
import { flag, isObject, object, type Reader, Spot } from "./reader.js";
import { referringText, type Sources, secretNames } from "./references.js";
import { policy, readServer } from "./server-settings.js";
import {
  auditReader,
  DEFAULTS,
  databaseReader,
  defaultDataFolder,
  distinct,
  listenReader,
  listenSettings,
  name,
  sandboxReader,
  sessionReader,
  usersReader,
} from "./top-settings.js";

/** Settings in the form of the file. */
export type WrittenSettings = Readonly<Record<string, unknown>>;

/** Options of {@link readSettings}. */
export interface ReadOptions {
  /** Where `${NAME}` is looked up; the environment of this process by default. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The file it comes from: messages name it, and relative paths begin at its folder. */
  file?: string | undefined;
  /** Taken where the file says nothing. */
  defaults?: WrittenSettings | undefined;
  /** Taken in place of what the file says: the command line. */
  overrides?: WrittenSettings | undefined;
  /** More servers: those of the command line; see `commandLineServer`. */
  servers?: readonly ServerSettings[] | undefined;
  /** How programs are kept where neither they nor the whole file say anything about it: closed in, by default. */
  isolation?: Partial<Isolation> | undefined;
  /**
   * Opens the store for `${secret:NAME}`, in the data folder. It is opened only if there is such a reference. For a file, the default is
   * the gateway's own store; `readSettings` has none.
   */
  secrets?: ((dataFolder: string) => Promise<Pick<SecretStore, "get">>) | undefined;
  /** Options to repeat with `vitrine secret set`, such as `--config mcp.json`: messages name them. */
  repeat?: string | undefined;
  /**
   * Gets the text of a file before anything in it is used: no variable, secret or folder that it names is looked at. Throws to refuse the
   * file.
   */
  approve?: ((text: string) => Promise<void>) | undefined;
  /**
   * Makes it do with what is right, and hears of the rest: a server with a problem is left out, and a key that is like
   * none of ours is another program's. Without it, each of them is a problem, and nothing is read.
   */
  onskip?: ((skipped: SkippedSetting) => void) | undefined;
}

/** Something in a file that was left out. */
export interface SkippedSetting {
  /** The server that is not there because of it. */
  readonly server?: string | undefined;
  /** One line: where it is, what is wrong, and what to do. */
  readonly problem: string;
}

/** What other programs keep in the same file. */
const IGNORED = ["$schema", "inputs", "globalShortcut", "preferences"];

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
  const spot = new Spot("", [], { placeOf: placesIn(file, lines, options.overrides), onstrange });
  // Of two servers with one name neither is taken, and the others can be.
  const findings = {
    lines,
    twice: onskip && ((path: string, parent: string) => holdsServers(parent) && !!twice.add(path)),
  };
  const whole = merge(options.defaults, parse(written, file, spot, findings), options.overrides);
  const places = startsOf(options);
  const sources: Sources = { env, secrets: new Map() };
  const dataFolder = dataFolderOf(whole, sources, places, spot);
  const secrets = await fetchSecrets(whole, dataFolder, options.secrets, spot);
  const more = { servers: options.servers ?? [], isolation: options.isolation, twice, onskip };
  const settings = whole && readWhole(whole, { env, secrets, repeat }, places, dataFolder ?? "", more, spot);
  if (settings && !spot.problems.length) return settings;
  throw invalid(spot.problems);
}

/**
 * The data folder that a file names, or the default one. Reads nothing else of the file, so that `secret set` works for a file whose other
 * settings need the very secret that is missing.
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
  const spot = new Spot("", [], { placeOf: placesIn(file, lines, overrides) });
  const whole = merge(undefined, parse(text, file, spot, { lines, twice: () => true }), overrides);
  const dataFolder = dataFolderOf(whole, { env, secrets: new Map() }, startsOf(options), spot);
  if (dataFolder === undefined || spot.problems.length) throw invalid(spot.problems);
  return dataFolder;
}

/** Where relative paths of a file, its programs and `~/` begin. */
function startsOf({ file, env }: Pick<ReadOptions, "file" | "env">): Places {
  const home = (env ?? process.env)["HOME"] || (env ? undefined : homedir());
  const folder = file ? dirname(resolve(file)) : process.cwd();
  return { folder, start: file ? projectOf(file) : folder, home };
}

/** The folder that a settings file speaks of: `.vscode/mcp.json` and `.cursor/mcp.json` speak of the one above. */
export const projectOf = (file: string): string =>
  dirname(resolve(file)).replace(/[\\/]\.(vscode|cursor)$/, "");

/** Says where things are: in the file, or on the command line. */
function placesIn(
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
 * Reads a file. A file that is not there is a problem like any other.
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

/** The default for files: the secrets that `vitrine secret set` stores. */
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
  if (code === "ENOENT") return "there is no such file; write one, or name another";
  if (code === "EISDIR") return "is a folder; name a file in it";
  if (code === "EACCES") return "you may not read it; change its permissions, or name another";
  return `cannot be read (${code}); mend that, or name another`;
}

const invalid = (problems: readonly string[], cause?: unknown): GatewayError =>
  new GatewayError("config-invalid", problems.join("\n"), { cause, data: { problems } });

/** Whether the keys of an object are names of servers. A path alone does not say it: names may have dots. */
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
    return isObject(parsed) ? parsed : spot.wrong("must be an object", "put all settings in { }");
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, problem, message } = error;
    throw invalid([file === undefined ? message : `${file}:${line}:${column}: ${problem}`], error);
  }
}

/** Later ones win, key by key, one level deep: `{listen: {port}}` leaves the host as it is. */
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
  places: Places,
  spot: Spot,
): string | undefined => {
  const at = spot.at("dataFolder");
  if (whole?.["dataFolder"] !== undefined)
    return path(places, referringText(sources))(whole["dataFolder"], at);
  return (
    defaultDataFolder(sources.env, places.home) ??
    at.wrong("nobody's home is known", "set HOME, or write which folder")
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
    spot.wrong(`secrets cannot be read: ${why}`, `mend that, or take every \${secret:NAME} out`);
  }
  return found;
}

function readWhole(
  whole: WrittenSettings,
  sources: Sources,
  places: Places,
  dataFolder: string,
  more: Pick<ReadOptions, "isolation" | "onskip"> & {
    servers: readonly ServerSettings[];
    twice: ReadonlySet<string>;
  },
  spot: Spot,
): GatewaySettings | undefined {
  // Servers come last: they need what is said for all of them.
  const later: Reader<Record<string, unknown>> = (value, at) =>
    isObject(value) ? value : at.wrong("must be an object", 'write { "name": { "command": … } }');
  const read = object(
    {
      mcpServers: later,
      servers: later,
      isolation: isolation(places, referringText(sources)),
      listen: listenReader(sources),
      users: usersReader(sources),
      sandbox: sandboxReader(sources),
      policy,
      strict: flag,
      audit: auditReader,
      model: modelReader(sources),
      database: databaseReader(sources, places),
      dataFolder: (value) => value,
      session: sessionReader,
    },
    IGNORED,
  )(whole, spot);
  if (!read) return undefined;

  const { servers: named, twice, onskip } = more;
  const { strict = false, users = [], audit = {}, session = {} } = read;
  const context = { sources, places, isolation: read.isolation, unsaid: more.isolation };
  const servers: ServerSettings[] = [];
  const names: string[] = [];
  /** What is wrong with one server is wrong with the file, or else it goes without that server. */
  const settle = (server: string, problems: readonly string[]): void => {
    if (!onskip) spot.problems.push(...problems);
    else for (const problem of problems) onskip({ server, problem });
  };
  for (const key of ["mcpServers", "servers"] as const) {
    for (const [each, value] of Object.entries(read[key] ?? {})) {
      const at = spot.at(key).at(each).apart();
      names.push(each);
      if (twice.has(at.path)) at.wrong("this name is there twice", "rename one of them");
      else if (name(each, at) !== undefined && !(isObject(value) && value["disabled"] === true)) {
        const server = readServer(each, value, at, context);
        if (server && at.problems.length === 0) servers.push(server);
      }
      settle(each, at.problems);
    }
  }
  servers.push(...named.map((server) => ({ ...server, trusted: server.trusted && !strict })));
  const unclear = spot.at("mcpServers").apart();
  // One problem for each of these names.
  const left = distinct([...names, ...named.map((server) => server.name)], unclear);
  for (const [index, each] of left.entries()) settle(each, unclear.problems.slice(index, index + 1));

  return {
    servers: new Map(
      servers.filter(({ name: each }) => !left.includes(each)).map((server) => [server.name, server]),
    ),
    listen: listenSettings(read.listen ?? {}, users, spot),
    sandbox: { port: DEFAULTS.sandboxPort, publicSuffix: false, console: false, ...read.sandbox },
    policy: read.policy ?? {},
    strict,
    audit: {
      payloads: audit.payloads ?? "retries",
      redact: [...DEFAULTS.redact, ...(audit.redact ?? [])],
      retentionDays: audit.retentionDays,
    },
    model: modelSettings(read.model ?? {}, sources, spot),
    database: read.database ?? `sqlite:${resolve(dataFolder, "gateway.db")}`,
    dataFolder,
    session: { grace: session.grace ?? DEFAULTS.grace, perUser: session.perUser ?? DEFAULTS.perUser },
  };
}

/**
 * Selects the servers of `vitrine dev`: the named ones, those of the settings file, or the demos.
 *
 * @module
 */
import { resolve } from "node:path";
import { type GatewaySettings, readSettings } from "@vitrine/gateway";
import type { ServerSettings } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { type Config, personalOptions, readConfig, skippedText } from "./config.js";
import { filesAt, ownFile, type Surroundings } from "./config-places.js";
import { DEMOS } from "./demos.js";
import { usage } from "./exit.js";
import { ServerArguments, type ServerOptions } from "./server-argument.js";
import { oneLine } from "./terminal.js";
import type { TrustsFiles } from "./trust/file-trust.js";

/** Options of {@link devSettings}. */
export interface DevServerOptions extends ServerOptions {
  /** The built-in demo servers, alone or beside others. */
  readonly demos?: boolean | undefined;
}

/** The settings to run. */
export interface DevSettings {
  readonly settings: GatewaySettings;
  /** The settings file that was used, to watch it. */
  readonly file?: string | undefined;
  /** Asks the user when the file changes, if it needs approval. */
  readonly approve?: Config["approve"];
  /** The file that a page's changes go to: the used one, or the user's own, which need not exist. */
  readonly target: string;
  /** Selects the same servers from a changed file. */
  again(settings: GatewaySettings): GatewaySettings;
  /** Also selects a server that the user has added in the page. */
  include(name: string): void;
}

/**
 * Selects the servers.
 *
 * @throws {CliError | GatewayError} for a wrong command line or file
 */
export async function devSettings(
  names: readonly string[],
  options: DevServerOptions,
  at: Surroundings,
  trust: TrustsFiles,
  oninfo: (sentence: string) => void,
): Promise<DevSettings> {
  const finder = new ServerArguments(options, at, trust, oninfo);
  // The file's names are reserved before commands get names.
  const asked = names.map((name) => name.trim()).filter(ServerArguments.isName);
  if (options.config !== undefined || asked.length > 0) await finder.config(asked);
  const named: ServerSettings[] = [];
  for (const name of names) named.push(...(await finder.find(name)));
  refuseTwins(named);
  // An unneeded file is not read: it could be invalid.
  const isNeeded = finder.didLook || (names.length === 0 && !options.demos);
  // The demos come with the servers that the user has added in the page.
  const config = isNeeded
    ? await finder.config()
    : names.length === 0
      ? await ownConfig(options, at, oninfo)
      : undefined;
  const takesAll = names.length === 0 && (config?.settings.servers.size ?? 0) > 0;
  const demos = options.demos || (names.length === 0 && !takesAll) ? demoServers(finder) : [];
  const included = new Set<string>();
  if (demos.length > 0 && !options.demos) oninfo(`${noServers(config)}: the demos are shown`);

  const again = (settings: GatewaySettings): GatewaySettings => {
    const mine = named.map((server) => {
      const found = finder.isOfFile(server) ? settings.servers.get(server.name) : server;
      // A named server starts immediately, and is trusted like one given as a full command.
      return found && { ...found, start: "eager" as const, trusted: !(options.strict || settings.strict) };
    });
    const written = [...settings.servers.values()];
    const isListed = (name: string): boolean => mine.some((server) => server?.name === name);
    const added = written.filter(({ name }) => included.has(name) && !isListed(name));
    const all =
      takesAll || names.length === 0 ? written : [...mine.filter((server) => server !== undefined), ...added];
    const taken = new Set(all.map(({ name }) => name.toLowerCase()));
    const shown = demos.filter(({ name }) => !taken.has(name.toLowerCase()));
    const servers = [...all.map((server) => finder.equipped(server)), ...shown];
    return { ...settings, servers: new Map(servers.map((server) => [server.name, server])) };
  };
  const settings = config?.settings ?? (await readSettings("{}", personalOptions(options, at, undefined)));
  return {
    settings: again(settings),
    file: config?.file,
    approve: config?.approve,
    target: config?.file ?? (options.config === undefined ? ownFile(at) : resolve(at.cwd, options.config)),
    again,
    include: (name) => void included.add(name),
  };
}

/** The user's own file, if there is one that can be read: the demos run without it too. */
async function ownConfig(
  options: DevServerOptions,
  at: Surroundings,
  oninfo: (sentence: string) => void,
): Promise<Config | undefined> {
  const [file] = filesAt([ownFile(at)]);
  if (file === undefined) return undefined;
  try {
    const config = await readConfig(file, options, at, undefined);
    if (config.settings.servers.size > 0) oninfo(`settings: ${file}`);
    for (const each of config.skipped) oninfo(skippedText(each));
    return config;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    oninfo(`${oneLine(error.message)}: only the demos are shown`);
    return undefined;
  }
}

const noServers = (config: Config | undefined): string =>
  config
    ? `${config.file} has no server that can be used`
    : "there is no settings file in the usual locations";

const demoServers = (finder: ServerArguments): ServerSettings[] => DEMOS.map((demo) => finder.demo(demo));

/** Two servers with the same name are ambiguous. */
function refuseTwins(servers: readonly ServerSettings[]): void {
  const names = servers.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw usage(`two servers are named "${twin}": give only one of them`);
}

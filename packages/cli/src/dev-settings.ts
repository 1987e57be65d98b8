/**
 * What `vitrine dev` runs: the servers that are named, those of the settings file, or the demos.
 *
 * @module
 */
import { type GatewaySettings, readSettings } from "@vitrine/gateway";
import type { ServerSettings } from "@vitrine/servers";
import { type Config, personalOptions } from "./config.js";
import type { Surroundings } from "./config-places.js";
import { DEMOS } from "./demos/index.js";
import { usage } from "./exit.js";
import { ServerArguments, type ServerOptions } from "./server-argument.js";
import type { TrustsFiles } from "./trust/file-trust.js";

/** Options of {@link devSettings}. */
export interface DevServerOptions extends ServerOptions {
  /** The built-in demo servers, alone or beside others. */
  readonly demos?: boolean | undefined;
}

/** What is to be run. */
export interface DevSettings {
  readonly settings: GatewaySettings;
  /** The settings file that was used, to be watched. */
  readonly file?: string | undefined;
  /** Asks the person when the file changes, if it is one that needs approval. */
  readonly approve?: Config["approve"];
  /** The same servers, of a file that has changed. */
  again(settings: GatewaySettings): GatewaySettings;
}

/**
 * Finds out what to run.
 *
 * @throws {CliError | GatewayError} what is wrong with the command line or the file
 */
export async function devSettings(
  names: readonly string[],
  options: DevServerOptions,
  at: Surroundings,
  trust: TrustsFiles,
  oninfo: (sentence: string) => void,
): Promise<DevSettings> {
  const finder = new ServerArguments(options, at, trust, oninfo);
  // Before a command gets a name: those of the file are taken.
  const asked = names.map((name) => name.trim()).filter(ServerArguments.isName);
  if (options.config !== undefined || asked.length > 0) await finder.config(asked);
  const named: ServerSettings[] = [];
  for (const name of names) named.push(...(await finder.find(name)));
  refuseTwins(named);
  // A file that nobody needs is not looked at: it might be wrong.
  const isNeeded = finder.didLook || (names.length === 0 && !options.demos);
  const config = isNeeded ? await finder.config() : undefined;
  const takesAll = names.length === 0 && (config?.settings.servers.size ?? 0) > 0;
  const demos = options.demos || (names.length === 0 && !takesAll) ? demoServers(finder) : [];
  if (demos.length > 0 && !options.demos) oninfo(`${noServers(config)}: the demos are shown`);

  const again = (settings: GatewaySettings): GatewaySettings => {
    const mine = named.map((server) => {
      const found = finder.isOfFile(server) ? settings.servers.get(server.name) : server;
      // Who names a server wants it now, and trusts it as one that is written out in full.
      return found && { ...found, start: "eager" as const, trusted: !(options.strict || settings.strict) };
    });
    const all = takesAll ? [...settings.servers.values()] : mine.filter((server) => server !== undefined);
    const servers = [...all.map((server) => finder.equipped(server)), ...demos];
    return { ...settings, servers: new Map(servers.map((server) => [server.name, server])) };
  };
  const settings = config?.settings ?? (await readSettings("{}", personalOptions(options, at, undefined)));
  return { settings: again(settings), file: config?.file, approve: config?.approve, again };
}

const noServers = (config: Config | undefined): string =>
  config ? `${config.file} has no server that can be used` : "there is no settings file in the usual places";

const demoServers = (finder: ServerArguments): ServerSettings[] => DEMOS.map((demo) => finder.demo(demo));

/** Of two servers with one name nobody knows which is meant. */
function refuseTwins(servers: readonly ServerSettings[]): void {
  const names = servers.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw usage(`two servers are called "${twin}": name one of them only`);
}

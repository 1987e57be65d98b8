/**
 * Reads the servers of a settings file. An invalid server does not affect the others.
 *
 * @module
 */
import { resolve } from "node:path";
import {
  type GatewaySettings,
  projectOf,
  type ReadOptions,
  readOptions,
  readSettingsFile,
  type SkippedSetting,
} from "@vitrine/gateway";
import type { Isolation, ServerSettings } from "@vitrine/servers";
import { configPlaces, firstFile, isPersonal, type Surroundings } from "./config-places.js";
import { handedOn } from "./environment.js";
import { oneLine } from "./terminal.js";
import type { TrustsFiles } from "./trust/file-trust.js";

/** A parsed settings file. */
export interface Config {
  readonly file: string;
  readonly settings: GatewaySettings;
  /** Skipped settings with the reason. */
  readonly skipped: readonly SkippedSetting[];
  /** Asks the user to approve the file's content; undefined for files that need no approval. */
  readonly approve: ReadOptions["approve"];
}

/** Command line options about settings. */
export interface ConfigOptions {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  /** Trust no server, and sandbox it. */
  readonly strict?: boolean | undefined;
}

/** The user's own programs run as in other clients: with access to files and network. */
export const OWN: Partial<Isolation> = { driver: "process", network: true };

/** Options for reading files for a user at a terminal, now and after changes. */
export function personalOptions(
  options: ConfigOptions,
  at: Surroundings,
  file: string | undefined,
): Omit<ReadOptions, "file"> {
  const { config, data, database, strict } = options;
  return {
    ...readOptions({ config, data, database, strict }),
    // Variables that VS Code and Cursor define.
    env: {
      ...at.env,
      HOME: at.home,
      userHome: at.home,
      workspaceFolder: file ? projectOf(file) : at.cwd,
    },
    ...(!strict && { isolation: OWN }),
  };
}

/** The given settings file, or the first in the usual locations; undefined if there is none. */
export const configFile = (options: ConfigOptions, at: Surroundings): string | undefined =>
  options.config === undefined ? firstFile(configPlaces(at)) : resolve(at.cwd, options.config);

/** How a found file is approved: personal files need no approval. */
export const approvalOf = (file: string, at: Surroundings, trust: TrustsFiles): ReadOptions["approve"] =>
  isPersonal(file, at) ? undefined : (text) => trust.approve(file, text);

/**
 * Reads the file.
 *
 * @throws {GatewayError} `config-invalid` for an error that is not about one server
 * @throws {CliError} `config-untrusted` if `approve` refuses it
 */
export async function readConfig(
  file: string,
  options: ConfigOptions,
  at: Surroundings,
  approve: Config["approve"],
): Promise<Config> {
  const skipped: SkippedSetting[] = [];
  const settings = await readSettingsFile(file, {
    ...personalOptions(options, at, file),
    onskip: (each) => skipped.push(each),
    approve,
  });
  return { file, settings, skipped, approve };
}

/**
 * Adds environment variables: the user's own programs get the usual ones, as in other clients, and every
 * program gets those from the command line, which override the file.
 */
export function atHome(
  server: ServerSettings,
  env: Surroundings["env"],
  added: Readonly<Record<string, string>>,
): ServerSettings {
  const { transport } = server;
  if (transport.type !== "stdio") return server;
  const needed = transport.isolation.driver === "process" ? handedOn(env) : {};
  return { ...server, transport: { ...transport, env: { ...needed, ...transport.env, ...added } } };
}

/** A skipped setting as text. Names in it are untrusted: the file may have come with a repository. */
export const skippedText = ({ server, problem }: SkippedSetting): string =>
  oneLine(`${problem}${server === undefined ? "" : ` (${server} is left out)`}`);

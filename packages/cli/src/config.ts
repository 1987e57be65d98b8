/**
 * The servers of a settings file, read so that one that is wrong does not keep the others away.
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

/** A settings file that was read. */
export interface Config {
  readonly file: string;
  readonly settings: GatewaySettings;
  /** What was left out, and why. */
  readonly skipped: readonly SkippedSetting[];
  /** Asks the person about the file's content; undefined for files that need no approval. */
  readonly approve: ReadOptions["approve"];
}

/** What the command line says about the settings. */
export interface ConfigOptions {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  /** Trust no server, and close it in. */
  readonly strict?: boolean | undefined;
}

/** A person's own programs run as in every other client: with that person's files and network. */
export const OWN: Partial<Isolation> = { driver: "process", network: true };

/** How files are read for a person at a terminal, now and whenever they change. */
export function personalOptions(
  options: ConfigOptions,
  at: Surroundings,
  file: string | undefined,
): Omit<ReadOptions, "file"> {
  const { config, data, database, strict } = options;
  return {
    ...readOptions({ config, data, database, strict }),
    // What VS Code and Cursor put in by themselves.
    env: {
      ...at.env,
      HOME: at.home,
      userHome: at.home,
      workspaceFolder: file ? projectOf(file) : at.cwd,
    },
    ...(!strict && { isolation: OWN }),
  };
}

/** The settings file that is named, or the first in the usual places; undefined if there is none. */
export const configFile = (options: ConfigOptions, at: Surroundings): string | undefined =>
  options.config === undefined ? firstFile(configPlaces(at)) : resolve(at.cwd, options.config);

/** How a found file is approved: the person's own files need no approval. */
export const approvalOf = (file: string, at: Surroundings, trust: TrustsFiles): ReadOptions["approve"] =>
  isPersonal(file, at) ? undefined : (text) => trust.approve(file, text);

/**
 * Reads it.
 *
 * @throws {GatewayError} `config-invalid` if what is wrong is not about one server
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
 * A program that runs as the person's own finds what it needs, as in every other client; and every program gets what the
 * person adds on the command line, in place of what the file says.
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

/** What was left out of a file, for people. Names in it are anybody's: the file may have come with a repository. */
export const skippedText = ({ server, problem }: SkippedSetting): string =>
  oneLine(`${problem}${server === undefined ? "" : ` (${server} is left out)`}`);

/**
 * The settings of a gateway that joins others.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "../config/config.js";
import { readText } from "../config/read.js";
import { watchSettings } from "../config/watch.js";
import { joinSettings } from "../gateway/join.js";
import type { NodeOptions } from "../gateway/options.js";
import type { Log } from "../http/logging.js";
import { type CommandLine, readOptions } from "./settings.js";

/** The settings of a node, from the database. */
export interface FollowedSettings {
  readonly current: GatewaySettings;
  /** The option `node` of {@link startGateway}. */
  readonly node: NodeOptions;
  /** Reads the published settings, and the file, now. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads the settings of `--join`: those that are published in the database, and each newer version. With a settings file,
 * its text is published if there is none yet, and again whenever the file changes.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function nodeSettings(
  line: CommandLine & { readonly join: string },
  update: (settings: GatewaySettings) => void,
  log: Log,
): Promise<FollowedSettings> {
  const { config: file, join: database } = line;
  const node = nodeOptions(line);
  const { secrets: _, ...options } = readOptions(line);
  const onerror = (error: GatewayError): void => log.error(error.message);
  const text = file === undefined ? undefined : await readText(file);
  const joined = await joinSettings(update, { ...options, database, node, log, onerror }, text);
  if (file === undefined || text === undefined)
    return {
      node,
      // Published settings are followed all the time.
      reload: async () => {},
      close: () => joined.close(),
      get current() {
        return joined.current;
      },
    };
  if (!joined.isPublished(text))
    log.warn(
      `${file} differs from version ${joined.version} of the published settings, which is in force: save the file again to publish it`,
    );
  try {
    const publish = async (): Promise<void> => {
      const version = await joined.publish(await readText(file));
      log.info({ version }, "settings published");
    };
    const secrets = async () => joined.secrets;
    const overrides = { ...options.overrides, database };
    const watch = await watchSettings(file, publish, { ...options, overrides, secrets, onerror });
    return {
      node,
      get current() {
        return joined.current;
      },
      reload: () => watch.reload(),
      close: () => {
        watch.close();
        return joined.close();
      },
    };
  } catch (error) {
    await joined.close();
    throw error;
  }
}

/** The options of the command line that are a node's own. */
export function nodeOptions(line: CommandLine): NodeOptions {
  return {
    keyFile: process.env["VITRINE_KEY_FILE"],
    listen: hostAndPort(line["node-listen"], "--node-listen"),
    address: hostAndPort(line["node-address"], "--node-address"),
  };
}

function hostAndPort(text: string | undefined, option: string): string | undefined {
  if (text === undefined || /^(\[[0-9a-f:.]+\]|[\w.-]+):([1-9]\d{0,4})$/i.test(text)) return text;
  throw new GatewayError("config-invalid", `${option}: write host:port, such as 10.0.0.5:8092`);
}

/**
 * Reads settings from the command line and its file.
 *
 * @module
 */
import { resolve } from "node:path";
import type { Isolation, ServerSettings } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { commandLineServer } from "../config/command-line.js";
import type { GatewaySettings } from "../config/config.js";
import { type ReadOptions, readSettings, readSettingsFile, storedSecrets } from "../config/read.js";
import type { WrittenSettings } from "../config/whole-settings.js";

/** The parsed command line. */
export interface CommandLine {
  readonly config?: string | undefined;
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  readonly "allow-remote"?: boolean | undefined;
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  /** The URL of the database of several nodes: this gateway is one of them. */
  readonly join?: string | undefined;
  readonly "node-listen"?: string | undefined;
  readonly "node-address"?: string | undefined;
  readonly static?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly isolation?: string | undefined;
  readonly image?: string | undefined;
  readonly network?: boolean | undefined;
  /** A server to run, or its URL. */
  readonly server?: readonly string[] | undefined;
}

/** Options for reading the file, initially and after each change. */
export function readOptions(line: CommandLine): Omit<ReadOptions, "file"> {
  const { port, host, data, database, strict, server = [] } = line;
  const listen = {
    ...(port !== undefined && { port: Number(port) }),
    ...(host !== undefined && { host }),
    ...(line["allow-remote"] && { allowRemote: true }),
  };
  const overrides: WrittenSettings = {
    ...(Object.keys(listen).length > 0 && { listen }),
    // Any port for the gateway implies any port for apps.
    ...(port === "0" && { sandbox: { port: 0 } }),
    // Relative to the working directory; paths in the file are relative to the file's folder.
    ...(data !== undefined && { dataFolder: resolve(data) }),
    ...(database !== undefined && {
      database: database.replace(/^sqlite:(?!:)(.*)/, (_, path) => `sqlite:${resolve(path)}`),
    }),
    ...(strict && { strict }),
  };
  const servers: ServerSettings[] =
    server.length > 0
      ? [commandLineServer(server, { strict, cwd: process.cwd(), isolation: isolationOf(line) })]
      : [];
  return { overrides, servers, secrets: storedSecrets, repeat: repeatedOptions(line) };
}

/** The options that select where secrets are stored, quoted for a shell. */
function repeatedOptions({ config, data }: CommandLine): string | undefined {
  const quoted = (path: string): string => (/^[\w./~:-]+$/.test(path) ? path : `'${path}'`);
  const options = [
    ...(config === undefined ? [] : ["--config", quoted(config)]),
    ...(data === undefined ? [] : ["--data", quoted(data)]),
  ];
  return options.length > 0 ? options.join(" ") : undefined;
}

/**
 * A program that the user names runs as if they had started it themselves, with access to their files and
 * network, unless they ask for a sandbox.
 */
function isolationOf({ isolation, image, network = false, strict }: CommandLine): Partial<Isolation> {
  const driver = isolation ?? (strict ? "auto" : "process");
  if (!isDriver(driver)) {
    throw new GatewayError("config-invalid", "--isolation: use process, bubblewrap, container or auto");
  }
  if (driver === "container" && !image) {
    throw new GatewayError("config-invalid", "--isolation container: name an image with --image");
  }
  return { driver, image, network, read: [process.cwd()] };
}

const isDriver = (name: string): name is Isolation["driver"] =>
  ["process", "bubblewrap", "container", "auto"].includes(name);

/** The settings of a command. */
export function settingsOf(
  line: CommandLine,
  more: Pick<ReadOptions, "secrets" | "onskip"> = {},
): Promise<GatewaySettings> {
  const options = { ...readOptions(line), ...more };
  return line.config === undefined ? readSettings("{}", options) : readSettingsFile(line.config, options);
}

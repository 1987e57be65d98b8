/**
 * `vitrine serve`: gateway and workbench for other users.
 *
 * @module
 */
import { resolve } from "node:path";
import {
  createLog,
  type GatewaySettings,
  nodeSettings,
  RejoiningGateway,
  type RunningGateway,
  readOptions,
  readVariableFiles,
  type SettingsWatch,
  startGateway,
  untilStopped,
  watchSettings,
} from "@vitrine/gateway";
import { recordOf } from "@vitrine/protocol";
import { approvalOf } from "../config.js";
import { firstFile, servePlaces, surroundings } from "../config-places.js";
import { type CliError, usage } from "../exit.js";
import { portError } from "../free-ports.js";
import { pageFolder } from "../pages.js";
import { terminalSetup } from "../setup/terminal-setup.js";
import { interruptible } from "../signals.js";
import type { Terminal } from "../terminal.js";
import { FileTrust } from "../trust/file-trust.js";

/** Options of {@link serveCommand}: those of `vitrine-gateway`. */
export interface ServeCommandOptions {
  readonly config?: string | undefined;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly allowRemote?: boolean | undefined;
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  readonly join?: string | undefined;
  readonly nodeListen?: string | undefined;
  readonly nodeAddress?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly static?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Runs until it is stopped. Resolves to the exit code. */
export function serveCommand(options: ServeCommandOptions, terminal: Terminal): Promise<number> {
  const { port, allowRemote, join } = options;
  readVariableFiles();
  const at = surroundings();
  // A node needs no file: its settings are in the database.
  const file = options.config ?? (join === undefined ? firstFile(servePlaces(at)) : undefined);
  if (file === undefined && join === undefined) {
    throw usage("serve needs a settings file: pass one with --config, or put an mcp.json into this folder");
  }
  let watch: SettingsWatch | undefined;
  const run = async (signal: AbortSignal): Promise<number> => {
    const folder = await pageFolder(options.static);
    const log = createLog();
    let gateway: RejoiningGateway | undefined;
    const update = (settings: GatewaySettings): void => {
      const later = gateway?.current?.update(settings) ?? [];
      if (later.length > 0) log.warn(`takes effect after a restart: ${later.join(", ")}`);
    };
    const line = {
      ...options,
      port: port === undefined ? undefined : `${port}`,
      "allow-remote": allowRemote,
      "node-listen": options.nodeListen,
      "node-address": options.nodeAddress,
    };
    // Strict, unlike `dev`: a service for others must run exactly as configured, or not at all.
    const trust = new FileTrust({ terminal, at, data: options.data, signal });
    const joined = join === undefined ? undefined : await nodeSettings({ ...line, join }, update, log);
    const followed =
      joined ??
      (await watchSettings(file ?? "", update, {
        ...readOptions(line),
        approve: options.config === undefined && file !== undefined ? approvalOf(file, at, trust) : undefined,
        onerror: ({ message }) => log.error(message),
      }));
    watch = followed;
    let code = 0;
    try {
      const settings = followed.current;
      if (options.config === undefined && file !== undefined) terminal.note(`settings: ${file}`);
      // Nodes have their settings in the database.
      const setup =
        file === undefined || joined
          ? undefined
          : terminalSetup({
              file: resolve(file),
              terminal,
              at,
              trust,
              needsApproval: options.config === undefined && approvalOf(file, at, trust) !== undefined,
              isOpen: false,
              signal,
              reading: readOptions(line),
              written: () => watch?.reload() ?? Promise.resolve(),
            });
      const start = (onlost: () => void): Promise<RunningGateway> =>
        startGateway(followed.current, { log, onlost, node: joined?.node, static: { folder }, setup });
      gateway = await RejoiningGateway.start({ start, log }).catch((error: unknown) => {
        throw ofPort(error, settings) ?? error;
      });
      // The file may have changed during startup.
      if (followed.current !== settings) update(followed.current);
      if (gateway.current) tell(gateway.current, settings, options, terminal);
      code = await untilStopped(log, signal);
      return code;
    } finally {
      await followed.close();
      // After an internal error, do not wait.
      await gateway?.close(code === 0 ? undefined : 0);
    }
  };
  return interruptible(run, () => void watch?.reload());
}

/** To stdout, and never to a log: without user tokens, the link signs a browser in. */
function tell(
  gateway: RunningGateway,
  { listen, servers }: GatewaySettings,
  { json }: ServeCommandOptions,
  terminal: Terminal,
): void {
  const { origin } = gateway;
  const url = listen.users.length > 0 ? origin : gateway.loginUrl();
  if (json) terminal.json({ url, origin, servers: [...servers.keys()] });
  else terminal.print(`${terminal.bold("Vitrine")} → ${terminal.green(url)}  (Ctrl-C ends it)`);
}

/** Never picks another port, because clients know the configured ones. */
function ofPort(error: unknown, { listen, sandbox }: GatewaySettings): CliError | undefined {
  const { code, port } = recordOf(error);
  const ofNode = port === listen.port ? "--port" : "--node-listen";
  const what = port === sandbox.port ? "sandbox.port in the settings" : ofNode;
  return portError(code, port, `stop the program that uses it, or change ${what}`);
}

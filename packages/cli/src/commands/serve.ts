/**
 * `vitrine serve`: gateway and workbench for other users.
 *
 * @module
 */
import {
  createLog,
  type GatewaySettings,
  type RunningGateway,
  readOptions,
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
  readonly strict?: boolean | undefined;
  readonly static?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Runs until it is stopped. Resolves to the exit code. */
export function serveCommand(options: ServeCommandOptions, terminal: Terminal): Promise<number> {
  const { port, allowRemote } = options;
  const at = surroundings();
  const file = options.config ?? firstFile(servePlaces(at));
  if (file === undefined) {
    throw usage("serve needs a settings file: pass one with --config, or put an mcp.json into this folder");
  }
  return interruptible(async (signal) => {
    const folder = await pageFolder(options.static);
    const log = createLog();
    let gateway: RunningGateway | undefined;
    const update = (settings: GatewaySettings): void => {
      const later = gateway?.update(settings) ?? [];
      if (later.length > 0) log.warn(`takes effect after a restart: ${later.join(", ")}`);
    };
    const line = {
      ...options,
      port: port === undefined ? undefined : `${port}`,
      "allow-remote": allowRemote,
    };
    // Strict, unlike `dev`: a service for others must run exactly as configured, or not at all.
    const trust = new FileTrust({ terminal, at, data: options.data, signal });
    const watch = await watchSettings(file, update, {
      ...readOptions(line),
      approve: options.config === undefined ? approvalOf(file, at, trust) : undefined,
      onerror: ({ message }) => log.error(message),
    });
    let code = 0;
    try {
      const settings = watch.current;
      if (options.config === undefined) terminal.note(`settings: ${file}`);
      gateway = await startGateway(settings, { log, static: { folder } }).catch((error: unknown) => {
        throw ofPort(error, settings) ?? error;
      });
      // The file may have changed during startup.
      if (watch.current !== settings) update(watch.current);
      tell(gateway, settings, options, terminal);
      code = await untilStopped(log, signal);
      return code;
    } finally {
      watch.close();
      // After an internal error, do not wait.
      await gateway?.close(code === 0 ? undefined : 0);
    }
  });
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
function ofPort(error: unknown, { sandbox }: GatewaySettings): CliError | undefined {
  const { code, port } = recordOf(error);
  const what = port === sandbox.port ? "sandbox.port in the settings" : "--port";
  return portError(code, port, `stop the program that uses it, or change ${what}`);
}

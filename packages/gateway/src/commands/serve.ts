/**
 * Runs a gateway until it is stopped.
 *
 * @module
 */

import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "../config/config.js";
import { watchSettings } from "../config/watch.js";
import { RunningGateway } from "../gateway/gateway.js";
import { createLog } from "../http/logging.js";
import { type CommandLine, readOptions, settingsOf } from "./settings.js";
import { untilStopped } from "./until-stopped.js";

/** Runs the gateway; resolves with the exit code when it has stopped. */
export async function serveCommand(line: CommandLine): Promise<number> {
  const log = createLog();
  // Registered first: a signal during the start also stops it in order.
  const stopped = untilStopped(log);
  let gateway: RunningGateway | undefined;
  const update = (settings: GatewaySettings): void => {
    const later = gateway?.update(settings) ?? [];
    if (later.length > 0) log.warn(`these settings take effect at the next start: ${later.join(", ")}`);
  };
  const watch =
    line.config === undefined
      ? undefined
      : await watchSettings(line.config, (settings) => update(settings), {
          ...readOptions(line),
          onerror: (error) => log.error(error.message),
        });
  const settings = watch?.current ?? (await settingsOf(line));
  try {
    gateway = await RunningGateway.start(settings, {
      log,
      static: line.static === undefined ? undefined : { folder: line.static },
    });
  } catch (error) {
    watch?.close();
    throw portProblem(error, settings.sandbox.port) ?? error;
  }
  // The file may have changed during the start.
  if (watch && watch.current !== settings) update(watch.current);
  const users = settings.listen.users.map(({ name }) => name);
  const where = users.length > 0 ? gateway.origin : gateway.loginUrl();
  // To stdout instead of the log: the link signs a browser in.
  process.stdout.write(`Vitrine gateway → ${where}  (Ctrl-C ends it)\n`);
  const code = await stopped;
  watch?.close();
  await gateway.close(code === 0 ? undefined : 0);
  return code;
}

/** Why a port is unavailable, and which option or setting changes it. */
function portProblem(cause: unknown, appsPort: number): GatewayError | undefined {
  if (!(cause instanceof Error && "code" in cause && "port" in cause)) return undefined;
  const { code, port } = cause;
  const why =
    code === "EADDRINUSE" ? "is in use" : code === "EACCES" ? "may not be used by this user" : undefined;
  if (why === undefined || typeof port !== "number") return undefined;
  const remedy =
    port === appsPort
      ? 'apps are served on it. Choose another one with "sandbox.port" in the settings'
      : 'choose another one with --port, or with "listen.port" in the settings';
  return new GatewayError("config-invalid", `port ${port} ${why}: ${remedy}`, { cause });
}

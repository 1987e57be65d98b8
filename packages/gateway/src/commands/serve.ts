/**
 * Runs a gateway until it is stopped.
 *
 * @module
 */

import { constants } from "node:os";
import { onStopSignals } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "../config/config.js";
import { readVariableFiles } from "../config/variable-files.js";
import { type SettingsWatch, watchSettings } from "../config/watch.js";
import { RunningGateway } from "../gateway/gateway.js";
import { RejoiningGateway } from "../gateway/rejoin.js";
import { createLog } from "../http/logging.js";
import { nodeSettings } from "./join.js";
import { type CommandLine, readOptions, settingsOf } from "./settings.js";

import { untilStopped } from "./until-stopped.js";

/** Runs the gateway; resolves with the exit code when it has stopped. */
export async function serveCommand(line: CommandLine): Promise<number> {
  readVariableFiles();
  const log = createLog();
  const controller = new AbortController();
  // Registered first: a signal during the start also stops it in order.
  const stopped = untilStopped(log, controller.signal);
  onStopSignals({
    stop: (signal) => {
      log.info({ signal }, "stopping; a second signal ends the gateway at once");
      controller.abort();
    },
    again: (signal) => process.exit(128 + constants.signals[signal]),
    reload: () => {
      if (watch) void watch.reload();
      else log.warn("there is no settings file to read again: name one with --config");
    },
  });
  let gateway: RejoiningGateway | undefined;
  let watch: SettingsWatch | undefined;
  const update = (settings: GatewaySettings): void => {
    const later = gateway?.current?.update(settings) ?? [];
    if (later.length > 0) log.warn(`these settings take effect at the next start: ${later.join(", ")}`);
  };
  const { join } = line;
  const joined = join === undefined ? undefined : await nodeSettings({ ...line, join }, update, log);
  watch =
    joined ??
    (line.config === undefined
      ? undefined
      : await watchSettings(line.config, (settings) => update(settings), {
          ...readOptions(line),
          onerror: (error) => log.error(error.message),
        }));
  const settings = watch?.current ?? (await settingsOf(line));
  try {
    gateway = await RejoiningGateway.start({
      log,
      start: (onlost) =>
        RunningGateway.start(watch?.current ?? settings, {
          log,
          onlost,
          node: joined?.node,
          static: line.static === undefined ? undefined : { folder: line.static },
        }),
    });
  } catch (error) {
    await watch?.close();
    throw portProblem(error, settings) ?? error;
  }
  // The file may have changed during the start.
  if (watch && watch.current !== settings) update(watch.current);
  const users = settings.listen.users.map(({ name }) => name);
  const first = gateway.current;
  const where = users.length > 0 ? first?.origin : first?.loginUrl();
  // To stdout instead of the log: the link signs a browser in.
  process.stdout.write(`Vitrine gateway → ${where}  (Ctrl-C ends it)\n`);
  const code = await stopped;
  await watch?.close();
  await gateway.close(code === 0 ? undefined : 0);
  return code;
}

/** Why a port is unavailable, and which option or setting changes it. */
function portProblem(cause: unknown, { sandbox, nodes }: GatewaySettings): GatewayError | undefined {
  if (!(cause instanceof Error && "code" in cause && "port" in cause)) return undefined;
  const { code, port } = cause;
  const why =
    code === "EADDRINUSE" ? "is in use" : code === "EACCES" ? "may not be used by this user" : undefined;
  if (why === undefined || typeof port !== "number") return undefined;
  const remedy =
    port === nodes?.port
      ? 'other nodes reach this one on it. Choose another one with --node-listen, or with "nodes.listen" in the settings'
      : port === sandbox.port
        ? 'apps are served on it. Choose another one with "sandbox.port" in the settings'
        : 'choose another one with --port, or with "listen.port" in the settings';
  return new GatewayError("config-invalid", `port ${port} ${why}: ${remedy}`, { cause });
}

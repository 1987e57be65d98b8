/**
 * Starts stdio servers, each with the driver that its settings select.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { GatewayError } from "@vitrine/wire";
import { launchBubblewrap } from "./bubblewrap.js";
import { launchContainer } from "./container.js";
import { engineFor, probeDriver } from "./drivers.js";
import type { DriverName, Isolation, Launch, LaunchSpec } from "./isolation.js";
import { needDownload, reportQuickly } from "./package-runner.js";
import { launchProcess } from "./process.js";
import { noPrograms, nothingIsolates } from "./unavailable.js";

/**
 * Selects the driver for a server: the one in its settings, or the strongest sandbox that works. An image requires a
 * container: if an engine is installed and fails, that is an error, and no weaker driver replaces it. `auto` never means
 * `process`, which isolates nothing: the settings must say that.
 *
 * @throws {GatewayError} `isolation-unavailable`
 */
export async function chooseDriver(
  isolation: Pick<Isolation, "driver" | "image" | "engine">,
  platform: NodeJS.Platform = process.platform,
): Promise<DriverName> {
  const { driver, image } = isolation;
  const wanted = driver === "auto" ? image !== undefined && "container" : driver;
  if (wanted) {
    const report = await probeDriver(wanted, isolation);
    if (report.works) return wanted;
    if (driver !== "auto" || report.isBroken)
      throw new GatewayError("isolation-unavailable", report.reason, { data: { driver: wanted } });
  }
  const report = await probeDriver("bubblewrap");
  if (report.works) return "bubblewrap";
  throw nothingIsolates(report.reason, platform);
}

/**
 * Starts a server. If its settings name a driver that does not work, that is an error; no other driver
 * replaces it.
 *
 * @example
 * ```ts source="./isolation.examples.ts#launch"
 * const server = await launch({
 *   name: "files",
 *   command: "node",
 *   args: ["/opt/some-server/server.js", "/srv/documents"],
 *   env: { LANG: "en" },
 *   isolation: {
 *     driver: "auto",
 *     network: false,
 *     read: ["/srv/documents"],
 *     write: [],
 *     memory: 512 * 2 ** 20,
 *     processes: 64,
 *     tmp: 64 * 2 ** 20,
 *   },
 * });
 * server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
 * // Later: ends it and its child processes.
 * await server.stop();
 * ```
 */
export const launch: Launch = async (spec: LaunchSpec) => {
  if (process.platform === "win32") throw noPrograms();
  const driver = await chooseDriver(spec.isolation);
  if (driver === "container")
    return launchContainer(reportQuickly(spec), await engineFor(spec.isolation.engine));
  await needFolder(spec);
  if (driver === "process") return launchProcess(spec);
  await needDownload(spec);
  return launchBubblewrap(reportQuickly(spec));
};

async function needFolder({ name, cwd }: LaunchSpec): Promise<void> {
  if (cwd === undefined) return;
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return;
  throw new GatewayError(
    "server-failed",
    `The server "${name}" cannot start: its "cwd", ${cwd}, is not a folder.`,
  );
}

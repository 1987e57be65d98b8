/**
 * Starts stdio servers, each in the driver that its settings ask for.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { GatewayError } from "../errors.js";
import { launchBubblewrap } from "./bubblewrap.js";
import { launchContainer } from "./container.js";
import { engineFor, probeDriver } from "./drivers.js";
import type { DriverName, Isolation, Launch, LaunchSpec } from "./isolation.js";
import { launchProcess } from "./process.js";

/** The driver for a server: that which its settings name, or the strongest that works here. */
export async function chooseDriver(
  isolation: Pick<Isolation, "driver" | "image" | "engine">,
): Promise<DriverName> {
  const { driver, image } = isolation;
  if (driver !== "auto") {
    const report = await probeDriver(driver, isolation.engine);
    if (report.works) return driver;
    throw new GatewayError("isolation-unavailable", report.reason, { data: { driver } });
  }
  if (image !== undefined && (await probeDriver("container", isolation.engine)).works) return "container";
  if ((await probeDriver("bubblewrap")).works) return "bubblewrap";
  return "process";
}

/**
 * Starts a server. A driver that is named and does not work is an error, never another driver.
 *
 * @example
 * ```ts source="./isolation.examples.ts#launch"
 * const server = await launch({
 *   name: "files",
 *   command: "npx",
 *   args: ["some-server", "/srv/documents"],
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
 * // Later: it, and everything that it started.
 * await server.stop();
 * ```
 */
export const launch: Launch = async (spec: LaunchSpec) => {
  if (process.platform === "win32") {
    throw new GatewayError(
      "isolation-unavailable",
      "Programs can be started as servers on Linux and macOS only.",
    );
  }
  const driver = await chooseDriver(spec.isolation);
  if (driver === "container") return launchContainer(spec, await engineFor(spec.isolation.engine));
  await needFolder(spec);
  return driver === "bubblewrap" ? launchBubblewrap(spec) : launchProcess(spec);
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
    `The server "${name}" cannot start: its "cwd", ${cwd}, is no folder.`,
  );
}

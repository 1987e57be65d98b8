/**
 * Checks the paths that the operator grants to a server, before anything is started.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { GatewayError } from "@vitrine/wire";
import type { LaunchSpec } from "./isolation.js";
import { type Entry, isInside, isWide } from "./readable.js";

/** Paths that are never granted: devices, kernel files, and the sockets of other programs. */
const NEVER = ["/proc", "/sys", "/dev"];

/** The entries for granted paths. A path that is granted twice is writable. */
export async function grantEntries({ name, cwd, isolation }: LaunchSpec): Promise<Entry[]> {
  const refuse = (message: string) =>
    new GatewayError("isolation-unavailable", `The server "${name}" cannot start: ${message}`);
  const entries = new Map<string, Entry>();
  for (const kind of ["read", "write"] as const) {
    for (const path of isolation[kind]) {
      if (!isAbsolute(path)) throw refuse(`"${path}" in "${kind}" must be an absolute path.`);
      const normal = resolve(path);
      if (normal === "/" || normal === "/run" || NEVER.some((folder) => isInside(normal, folder))) {
        throw refuse(
          `"${path}" in "${kind}" would open the machine. Grant the folders that it needs instead.`,
        );
      }
      await needs(normal, () =>
        refuse(`"${path}" in "${kind}" does not exist. Create it, or remove it from the settings.`),
      );
      entries.set(normal, { kind, path: normal });
    }
  }
  if (cwd !== undefined) {
    const folder = resolve(cwd);
    const isGranted = [...entries.keys()].some((path) => isInside(folder, path));
    if (!isGranted) {
      if (isWide(folder)) {
        throw refuse(`its "cwd", ${cwd}, would open too much. Set "cwd" to the folder of the server alone.`);
      }
      entries.set(folder, { kind: "read", path: folder });
    }
  }
  return [...entries.values()];
}

/** Throws unless the path exists. */
async function needs(path: string, otherwise: () => GatewayError): Promise<void> {
  try {
    await stat(path);
  } catch {
    throw otherwise();
  }
}

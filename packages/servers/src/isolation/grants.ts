/**
 * The paths that an operator opened for a server: checked before anything is started.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { GatewayError } from "@vitrine/wire";
import type { LaunchSpec } from "./isolation.js";
import { type Entry, isInside, isWide } from "./readable.js";

/** What no server gets by a path: devices, the kernel's own files, the sockets of other programs. */
const NEVER = ["/proc", "/sys", "/dev"];

/** The entries for what is granted; what is granted twice may be written to. */
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
      await needs(normal, () => refuse(`"${path}" in "${kind}" does not exist. Create it, or take it out.`));
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

/** Throws unless there is something at a path. */
async function needs(path: string, otherwise: () => GatewayError): Promise<void> {
  try {
    await stat(path);
  } catch {
    throw otherwise();
  }
}

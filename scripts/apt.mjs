/**
 * Installs Debian packages where possible: as root, on a machine with apt.
 *
 * @module
 */
import { spawnSync } from "node:child_process";

const run = (command, args, stdio = "inherit") =>
  spawnSync(command, args, { stdio, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } }).status ===
  0;

let isUpdated = false;

/** Installs a package; returns false if it cannot be installed. */
export function installPackage(name) {
  if (process.getuid?.() !== 0 || !run("apt-get", ["--version"], "ignore")) return false;
  console.log(`Installing Debian's package ${name}…`);
  // Package lists that are too old point to files that no longer exist.
  if (!isUpdated) run("apt-get", ["update", "-qq"]);
  isUpdated = true;
  return run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name]);
}

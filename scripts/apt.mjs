/**
 * Debian's packages, where they can be had: as root, on a machine that has apt.
 *
 * @module
 */
import { spawnSync } from "node:child_process";

const run = (command, args, stdio = "inherit") =>
  spawnSync(command, args, { stdio, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } }).status ===
  0;

let isUpdated = false;

/** Installs a package; false where it cannot be. */
export function installPackage(name) {
  if (process.getuid?.() !== 0 || !run("apt-get", ["--version"], "ignore")) return false;
  console.log(`Installing Debian's package ${name}…`);
  // Lists that are older than the packages lead nowhere.
  if (!isUpdated) run("apt-get", ["update", "-qq"]);
  isUpdated = true;
  return run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name]);
}

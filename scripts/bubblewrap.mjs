/**
 * Provides bubblewrap for the tests of isolation: installs Debian's package if there is none and this runs
 * as root. Without it those tests are skipped, and say so.
 *
 * As a command: `node scripts/bubblewrap.mjs` prints which one is installed.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installPackage } from "./apt.mjs";

/** The version of the bubblewrap on this machine; undefined if none runs. */
export function findBubblewrap() {
  const { status, stdout } = spawnSync("bwrap", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** Same as {@link findBubblewrap}, but installs one if there is none and it can. */
export function ensureBubblewrap() {
  const found = findBubblewrap();
  return (
    found ?? (process.platform === "linux" && installPackage("bubblewrap") ? findBubblewrap() : undefined)
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const version = ensureBubblewrap();
  console.log(version ?? "No bubblewrap: install the package bubblewrap to run the tests of isolation.");
  process.exitCode = version ? 0 : 1;
}

/**
 * Makes sure that there is a bubblewrap for the tests of isolation: installs Debian's package when root and there is
 * none. Without it those tests are skipped, and say so.
 *
 * As a command: `node scripts/bubblewrap.mjs` says which one there is.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The version of the bubblewrap on this machine; undefined when there is none that runs. */
export function findBubblewrap() {
  const { status, stdout } = spawnSync("bwrap", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** As {@link findBubblewrap}, but installs one when there is none and it can. */
export function ensureBubblewrap() {
  const found = findBubblewrap();
  if (found || process.platform !== "linux") return found;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !run("apt-get", ["--version"], "ignore")) return undefined;
  console.log("No bubblewrap found; installing Debian's package…");
  run("apt-get", ["update", "-qq"]);
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "bubblewrap"]);
  return findBubblewrap();
}

function run(command, args, stdio = "inherit") {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio, env }).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const version = ensureBubblewrap();
  console.log(version ?? "No bubblewrap: install the package bubblewrap to run the tests of isolation.");
  process.exitCode = version ? 0 : 1;
}

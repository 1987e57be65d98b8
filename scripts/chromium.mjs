/**
 * Installs a Chromium for the browser tests when there is none: Debian's package when root, else Playwright's own
 * download. Finding one is the command's own business: packages/cli/src/browser/chromium.mjs.
 *
 * As a command: `node scripts/chromium.mjs` makes sure that there is one, and prints where it is.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, CHROMIUM_ARGS as QUIET } from "../packages/cli/src/browser/chromium.mjs";
import { installPackage } from "./apt.mjs";

export { findChromium };

/** How tests and measurements start it: in containers too, where its own sandbox cannot be. */
export const CHROMIUM_ARGS = ["--no-sandbox", ...QUIET];

/** As {@link findChromium}, but installs one when there is none. */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  const attempts = [];
  console.log("No Chromium found.");
  if (installPackage("chromium")) attempts.push("apt-get install chromium");
  if (!findChromium()) {
    attempts.push("playwright-core install chromium");
    console.log("No Chromium found; downloading Playwright's…");
    const cli = fileURLToPath(import.meta.resolve("playwright-core/cli.js"));
    spawnSync(process.execPath, [cli, "install", "chromium"], { stdio: "inherit" });
  }
  const installed = findChromium();
  if (installed) return installed;
  throw new Error(
    `No Chromium that runs, and these did not bring one: ${attempts.join("; ")}.\n` +
      "If only libraries of the system are missing: npx playwright-core install-deps chromium\n" +
      "Else install Chromium or Chrome with your system's package manager, or set CHROMIUM to its path.",
  );
}

const SHELL = "chromium-headless-shell";

/**
 * Chromium without the window that nobody sees: the same engine, for three quarters of the processor's time. Tests that are
 * about pages use it where it is; what is about the browser itself is tested in the whole one.
 */
export const findHeadlessShell = () =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, SHELL))
    .find((path) => existsSync(path) && isSameVersion(path));

/** Two that differ would be two browsers to test in. */
const isSameVersion = (path) =>
  versionOf(path) !== undefined && versionOf(path) === versionOf(findChromium());
const versionOf = (path) =>
  /\d+\.\d+\.\d+\.\d+/.exec(spawnSync(path, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[0];

/** As {@link findHeadlessShell}, but installs it where that is easy. */
export function ensureHeadlessShell() {
  const found = findHeadlessShell();
  if (!found) installPackage(SHELL);
  return found ?? findHeadlessShell();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(ensureChromium());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

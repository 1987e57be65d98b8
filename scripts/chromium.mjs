/**
 * Installs a Chromium for the browser tests if there is none: Debian's package as root, else Playwright's
 * own download. packages/cli/src/browser/chromium.mjs finds an installed one.
 *
 * As a command: `node scripts/chromium.mjs` installs one if needed, and prints its path.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, CHROMIUM_ARGS as QUIET } from "../packages/cli/src/browser/chromium.mjs";
import { installPackage } from "./apt.mjs";

export { findChromium };

/**
 * Launch options of tests and measurements, which also work in containers, where Chromium's own sandbox
 * cannot run.
 */
export const CHROMIUM_ARGS = ["--no-sandbox", ...QUIET];

/** Same as {@link findChromium}, but installs one if there is none. */
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
 * The headless shell: the same engine for three quarters of the processor time. Tests of pages use it where
 * it is installed; tests of the browser itself use the whole browser.
 */
export const findHeadlessShell = () =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, SHELL))
    .find((path) => existsSync(path) && isSameVersion(path));

/** Both must have one version, or tests would run in two different browsers. */
const isSameVersion = (path) =>
  versionOf(path) !== undefined && versionOf(path) === versionOf(findChromium());
const versionOf = (path) =>
  /\d+\.\d+\.\d+\.\d+/.exec(spawnSync(path, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[0];

/** Same as {@link findHeadlessShell}, but installs it where that is easy. */
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

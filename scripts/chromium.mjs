/**
 * Installs a Chromium for the browser tests when there is none: Debian's package when root, else Playwright's own
 * download. Finding one is the command's own business: packages/cli/src/browser/chromium.mjs.
 *
 * As a command: `node scripts/chromium.mjs` makes sure that there is one, and prints where it is.
 */
import { spawnSync } from "node:child_process";
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(ensureChromium());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

/**
 * Finds a Chromium for the browser tests, and installs one when asked to and there is none: Debian's package
 * when root, else Playwright's own download.
 *
 * As a command: `node scripts/chromium.mjs` makes sure that there is one, and prints where it is.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { installPackage } from "./apt.mjs";

/**
 * Parts of the browser's own windows that are pages themselves: each window would start two processes for them, which
 * cost more than the page that is tested.
 */
const OF_THE_WINDOW = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "PreloadTopChromeWebUI",
];
/** What Playwright switches off by itself: of two such lists the browser reads the last. */
const BY_PLAYWRIGHT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

/** How tests and measurements start it. */
export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${[...OF_THE_WINDOW, ...BY_PLAYWRIGHT]}`,
];

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Whether it runs: Ubuntu's package is a stub without snap, and a download may lack libraries of the system. */
const runs = (path) =>
  existsSync(path) &&
  // On Windows `--version` opens a window.
  (process.platform === "win32" || spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0);

/** The path of a Chromium that runs on this machine: `$CHROMIUM`, one on the PATH, or Playwright's own. */
export function findChromium() {
  const fromEnv = process.env.CHROMIUM;
  if (fromEnv) {
    if (runs(fromEnv)) return fromEnv;
    throw new Error(`CHROMIUM is set to ${fromEnv}, but that does not run. Unset it, or set it right.`);
  }
  const onPath = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(runs);
  if (onPath) return onPath;
  const own = chromium.executablePath();
  return own && runs(own) ? own : undefined;
}

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

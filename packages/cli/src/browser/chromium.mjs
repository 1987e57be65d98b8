/**
 * Finds a Chromium on this machine, and the arguments to start it headless. Plain JavaScript, because the
 * repository's scripts use it before any build.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

/**
 * Parts of the browser's UI that are pages themselves. Each window would start two processes for them, which
 * cost more than the tested page.
 */
const OF_THE_WINDOW = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "PreloadTopChromeWebUI",
];
/** Features that Playwright disables by itself: of two such lists, the browser uses only the last. */
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

/** Arguments for a headless browser that makes no network requests of its own. */
export const CHROMIUM_ARGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${[...OF_THE_WINDOW, ...BY_PLAYWRIGHT]}`,
];

/**
 * Chromium refuses to start its own sandbox for root. For other users the sandbox stays on, because pages are
 * untrusted.
 */
export const sandboxArgs = () => (process.getuid?.() === 0 ? ["--no-sandbox"] : []);

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/** Usual locations outside the PATH. */
const PLACES = {
  darwin: [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ],
  win32: ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].map((name) =>
    join(process.env[name] ?? "C:\\", "Google", "Chrome", "Application", "chrome.exe"),
  ),
};

/** Whether it runs: Ubuntu's package is a stub without snap, and a download may lack system libraries. */
const runs = (path) =>
  existsSync(path) &&
  // On Windows `--version` opens a window.
  (process.platform === "win32" || spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0);

/**
 * The path of a working Chromium: `$CHROMIUM`, one on the PATH or in its usual location, or Playwright's own.
 */
export function findChromium() {
  const fromEnv = process.env.CHROMIUM;
  if (fromEnv) {
    if (runs(fromEnv)) return fromEnv;
    throw new Error(`CHROMIUM is set to ${fromEnv}, but that does not run. Unset it, or correct it.`);
  }
  const onPath = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = [...onPath, ...(PLACES[process.platform] ?? [])].find(runs);
  if (found) return found;
  // Loaded only here: it is large, and most machines have a Chromium.
  const own = createRequire(import.meta.url)("playwright-core").chromium.executablePath();
  return own && runs(own) ? own : undefined;
}

/**
 * Firefox and WebKit for `npm run test:engines`: found, or installed as Debian's packages when root.
 *
 * As a command: `node scripts/engines.mjs` makes sure that both are there, and prints where they are.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "./apt.mjs";

/** The programs of each engine, and the Debian packages that have them. */
const PROGRAMS = {
  // Ubuntu's package `firefox` only installs a snap, which cannot use folders in /tmp.
  firefox: { names: ["firefox-esr", "firefox"], packages: ["firefox-esr"] },
  webkit: { names: ["WebKitWebDriver"], packages: ["webkit2gtk-driver"] },
  // WebKit's browser has no mode without a screen.
  screen: { names: ["Xvfb"], packages: ["xvfb"] },
};

const findProgram = (names) =>
  names
    .flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path));

/** The path of Firefox; undefined when there is none. */
export const findFirefox = () => process.env.FIREFOX || findProgram(PROGRAMS.firefox.names);

/** The paths of WebKit's driver and of a screen for it; undefined when one of them is missing. */
export function findWebKit() {
  const driver = findProgram(PROGRAMS.webkit.names);
  const screen = findProgram(PROGRAMS.screen.names);
  return driver && screen ? { driver, screen } : undefined;
}

/** Installs missing browsers. Throws when one is still missing. */
function ensureEngines() {
  if (!findFirefox()) PROGRAMS.firefox.packages.some(installPackage);
  if (!findWebKit())
    for (const { packages } of [PROGRAMS.webkit, PROGRAMS.screen]) packages.some(installPackage);
  const firefox = findFirefox();
  const webkit = findWebKit();
  if (firefox && webkit) return { firefox, webkit: webkit.driver };
  throw new Error(
    `No ${firefox ? "WebKit" : "Firefox"} for the tests. Install the packages firefox-esr, webkit2gtk-driver and xvfb ` +
      "(for another Firefox, set FIREFOX to its path).",
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    for (const [name, path] of Object.entries(ensureEngines())) console.log(`— ${name}: ${path}`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

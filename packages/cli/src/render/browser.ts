/**
 * A headless browser.
 *
 * @module
 */
import { createRequire } from "node:module";
import type { Browser } from "playwright-core";
import { CHROMIUM_ARGS, findChromium, sandboxArgs } from "../browser/chromium.mjs";
import { CliError } from "../exit.js";

/**
 * Starts the Chromium of this machine.
 *
 * @throws {CliError} `no-chromium`, `browser-failed`
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = find();
  // Not with `import`: Node would first parse all three megabytes for their export names.
  const { chromium }: typeof import("playwright-core") = createRequire(import.meta.url)("playwright-core");
  try {
    return await chromium.launch({
      executablePath,
      // Apps may use WebGL, but there is no graphics card.
      args: [...CHROMIUM_ARGS, ...sandboxArgs(), "--enable-unsafe-swiftshader"],
      // The command ends it after everything else.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (cause) {
    const [first = ""] = String(Object(cause).message).split("\n");
    throw new CliError("browser-failed", `${executablePath} does not start: ${first}`, { cause });
  }
}

function find(): string {
  let found: string | undefined;
  try {
    found = findChromium();
  } catch (cause) {
    throw new CliError("no-chromium", String(Object(cause).message), { cause });
  }
  if (found === undefined)
    throw new CliError("no-chromium", "there is no Chromium or Chrome on this machine");
  return found;
}

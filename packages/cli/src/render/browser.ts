/**
 * A browser without a screen.
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
  // Not by `import`: Node would first read all of its three megabytes for the names that they export.
  const { chromium }: typeof import("playwright-core") = createRequire(import.meta.url)("playwright-core");
  try {
    return await chromium.launch({
      executablePath,
      // Apps may draw with WebGL, and there is no graphics card.
      args: [...CHROMIUM_ARGS, ...sandboxArgs(), "--enable-unsafe-swiftshader"],
      // Who started it ends it, after what else there is to end.
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

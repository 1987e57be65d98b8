/**
 * Opens a page in the user's browser, signed in.
 *
 * @module
 */
import { spawn } from "node:child_process";
import type { RunningGateway } from "@vitrine/gateway";
import type { Surroundings } from "./config-places.js";
import { onPath } from "./program-path.js";
import { type SignInPage, writeSignInPage } from "./sign-in-page.js";

/** A program that opens web pages. */
export interface Opener {
  readonly words: readonly string[];
  /**
   * Whether to pass it a file: its arguments are visible to other users of this system. On Windows they are
   * not.
   */
  readonly opensFiles: boolean;
}

/** The program that opens web pages; undefined without a screen. It runs without a shell. */
export async function browserCommand({
  platform,
  env,
  cwd,
}: Omit<Surroundings, "home">): Promise<Opener | undefined> {
  if (platform === "darwin") return { words: ["open"], opensFiles: true };
  if (platform === "win32") return { words: ["rundll32", "url.dll,FileProtocolHandler"], opensFiles: false };
  // A Windows browser, which sees local files under other paths.
  if (env["WSL_DISTRO_NAME"] && (await onPath("wslview", { env, cwd })))
    return { words: ["wslview"], opensFiles: false };
  if ((env["DISPLAY"] || env["WAYLAND_DISPLAY"]) && (await onPath("xdg-open", { env, cwd })))
    return { words: ["xdg-open"], opensFiles: true };
  return undefined;
}

/**
 * Opens the gateway's page, signed in. Resolves to whether a program was started. The result is unknown, so
 * the user still needs a separate link.
 */
export async function openBrowser(
  gateway: Pick<RunningGateway, "loginUrl">,
  at: Surroundings,
): Promise<boolean> {
  const opener = await browserCommand(at);
  if (!opener) return false;
  if (!opener.opensFiles) return run([...opener.words, gateway.loginUrl()]);
  let page: SignInPage | undefined;
  const link = gateway.loginUrl(undefined, { arrival: true, onused: () => page?.remove() });
  try {
    page = writeSignInPage(link, at);
  } catch {
    // The page could not be written. The printed link still works.
    return false;
  }
  const isAsked = await run([...opener.words, page.file]);
  if (!isAsked) page.remove();
  return isAsked;
}

function run([program = "", ...args]: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

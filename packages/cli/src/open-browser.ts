/**
 * Opens a page in the person's browser, and signs it in.
 *
 * @module
 */
import { spawn } from "node:child_process";
import type { Gateway } from "@vitrine/gateway";
import type { Surroundings } from "./config-places.js";
import { onPath } from "./program-path.js";
import { type SignInPage, writeSignInPage } from "./sign-in-page.js";

/** A program that opens pages. */
export interface Opener {
  readonly words: readonly string[];
  /** It opens files of this system, and others on this system see its arguments. Windows shows them to nobody else. */
  readonly opensFiles: boolean;
}

/** The program that opens pages; undefined where there is no screen. No shell sees the address. */
export async function browserCommand({
  platform,
  env,
  cwd,
}: Omit<Surroundings, "home">): Promise<Opener | undefined> {
  if (platform === "darwin") return { words: ["open"], opensFiles: true };
  if (platform === "win32") return { words: ["rundll32", "url.dll,FileProtocolHandler"], opensFiles: false };
  // The browser is one of Windows, and sees files here by other names.
  if (env["WSL_DISTRO_NAME"] && (await onPath("wslview", { env, cwd })))
    return { words: ["wslview"], opensFiles: false };
  if ((env["DISPLAY"] || env["WAYLAND_DISPLAY"]) && (await onPath("xdg-open", { env, cwd })))
    return { words: ["xdg-open"], opensFiles: true };
  return undefined;
}

/**
 * Opens the gateway's page, signed in; returns whether somebody was asked to. Whether they did cannot be known: the person
 * needs another link to see.
 */
export async function openBrowser(gateway: Pick<Gateway, "loginUrl">, at: Surroundings): Promise<boolean> {
  const opener = await browserCommand(at);
  if (!opener) return false;
  if (!opener.opensFiles) return run([...opener.words, gateway.loginUrl()]);
  let page: SignInPage | undefined;
  const link = gateway.loginUrl(undefined, { arrival: true, onused: () => page?.remove() });
  try {
    page = writeSignInPage(link, at);
  } catch {
    // No place to write to. The link that was printed is as good.
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

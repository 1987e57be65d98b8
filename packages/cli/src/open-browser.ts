/**
 * Opens a page in the person's browser.
 *
 * @module
 */
import { spawn } from "node:child_process";
import type { Surroundings } from "./config-places.js";
import { onPath } from "./program-path.js";

/** The program that opens addresses; undefined where there is no screen. No shell sees the address. */
export async function browserCommand({
  platform,
  env,
  cwd,
}: Omit<Surroundings, "home">): Promise<readonly string[] | undefined> {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const names = [
    ...(env["WSL_DISTRO_NAME"] ? ["wslview"] : []),
    ...(env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : []),
  ];
  for (const name of names) if (await onPath(name, { env, cwd })) return [name];
  return undefined;
}

/** Opens an address; returns whether somebody was asked to. Whether they did cannot be known. */
export async function openBrowser(url: string, at: Surroundings): Promise<boolean> {
  const [program, ...args] = (await browserCommand(at)) ?? [];
  if (program === undefined) return false;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

/**
 * A page in a file that leads to the sign-in link. Programs that open browsers get its path: an argument is in the list of
 * processes, which everybody on the machine can read, and the link would sign them in.
 *
 * @module
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Surroundings } from "./config-places.js";

/** A page that was written. */
export interface SignInPage {
  readonly file: string;
  /** Takes it away, and never throws; it goes after a minute, as its link does, and with the process in any case. */
  remove(): void;
}

/** Milliseconds for which the link is good. */
const LIFETIME = 60_000;

/**
 * Folders that the person's browser can read, the best first. Browsers of Snap have a `/tmp` of their own, and see nothing
 * hidden: for them it is the home folder itself. Those of Flatpak are handed the one file, wherever it is.
 */
function roomsFor({ home, env, platform }: Surroundings): string[] {
  if (platform !== "linux") return [tmpdir()];
  return [
    ...(existsSync(join(home, "snap")) ? [home] : []),
    ...(env["XDG_RUNTIME_DIR"] ? [env["XDG_RUNTIME_DIR"]] : []),
    env["XDG_CACHE_HOME"] || join(home, ".cache"),
  ];
}

/** A new folder for this person alone, in the first place that has room for it. */
function makeFolder([room = "", ...others]: readonly string[]): string {
  try {
    // The last one is the person's cache, which may not be there yet.
    if (others.length === 0) mkdirSync(room, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(room, "vitrine-sign-in-"));
  } catch (error) {
    if (others.length === 0) throw error;
    return makeFolder(others);
  }
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/**
 * Writes the page, for this person alone.
 *
 * @throws {Error} of the system, if there is no place for it
 */
export function writeSignInPage(link: string, at: Surroundings): SignInPage {
  const folder = makeFolder(roomsFor(at));
  const remove = (): void => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Its link is used or ends soon: a file that stays behind opens nothing.
      return;
    }
    clearTimeout(timer);
    process.off("exit", remove);
  };
  const timer = setTimeout(remove, LIFETIME).unref();
  process.once("exit", remove);
  const file = join(folder, "sign-in.html");
  const url = escapeHtml(link);
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Vitrine</title>
<p><a href="${url}">Open Vitrine</a></p>
`;
  try {
    writeFileSync(file, page, { mode: 0o600, flag: "wx" });
  } catch (error) {
    remove();
    throw error;
  }
  return { file, remove };
}

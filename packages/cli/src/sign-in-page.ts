/**
 * A local page that redirects to the sign-in link. Programs that open browsers get its path, because
 * arguments are visible in the process list, and anyone who reads the link could sign in.
 *
 * @module
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Surroundings } from "./config-places.js";

/** A written page. */
export interface SignInPage {
  readonly file: string;
  /** Deletes it; never throws. It is deleted after a minute, when its link expires, and at exit. */
  remove(): void;
}

/** Lifetime of the link in milliseconds. */
const LIFETIME = 60_000;

/**
 * Folders that the user's browser can read, best first. Snap browsers have their own `/tmp` and see no hidden
 * files, so they need the home folder. Flatpak browsers get access to the one file, wherever it is.
 */
function roomsFor({ home, env, platform }: Surroundings): string[] {
  if (platform !== "linux") return [tmpdir()];
  return [
    ...(existsSync(join(home, "snap")) ? [home] : []),
    ...(env["XDG_RUNTIME_DIR"] ? [env["XDG_RUNTIME_DIR"]] : []),
    env["XDG_CACHE_HOME"] || join(home, ".cache"),
  ];
}

/** Creates a private folder in the first usable location. */
function makeFolder([room = "", ...others]: readonly string[]): string {
  try {
    // The last one is the user's cache folder, which may not exist yet.
    if (others.length === 0) mkdirSync(room, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(room, "vitrine-sign-in-"));
  } catch (error) {
    if (others.length === 0) throw error;
    return makeFolder(others);
  }
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/**
 * Writes the page, readable only by this user.
 *
 * @throws {Error} of the system, if no location is writable
 */
export function writeSignInPage(link: string, at: Surroundings): SignInPage {
  const folder = makeFolder(roomsFor(at));
  const remove = (): void => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // A leftover file is harmless: its link is used up or expires soon.
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

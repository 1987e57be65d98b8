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
  /** Takes it away; it goes with the process in any case. */
  remove(): void;
}

/**
 * A folder that the person's browser can read. Browsers of Snap have a `/tmp` of their own, and see nothing hidden: for
 * them it is the home folder itself. Those of Flatpak are handed the one file, wherever it is.
 */
function roomFor({ home, env, platform }: Surroundings): string {
  if (platform !== "linux") return tmpdir();
  if (existsSync(join(home, "snap"))) return home;
  if (env["XDG_RUNTIME_DIR"]) return env["XDG_RUNTIME_DIR"];
  const cache = env["XDG_CACHE_HOME"] || join(home, ".cache");
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  return cache;
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/**
 * Writes the page, for this person alone.
 *
 * @throws {Error} of the system, if there is no place for it
 */
export function writeSignInPage(link: string, at: Surroundings): SignInPage {
  const folder = mkdtempSync(join(roomFor(at), "vitrine-sign-in-"));
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(folder, { recursive: true, force: true });
  };
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

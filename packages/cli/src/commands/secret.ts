/**
 * `vitrine secret`: keeps what does not belong into a settings file.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { readDataFolder, secretCommand } from "@vitrine/gateway";
import { approvalOf } from "../config.js";
import { configPlaces, firstFile, type Surroundings, surroundings } from "../config-places.js";
import { usage } from "../exit.js";
import type { Terminal } from "../terminal.js";
import { FileTrust, valuesOf } from "../trust/file-trust.js";

/** Options of {@link secret}. */
export interface SecretOptions {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
}

/** Keeps or deletes a secret where `vitrine` looks for it; resolves with the exit code. */
export async function secret(
  what: string,
  name: string,
  options: SecretOptions,
  terminal: Terminal,
): Promise<number> {
  if (what !== "set" && what !== "delete")
    throw usage(`secret: ${JSON.stringify(what)} is neither set nor delete`);
  const isSaid = options.config !== undefined || options.data !== undefined;
  return secretCommand([what, name], isSaid ? options : await foundPlace(surroundings(), terminal));
}

/**
 * Where secrets are kept, if the command line does not say it. A file that came with the folder could have them kept where others read
 * them: its approved text is used, whatever is in the file by then.
 */
async function foundPlace(at: Surroundings, terminal: Terminal): Promise<SecretOptions> {
  const file = firstFile(configPlaces(at));
  if (file === undefined) return {};
  const approve = approvalOf(file, at, new FileTrust({ terminal, at }));
  if (!approve) return { config: file };
  const text = await readFile(file, "utf8");
  if (valuesOf(file, text)["dataFolder"] === undefined) return {};
  return { data: await readDataFolder(text, { file, approve }) };
}

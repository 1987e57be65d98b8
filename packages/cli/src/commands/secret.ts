/**
 * `vitrine secret`: stores values that do not belong in a settings file.
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
  readonly join?: string | undefined;
}

/** Stores or deletes a secret, or replaces the master key of nodes. Resolves to the exit code. */
export async function secret(
  what: string,
  name: string | undefined,
  options: SecretOptions,
  terminal: Terminal,
): Promise<number> {
  if (what !== "set" && what !== "delete" && what !== "rotate")
    throw usage(`secret: unknown action ${JSON.stringify(what)}: use set, delete or rotate`);
  if (what !== "rotate" && name === undefined) throw usage(`secret ${what}: name the secret`);
  const { config, data, join } = options;
  const isSaid = config !== undefined || data !== undefined || join !== undefined;
  const words = name === undefined ? [what] : [what, name];
  return secretCommand(words, isSaid ? options : await foundPlace(surroundings(), terminal));
}

/**
 * Where secrets are stored by default. A file that came with a folder could redirect them to where others
 * read them, so its approved text is used, not its current contents.
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

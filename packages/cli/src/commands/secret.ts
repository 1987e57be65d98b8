/**
 * `vitrine secret`: keeps what does not belong into a settings file.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { secretCommand } from "@vitrine/gateway";
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
  const config = options.config ?? (await foundFile(surroundings(), options, terminal));
  return secretCommand([what, name], { config, data: options.data });
}

/** The file that says where secrets are kept. One that came with the folder could have them kept where others read them. */
async function foundFile(
  at: Surroundings,
  { data }: SecretOptions,
  terminal: Terminal,
): Promise<string | undefined> {
  const file = data === undefined ? firstFile(configPlaces(at)) : undefined;
  const approve = file === undefined ? undefined : approvalOf(file, at, new FileTrust({ terminal, at }));
  if (file === undefined || !approve) return file;
  const text = await readFile(file, "utf8");
  if (valuesOf(file, text)["dataFolder"] === undefined) return undefined;
  await approve(text);
  return file;
}

/**
 * `vitrine secret`: keeps what does not belong into a settings file.
 *
 * @module
 */
import { secretCommand } from "@vitrine/gateway";
import { configPlaces, firstFile, surroundings } from "../config-places.js";
import { usage } from "../exit.js";

/** Options of {@link secret}. */
export interface SecretOptions {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
}

/** Keeps or deletes a secret where `vitrine` looks for it; resolves with the exit code. */
export function secret(what: string, name: string, { config, data }: SecretOptions): Promise<number> {
  if (what !== "set" && what !== "delete")
    throw usage(`secret: ${JSON.stringify(what)} is neither set nor delete`);
  return secretCommand([what, name], { config: config ?? firstFile(configPlaces(surroundings())), data });
}

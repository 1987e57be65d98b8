/**
 * Names of entries.
 *
 * @module
 */
import { createHash, randomInt } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Nine letters and digits: some models take nothing else as the name of a call. */
export const newItemId = (): string =>
  Array.from({ length: 9 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");

/** The name of the entry that somebody asked for under a key of their own: the same for the same. */
export const itemIdOf = (user: string, key: string): string =>
  Array.from(
    createHash("sha256")
      .update(JSON.stringify([user, key]))
      .digest()
      .subarray(0, 9),
    (byte) => LETTERS.charAt(byte % LETTERS.length),
  ).join("");

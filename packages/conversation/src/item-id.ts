/**
 * Ids of entries.
 *
 * @module
 */
import { createHash, randomInt } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Creates an id of nine letters and digits: some models accept no other ids for calls. */
export const newItemId = (): string =>
  Array.from({ length: 9 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");

/** Derives the id of an entry from a user's own key. */
export const itemIdOf = (user: string, key: string): string =>
  Array.from(
    createHash("sha256")
      .update(JSON.stringify([user, key]))
      .digest()
      .subarray(0, 9),
    (byte) => LETTERS.charAt(byte % LETTERS.length),
  ).join("");

/**
 * Ids of entries.
 *
 * @module
 */
import { createHash, randomInt } from "node:crypto";
import { GatewayError } from "@vitrine/wire";

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

/** The error for an id that no entry has. */
export const unknownItem = (id: string): GatewayError =>
  new GatewayError(
    "item-unknown",
    `there is no entry ${JSON.stringify(id.slice(0, 50))}: open the conversation again`,
  );

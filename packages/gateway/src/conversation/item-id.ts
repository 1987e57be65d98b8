/**
 * Names of entries.
 *
 * @module
 */
import { randomInt } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Nine letters and digits: some models take nothing else as the name of a call. */
export const newItemId = (): string =>
  Array.from({ length: 9 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");

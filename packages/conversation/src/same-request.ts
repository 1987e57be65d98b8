/**
 * Compares a repeated request with the entry of its key. Parts that are not stored cannot be compared, and
 * count as equal.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { type ContentBlock, isRecord } from "@vitrine/protocol";
import type { CallItem, UserItem } from "@vitrine/wire";
import { storedItem } from "./stored-item.js";

/** Compares the stored parts of both: only the beginning of a long message. */
export const isSameMessage = (said: UserItem, content: readonly ContentBlock[]): boolean =>
  isDeepStrictEqual(storedItem({ ...said, content: [...content] }, undefined), storedItem(said, undefined));

/** Compares tool and arguments, except for secrets, which are not stored. */
export const isSameCall = (
  made: CallItem,
  { server, tool, input }: Pick<CallItem, "server" | "tool" | "input">,
): boolean =>
  made.server === server &&
  made.tool === tool &&
  (made.isInputCut ? isWithin(made.input ?? {}, input) : isDeepStrictEqual(made.input, input));

/** Whether a value contains everything that was stored. */
function isWithin(kept: unknown, whole: unknown): boolean {
  if (Array.isArray(kept) && Array.isArray(whole))
    return kept.length !== whole.length || kept.every((each, index) => isWithin(each, whole[index]));
  if (isRecord(kept) && isRecord(whole))
    return Object.entries(kept).every(([name, each]) => isWithin(each, whole[name]));
  return isDeepStrictEqual(kept, whole);
}

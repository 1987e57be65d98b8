/**
 * Whether a request under a known key is the one that an entry was made for. What is not kept of an entry cannot be
 * compared, and counts as the same.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { type ContentBlock, isRecord } from "@vitrine/protocol";
import type { CallItem, UserItem } from "@vitrine/wire";
import { storedItem } from "./stored-item.js";

/** Compares what is kept of both: of a long message that is only its beginning. */
export const isSameMessage = (said: UserItem, content: readonly ContentBlock[]): boolean =>
  isDeepStrictEqual(storedItem({ ...said, content: [...content] }, undefined), storedItem(said, undefined));

/** Compares tool and arguments, but for secrets among them, which are not kept. */
export const isSameCall = (
  made: CallItem,
  { server, tool, input }: Pick<CallItem, "server" | "tool" | "input">,
): boolean =>
  made.server === server &&
  made.tool === tool &&
  (made.isInputCut ? isWithin(made.input ?? {}, input) : isDeepStrictEqual(made.input, input));

/** Whether all that was kept of a value is in another one. */
function isWithin(kept: unknown, whole: unknown): boolean {
  if (Array.isArray(kept) && Array.isArray(whole))
    return kept.length !== whole.length || kept.every((each, index) => isWithin(each, whole[index]));
  if (isRecord(kept) && isRecord(whole))
    return Object.entries(kept).every(([name, each]) => isWithin(each, whole[name]));
  return isDeepStrictEqual(kept, whole);
}

/**
 * Makes the state of a conversation fit into a message to a page.
 *
 * @module
 */
import type { ConversationState } from "@vitrine/wire";
import { isLargerThan, jsonSize } from "./message-size.js";

/** A conversation that fits into one message. The largest results are left out, and marked with `isResultLost`. */
export function fitting(state: ConversationState, limit: number): ConversationState {
  if (!isLargerThan(limit, state)) return state;
  const { items } = state;
  const bySize = items
    .map((item, at) => ({ item, at, size: jsonSize(item, limit) }))
    .sort((a, b) => b.size - a.size);
  let size = bySize.reduce((sum, each) => sum + each.size + 1, jsonSize({ ...state, items: [] }, limit));
  for (const { item, at, size: before } of bySize) {
    if (size <= limit) break;
    if (item.kind !== "call" || !item.result) continue;
    const { result: _, ...rest } = item;
    items[at] = { ...rest, isResultLost: true };
    size += jsonSize(items[at], limit) - before;
  }
  return state;
}

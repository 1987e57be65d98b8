/**
 * Copies entries for another conversation.
 *
 * @module
 */
import type { ConversationItem } from "@vitrine/wire";
import { newItemId, unknownItem } from "./item-id.js";
import type { ShownItem } from "./journal.js";

/**
 * Copies of the entries up to one, with the calls of an answer. They have new ids, no versions, and nothing of
 * them is running.
 *
 * @throws {GatewayError} `item-unknown`
 */
export function copiedItems(items: readonly ShownItem[], until: string): ConversationItem[] {
  const at = items.findIndex(({ id }) => id === until);
  if (at < 0) throw unknownItem(until);
  const taken = items.slice(0, at + 1);
  for (const item of items.slice(at + 1)) {
    if (item.kind !== "call" || item.turn !== until) break;
    taken.push(item);
  }
  const ids = new Map(taken.map(({ id }) => [id, newItemId()]));
  const idOf = (id: string): string => ids.get(id) ?? newItemId();
  return taken.map((item): ConversationItem => {
    const { inVersion: _, ...own } = structuredClone(item);
    const copy = { ...own, id: idOf(item.id) };
    switch (copy.kind) {
      case "user":
        return {
          ...copy,
          isQueued: undefined,
          ...(copy.from && { from: { ...copy.from, item: idOf(copy.from.item) } }),
        };
      case "model":
        return {
          ...copy,
          ...(copy.answers !== undefined && { answers: idOf(copy.answers) }),
          ...(copy.state === "streaming" && { state: "stopped" as const }),
        };
      case "call": {
        const isOver = copy.state !== "writing" && copy.state !== "running";
        return {
          ...copy,
          ...(copy.turn !== undefined && { turn: idOf(copy.turn) }),
          ...(copy.app && { app: { ...copy.app, item: idOf(copy.app.item) } }),
          ...(!isOver && { state: "cancelled" as const, problem: "It was running when it was copied." }),
          // The key of the page's request belongs to the original.
          ...(copy.page && { page: { ...copy.page, key: undefined } }),
        };
      }
      default:
        return copy;
    }
  });
}

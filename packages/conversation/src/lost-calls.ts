/**
 * Resolves entries that were still running when the gateway ended.
 *
 * @module
 */
import { type CallItem, type ConversationItem, MAY_HAVE_RUN } from "@vitrine/wire";
import type { RecalledCall, ToolPort } from "./ports.js";

const NOT_MADE = "the gateway stopped before the call was made: it did not run. Call it again if needed";
const UNKNOWN = `the gateway stopped before the answer came; ${MAY_HAVE_RUN}. Check before you call it again`;
const FAILED = "the call failed; the reason was lost when the gateway stopped";
const RESULT_LOST = "The call ran. Its result was lost when the gateway stopped.";

/** A unique key for a call of a conversation. */
export const callKey = (conversation: string, item: string): string => `${conversation}.${item}`;

const isRunning = (item: ConversationItem): item is CallItem =>
  item.kind === "call" && item.state === "running";

/** The outcomes of calls that were running, as far as the audit log and the stored results show. */
export async function recallCalls(
  tools: ToolPort,
  user: string,
  { id, items }: { readonly id: string; readonly items: readonly ConversationItem[] },
): Promise<Map<string, RecalledCall>> {
  // Calls of apps' tools have no key, so their outcome is unknown.
  const lost = items.filter(isRunning).filter(({ app }) => !app);
  const found = await Promise.all(
    lost.map(async (item) => [item.id, await tools.recall(user, callKey(id, item.id), item.at)] as const),
  );
  return new Map(found);
}

/** Ends entries that were running when the gateway ended. Returns the changed entries. */
export function endUnderWay(
  items: readonly ConversationItem[],
  now: number,
  recalled: ReadonlyMap<string, RecalledCall> = new Map(),
): ConversationItem[] {
  return items.filter((item) => {
    if (item.kind === "model" && item.state === "streaming") item.state = "stopped";
    else if (item.kind === "user" && item.isQueued) delete item.isQueued;
    else if (item.kind === "call" && (item.state === "writing" || item.state === "running")) {
      const end = item.state === "writing" ? ({ outcome: "cancelled" } as const) : recalled.get(item.id);
      Object.assign(item, endOf(end), { endedAt: now });
      delete item.inputText;
      delete item.progress;
    } else return false;
    return true;
  });
}

function endOf({ outcome, result }: RecalledCall = { outcome: "indeterminate" }): Partial<CallItem> {
  if (result) return { state: result.isError === true ? "failed" : "done", result };
  if (outcome === "ok") return { state: "done", result: { content: [{ type: "text", text: RESULT_LOST }] } };
  if (outcome === "failed") return { state: "failed", problem: FAILED };
  if (outcome === "cancelled") return { state: "failed", problem: NOT_MADE };
  return { state: "failed", problem: UNKNOWN, isIndeterminate: true };
}

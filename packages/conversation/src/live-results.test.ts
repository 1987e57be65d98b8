/** Limits of results that are too large for the store, and therefore in memory only. */

import type { Conversation } from "@vitrine/conversation";
import type { CallToolResult } from "@vitrine/protocol";
import { afterEach, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  Follower,
  hearing,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { callTool, say } from "../../../testing/model/scripted-model.js";

let stage: ConversationStage | undefined;
afterEach(async () => stage?.close());

/** A result of at least this many characters. */
const large = (size: number): CallToolResult => text("x".repeat(size));
const tools = {
  dump: { hasApp: true, work: ({ size }: Record<string, unknown>) => large(Number(size)) },
};

async function dump(conversation: Conversation, size: number): Promise<string> {
  const id = await conversation.call("weather", "dump", { size });
  await expect.poll(() => conversation.isRunning, { interval: 5 }).toBe(false);
  return id;
}
/** For each call, whether its result is lost. */
const lost = (conversation: Conversation): boolean[] =>
  conversation
    .state()
    .items.flatMap((item) => (item.kind === "call" ? [!item.result && item.isResultLost === true] : []));

it("large results are held up to a limit: the oldest are dropped with a note, and stored ones stay", async () => {
  stage = await conversationStage([], { tools, limits: { live: 5_000_000 } });
  const conversation = await stage.conversations.open("ana");
  const page = new Follower(conversation);
  const small = await dump(conversation, 500_000);
  const first = await dump(conversation, 2_000_000);
  const view = hearing();
  const letGo: string[] = [];
  conversation.shown(first, { ...view, dropped: (reason) => letGo.push(reason) });
  expect(view.heard.map(([kind]) => kind)).toEqual(["input", "result"]);
  await dump(conversation, 2_000_000);
  expect(lost(conversation)).toEqual([false, false, false]);
  await dump(conversation, 2_000_000);
  expect(lost(conversation)).toEqual([false, true, false, false]);
  // The gateway has released it, and so has the view of the call.
  expect(conversation.find(first)).toMatchObject({ state: "done", isResultLost: true, result: undefined });
  expect(letGo).toEqual(["its result was too large to be stored"]);
  expect(page.notes).toMatchObject([{ level: "info", code: "results-dropped" }]);
  // Only one note: each entry also shows it.
  await dump(conversation, 4_000_000);
  expect(lost(conversation)).toEqual([false, true, true, true, false]);
  expect(page.notes.filter(({ code }) => code === "results-dropped")).toHaveLength(1);
  // A listener that is added now learns that there is no result.
  const later = hearing();
  conversation.shown(first, later);
  expect(later.heard.at(-1)).toEqual(["cancelled", "its result was too large to be stored"]);
  // Stored results are unaffected.
  await conversation.flush();
  const again = await stage.again().open("ana", conversation.id);
  expect(again.find(small)).toMatchObject({ state: "done", result: large(500_000) });
});

it("two results of 50 MB: the newest is held, the model reads its beginning, and the turn continues", async () => {
  stage = await conversationStage(
    [
      callTool("weather__dump", { size: 50_000_000 }),
      callTool("weather__dump", { size: 50_000_001 }),
      say("Large."),
    ],
    { tools },
  );
  const conversation = await stage.conversations.open("ana");
  await conversation.send(words("dump"));
  await expect.poll(() => conversation.isRunning).toBe(false);
  const items = conversation.state().items;
  expect(lost(conversation)).toEqual([true, false]);
  expect(items.filter(({ kind }) => kind === "model").at(-1)).toMatchObject({
    state: "done",
    text: "Large.",
  });
  const [before, last] = (stage.model.requests[2]?.body.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
  // Also the beginning of the one that was dropped.
  expect(before).toMatch(/^x+\n\[49,900,000 more characters were left out\]$/);
  expect(last?.length).toBeLessThan(101_000);
  expect(last).toMatch(/^x+\n\[49,900,001 more characters were left out\]$/);
});

it("a result above the limit is held until the next one arrives", async () => {
  stage = await conversationStage([], { tools, limits: { live: 1_000_000 } });
  const conversation = await stage.conversations.open("ana");
  await dump(conversation, 3_000_000);
  expect(lost(conversation)).toEqual([false]);
  await dump(conversation, 2_000_000);
  expect(lost(conversation)).toEqual([true, false]);
});

it("all conversations share a limit: the oldest results are dropped, whichever user they belong to", async () => {
  stage = await conversationStage([], { tools, limits: { live: 5_000_000, liveOfAll: 7_000_000 } });
  const one = await stage.conversations.open("ana");
  const two = await stage.conversations.open("ben");
  await dump(one, 3_000_000);
  await dump(two, 3_000_000);
  expect(lost(one)).toEqual([false]);
  await dump(two, 1_500_000);
  expect(lost(one)).toEqual([true]);
  expect(lost(two)).toEqual([false, false]);
});

it("a removed entry frees space", async () => {
  stage = await conversationStage([], { tools, limits: { live: 5_000_000 } });
  const conversation = await stage.conversations.open("ana");
  await dump(conversation, 2_000_000);
  const second = await dump(conversation, 2_000_000);
  await conversation.remove(second);
  await dump(conversation, 2_000_000);
  expect(lost(conversation)).toEqual([false, false]);
});

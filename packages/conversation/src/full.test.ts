/** A full conversation: the current turn ends with a note, and the model is asked nothing more. */

import type { Conversation } from "@vitrine/conversation";
import { type CallItem, CONVERSATION_LIMITS, type ConversationItem, type NoteItem } from "@vitrine/wire";
import { afterEach, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { callTool, say } from "../../../testing/model/scripted-model.js";

let stage: ConversationStage | undefined;
afterEach(async () => stage?.close());

const done = (conversation: Conversation): Promise<void> =>
  expect.poll(() => conversation.isRunning, { interval: 5 }).toBe(false);
const callsOf = (conversation: Conversation): CallItem[] =>
  conversation.state().items.filter((item) => item.kind === "call");
const fullNotes = (conversation: Conversation): NoteItem[] =>
  conversation
    .state()
    .items.filter((item) => item.kind === "note")
    .filter(({ code }) => code === "conversation-too-large");

/** Creates a stored conversation with the given number and length of entries. */
async function kept({ store }: ConversationStage, count: number, length: number): Promise<string> {
  const id = "long";
  await store.conversations.create("ana", { id, title: "Long", startedAt: 1 });
  const filler = "x".repeat(length);
  const all = Array.from(
    { length: count },
    (_, at): ConversationItem => ({
      kind: "note",
      id: `n${at}`,
      at,
      level: "info",
      code: "old",
      text: filler,
    }),
  );
  for (let from = 0; from < count; from += 1_000)
    await store.conversations.put("ana", id, { items: all.slice(from, from + 1_000) });
  return id;
}

it("with the maximum number of entries, a turn ends before the next request to the model, with a note", async () => {
  const scripts = Array.from({ length: 9 }, (_, at) => callTool("weather__forecast", { city: `City ${at}` }));
  stage = await conversationStage(scripts, { tools: { forecast: { work: () => text("sunny") } } });
  const id = await kept(stage, 8_996, 1);
  const conversation = await stage.conversations.open("ana", id);
  // Each round adds two entries: the model's text, and its call.
  await conversation.send(words("hello"));
  await done(conversation);
  expect(stage.model.requests).toHaveLength(2);
  expect(callsOf(conversation).map(({ state }) => state)).toEqual(["done", "done"]);
  expect(fullNotes(conversation)).toMatchObject([{ level: "warning" }]);
  expect(fullNotes(conversation)[0]?.text).toMatch(/maximum number of entries.*start a new one/);
  await expect(conversation.send(words("more"))).rejects.toMatchObject({
    data: { code: "conversation-too-large" },
  });
  // Removing entries makes space.
  for (const gone of ["n1", "n2", "n3", "n4", "n5", "n6"]) await conversation.remove(gone);
  stage.model.add(say("Here I am."));
  await conversation.send(words("and now?"));
  await expect.poll(() => (stage?.model.requests.length ?? 0) > 2).toBe(true);
});

it("with the maximum number of bytes, a turn ends before the next request to the model, with a note", async () => {
  const large = "y".repeat(800_000);
  const scripts = Array.from({ length: 9 }, (_, at) => callTool("weather__forecast", { city: `City ${at}` }));
  stage = await conversationStage(scripts, { tools: { forecast: { work: () => text(large) } } });
  const entry = 640_000;
  const id = await kept(stage, Math.floor((CONVERSATION_LIMITS.size - 1_000_000) / (entry + 100)), entry);
  const conversation = await stage.conversations.open("ana", id);
  await conversation.send(words("hello"));
  await done(conversation);
  const asked = stage.model.requests.length;
  expect(asked).toBeLessThanOrEqual(2);
  expect(callsOf(conversation)).toHaveLength(asked);
  expect(fullNotes(conversation)).toHaveLength(1);
  expect(fullNotes(conversation)[0]?.text).toMatch(/64,000,000 bytes at most/);
});

it("queued messages are not answered then, with a single note", async () => {
  let go = (): void => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow = {
    work: async () => {
      await held;
      return text("done");
    },
  };
  stage = await conversationStage([callTool("weather__slow", {})], { tools: { slow } });
  const id = await kept(stage, 8_990, 1);
  const conversation = await stage.conversations.open("ana", id);
  await conversation.send(words("hello"));
  await expect.poll(() => callsOf(conversation).length).toBe(1);
  for (let at = 0; conversation.state().items.length < 9_000; at++)
    await conversation.send(words(`and ${at}`));
  go();
  await done(conversation);
  expect(stage.model.requests).toHaveLength(1);
  expect(fullNotes(conversation)).toHaveLength(1);
});

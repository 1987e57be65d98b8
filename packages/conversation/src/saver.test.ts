/** Changes during a write: none of them is lost. */

import type { Conversation } from "@vitrine/conversation";
import type { AppContext } from "@vitrine/wire";
import { afterEach, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  text,
} from "../../../testing/gateway/conversation-stage.js";
import { openStore } from "../../gateway/src/store/open.js";
import type { GatewayStore } from "../../gateway/src/store/store.js";
import type { ConversationStore } from "./ports.js";

const stages: ConversationStage[] = [];
const stores: GatewayStore[] = [];
const releases: (() => void)[] = [];
afterEach(async () => {
  // A failed test may have left a pending write, which would keep its conversation open.
  for (const release of releases.splice(0)) release();
  for (const stage of stages.splice(0)) await stage.close();
  for (const store of stores.splice(0)) await store.close();
});

/** A store whose writes wait until they are released, or fail. */
async function heldStore() {
  const real = await openStore("sqlite::memory:");
  stores.push(real);
  const { conversations } = real;
  const state = { isHeld: false, fails: 0, waiting: [] as (() => void)[] };
  const store: ConversationStore = {
    create: (...args) => conversations.create(...args),
    get: (...args) => conversations.get(...args),
    list: (...args) => conversations.list(...args),
    delete: (...args) => conversations.delete(...args),
    prune: (...args) => conversations.prune(...args),
    put: async (...args) => {
      if (state.isHeld) await new Promise<void>((resolve) => state.waiting.push(resolve));
      if (state.fails-- > 0) throw new Error("the disk is full");
      await conversations.put(...args);
    },
  };
  const go = (): void => {
    state.isHeld = false;
    for (const each of state.waiting.splice(0)) each();
  };
  releases.push(go);
  return { store, state, go, contexts: async (id: string) => (await conversations.get("ana", id))?.contexts };
}

async function setUp({ isShared = false } = {}) {
  const held = await heldStore();
  const stage = await conversationStage([], {
    store: held.store,
    isShared,
    tools: { show: { hasApp: true, work: () => text("shown") } },
  });
  stages.push(stage);
  const conversation = await stage.conversations.open("ana");
  const item = await conversation.call("weather", "show");
  await expect.poll(() => conversation.isRunning).toBe(false);
  await conversation.flush();
  const app = { item, server: "weather", title: "Map" };
  const say = (words: string): void =>
    conversation.setContext("v1", app, { content: [{ type: "text", text: words }] });
  return { ...held, stage, conversation, say };
}
const wordsOf = (contexts: readonly AppContext[] | undefined): unknown =>
  contexts?.map(({ content }) => content?.map((block) => (block.type === "text" ? block.text : "")).join());
const writing = ({ waiting }: { waiting: unknown[] }): Promise<void> =>
  expect.poll(() => waiting.length).toBe(1);

it("a context that changes during its write is written again", async () => {
  const { state, go, contexts, conversation, say } = await setUp();
  say("one");
  state.isHeld = true;
  const first = conversation.flush();
  await writing(state);
  say("two");
  go();
  await first;
  await expect.poll(async () => wordsOf(await contexts(conversation.id))).toEqual(["two"]);
});

it("a context whose write failed is written with later changes", async () => {
  const { state, go, contexts, conversation, say } = await setUp();
  say("one");
  Object.assign(state, { isHeld: true, fails: 1 });
  const first = conversation.flush();
  await writing(state);
  say("two");
  go();
  await first;
  await conversation.flush();
  expect(wordsOf(await contexts(conversation.id))).toEqual(["two"]);
});

it("changes while a conversation is being closed are written or rejected, and none is lost silently", async () => {
  const { state, go, contexts, conversation, say } = await setUp();
  say("one");
  state.isHeld = true;
  const closing = conversation.close();
  await writing(state);
  let said = "two";
  try {
    say(said);
  } catch (error) {
    expect(error).toMatchObject({ data: { code: "stopping" } });
    said = "one";
  }
  // The page that shows it is closed.
  conversation.note("info", "last", "The last word.");
  go();
  await closing;
  expect(wordsOf(await contexts(conversation.id))).toEqual([said]);
  const again = await againOf(conversation);
  expect(again?.items.at(-1)).toMatchObject({ code: "last" });
  expect(() => say("three")).toThrow(/closed/);
});

const againOf = async ({ id }: Conversation) => stores.at(-1)?.conversations.get("ana", id);

it("a conversation that is being written is not idle: a failure is not forgotten", async () => {
  const { state, go, conversation, say } = await setUp();
  say("one");
  expect(conversation.isIdle).toBe(false);
  Object.assign(state, { isHeld: true, fails: 1 });
  const writes = conversation.flush();
  await writing(state);
  expect(conversation.isIdle).toBe(false);
  go();
  await writes;
  expect(conversation.isIdle).toBe(false);
  // The note that it was not stored disappears, too.
  await conversation.flush();
  await conversation.flush();
  expect(conversation.isIdle).toBe(true);
});

it("a repeated request is acknowledged when the entry is in the store, like the first one", async () => {
  const { state, go, conversation } = await setUp();
  state.isHeld = true;
  const said = [{ type: "text" as const, text: "once" }];
  let acknowledged = 0;
  const asked = [1, 2].map(async () => {
    const item = await conversation.send(said, undefined, "page.1");
    acknowledged++;
    return item;
  });
  await expect.poll(() => state.waiting.length).toBe(1);
  expect(acknowledged).toBe(0);
  go();
  const [first, second] = await Promise.all(asked);
  expect(second).toBe(first);
  const other = conversation.send([{ type: "text", text: "other" }], undefined, "page.1");
  await expect(other).rejects.toMatchObject({ data: { code: "conflict" } });
});

it("a call is on disk before it runs, and is not made if it cannot be written", async () => {
  const { state, go, conversation, stage } = await setUp();
  const made = stage.called.length;
  state.isHeld = true;
  const item = conversation.call("weather", "show", { n: 1 });
  await expect.poll(() => state.waiting.length).toBe(1);
  expect(stage.called).toHaveLength(made);
  go();
  await item;
  await expect.poll(() => stage.called.length).toBe(made + 1);
  await expect.poll(() => conversation.isRunning).toBe(false);
  await conversation.flush();
  state.fails = 2;
  const lost = await conversation.call("weather", "show", { n: 2 });
  await expect
    .poll(() => conversation.find(lost))
    .toMatchObject({ state: "failed", problem: expect.stringContaining("not made") });
  expect(stage.called).toHaveLength(made + 1);
});

it("in a shared store, an entry is acknowledged when it is stored, however many attempts that takes", async () => {
  const { state, conversation } = await setUp({ isShared: true });
  state.fails = 3;
  const item = await conversation.send([{ type: "text", text: "hello" }]);
  // All of them have failed, and the next attempt has not.
  expect(state.fails).toBe(-1);
  expect((await againOf(conversation))?.items.map(({ id }) => id)).toContain(item);
});

it("in a shared store, an entry is refused if the conversation ends before it is stored", async () => {
  const { state, conversation } = await setUp({ isShared: true });
  state.fails = Number.POSITIVE_INFINITY;
  const sent = conversation.send([{ type: "text", text: "hello" }]);
  await expect
    .poll(() => conversation.state().items)
    .toContainEqual(expect.objectContaining({ code: "conversation-not-kept" }));
  const refused = expect(sent).rejects.toMatchObject({ data: { code: "stopping" } });
  await conversation.close();
  await refused;
  expect((await againOf(conversation))?.items.map(({ kind }) => kind)).toEqual(["call"]);
});

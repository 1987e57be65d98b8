/** Versions of a conversation: edited messages, regenerated answers, and copies. */
import { alternatives, type ConversationItem, shownItems } from "@vitrine/wire";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  gate,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { callTool, say, waitFor } from "../../../testing/model/scripted-model.js";

type Conversation = Awaited<ReturnType<ConversationStage["conversations"]["open"]>>;

const stages: ConversationStage[] = [];
const stageOf: typeof conversationStage = async (...args) => {
  const stage = await conversationStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const quiet = (conversation: Conversation): Promise<void> =>
  expect.poll(() => conversation.isRunning, { interval: 5 }).toBe(false);
const textOf = (item: ConversationItem): string => {
  if (item.kind === "user")
    return item.content.map((each) => (each.type === "text" ? each.text : "")).join("");
  return item.kind === "model" ? item.text : item.kind;
};
const lines = (conversation: Conversation): string[] => shownItems(conversation.state().items).map(textOf);
const idOf = (conversation: Conversation, line: string): string =>
  conversation.state().items.find((item) => textOf(item) === line)?.id ?? "";
const places = (conversation: Conversation) =>
  [...alternatives(conversation.state().items).values()].map(({ versions, shown }) => [
    shown + 1,
    versions.length,
  ]);

async function tell(conversation: Conversation, line: string): Promise<void> {
  await conversation.send(words(line));
  await quiet(conversation);
}

describe("an edited message", () => {
  it("begins a version; the model sees only that one, and the other stays", async () => {
    const stage = await stageOf([say("A1"), say("B1"), say("A2"), say("A3"), say("B2")]);
    const conversation = await stage.conversations.open("ana");
    await tell(conversation, "a");
    await tell(conversation, "b");
    await conversation.edit(idOf(conversation, "a"), words("a changed"));
    await quiet(conversation);
    expect(lines(conversation)).toEqual(["a changed", "A2"]);
    expect(JSON.stringify(stage.model.requests.at(-1)?.body.messages)).not.toMatch(/A1|B1|"a"/);
    expect(places(conversation)).toEqual([[2, 2]]);
    await conversation.edit(idOf(conversation, "a changed"), words("a again"));
    await quiet(conversation);
    expect(places(conversation)).toEqual([[3, 3]]);
    await conversation.showVersion(undefined);
    expect(lines(conversation)).toEqual(["a", "A1", "b", "B1"]);
    expect(places(conversation)).toEqual([[1, 3]]);
    // Within the first version, at a later place.
    await conversation.edit(idOf(conversation, "b"), words("b changed"));
    await quiet(conversation);
    expect(lines(conversation)).toEqual(["a", "A1", "b changed", "B2"]);
    expect(places(conversation)).toEqual([
      [1, 3],
      [2, 2],
    ]);
    expect(JSON.stringify(stage.model.requests.at(-1)?.body.messages)).toMatch(/A1.*b changed/);
  });

  it("is the same after the conversation was dropped from memory", async () => {
    const stage = await stageOf([say("A1"), say("A2")]);
    const conversation = await stage.conversations.open("ana");
    await tell(conversation, "a");
    await conversation.edit(idOf(conversation, "a"), words("a changed"));
    await quiet(conversation);
    await conversation.flush();
    const stored = await stage.store.conversations.get("ana", conversation.id);
    expect(shownItems(stored?.items ?? []).map(textOf)).toEqual(["a changed", "A2"]);
    expect(stored?.items).toHaveLength(5);
  });

  it("waits for what is running, and is only for messages of the user that are shown", async () => {
    const hold = gate();
    const stage = await stageOf([say("A1"), [waitFor(() => hold.opened), say("B1")], say("A2")]);
    const conversation = await stage.conversations.open("ana");
    await tell(conversation, "a");
    await conversation.send(words("b"));
    const edit = conversation.edit(idOf(conversation, "a"), words("x"));
    await expect(edit).rejects.toMatchObject({ data: { code: "overloaded" } });
    await expect(conversation.regenerate(idOf(conversation, "A1"))).rejects.toMatchObject({
      data: { code: "overloaded" },
    });
    await expect(conversation.showVersion(undefined)).rejects.toMatchObject({ data: { code: "overloaded" } });
    hold.open();
    await quiet(conversation);
    await expect(conversation.edit(idOf(conversation, "A1"), words("x"))).rejects.toThrow(
      /message of the user/,
    );
    await expect(conversation.edit(idOf(conversation, "a"), [])).rejects.toThrow(/empty/);
    await expect(conversation.showVersion("nothing")).rejects.toMatchObject({
      data: { code: "item-unknown" },
    });
    expect(lines(conversation)).toEqual(["a", "A1", "b", "B1"]);
  });

  it("with the same key is sent once", async () => {
    const stage = await stageOf([say("A1"), say("A2")]);
    const conversation = await stage.conversations.open("ana");
    await tell(conversation, "a");
    const id = idOf(conversation, "a");
    const first = await conversation.edit(id, words("x"), "key");
    expect(await conversation.edit(id, words("x"), "key")).toBe(first);
    await quiet(conversation);
    expect(places(conversation)).toEqual([[2, 2]]);
  });
});

describe("a regenerated answer", () => {
  it("begins a version after its message", async () => {
    const stage = await stageOf([say("A1"), say("B1"), say("A2")]);
    const conversation = await stage.conversations.open("ana");
    await tell(conversation, "a");
    await tell(conversation, "b");
    await conversation.regenerate(idOf(conversation, "A1"));
    await quiet(conversation);
    expect(lines(conversation)).toEqual(["a", "A2"]);
    expect(stage.model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({ role: "user", content: "a" });
    expect(places(conversation)).toEqual([[2, 2]]);
  });

  it("stays reachable when entries around it are removed", async () => {
    const stage = await stageOf([say("A1"), say("A2")]);
    const conversation = await stage.conversations.open("ana");
    await tell(conversation, "a");
    await conversation.regenerate(idOf(conversation, "A1"));
    await quiet(conversation);
    await conversation.remove(idOf(conversation, "a"));
    expect(lines(conversation)).toEqual(["A2"]);
    await conversation.showVersion(undefined);
    expect(lines(conversation)).toEqual(["A1"]);
    expect(places(conversation)).toEqual([[1, 2]]);
  });
});

describe("a copy", () => {
  it("has the shown entries up to one, with calls and their links, and continues by itself", async () => {
    const stage = await stageOf(
      [callTool("weather__forecast", { city: "Rome" }), say("Sunny."), say("Later."), say("In the copy.")],
      { tools: { forecast: { work: () => text("sunny") } } },
    );
    const conversation = await stage.conversations.open("ana");
    await tell(conversation, "Rome?");
    await tell(conversation, "more");
    const id = await stage.conversations.branch("ana", conversation.id, idOf(conversation, "Sunny."));
    const copy = await stage.conversations.open("ana", id);
    expect(lines(copy)).toEqual(["Rome?", "", "call", "Sunny."]);
    expect(copy.title).toBe(conversation.title);
    const ids = new Set(conversation.state().items.map((item) => item.id));
    const { items } = copy.state();
    expect(items.some((item) => ids.has(item.id))).toBe(false);
    const [user, asked, call] = items;
    expect(asked).toMatchObject({ answers: user?.id });
    expect(call).toMatchObject({ turn: asked?.id, state: "done" });
    await tell(copy, "go on");
    expect(lines(copy)).toHaveLength(6);
    expect(lines(conversation)).toHaveLength(6);
    expect(stage.called).toHaveLength(1);
    await expect(
      stage.conversations.branch("ben", conversation.id, items[0]?.id ?? ""),
    ).rejects.toMatchObject({
      data: { code: "conversation-unknown" },
    });
    await expect(stage.conversations.branch("ana", conversation.id, "nothing")).rejects.toMatchObject({
      data: { code: "item-unknown" },
    });
  });
});

import type { ConversationItem, ModelItem, UserItem } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import {
  callOf,
  refusal,
  StagedGateway,
  StagedPage,
  storageOf,
  viewOf,
} from "../../../../../testing/workbench/conversation-stage.js";
import type { AppModel } from "../app/app-model.js";
import { STRICT } from "../profiles/profile.js";
import { type PageCall, PageConversation } from "./conversation.js";

const user = (id: string, text = id): UserItem => ({
  kind: "user",
  id,
  at: 1,
  content: [{ type: "text", text }],
});
const model = (id: string, more: Partial<ModelItem> = {}): ModelItem => ({
  kind: "model",
  id,
  at: 1,
  model: "m",
  text: "",
  state: "streaming",
  ...more,
});
const done = (id: string, more = {}) => callOf(id, { hasApp: false, ...more });

/** A browser tab that shows conversation `c` when it is reloaded. */
function tab(page: StagedPage) {
  const { gateway } = page;
  const storage = storageOf({ "vitrine-conversation": "c" });
  return new PageConversation({ gateway, storage, look: () => ({}), profile: () => STRICT });
}

/** A page that shows a conversation with these entries. */
async function stage(items: ConversationItem[] = []) {
  const gateway = new StagedGateway().keep("c", items);
  const page = new StagedPage(gateway);
  const conversation = tab(page);
  await conversation.restore();
  const ids = (): string[] => conversation.items.map(({ id }) => id);
  const text = (id: string): unknown =>
    conversation.items.flatMap((item) => (item.kind === "model" && item.id === id ? [item.text] : []))[0];
  return { gateway, page, conversation, ids, text };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the gateway's data", () => {
  it("is shown in order, with its title and usage", async () => {
    const { gateway, conversation, ids } = await stage([user("u"), done("a")]);
    gateway.put("c", user("v"));
    gateway.tell("c", {
      kind: "state",
      title: "Rome",
      isRunning: true,
      usage: { input: 3, output: 4 },
    });
    expect(ids()).toEqual(["u", "a", "v"]);
    expect(conversation).toMatchObject({ id: "c", title: "Rome", isRunning: true });
    expect(conversation.usage).toEqual({ input: 3, output: 4 });
  });

  it("grows: text and arguments are appended, and unchanged entries stay the same", async () => {
    const writing = done("a", { state: "writing", input: undefined, inputText: '{"ci' });
    const { gateway, conversation, text } = await stage([user("u"), model("m", { text: "It " }), writing]);
    const [said, , call] = conversation.items as [UserItem, ModelItem, PageCall];
    expect(call).toMatchObject({ by: "person", input: {}, inputText: '{"ci', state: "writing" });
    gateway.tell(
      "c",
      { kind: "text", item: "m", text: "rains" },
      { kind: "input", item: "a", text: 'ty":1}' },
    );
    expect([text("m"), call.inputText]).toEqual(["It rains", '{"city":1}']);
    gateway.put("c", done("a", { state: "running", input: { city: 1 } }));
    gateway.tell("c", { kind: "progress", item: "a", progress: { progress: 1, total: 2 } });
    expect(call).toMatchObject({
      state: "running",
      input: { city: 1 },
      inputText: undefined,
      progress: { total: 2 },
    });
    expect([conversation.items[0], conversation.items[2]]).toEqual([said, call]);
    expect(conversation.items[2]).toBe(call);
  });

  it("of a call of the model names the model, and the app", async () => {
    const app = { item: "a", server: "s", title: "A" };
    const { conversation } = await stage([done("b", { by: "model", turn: "m", app })]);
    expect(conversation.items[0]).toMatchObject({ by: "model", turn: "m", appOf: app });
  });

  it("is parsed so that it can be rendered, whatever servers and apps send", async () => {
    const odd = { content: "no list" } as never;
    const { gateway, conversation } = await stage([{ ...user("u"), ...(odd as object) }]);
    gateway.put("c", done("a", { result: odd }));
    gateway.tell("c", {
      kind: "contexts",
      contexts: [
        { item: "a", server: "s", title: "A", at: 1, isStale: false, content: [{ type: "?" }] as never },
      ],
    });
    const [said, call] = conversation.items as [UserItem, PageCall];
    expect(said.content).toEqual([{ type: "text", text: '"no list"' }]);
    expect(call.result?.content).toEqual([{ type: "text", text: '"no list"' }]);
    expect(conversation.contexts).toMatchObject([{ item: "a", content: [{ type: "text" }] }]);
  });

  it("and was missed is asked for again: nothing is lost, nothing is shown twice", async () => {
    const { gateway, page, conversation, ids, text } = await stage([model("m", { text: "a" }), done("a")]);
    const call = conversation.items[1];
    page.isDeaf = true;
    gateway.put("c", user("u"), model("m", { text: "ab" }));
    page.isDeaf = false;
    gateway.tell("c", { kind: "text", item: "m", text: "c" });
    // The gateway's answer includes the earlier changes.
    gateway.put("c", model("m", { text: "abc" }));
    expect(text("m")).toBe("a");
    await vi.waitFor(() => expect(text("m")).toBe("abc"));
    expect(ids()).toEqual(["m", "a", "u"]);
    expect(conversation.items[1]).toBe(call);
    expect(page.of("conversation/open")).toEqual([{ id: "c" }, { id: "c" }]);
    gateway.tell("c", { kind: "text", item: "m", text: "d" });
    expect(text("m")).toBe("abcd");
  });

  it("may be empty if something was missed", async () => {
    const { gateway, page, ids } = await stage([user("u")]);
    gateway.kept.get("c")?.items.push(user("v"));
    gateway.tell("c");
    await vi.waitFor(() => expect(ids()).toEqual(["u", "v"]));
    expect(page.of("conversation/open")).toHaveLength(2);
  });

  it.each(["before", "after"])(
    "during a new request is applied once, whether the answer was written %s it",
    async (when) => {
      const { gateway, page, text } = await stage([model("m", { text: "a" })]);
      page.isDeaf = true;
      gateway.put("c", model("m", { text: "ab" }));
      page.isDeaf = false;
      let answer = (): void => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      page.answer("conversation/open", async () => {
        const state = structuredClone(gateway.kept.get("c"));
        await held;
        return when === "before" ? state : gateway.kept.get("c");
      });
      gateway.put("c", model("m", { text: "abc" }));
      await settled();
      const kept = gateway.kept.get("c")?.items[0] as ModelItem;
      gateway.tell("c", { kind: "text", item: "m", text: "d" });
      if (when === "after") Object.assign(kept, { text: "abcd" });
      answer();
      await vi.waitFor(() => expect(text("m")).toBe("abcd"));
      gateway.tell("c", { kind: "text", item: "m", text: "e" });
      expect(text("m")).toBe("abcde");
    },
  );

  it("of another conversation is not for this one", async () => {
    const { gateway, page, ids } = await stage([user("u")]);
    gateway.keep("other");
    page.shown.add("other");
    gateway.put("other", user("x"));
    expect(ids()).toEqual(["u"]);
  });
});

describe("a call by hand", () => {
  it("is shown before the gateway knows it, and is the same one then, under the gateway's name", async () => {
    const { gateway, page, conversation, ids } = await stage([user("u")]);
    const item = conversation.call("s", "t", { x: 2 }, false);
    const { key } = item;
    expect([ids(), item.state, item.input]).toEqual([["u", key], "running", { x: 2 }]);
    await vi.waitFor(() => expect(ids()).toEqual(["u", "item-1"]));
    expect([conversation.items[1], item.key]).toEqual([item, key]);
    expect(page.of("conversation/call")).toEqual([
      { id: "c", server: "s", tool: "t", arguments: { x: 2 }, page: { key, profile: "strict" } },
    ]);
    gateway.put("c", done("item-1", { result: { content: [] }, endedAt: 5 }));
    expect(item).toMatchObject({ state: "done", result: { content: [] }, endedAt: 5 });
  });

  it("is the same one even if it is answered before it is reported", async () => {
    const { gateway, page, conversation } = await stage();
    page.answer("conversation/call", () => ({ item: "late" }));
    const item = conversation.call("s", "t", {}, false);
    await vi.waitFor(() => expect(item.id).toBe("late"));
    // A gateway that could not store the page's state.
    gateway.put("c", done("late"));
    expect(conversation.items).toEqual([item]);
    expect(item.state).toBe("done");
  });

  it("that the gateway refuses has failed, and can be taken away", async () => {
    const { page, conversation } = await stage();
    page.answer("conversation/call", () => Promise.reject(refusal("overloaded", "too much is under way")));
    const item = conversation.call("s", "t", {}, true);
    await vi.waitFor(() => expect(item.state).toBe("failed"));
    expect(item.problem).toBe("too much is under way");
    await conversation.remove(item);
    expect(conversation.items).toEqual([]);
    expect(page.of("conversation/remove")).toEqual([]);
  });

  it("that is taken away before the gateway tells of it is taken away there, and never comes back", async () => {
    const { gateway, page, conversation, ids } = await stage();
    let tell = (): void => {};
    page.answer("conversation/call", ({ page: kept }) => {
      tell = () => gateway.put("c", done("a", { page: kept, state: "running" }));
      return new Promise(() => {});
    });
    const item = conversation.call("s", "t", {}, false);
    await vi.waitFor(() => expect(page.of("conversation/call")).toHaveLength(1));
    await conversation.remove(item);
    expect(ids()).toEqual([]);
    tell();
    await settled();
    expect(ids()).toEqual([]);
    expect(page.of("conversation/remove")).toEqual([{ id: "c", item: "a" }]);
  });

  it("is cancelled by its gateway id, also if the user was faster than the gateway", async () => {
    const { gateway, page, conversation } = await stage();
    let answer = (_: object): void => {};
    page.answer("conversation/call", () => new Promise((resolve) => (answer = resolve)));
    const item = conversation.call("s", "t", {}, false);
    await vi.waitFor(() => expect(page.of("conversation/call")).toHaveLength(1));
    item.cancel();
    await settled();
    expect(page.of("conversation/stop")).toEqual([]);
    answer({ item: "late" });
    await vi.waitFor(() => expect(page.of("conversation/stop")).toEqual([{ id: "c", item: "late" }]));
    gateway.put("c", done("late", { state: "cancelled", problem: "the user stopped it" }));
    // The user has been informed.
    expect(item).toMatchObject({ state: "cancelled", problem: undefined });
  });

  it("that cannot be cancelled reports that, and is not shown as cancelled later", async () => {
    const { gateway, page, conversation } = await stage([done("a", { state: "running" })]);
    const [item] = conversation.items as [PageCall];
    page.answer("conversation/stop", () => Promise.reject(new Error("no such server")));
    item.cancel();
    await vi.waitFor(() => expect(item.problem).toBe("The call could not be cancelled: no such server"));
    expect(item.state).toBe("running");
    gateway.put("c", done("a", { state: "failed", problem: "lost" }));
    expect(item).toMatchObject({ state: "failed", problem: "lost" });
  });

  it("has its secrets in the page that made it, until that is reloaded; other pages report that they are missing", async () => {
    const { gateway, conversation } = await stage();
    const whole = { pin: "s3cret", city: "Rome" };
    const item = conversation.call("s", "pay", whole, false);
    await vi.waitFor(() => expect(item.id).toBe("item-1"));
    const cut = done("item-1", { input: { city: "Rome" }, isInputCut: true, page: { key: item.key } });
    gateway.put("c", cut);
    expect(item).toMatchObject({ state: "done", input: whole, isInputCut: false });
    const again = tab(new StagedPage(gateway));
    await again.restore();
    expect(again.items).toMatchObject([{ input: { city: "Rome" }, isInputCut: true }]);
  });

  it("waits for the conversation to be open", async () => {
    const page = new StagedPage(new StagedGateway().keep("c"));
    const conversation = tab(page);
    const restored = conversation.restore();
    const item = conversation.call("s", "t", {}, false);
    expect(conversation.items).toEqual([item]);
    await restored;
    await vi.waitFor(() => expect(item.id).toBe("item-1"));
    expect(conversation.items).toEqual([item]);
  });
});

describe("two tabs", () => {
  it("show the same: a call of one appears in both, once, each with its own app", async () => {
    const gateway = new StagedGateway().keep("c");
    const pages = [new StagedPage(gateway), new StagedPage(gateway)] as const;
    const [one, two] = [tab(pages[0]), tab(pages[1])];
    await Promise.all([one.restore(), two.restore()]);
    const first = one.call("s", "t", { from: 1 }, true);
    const second = two.call("s", "t", { from: 2 }, true);
    await vi.waitFor(() => expect(one.items).toHaveLength(2));
    await vi.waitFor(() => expect(two.items).toHaveLength(2));
    expect(one.items.map(({ id }) => id)).toEqual(two.items.map(({ id }) => id));
    expect([one.items.includes(first), two.items.includes(second)]).toEqual([true, true]);
    for (const { id } of one.items)
      gateway.put("c", callOf(id, { page: { key: "" }, state: "running", input: {} }));
    await vi.waitFor(() => expect([one.apps.length, two.apps.length]).toEqual([2, 2]));
    for (const page of pages) expect(page.of("gateway/open")).toHaveLength(2);
  });

  it("lose entries that one of them removes, with their apps", async () => {
    const gateway = new StagedGateway().keep("c", [callOf("a"), user("u")]);
    const pages = [new StagedPage(gateway), new StagedPage(gateway)] as const;
    const close = vi.fn(async () => {});
    pages[1].onopen = async () => viewOf("v", {}, { close });
    const [one, two] = [tab(pages[0]), tab(pages[1])];
    await Promise.all([one.restore(), two.restore()]);
    await vi.waitFor(() => expect(two.apps).toHaveLength(1));
    await one.remove(one.items[0] as PageCall);
    expect(two.items.map(({ id }) => id)).toEqual(["u"]);
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  });
});

describe("the user's actions", () => {
  it("is sent, and stopped; a failure is the answer", async () => {
    const { page, conversation, ids } = await stage();
    await conversation.send("hello");
    expect(ids()).toEqual(["item-1"]);
    expect(page.of("conversation/send")).toEqual([{ id: "c", content: [{ type: "text", text: "hello" }] }]);
    await conversation.stop();
    expect(page.of("conversation/stop")).toEqual([{ id: "c" }]);
    page.answer("conversation/send", () => Promise.reject(refusal("overloaded", "wait")));
    await expect(conversation.send("again")).rejects.toThrow("wait");
    page.answer("conversation/stop", () => Promise.reject(new Error("no")));
    await conversation.stop();
    expect(conversation.problem).toBe("It could not be stopped: no");
    page.answer("conversation/send", () => ({ item: "x" }));
    await conversation.send("again");
    expect(conversation.problem).toBeUndefined();
  });

  it("to a conversation that another page has deleted has a readable error", async () => {
    const { page, conversation } = await stage([user("u")]);
    page.answer("conversation/send", () => Promise.reject(refusal("conversation-unknown")));
    await expect(conversation.send("hello")).rejects.toThrow();
    expect(conversation.problem).toContain("This conversation is gone");
  });

  it("removes entries, one or all; an entry that cannot be removed stays, and explains why", async () => {
    const { page, conversation, ids } = await stage([user("u"), done("a", { state: "running" }), model("m")]);
    await conversation.remove(conversation.items[1] as PageCall);
    expect(page.of("conversation/stop")).toEqual([{ id: "c", item: "a" }]);
    expect(ids()).toEqual(["u", "m"]);
    page.answer("conversation/remove", () => Promise.reject(new Error("disk full")));
    await conversation.clear();
    expect(ids()).toEqual(["u", "m"]);
    expect(conversation.problem).toBe("The entry could not be removed: disk full");
  });

  it("takes away an entry that the gateway tells of while its app finishes", async () => {
    const { gateway, page, conversation, ids } = await stage();
    let tell = (): void => {};
    page.answer("conversation/call", ({ page: kept }) => {
      tell = () => gateway.put("c", done("a", { page: kept }));
      return new Promise(() => {});
    });
    const item = conversation.call("s", "t", {}, false);
    await vi.waitFor(() => expect(page.of("conversation/call")).toHaveLength(1));
    const removed = conversation.remove(item);
    tell();
    await removed;
    expect(ids()).toEqual([]);
    expect(page.of("conversation/remove")).toEqual([{ id: "c", item: "a" }]);
  });

  it("takes away an entry whose app is just being opened: that one is closed", async () => {
    const gateway = new StagedGateway().keep("c", [callOf("a")]);
    const page = new StagedPage(gateway);
    const close = vi.fn(async () => {});
    let open = (): void => {};
    page.onopen = () => new Promise((resolve) => (open = () => resolve(viewOf("v", {}, { close }))));
    const conversation = tab(page);
    await conversation.restore();
    page.answer("conversation/remove", async ({ id, item }) => {
      open();
      await settled();
      gateway.tell(id, { kind: "removed", item });
    });
    await conversation.remove(conversation.items[0] as PageCall);
    expect([close.mock.calls.length, conversation.items, conversation.apps]).toEqual([1, [], []]);
  });

  it("shows an app of this page alone: at the end, and not kept", async () => {
    const { gateway, page, conversation, ids } = await stage([user("u")]);
    const close = vi.fn(async () => {});
    const app = { source: { server: "", uri: "rec" }, close } as unknown as AppModel;
    const item = conversation.show(app);
    conversation.call("s", "t", {}, false);
    gateway.put("c", user("v"));
    await vi.waitFor(() => expect(ids()).toEqual(["u", "v", "item-1", item.id]));
    expect(conversation.apps).toEqual([app]);
    const [, , , shown] = conversation.items;
    expect(shown).toMatchObject({ tool: "rec", state: "done", input: {} });
    await conversation.remove(item);
    expect([close.mock.calls.length, ids()]).toEqual([1, ["u", "v", "item-1"]]);
    expect(page.of("conversation/remove")).toEqual([]);
  });
});

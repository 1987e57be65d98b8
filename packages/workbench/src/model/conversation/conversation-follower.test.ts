import type { UserItem } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import {
  callOf,
  refusal,
  StagedGateway,
  StagedPage,
  storageOf,
  viewOf,
} from "../../../../../testing/workbench/conversation-stage.js";
import { STRICT } from "../profiles/profile.js";
import { PageConversation } from "./conversation.js";

const user = (id: string): UserItem => ({ kind: "user", id, at: 1, content: [] });

/** A tab with this storage. */
function tab(gateway: StagedGateway, kept: Record<string, string> = {}) {
  const page = new StagedPage(gateway);
  const storage = storageOf(kept);
  const conversation = new PageConversation({
    gateway: page.gateway,
    storage,
    look: () => ({}),
    profile: () => STRICT,
  });
  const ids = (): string[] => conversation.items.map(({ id }) => id);
  return { page, storage, conversation, ids };
}

const KEPT = { "vitrine-conversation": "c", "vitrine-conversation-said": "yes" };

describe("a tab", () => {
  it("starts with a new conversation, and has the same one after a reload", async () => {
    const gateway = new StagedGateway();
    const { conversation, storage } = tab(gateway);
    await conversation.restore();
    expect([conversation.id, storage.getItem("vitrine-conversation")]).toEqual(["c-1", "c-1"]);
    const id = storage.getItem("vitrine-conversation") ?? "";
    const again = tab(gateway, { "vitrine-conversation": id });
    await again.conversation.restore();
    expect([again.conversation.id, gateway.kept.size]).toEqual(["c-1", 1]);
  });

  it("whose conversation is gone shows a new one, with a note", async () => {
    const { conversation } = tab(new StagedGateway(), KEPT);
    await conversation.restore();
    expect(conversation.id).toBe("c-1");
    expect(conversation.items).toMatchObject([{ kind: "note", level: "warning", code: "conversation-gone" }]);
    expect(conversation.problem).toBeUndefined();
    const [note] = conversation.items;
    if (note) await conversation.remove(note);
    expect(conversation.items).toEqual([]);
  });

  it("does not miss an empty conversation", async () => {
    const { conversation } = tab(new StagedGateway(), { "vitrine-conversation": "c" });
    await conversation.restore();
    expect([conversation.id, conversation.items]).toEqual(["c-1", []]);
  });

  it.each(["[]", '[{"kind":"call"}]', "", " ", "x".repeat(200)])(
    "with an invalid stored name (%j) starts a new one",
    async (kept) => {
      const { conversation, page } = tab(new StagedGateway(), { "vitrine-conversation": kept });
      await conversation.restore();
      expect(page.of("conversation/open")).toEqual([{}]);
      expect([conversation.id, conversation.items]).toEqual(["c-1", []]);
    },
  );

  it("that may not store anything works", async () => {
    const page = new StagedPage();
    const refuse = (): never => {
      throw new Error("SecurityError");
    };
    const storage = { getItem: refuse, setItem: refuse, removeItem: refuse } as unknown as Storage;
    const conversation = new PageConversation({
      gateway: page.gateway,
      storage,
      look: () => ({}),
      profile: () => STRICT,
    });
    await conversation.restore();
    await conversation.send("hello");
    expect(conversation.items).toHaveLength(1);
  });

  it("explains why no conversation can be opened, and tries again at the next action", async () => {
    const { conversation, page, ids } = tab(new StagedGateway().keep("c", [user("u")]), KEPT);
    page.answer("conversation/open", () => Promise.reject(new Error("the disk is full")));
    await conversation.restore();
    expect([conversation.id, conversation.problem]).toEqual([undefined, "the disk is full"]);
    const item = conversation.call("s", "t", {}, false);
    await vi.waitFor(() => expect(item.state).toBe("failed"));
    expect(item.problem).toBe("the disk is full");
    page.answer("conversation/open", () => ({
      id: "new",
      title: "",
      startedAt: 1,
      changedAt: 1,
      isRunning: false,
      items: [],
      contexts: [],
      usage: { input: 0, output: 0 },
      seq: 0,
    }));
    page.answer("conversation/send", () => ({ item: "x" }));
    await conversation.send("hello");
    expect([conversation.id, conversation.problem, ids()]).toEqual(["new", undefined, [item.id]]);
  });
});

describe("another conversation", () => {
  it("L08: is shown when the apps of the previous one have finished, which stays unchanged", async () => {
    const gateway = new StagedGateway().keep("c", [callOf("a")]).keep("d", [user("u")]);
    const { conversation, page, storage, ids } = tab(gateway, KEPT);
    let finish = (): void => {};
    const close = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    page.views = [viewOf("v", { call: { conversation: "c", item: "a" } }, { close })];
    await conversation.restore();
    expect(conversation.apps).toHaveLength(1);
    const opened = conversation.open("d");
    await vi.waitFor(() => expect(close).toHaveBeenCalled());
    expect([conversation.id, ids()]).toEqual(["c", ["a"]]);
    // Changes in the meantime are not lost.
    gateway.put("d", user("v"));
    finish();
    await opened;
    expect([conversation.id, ids(), conversation.apps]).toEqual(["d", ["u", "v"], []]);
    expect(storage.getItem("vitrine-conversation")).toBe("d");
    expect(page.of("conversation/leave")).toEqual([{ id: "c" }]);
    // The conversation is only left: nothing in it was stopped, removed, or closed for good.
    for (const method of ["conversation/stop", "conversation/remove"] as const)
      expect(page.of(method)).toEqual([]);
    expect(page.of("conversation/keep").filter((kept) => kept.page["isClosed"])).toEqual([]);
  });

  it.each([true, false])(
    "does not get the app that was just being opened in the one before (others still finish: %s)",
    async (isSlow) => {
      const gateway = new StagedGateway().keep("c", [callOf("a"), callOf("b")]).keep("d");
      const { conversation, page } = tab(gateway, KEPT);
      let open = (_: ReturnType<typeof viewOf>): void => {};
      page.onopen = () => new Promise((resolve) => (open = resolve));
      let finish = (): void => {};
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const slow = { close: vi.fn(() => finished) };
      page.views = [viewOf("v", { call: { conversation: "c", item: "a" } }, slow)];
      await conversation.restore();
      const opened = conversation.open("d");
      await vi.waitFor(() => expect(slow.close).toHaveBeenCalled());
      if (!isSlow) finish();
      if (!isSlow) await opened;
      const close = vi.fn(async () => {});
      open(viewOf("late", {}, { close }));
      await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1));
      finish();
      await opened;
      expect(conversation.apps).toEqual([]);
    },
  );

  it("is a new one without a name; an empty one is not replaced", async () => {
    const gateway = new StagedGateway().keep("c", [user("u")]);
    const { conversation, storage, ids } = tab(gateway, KEPT);
    await conversation.restore();
    await conversation.open();
    expect([conversation.id, ids()]).toEqual(["c-2", []]);
    expect(storage.getItem("vitrine-conversation-said")).toBeNull();
    await conversation.open();
    expect([conversation.id, gateway.kept.size]).toEqual(["c-2", 2]);
  });

  it("that does not exist leaves the current one, and explains why", async () => {
    const { conversation, ids } = tab(new StagedGateway().keep("c", [user("u")]), KEPT);
    await conversation.restore();
    await conversation.open("nowhere");
    expect([conversation.id, ids()]).toEqual(["c", ["u"]]);
    expect(conversation.problem).toContain("This conversation is gone");
  });

  it("is the last one of several that were opened at once", async () => {
    const gateway = new StagedGateway()
      .keep("c")
      .keep("d", [user("u")])
      .keep("e", [user("v")]);
    const { conversation, ids } = tab(gateway, KEPT);
    await Promise.all([conversation.restore(), conversation.open("d"), conversation.open("e")]);
    expect([conversation.id, ids()]).toEqual(["e", ["v"]]);
  });

  it("takes calls that the user made while it was being opened; earlier messages stay in the previous one", async () => {
    const gateway = new StagedGateway().keep("c", [user("u")]).keep("d");
    const { conversation, page } = tab(gateway, KEPT);
    await conversation.restore();
    page.answer("conversation/call", () => new Promise(() => {}));
    conversation.call("s", "before", {}, false);
    await vi.waitFor(() => expect(page.of("conversation/call")).toMatchObject([{ id: "c" }]));
    const opened = conversation.open("d");
    conversation.call("s", "after", {}, false);
    await opened;
    await vi.waitFor(() => expect(page.of("conversation/call")).toMatchObject([{}, { id: "d" }]));
    expect(conversation.items).toMatchObject([{ tool: "after" }]);
  });
});

describe("a gateway that was restarted", () => {
  it("is asked for the whole conversation again: its data about calls counts, and they stay the same calls", async () => {
    const gateway = new StagedGateway().keep("c", [callOf("a", { state: "running" }), user("u")]);
    const { conversation, page, ids } = tab(gateway, KEPT);
    await conversation.restore();
    const [call] = conversation.items;
    const lost = callOf("a", { state: "failed", problem: "the gateway stopped" });
    gateway.keep("c", [lost, user("v")], { seq: 0 });
    await conversation.reopen();
    expect(ids()).toEqual(["a", "v"]);
    expect(conversation.items[0]).toBe(call);
    expect(call).toMatchObject({ state: "failed", problem: "the gateway stopped" });
    // The gateway connection opens its app again.
    expect(page.of("gateway/open")).toHaveLength(1);
    gateway.put("c", user("w"));
    expect(ids()).toEqual(["a", "v", "w"]);
  });

  it("and does not have it any more: a new one, which is reported only if something is missing", async () => {
    for (const items of [[], [user("u")]]) {
      const gateway = new StagedGateway().keep("c", items);
      const { conversation } = tab(gateway, KEPT);
      await conversation.restore();
      gateway.kept.clear();
      await conversation.reopen();
      expect([conversation.id, conversation.items.length]).toEqual(["c-1", items.length]);
    }
  });

  it("has refused it once: the next notice leads to the next try", async () => {
    const gateway = new StagedGateway().keep("c", [user("u")]);
    const { conversation, page, ids } = tab(gateway, KEPT);
    await conversation.restore();
    let isBroken = true;
    page.answer("conversation/open", () => {
      if (isBroken) throw refusal("overloaded", "too much");
      return gateway.kept.get("c");
    });
    page.isDeaf = true;
    gateway.put("c", user("v"));
    page.isDeaf = false;
    gateway.put("c", user("w"));
    await vi.waitFor(() => expect(conversation.problem).toBe("too much"));
    isBroken = false;
    gateway.put("c", user("x"));
    await vi.waitFor(() => expect(ids()).toEqual(["u", "v", "w", "x"]));
    expect(conversation.problem).toBeUndefined();
  });
});

describe("a conversation that is read and not shown", () => {
  it("is not followed", async () => {
    const gateway = new StagedGateway().keep("c").keep("d", [user("u")]);
    const { conversation, page } = tab(gateway, KEPT);
    await conversation.restore();
    expect((await conversation.read("d")).items).toEqual([user("u")]);
    expect([conversation.id, [...page.shown]]).toEqual(["c", ["c"]]);
    await expect(conversation.read("nowhere")).rejects.toThrow();
    expect(conversation.problem).toBeUndefined();
  });

  it("is followed still if it is the one that is shown", async () => {
    const gateway = new StagedGateway().keep("c", [user("u")]);
    const { conversation, page, ids } = tab(gateway, KEPT);
    await conversation.restore();
    page.isDeaf = true;
    gateway.put("c", user("v"));
    page.isDeaf = false;
    await conversation.read("c");
    expect([ids(), [...page.shown]]).toEqual([["u", "v"], ["c"]]);
  });
});

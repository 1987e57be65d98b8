import type { UserItem } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import {
  refusal,
  StagedGateway,
  StagedPage,
  storageOf,
} from "../../../../../testing/workbench/conversation-stage.js";
import { STRICT } from "../profiles/profile.js";
import { PageConversation } from "./conversation.js";
import { RecentConversations } from "./conversations.js";

const user = (id: string): UserItem => ({ kind: "user", id, at: 1, content: [{ type: "text", text: id }] });

/** A page that shows `c`, with a list of conversations. */
async function stage() {
  const gateway = new StagedGateway().keep("c", [user("u")]).keep("d", [user("v")], { title: "Rome" });
  const page = new StagedPage(gateway);
  const storage = storageOf({ "vitrine-conversation": "c" });
  const conversation = new PageConversation({
    gateway: page.gateway,
    storage,
    look: () => ({}),
    profile: () => STRICT,
  });
  await conversation.restore();
  const conversations = new RecentConversations({ gateway: page.gateway, conversation });
  const ids = (): string[] => conversations.list.map(({ id }) => id);
  return { gateway, page, conversation, conversations, ids };
}

describe("the list of conversations", () => {
  it("is requested when it is needed, and again after it has changed", async () => {
    const { gateway, page, conversations, ids } = await stage();
    page.notify("conversation/listed", {});
    expect(page.of("conversation/list")).toEqual([]);
    await conversations.load();
    expect(ids()).toEqual(["c", "d"]);
    gateway.keep("e");
    page.notify("conversation/listed", {});
    await vi.waitFor(() => expect(ids()).toEqual(["c", "d", "e"]));
  });

  it("has the result of the last search, however fast the user types, without searches in between", async () => {
    const { page, conversations, ids } = await stage();
    let answer = (): void => {};
    page.answer("conversation/list", async ({ search }) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return { conversations: [{ id: `found ${search}` }] };
    });
    for (const word of ["r", "ro", "rom", "rome"]) conversations.search = word;
    answer();
    await vi.waitFor(() => expect(page.of("conversation/list")).toHaveLength(2));
    answer();
    await vi.waitFor(() => expect(ids()).toEqual(["found rome"]));
    expect(page.of("conversation/list").map(({ search }) => search)).toEqual(["r", "rome"]);
  });

  it("that cannot be loaded explains why, and stays as it was", async () => {
    const { page, conversations, ids } = await stage();
    await conversations.load();
    page.answer("conversation/list", () => Promise.reject(new Error("the disk is full")));
    await conversations.load();
    expect([conversations.problem, ids()]).toEqual(["the disk is full", ["c", "d"]]);
  });
});

describe("a conversation in the list", () => {
  it("is renamed, and failures are reported", async () => {
    const { page, conversations } = await stage();
    await conversations.rename("d", "Milan");
    expect(page.of("conversation/rename")).toEqual([{ id: "d", title: "Milan" }]);
    expect(page.of("conversation/list")).toHaveLength(1);
    page.answer("conversation/rename", () => Promise.reject(refusal("conversation-unknown", "it is gone")));
    await conversations.rename("d", "Milan");
    expect(conversations.problem).toBe("It could not be renamed: it is gone");
  });

  it("is deleted, and another one is shown in its place", async () => {
    const { gateway, page, conversation, conversations, ids } = await stage();
    await conversations.delete("d");
    expect([conversation.id, ids()]).toEqual(["c", ["c"]]);
    await conversations.delete("c");
    expect([gateway.kept.has("c"), conversation.items]).toEqual([false, []]);
    expect(conversation.id).toBe("c-2");
    // The shown conversation is left before it is deleted.
    const left = page.asked.findIndex(({ method }) => method === "conversation/leave");
    const gone = page.asked.findLastIndex(({ method }) => method === "conversation/delete");
    expect(left).toBeLessThan(gone);
  });

  it("is deleted, too, if all was taken out of it while it is shown: nothing is left that is not there", async () => {
    const { gateway, conversation, conversations } = await stage();
    await conversation.clear();
    await conversations.delete("c");
    expect([gateway.kept.has("c"), gateway.kept.has(`${conversation.id}`)]).toEqual([false, true]);
  });

  it("is exported whole, as JSON, without being shown", async () => {
    const { page, conversation, conversations } = await stage();
    const text = await conversations.exportText("d");
    expect(JSON.parse(text)).toMatchObject({
      format: "vitrine-conversation",
      version: 1,
      id: "d",
      title: "Rome",
      items: [user("v")],
      contexts: [],
      usage: { input: 0, output: 0 },
    });
    expect(JSON.parse(text)).not.toHaveProperty("seq");
    expect([conversation.id, [...page.shown]]).toEqual(["c", ["c"]]);
    await expect(conversations.exportText("nowhere")).rejects.toThrow();
  });
});

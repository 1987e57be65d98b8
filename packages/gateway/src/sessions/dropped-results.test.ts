/** Results that a conversation drops, or that are too large for a page. */
import type { ConversationNotices, OpenedView } from "@vitrine/wire";
import { afterEach, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  text,
} from "../../../../testing/gateway/conversation-stage.js";
import { NO_HEIRS } from "../../../../testing/gateway/guard-stage.js";
import { PageConversations } from "./page-conversations.js";

let stage: ConversationStage | undefined;
afterEach(async () => stage?.close());

/** A page with a view of the tool `dump`, and the changes that it was notified of. */
function pageOf({ conversations }: ConversationStage, messageLimit?: number, isCongested = () => false) {
  const tool = { name: "dump", inputSchema: { type: "object" as const } };
  const weather = { server: "weather", identity: "weather" };
  const opened: OpenedView = { view: "v1", ...weather, capabilities: {}, uri: "ui://dump", tool };
  const changed: ConversationNotices["conversation/changed"][] = [];
  const page = new PageConversations({
    user: "ana",
    conversations,
    known: NO_HEIRS,
    testMode: false,
    messageLimit,
    view: () => opened,
    changed: (notice) => void changed.push(notice),
    isCongested,
    isConnected: () => true,
  });
  return { page, opened, changed };
}

it("a view releases a dropped result, and reports that when it is shown again", async () => {
  const large = text("x".repeat(2_000_000));
  stage = await conversationStage([], {
    tools: { dump: { hasApp: true, work: () => large } },
    limits: { live: 3_000_000 },
  });
  const { conversations } = stage;
  const { page, opened } = pageOf(stage);
  const conversation = await conversations.open("ana");
  const call = async (): Promise<string> => {
    const item = await conversation.call("weather", "dump", {});
    await expect.poll(() => conversation.isRunning).toBe(false);
    return item;
  };
  const item = await call();
  const reported: string[] = [];
  const shown = { opened, notify: (kind: string) => void reported.push(kind) };
  expect(await page.show(shown, { conversation: conversation.id, item })).toMatchObject({ result: large });
  await call();
  expect(opened).not.toHaveProperty("result");
  expect(opened.cancelled).toBe("its result was too large to be stored");
  // The app that has the result is not notified, and continues.
  expect(reported).toEqual([]);
});

it("a page gets what fits into one message, however long quotes are in JSON", async () => {
  const limit = 60_000;
  // Written as 40,000 characters: each one fits, but not both.
  stage = await conversationStage([], { tools: { dump: { work: () => text('"'.repeat(20_000)) } } });
  const { page, changed } = pageOf(stage, limit);
  const { id } = await page.handle("conversation/open", {}, { key: undefined });
  const conversation = await stage.conversations.open("ana", id);
  for (let n = 0; n < 2; n++) {
    await conversation.call("weather", "dump", {});
    await expect.poll(() => conversation.isRunning).toBe(false);
  }
  expect(JSON.stringify(changed)).toContain('\\"');
  const opened = await page.handle("conversation/open", { id }, { key: undefined });
  expect(JSON.stringify(opened).length).toBeLessThan(limit);
  const calls = opened.items.filter((item) => item.kind === "call");
  expect(calls.map(({ isResultLost = false, result }) => [isResultLost, result !== undefined])).toEqual([
    [true, false],
    [false, true],
  ]);
});

it("a change that does not fit into one message tells the page to open the conversation again", async () => {
  stage = await conversationStage([], { tools: { dump: { work: () => text('"'.repeat(40_000)) } } });
  const { page, changed } = pageOf(stage, 60_000);
  const { id } = await page.handle("conversation/open", {}, { key: undefined });
  const conversation = await stage.conversations.open("ana", id);
  await conversation.call("weather", "dump", {});
  await expect.poll(() => conversation.isRunning).toBe(false);
  expect(Math.max(...changed.map((notice) => JSON.stringify(notice).length))).toBeLessThan(60_000);
  expect(changed.some(({ changes }) => changes.length === 0)).toBe(true);
});

it.each([
  ["the page gets the changes", { limit: undefined, isCongested: false, leaves: false, gets: [] }],
  ["they are too large for the page", { limit: 60_000, isCongested: false, leaves: false, gets: ["call"] }],
  ["the page does not read", { limit: undefined, isCongested: true, leaves: false, gets: ["call"] }],
  [
    "the page leaves the conversation",
    { limit: undefined, isCongested: false, leaves: true, gets: ["call"] },
  ],
])("a followed view and its result: %s", async (_, { limit, isCongested, leaves, gets }) => {
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  stage = await conversationStage([], {
    tools: {
      dump: { hasApp: true, work: () => finished.then(() => text("x".repeat(100_000))) },
    },
  });
  const { page, opened } = pageOf(stage, limit, () => isCongested);
  const { id } = await page.handle("conversation/open", {}, { key: undefined });
  const conversation = await stage.conversations.open("ana", id);
  const item = await conversation.call("weather", "dump", {});
  const reported: string[] = [];
  await page.show({ opened, notify: (kind) => void reported.push(kind) }, { conversation: id, item });
  page.follow(opened.view);
  reported.length = 0;
  if (leaves) {
    // Between the result and the notice of the changes.
    conversation.shown(item, {
      partial: () => {},
      input: () => {},
      progress: () => {},
      result: () => void page.handle("conversation/leave", { id }, { key: undefined }),
      cancelled: () => {},
    });
  }
  finish();
  await expect.poll(() => conversation.isRunning).toBe(false);
  await new Promise(setImmediate);
  expect(reported).toEqual(gets);
});

/** Results that a conversation lets go of are not held by the views that show their calls. */
import type { OpenedView } from "@vitrine/wire";
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

it("a view whose result was let go of keeps it no more, and says so where it is shown again", async () => {
  const large = text("x".repeat(2_000_000));
  stage = await conversationStage([], {
    tools: { dump: { hasApp: true, work: () => large } },
    limits: { live: 3_000_000 },
  });
  const { conversations } = stage;
  const nothing = (): never => {
    throw new Error("this is not needed");
  };
  const tool = { name: "dump", inputSchema: { type: "object" as const } };
  const weather = { server: "weather", identity: "weather" };
  const opened: OpenedView = { view: "v1", ...weather, capabilities: {}, uri: "ui://dump", tool };
  const page = new PageConversations({
    user: "ana",
    conversations,
    known: NO_HEIRS,
    models: { state: nothing, choose: nothing },
    testMode: false,
    view: () => opened,
    changed: () => {},
    isCongested: () => false,
    isConnected: () => true,
  });
  const conversation = await conversations.open("ana");
  const call = async (): Promise<string> => {
    const item = await conversation.call("weather", "dump", {});
    await expect.poll(() => conversation.isRunning).toBe(false);
    return item;
  };
  const item = await call();
  const told: string[] = [];
  const shown = { opened, tell: (kind: string) => void told.push(kind) };
  expect(await page.show(shown, { conversation: conversation.id, item })).toMatchObject({ result: large });
  await call();
  expect(opened).not.toHaveProperty("result");
  expect(opened.cancelled).toBe("its result was too large to be kept");
  // The app that has it is told nothing: it goes on.
  expect(told).toEqual([]);
});

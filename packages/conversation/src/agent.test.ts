/** A conversation that an agent elsewhere leads: it answers, and it drives the apps that are open. */

import type { Conversation } from "@vitrine/conversation";
import type { CallItem } from "@vitrine/wire";
import { afterEach, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.ts";

let stage: ConversationStage | undefined;
afterEach(() => stage?.close());

const total = { name: "total", inputSchema: { type: "object" as const, required: ["of"] } };

async function opened(): Promise<{ conversation: Conversation; app: CallItem; heard: () => number }> {
  stage = await conversationStage([], { tools: { show: { hasApp: true, work: () => text("shown") } } });
  const conversation = await stage.conversations.open("ana");
  let heard = 0;
  conversation.onApps(() => void heard++);
  const id = await conversation.call("weather", "show");
  return { conversation, app: conversation.find(id) as CallItem, heard: () => heard };
}

const endOf = async (conversation: Conversation, id: string): Promise<CallItem> => {
  await expect.poll(() => (conversation.find(id) as CallItem).state).not.toBe("running");
  return conversation.find(id) as CallItem;
};

it("no model is asked, and nobody is told that there is none", async () => {
  const { conversation } = await opened();
  conversation.answerElsewhere();
  await conversation.send(words("hello"));
  expect(conversation.isRunning).toBe(false);
  expect(stage?.model.requests).toEqual([]);
  expect(conversation.state().items.map(({ kind }) => kind)).toEqual(["call", "user"]);
});

it("apps that are open are known with their tools, until they are closed, and how many look", async () => {
  const { conversation, app, heard } = await opened();
  const speaker = { item: app.id, server: "weather", title: "Show" };
  conversation.appOpened("view-1", speaker);
  expect(conversation.openApps).toEqual([{ view: "view-1", app: speaker, tools: [], isThere: true }]);
  conversation.setAppTools("view-1", speaker, [total]);
  // It is open twice: where it was opened last.
  conversation.appOpened("view-2", speaker);
  expect(conversation.openApps).toMatchObject([{ view: "view-2" }]);
  conversation.appGone("view-2");
  expect(conversation.openApps).toEqual([{ view: "view-1", app: speaker, tools: [total], isThere: true }]);
  conversation.appGone("view-1");
  expect([conversation.openApps, heard()]).toEqual([[], 5]);
  expect(conversation.heardBy).toBe(0);
  const leave = conversation.subscribe(() => {});
  expect(conversation.heardBy).toBe(1);
  leave();
});

it("a tool of an app is called, with arguments of its schema, and not when it is gone", async () => {
  const { conversation, app } = await opened();
  const speaker = { item: app.id, server: "weather", title: "Show" };
  conversation.setAppTools("view-1", speaker, [total]);
  if (stage) stage.appTool = async ({ arguments: input }) => text(JSON.stringify(input));
  const done = await endOf(conversation, await conversation.callApp("view-1", "total", { of: "cart" }));
  expect(done).toMatchObject({ state: "done", by: "model", app: speaker, result: text('{"of":"cart"}') });
  const wrong = await endOf(conversation, await conversation.callApp("view-1", "total", {}));
  expect(wrong).toMatchObject({ state: "failed", problem: expect.stringContaining("of") });
  await expect(conversation.callApp("view-1", "other")).rejects.toThrow(/no such tool/);
  if (stage) stage.appTool = () => new Promise(() => {});
  const waiting = await conversation.callApp("view-1", "total", { of: "all" });
  conversation.appGone("view-1");
  expect(await endOf(conversation, waiting)).toMatchObject({
    state: "cancelled",
    problem: "the app was closed",
  });
  await expect(conversation.callApp("view-1", "total", { of: "all" })).rejects.toThrow(/is closed/);
});

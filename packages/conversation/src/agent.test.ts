/** A conversation led by an external agent, which answers and uses the open apps. */

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

it("asks no model, and shows no note that there is none", async () => {
  const { conversation } = await opened();
  conversation.answerElsewhere();
  await conversation.send(words("hello"));
  expect(conversation.isRunning).toBe(false);
  expect(stage?.model.requests).toEqual([]);
  expect(conversation.state().items.map(({ kind }) => kind)).toEqual(["call", "user"]);
});

it("lists open apps with their tools until they are closed, and counts connected listeners", async () => {
  const { conversation, app, heard } = await opened();
  const speaker = { item: app.id, server: "weather", title: "Show" };
  conversation.appOpened("view-1", speaker);
  expect(conversation.openApps).toEqual([{ view: "view-1", app: speaker, tools: [], isThere: true }]);
  conversation.setAppTools("view-1", speaker, [total]);
  // The app is open twice: the last one counts.
  conversation.appOpened("view-2", speaker);
  expect(conversation.openApps).toMatchObject([{ view: "view-2" }]);
  conversation.appGone("view-2");
  expect(conversation.openApps).toEqual([{ view: "view-1", app: speaker, tools: [total], isThere: true }]);
  conversation.appGone("view-1");
  expect([conversation.openApps, heard()]).toEqual([[], 5]);
  expect(conversation.listenerCount).toBe(0);
  const leave = conversation.subscribe(() => {});
  expect(conversation.listenerCount).toBe(1);
  leave();
});

it("calls a tool of an app with validated arguments, and not after it is closed", async () => {
  const { conversation, app } = await opened();
  const speaker = { item: app.id, server: "weather", title: "Show" };
  conversation.setAppTools("view-1", speaker, [total]);
  if (stage) stage.appTool = async ({ arguments: input }) => text(JSON.stringify(input));
  const done = await endOf(conversation, await conversation.callApp("view-1", "total", { of: "cart" }));
  expect(done).toMatchObject({ state: "done", by: "model", app: speaker, result: text('{"of":"cart"}') });
  const wrong = await endOf(conversation, await conversation.callApp("view-1", "total", {}));
  expect(wrong).toMatchObject({ state: "failed", problem: expect.stringContaining("of") });
  await expect(conversation.callApp("view-1", "other")).rejects.toThrow(/no longer offers this tool/);
  if (stage) stage.appTool = () => new Promise(() => {});
  const waiting = await conversation.callApp("view-1", "total", { of: "all" });
  conversation.appGone("view-1");
  expect(await endOf(conversation, waiting)).toMatchObject({
    state: "cancelled",
    problem: "the app was closed",
  });
  await expect(conversation.callApp("view-1", "total", { of: "all" })).rejects.toThrow(/is closed/);
});

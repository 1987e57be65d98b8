import type { Tool } from "@vitrine/protocol";
import type { SpeakingApp } from "@vitrine/wire";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  Follower,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { manualClock } from "../../../testing/gateway/manual-clock.js";
import { callTool, pause, say, unauthorized } from "../../../testing/model/scripted-model.js";

const stages: ConversationStage[] = [];
const stageOf: typeof conversationStage = async (...args) => {
  const stage = await conversationStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const forecast = { work: () => text("sunny"), hasApp: true };
const done = (page: Follower): Promise<void> =>
  expect.poll(() => page.isRunning, { interval: 5 }).toBe(false);

describe("an app in a conversation", () => {
  const zoom: Tool = {
    name: "zoom",
    description: "Zooms the map.",
    inputSchema: { type: "object", properties: { factor: { type: "number" } }, required: ["factor"] },
  };

  async function withApp(turns: Parameters<typeof conversationStage>[0], limits = {}) {
    const stage = await stageOf(turns, { tools: { forecast }, limits });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const item = await conversation.call("weather", "forecast", { city: "Rome" });
    await done(page);
    const app: SpeakingApp = { item, server: "weather", title: "Map" };
    return { stage, conversation, page, app };
  }

  it("A04: offers tools to the model as long as it is open", async () => {
    const { stage, conversation, page, app } = await withApp([
      callTool("app_1__zoom", { factor: "two" }),
      callTool("app_1__zoom", { factor: 2 }),
      say("Zoomed."),
      callTool("app_1__zoom", { factor: 3 }),
      say("It is gone."),
    ]);
    conversation.setAppTools("v1", app, [zoom, { ...zoom, name: "zооm" }, zoom]);
    stage.appTool = async ({ view, tool, arguments: input }) =>
      text(`${view} ${tool.name} ${JSON.stringify(input)}`);
    await conversation.send(words("zoom"));
    await done(page);
    const [, wrong, right] = page.calls;
    expect(wrong).toMatchObject({ state: "failed", problem: expect.stringMatching(/- factor: /) });
    expect(right).toMatchObject({
      server: "weather",
      tool: "zoom",
      app,
      state: "done",
      hasApp: false,
    });
    expect(right?.result).toEqual(text('v1 zoom {"factor":2}'));
    const names = (at: number) => stage.model.requests[at]?.body.tools?.map((each) => each.function.name);
    expect(names(0)).toEqual(["weather__forecast", "app_1__zoom"]);
    conversation.appGone("v1");
    await conversation.send(words("again"));
    await done(page);
    expect(names(3)).toEqual(["weather__forecast"]);
    expect(page.calls.at(-1)).toMatchObject({
      state: "failed",
      problem: expect.stringMatching(/There is no tool/),
    });
    // Its earlier calls keep the same name.
    expect(stage.model.requests[3]?.text).toContain('"app_1__zoom"');
  });

  it("A04: cancels its calls when it is closed", async () => {
    const { stage, conversation, page, app } = await withApp([
      callTool("app_1__zoom", { factor: 2 }),
      say("Oh."),
    ]);
    conversation.setAppTools("v1", app, [zoom]);
    let signal: AbortSignal | undefined;
    stage.appTool = (_call, given) => {
      signal = given;
      return new Promise(() => {});
    };
    await conversation.send(words("zoom"));
    await expect.poll(() => signal).toBeDefined();
    conversation.appGone("v1");
    await done(page);
    expect(signal?.aborted).toBe(true);
    expect(page.calls.at(-1)).toMatchObject({ state: "cancelled", problem: "the app was closed" });
    expect(page.models.at(-1)?.text).toBe("Oh.");
  });

  it("I06: its context is marked as sent once the model has answered, and a later change contains the previous context", async () => {
    const { conversation, page, app } = await withApp([unauthorized, say("I see."), say("Gone.")]);
    const said = () => page.state.contexts.map(({ isTold = false, before }) => ({ isTold, before }));
    conversation.setContext("v1", app, { content: words("1 cherry") });
    await expect.poll(said).toEqual([{ isTold: false, before: undefined }]);
    // A failed answer means that the model has received nothing.
    await conversation.send(words("look"));
    await done(page);
    expect(said()).toEqual([{ isTold: false, before: undefined }]);
    await conversation.retry(page.models.at(-1)?.id ?? "");
    await done(page);
    expect(said()).toEqual([{ isTold: true, before: undefined }]);
    conversation.setContext("v1", app, { content: words("2 cherries") });
    await expect.poll(said).toEqual([{ isTold: false, before: { content: words("1 cherry") } }]);
    conversation.setContext("v1", app, { content: words("1 cherry") });
    await expect.poll(said).toEqual([{ isTold: true, before: undefined }]);
    conversation.appGone("v1");
    await expect.poll(said).toEqual([{ isTold: false, before: undefined }]);
    await conversation.send(words("and now?"));
    await done(page);
    expect(said()).toEqual([{ isTold: true, before: undefined }]);
  });

  it("its context stays known to the model while it is open, even if its turn is left out; and no longer", async () => {
    const turns = ["one", "two", "three"].map((word) => say(word.repeat(500)));
    const { stage, conversation, page, app } = await withApp(turns, { context: 1_500 });
    const ask = async (): Promise<string> => {
      await conversation.send(words("?"));
      await done(page);
      return JSON.stringify(stage.model.requests.at(-1)?.body.messages);
    };
    conversation.setContext("v1", app, { content: words("the map shows Rome") });
    expect(await ask()).toContain("the map shows Rome");
    const left = await ask();
    expect(left).toContain("Earlier parts of this conversation were left out");
    expect(left.split("the map shows Rome")).toHaveLength(2);
    // Contexts exceed the limit: the oldest is removed, then its app is closed.
    for (let n = 0; n < 50; n++) {
      const item = await conversation.call("weather", "forecast", { city: `${n}` });
      conversation.setContext(`w${n}`, { ...app, item }, { content: words(`${n}`) });
    }
    await done(page);
    conversation.appGone("v1");
    expect(await ask()).not.toContain("the map shows Rome");
  });

  it("sends its context to the model: once, the latest one, and that it was closed", async () => {
    const turns = ["one", "two", "three", "four", "five"].map((word) => say(word));
    const { stage, conversation, page, app } = await withApp(turns);
    const ask = async (): Promise<string> => {
      await conversation.send(words("?"));
      await done(page);
      return JSON.stringify(stage.model.requests.at(-1)?.body.messages.at(-1)?.content);
    };
    conversation.setContext("v1", app, { content: words("Rome") });
    conversation.setContext("v1", app, { content: words("Oslo") });
    const first = await ask();
    expect(first).toContain("Oslo");
    expect(first).not.toContain("Rome");
    conversation.setContext("v1", app, { content: words("Oslo") });
    expect(await ask()).toBe('"?"');
    // The context stays in the turn that contained it.
    expect(JSON.stringify(stage.model.requests.at(-1)?.body.messages)).toContain("Oslo");
    conversation.appGone("v1");
    expect(page.state.contexts.length).toBe(1);
    await expect.poll(() => page.state.contexts[0]?.isStale).toBe(true);
    const closed = await ask();
    expect(closed).toContain("The app is closed");
    expect(closed).not.toContain("Oslo");
    conversation.setContext("v2", app, { structuredContent: { city: "Bari" } });
    expect(await ask()).toContain("Bari");
    conversation.setContext("v2", app, {});
    expect(await ask()).toContain("now empty");
  });

  it("sends messages on the user's behalf, which the model sees marked as such", async () => {
    const { stage, conversation, page, app } = await withApp([say("Rome, then.")]);
    await conversation.send(words("Show Rome"), app);
    await done(page);
    expect(page.items.find(({ kind }) => kind === "user")).toMatchObject({ from: app });
    expect(JSON.stringify(stage.model.requests[0]?.body.messages.at(-1))).toContain("<app-message from=");
  });

  it("without an entry is rejected", async () => {
    const { conversation, app } = await withApp([]);
    const other = { ...app, item: "nothing" };
    const refused = expect.objectContaining({ data: { code: "item-unknown" } });
    expect(() => conversation.setContext("v1", other, {})).toThrow(refused);
    expect(() => conversation.setAppTools("v1", other, [])).toThrow(refused);
  });
});

describe("an app with too many messages", () => {
  const map: SpeakingApp = { item: "", server: "weather", title: "Map" };

  it("is rejected from the eleventh message on, with one note", async () => {
    const stage = await stageOf([[say("wait"), pause(60_000)]]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    const sent = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) => conversation.send(words(`look ${at}`), map)),
    );
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(sent.at(-1)).toMatchObject({ reason: { data: { code: "overloaded" } } });
    await expect.poll(() => page.notes).toMatchObject([{ level: "warning", code: "app-flood" }]);
    // The user can still send messages.
    await conversation.send(words("stop that"));
    conversation.stop();
    await done(page);
  });

  it("that replies to every answer is stopped until the user sends a message", async () => {
    const stage = await stageOf(
      Array.from({ length: 10 }, () => say("ok")),
      { limits: { appTurns: 3 } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    for (let at = 0; at < 3; at++) {
      await conversation.send(words("more"), map);
      await done(page);
    }
    await expect(conversation.send(words("more"), map)).rejects.toMatchObject({
      data: { code: "overloaded" },
    });
    await expect.poll(() => page.notes).toMatchObject([{ code: "app-flood" }]);
    await conversation.send(words("go on"));
    await conversation.send(words("more"), map);
    await done(page);
  });

  it("that floods contexts is rejected, with one note; an identical context does not count", async () => {
    const clock = manualClock();
    const stage = await stageOf([], { clock, tools: { forecast }, limits: { contexts: 5 } });
    stage.hasModel = false;
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const item = await conversation.call("weather", "forecast", { city: "Rome" });
    const app = { ...map, item };
    for (let at = 0; at < 100; at++) conversation.setContext("v1", app, { content: words("same") });
    for (let at = 1; at < 5; at++) conversation.setContext("v1", app, { content: words(`${at}`) });
    const more = (): void => conversation.setContext("v1", app, { content: words("more") });
    expect(more).toThrow(expect.objectContaining({ data: expect.objectContaining({ code: "overloaded" }) }));
    expect(more).toThrow();
    clock.pass(10_001);
    more();
    const large = { content: words("x".repeat(300_000)) };
    expect(() => conversation.setContext("v1", app, large)).toThrow(/200000 bytes/);
    const contexts = [{ ...app, content: words("more"), isStale: false }];
    await expect.poll(() => page.state.contexts).toMatchObject(contexts);
    expect(page.notes).toMatchObject([{ code: "app-flood" }]);
  });
});

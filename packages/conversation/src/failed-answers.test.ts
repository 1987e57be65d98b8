/** Answers that fail or are empty, queued messages, and calls with invalid arguments. */
import { afterEach, describe, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  Follower,
  gate,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { manualClock } from "../../../testing/gateway/manual-clock.js";
import {
  answer,
  callTool,
  drop,
  pause,
  say,
  unauthorized,
  waitFor,
} from "../../../testing/model/scripted-model.js";
import type { Model, ModelRequest } from "./model/model.js";

const stages: ConversationStage[] = [];
const stageOf: typeof conversationStage = async (...args) => {
  const stage = await conversationStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const done = (page: Follower): Promise<void> =>
  expect.poll(() => page.isRunning, { interval: 5 }).toBe(false);
const forecast = { hasApp: true, work: () => text("sunny") };

describe("a failed answer", () => {
  it("is reported once, in its own entry", async () => {
    const stage = await stageOf([unauthorized]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.models).toMatchObject([{ state: "failed", problem: { code: "model-unauthorized" } }]);
    expect(page.notes).toEqual([]);
  });

  it.each([
    ["status 500", 500],
    ["status 502", 502],
    ["status 503", 503],
    ["status 529", 529],
  ])("with %s is retried like a 429", async (_name, status) => {
    const clock = manualClock();
    const stage = await stageOf([answer(status), answer(status), say("Finally.")], { clock });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await expect.poll(() => page.notes[0]?.text).toContain("in 2 seconds");
    clock.pass(2_000);
    await expect.poll(() => page.notes[0]?.text).toContain("in 4 seconds");
    clock.pass(4_000);
    await done(page);
    expect(page.notes).toEqual([]);
    expect(page.models).toMatchObject([{ state: "done", text: "Finally." }]);
    expect(stage.model.requests).toHaveLength(3);
  });

  it("can be retried: the same message is answered again, which replaces the failure", async () => {
    const stage = await stageOf([unauthorized, say("Here I am.")]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const asked = await conversation.send(words("hello"));
    await done(page);
    await conversation.retry(page.models[0]?.id ?? "");
    await done(page);
    expect(page.items).toMatchObject([
      { kind: "user", id: asked },
      { kind: "model", answers: asked, text: "Here I am.", state: "done" },
    ]);
    expect(stage.model.requests[1]?.body.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("with completed calls stays when it is retried: the calls are not repeated", async () => {
    const stage = await stageOf(
      [callTool("weather__forecast", { city: "Rome" }), [say("It is"), pause(20), drop], say("Sunny.")],
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("Rome?"));
    await done(page);
    expect(page.models.at(-1)).toMatchObject({ state: "failed", text: "It is" });
    await conversation.retry(page.models.at(-1)?.id ?? "");
    await done(page);
    expect(stage.called).toHaveLength(1);
    expect(page.models.map((each) => each.text)).toEqual(["", "Sunny."]);
    expect(stage.model.requests[2]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "sunny" });
  });

  it("with its own calls stays when it is retried, and the model reads their results", async () => {
    const asked: ModelRequest[] = [];
    const model: Model = {
      id: "a/b",
      label: "b",
      async *stream(request) {
        asked.push(request);
        if (asked.length > 1) {
          yield { kind: "text", text: "Sunny." };
          yield { kind: "end", reason: "stop" };
          return;
        }
        yield { kind: "call", id: "1", name: "weather__forecast" };
        yield { kind: "arguments", id: "1", text: JSON.stringify({ city: "Rome" }) };
        yield { kind: "called", id: "1" };
        throw new TypeError("broken off");
      },
    };
    const stage = await stageOf([], { tools: { forecast }, models: { current: () => model, help: "" } });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("Rome?"));
    await done(page);
    expect(page.models).toMatchObject([{ state: "failed" }]);
    await conversation.retry(page.models[0]?.id ?? "");
    await done(page);
    expect(stage.called).toHaveLength(1);
    expect(page.models).toMatchObject([{ state: "failed" }, { state: "done", text: "Sunny." }]);
    expect(page.calls).toMatchObject([{ state: "done", turn: page.models[0]?.id }]);
    expect(JSON.stringify(asked[1]?.messages)).toContain("sunny");
  });

  it("cannot be retried while it is being written, after it was removed, or if it is not an answer", async () => {
    const go = gate();
    const stage = await stageOf([[waitFor(go.opened), say("ok")]]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const asked = await conversation.send(words("hello"));
    await expect.poll(() => page.models.length).toBe(1);
    for (const item of [page.models[0]?.id ?? "", asked, "nothing"])
      await expect(conversation.retry(item)).rejects.toThrow(/can be retried|there is no entry/);
    go.open();
    await done(page);
  });
});

describe("an empty answer", () => {
  it("is reported, and can be retried", async () => {
    const stage = await stageOf([say(""), say("Hello.")]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.models).toMatchObject([
      { state: "done", text: "", problem: { code: "model-empty", message: expect.stringMatching(/empty/) } },
    ]);
    await conversation.retry(page.models[0]?.id ?? "");
    await done(page);
    expect(page.models).toMatchObject([{ text: "Hello." }]);
  });

  it("does not count as empty if the model called a tool", async () => {
    const stage = await stageOf([callTool("weather__forecast", {}), say("Sunny.")], { tools: { forecast } });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.models.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  });
});

describe("a queued message", () => {
  it("is marked until the model is asked", async () => {
    const [first, second] = [gate(), gate()];
    const stage = await stageOf([
      [waitFor(first.opened), say("one")],
      [waitFor(second.opened), say("two")],
    ]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const marks = () => page.items.flatMap((item) => (item.kind === "user" ? [item.isQueued ?? false] : []));
    await conversation.send(words("first"));
    await conversation.send(words("second"));
    await conversation.send(words("third"));
    await expect.poll(marks).toEqual([false, true, true]);
    first.open();
    await expect.poll(marks).toEqual([false, false, true]);
    conversation.stop();
    await done(page);
    expect(marks()).toEqual([false, false, false]);
  });

  it("is not marked after a restart: it gets no answer", async () => {
    const stage = await stageOf([waitFor(new Promise(() => {}))]);
    const conversation = await stage.conversations.open("ana");
    await conversation.send(words("first"));
    const waiting = await conversation.send(words("second"));
    expect(conversation.find(waiting)).toMatchObject({ isQueued: true });
    const again = await stage.again().open("ana", conversation.id);
    expect(again.find(waiting)).not.toHaveProperty("isQueued", true);
  });
});

describe("invalid arguments", () => {
  it.each(["city=Rome", "{city: 'Rome'}", '["Rome"]', '{"city": Rome}'])(
    "open no app: %s",
    async (written) => {
      const stage = await stageOf([callTool("weather__forecast", written), say("Sorry.")], {
        tools: { forecast },
      });
      const conversation = await stage.conversations.open("ana");
      const page = new Follower(conversation);
      const had: boolean[] = [];
      conversation.subscribe(() => had.push(...page.calls.map(({ hasApp }) => hasApp)));
      await conversation.send(words("hello"));
      await done(page);
      expect(page.calls).toMatchObject([{ state: "failed", hasApp: false }]);
      expect(page.calls[0]?.problem).toMatch(/^The model wrote .*the tool was not called/i);
      expect(had).not.toContain(true);
    },
  );

  it("close the app that was opened while they looked like JSON", async () => {
    const go = gate();
    const stage = await stageOf(
      [
        [
          callTool("weather__forecast", '{"city":"Ro'),
          waitFor(go.opened),
          { do: "arguments", index: 0, text: 'me",}' },
        ],
        say("Sorry."),
      ],
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await expect.poll(() => page.calls[0]?.hasApp).toBe(true);
    go.open();
    await done(page);
    expect(page.calls).toMatchObject([{ state: "failed", hasApp: false }]);
  });
});

import { MODEL_INPUT_LIMITS } from "@vitrine/wire";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  Follower,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import {
  type Script,
  say,
  startScriptedModel,
  unauthorized,
  usage,
} from "../../../testing/model/scripted-model.js";
import { aiModel } from "./model/ai-model.js";
import type { Model } from "./model/model.js";
import type { AnswerDefaults } from "./ports.js";
import { cleanTitle } from "./written-title.js";

const stages: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const done = (follower: Follower): Promise<void> =>
  expect.poll(() => follower.isRunning, { interval: 5 }).toBe(false);

interface Options {
  defaults?: AnswerDefaults;
  title?: Script;
  price?: Model["facts"];
}

/** A stage with two models: `test/one`, which is the usual one, and `test/two`. */
async function stageOf(turns: readonly Script[], { defaults, title, price }: Options = {}) {
  const server = await startScriptedModel(turns, { ...(title !== undefined && { title }) });
  const modelOf = (name: string): Model => ({
    ...aiModel({ name: "test", type: "compatible", url: server.url }, name),
    ...(price && { facts: price }),
  });
  const models = new Map(["one", "two"].map((name) => [`test/${name}`, modelOf(name)]));
  const stage: ConversationStage = await conversationStage([], {
    models: {
      current: (_user, id = "test/one") => models.get(id),
      help: "none",
      ...(defaults && { defaults }),
    },
  });
  stages.push(stage, server);
  const conversation = await stage.conversations.open("ana");
  return { stage, server, models, conversation, page: new Follower(conversation) };
}

const systemOf = (body: { messages: readonly { content: unknown }[] } | undefined): string =>
  `${body?.messages[0]?.content}`;

describe("several models in one conversation", () => {
  it("answer the message that they were chosen for, and each answer names its model", async () => {
    const { server, conversation, page } = await stageOf([say("1"), say("2"), say("3")]);
    await conversation.send(words("a"));
    await conversation.send(words("b"), undefined, undefined, "test/two");
    await conversation.send(words("c"));
    await done(page);
    expect(server.requests.map(({ body }) => body.model)).toEqual(["one", "two", "one"]);
    expect(page.models.map(({ model }) => model)).toEqual(["one (test)", "two (test)", "one (test)"]);
  });

  it("can be chosen for the conversation, and the choice survives a restart", async () => {
    const { stage, server, conversation, page } = await stageOf([say("1"), say("2")]);
    await conversation.configure({ model: "test/two" });
    await conversation.send(words("a"));
    await done(page);
    expect(conversation.state().settings).toEqual({ model: "test/two" });
    expect(page.state.settings).toEqual({ model: "test/two" });
    const again = await stage.again().open("ana", conversation.id);
    expect(again.state().settings).toEqual({ model: "test/two" });
    await again.send(words("b"));
    await expect.poll(() => again.isRunning).toBe(false);
    expect(server.requests.map(({ body }) => body.model)).toEqual(["two", "two"]);
  });

  it("retry a failed answer", async () => {
    const { server, conversation, page } = await stageOf([unauthorized, say("2")]);
    await conversation.send(words("a"));
    await done(page);
    const [failed] = page.models;
    await conversation.retry(`${failed?.id}`, "test/two");
    await done(page);
    expect(server.requests.map(({ body }) => body.model)).toEqual(["one", "two"]);
  });

  it("refuse what does not exist, and nothing is sent", async () => {
    const { models, server, conversation, page } = await stageOf([say("1")]);
    const code = { data: { code: "model-unknown" } };
    await expect(conversation.send(words("a"), undefined, undefined, "test/none")).rejects.toMatchObject(
      code,
    );
    await expect(conversation.configure({ model: "x".repeat(200) })).rejects.toMatchObject(code);
    await conversation.configure({ model: "test/two" });
    models.delete("test/two");
    // Other settings can still be changed.
    await conversation.configure({ model: "test/two", temperature: 1 });
    await conversation.send(words("b"));
    expect(page.items).toMatchObject([
      { kind: "user" },
      { kind: "note", code: "no-model", text: expect.stringContaining("test/two of this conversation") },
    ]);
    expect(server.requests).toHaveLength(0);
  });
});

describe("instructions and temperature", () => {
  it("of the conversation come after Vitrine's own, and replace the defaults", async () => {
    const defaults = { system: "Be kind.", temperature: 0.2, titles: false };
    const { server, conversation, page } = await stageOf([say("1"), say("2"), say("3")], { defaults });
    await conversation.send(words("a"));
    await done(page);
    await conversation.configure({ system: "  Be short. ", temperature: 0 });
    await conversation.send(words("b"));
    await done(page);
    expect((await conversation.modelView()).system).toMatch(/^You talk with a user[\s\S]*Be short\.$/);
    await conversation.configure({});
    await conversation.send(words("c"));
    await done(page);
    const [first, second, third] = server.requests.map(({ body }) => body);
    expect(systemOf(first)).toMatch(/^You talk with a user[\s\S]*Be kind\.$/);
    expect(first?.["temperature"]).toBe(0.2);
    expect(systemOf(second)).toMatch(/Be short\.$/);
    expect(systemOf(second)).not.toContain("Be kind");
    expect(second?.["temperature"]).toBe(0);
    expect(systemOf(third)).toBe(systemOf(first));
    expect(conversation.state()).not.toHaveProperty("settings");
  });

  it("are limited", async () => {
    const { conversation } = await stageOf([]);
    const long = "x".repeat(MODEL_INPUT_LIMITS.system + 1);
    await expect(conversation.configure({ system: long })).rejects.toThrow("shorten them");
    for (const temperature of [-0.1, 2.1, Number.NaN])
      await expect(conversation.configure({ temperature })).rejects.toThrow("between 0 and 2");
    expect(conversation.state()).not.toHaveProperty("settings");
  });
});

describe("the cost", () => {
  const price = { price: { input: 2, output: 10, asOf: "2026-07-01", source: "test" } };

  it("of an answer and of the conversation is known if the price is", async () => {
    const turns = [
      [say("1"), usage(1_000, 200)],
      [say("2"), usage(1_000, 200)],
    ];
    const { conversation, page } = await stageOf(turns, { price });
    await conversation.send(words("a"));
    await conversation.send(words("b"));
    await done(page);
    expect(page.models[0]?.usage).toEqual({
      input: 1_000,
      output: 200,
      cost: { usd: 0.004, asOf: "2026-07-01" },
    });
    expect(conversation.state().usage).toEqual({
      input: 2_000,
      output: 400,
      cost: { usd: 0.008, asOf: "2026-07-01" },
    });
  });

  it("is not invented", async () => {
    const { conversation, page } = await stageOf([[say("1"), usage(1_000, 200)]]);
    await conversation.send(words("a"));
    await done(page);
    expect(page.models[0]?.usage).toEqual({ input: 1_000, output: 200 });
    expect(conversation.state().usage).toEqual({ input: 1_000, output: 200 });
  });
});

describe("the title", () => {
  const ask = async (title: Script, defaults: AnswerDefaults = {}) => {
    const stage = await stageOf([say("It rains."), say("Still.")], { defaults, title });
    await stage.conversation.send(words("How is the weather in Rome today, and what should I pack for it?"));
    await done(stage.page);
    return stage;
  };

  it("is written by the model after the first answer, without tools, and counts in the usage", async () => {
    const { conversation, server, page, stage } = await ask([say('"Weather ', 'in Rome."\n'), usage(40, 4)]);
    await expect.poll(() => page.state.title).toBe("Weather in Rome");
    expect(conversation.state().usage).toEqual({ input: 40, output: 4 });
    expect(server.titles[0]?.body).not.toHaveProperty("tools");
    expect(server.titles[0]?.text).toContain("It rains.");
    await conversation.send(words("and now?"));
    await done(page);
    expect(server.titles).toHaveLength(1);
    await conversation.flush();
    expect((await stage.conversations.list("ana")).map(({ title }) => title)).toEqual(["Weather in Rome"]);
  });

  it.each<[string, Script]>([
    ["fails", unauthorized],
    ["is empty", []],
    ["has no words", say("...\n***")],
  ])("stays the first message if the request %s", async (_, title) => {
    const { conversation, server } = await ask(title);
    await expect.poll(() => server.titles.length).toBe(1);
    await expect.poll(() => conversation.isIdle || conversation.listenerCount > 0).toBe(true);
    expect(conversation.title).toBe("How is the weather in Rome today, and what should I pack for");
  });

  it("is not requested if the settings say so", async () => {
    const { server, conversation } = await ask(say("Other"), { titles: false });
    await conversation.flush();
    expect(server.titles).toHaveLength(0);
  });

  it("of the user wins, before the answer and during the request", async () => {
    const first = await stageOf([say("It rains.")], { defaults: {}, title: say("Other") });
    await first.conversation.rename("Mine");
    await first.conversation.send(words("a"));
    await done(first.page);
    expect(first.server.titles).toHaveLength(0);
    let renamed: Promise<void> = Promise.resolve();
    const stage: Awaited<ReturnType<typeof stageOf>> = await stageOf([say("It rains.")], {
      defaults: {},
      title: async () => {
        renamed = stage.conversation.rename("Mine");
        await renamed;
        return say("Other");
      },
    });
    await stage.conversation.send(words("a"));
    await done(stage.page);
    await expect.poll(() => stage.server.titles.length).toBe(1);
    await renamed;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(stage.conversation.title).toBe("Mine");
  });

  it.each([
    ["**Weather in Rome**", "Weather in Rome"],
    ["# Title: Weather", "Weather"],
    ["<think>hm, a title</think>\n\n“Weather.”", "Weather"],
    ["Line one\nLine two", "Line one"],
    ["a\u202egnp.exe\u0007", "a gnp.exe"],
    ["x".repeat(500), "x".repeat(60)],
    ["<think>never ends", undefined],
    ["***", undefined],
  ])("%j becomes %j", (text, title) => {
    expect(cleanTitle(text)).toBe(title);
  });
});

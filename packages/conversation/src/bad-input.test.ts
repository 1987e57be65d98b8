/** Faults in a conversation: each is reported, and the conversation continues. */
import { VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  Follower,
  hearing,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { manualClock } from "../../../testing/gateway/manual-clock.js";
import {
  answer,
  callTool,
  drop,
  endEarly,
  failInStream,
  finish,
  pause,
  rateLimited,
  say,
  unauthorized,
  usage,
} from "../../../testing/model/scripted-model.js";
import type { Model } from "./model/model.js";

const stages: ConversationStage[] = [];
const stageOf: typeof conversationStage = async (...args) => {
  const stage = await conversationStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const schema = {
  type: "object" as const,
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city"],
  additionalProperties: false,
};
const forecast = {
  tool: { inputSchema: schema },
  work: ({ city }: Record<string, unknown>) => text(`sunny in ${city}`),
};
const done = (page: Follower): Promise<void> =>
  expect.poll(() => page.isRunning, { interval: 5 }).toBe(false);

const longOverloaded = answer(503, {}, { "content-type": "application/json", "retry-after": "3600" });
const noCredit = answer(429, { error: { message: "Nothing left", code: "insufficient_quota" } });

describe("the provider", () => {
  it.each([
    ["answers 401", unauthorized, "model-unauthorized"],
    ["answers 503 without a time to retry soon", longOverloaded, "model-overloaded"],
    ["has no credit left", noCredit, "model-no-credit"],
    ["asks for a long pause", rateLimited(3_600), "model-rate-limited"],
  ])("%s: the error is shown, and the next message is answered", async (_name, script, code) => {
    const stage = await stageOf([script, say("Here I am.")]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.models).toMatchObject([{ state: "failed", text: "", problem: { code } }]);
    expect(page.notes).toEqual([]);
    await conversation.send(words("hello?"));
    await done(page);
    expect(page.models.at(-1)).toMatchObject({ state: "done", text: "Here I am." });
  });

  it("cannot be reached: the error is shown", async () => {
    const stage = await stageOf([]);
    await stage.model.close();
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.models).toMatchObject([{ state: "failed", problem: { code: "model-unreachable" } }]);
    stages.splice(0);
    await stage.conversations.close();
    await stage.store.close();
  });

  it.each([
    ["breaks the connection", drop, "model-cut-off"],
    ["ends too early", endEarly, "model-cut-off"],
    ["fails", failInStream({ message: "the engine died", type: "server_error" }), undefined],
  ])("%s in mid-stream: the text stays, and sending again works", async (_name, script, code) => {
    const stage = await stageOf([[say("I was about"), pause(20), script], say("Again.")]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.models).toMatchObject([{ state: "failed", text: "I was about" }]);
    if (code) expect(page.models[0]?.problem?.code).toBe(code);
    expect(page.notes).toEqual([]);
    await conversation.send(words("go on"));
    await done(page);
    expect(page.models.at(-1)).toMatchObject({ state: "done", text: "Again." });
    expect(stage.model.requests[1]?.body.messages.at(-2)?.content).toBe("I was about");
  });

  it("breaks the connection while arguments are written: no call is made, and sending again works", async () => {
    const half = callTool("weather__forecast", '{"city":"Os', { index: 1 });
    const stage = await stageOf(
      [[callTool("weather__forecast", { city: "Rome" }), half, pause(20), drop], say("Again.")],
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.models).toMatchObject([{ state: "failed" }]);
    expect(page.calls).toMatchObject([{ state: "cancelled" }, { state: "cancelled" }]);
    expect(stage.called).toEqual([]);
    await conversation.send(words("again"));
    await done(page);
    expect(page.models.at(-1)).toMatchObject({ state: "done", text: "Again." });
  });

  it("breaks the connection after a complete call: that call is made, and ends normally", async () => {
    // OpenAI's API reports this only at the end; other providers do earlier, and some give every call the
    // same id.
    const model: Model = {
      id: "a/b",
      label: "b",
      async *stream() {
        for (const city of ["Rome", "Oslo"]) {
          yield { kind: "call", id: "same", name: "weather__forecast" };
          yield { kind: "arguments", id: "same", text: JSON.stringify({ city }) };
          if (city === "Rome") yield { kind: "called", id: "same" };
        }
        throw new TypeError("unexpected");
      },
    };
    const models = { current: () => model, help: "" };
    const stage = await stageOf([], { tools: { forecast }, models });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.calls).toMatchObject([{ state: "done", input: { city: "Rome" } }, { state: "cancelled" }]);
    expect(page.models).toMatchObject([{ state: "failed", problem: { code: "model-failed" } }]);
    expect(stage.errors).toEqual([expect.objectContaining({ message: "unexpected" })]);
  });

  it("answers 429 with a time: the request is retried, and the note disappears", async () => {
    const clock = manualClock();
    const stage = await stageOf([rateLimited(7), rateLimited(9), say("Finally.")], { clock });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await expect.poll(() => page.notes[0]?.text).toContain("in 7 seconds");
    expect(page.notes).toMatchObject([{ level: "info", code: "model-waiting" }]);
    clock.pass(6_999);
    expect(stage.model.requests).toHaveLength(1);
    clock.pass(1);
    await expect.poll(() => page.notes[0]?.text).toContain("in 9 seconds");
    expect(page.notes).toHaveLength(1);
    clock.pass(9_000);
    await done(page);
    expect(page.notes).toEqual([]);
    expect(page.models).toMatchObject([{ state: "done", text: "Finally." }]);
  });

  it("answers 429 forever: the request is sent four times, then the error is shown", async () => {
    const clock = manualClock();
    const stage = await stageOf(
      Array.from({ length: 4 }, () => rateLimited(1)),
      { clock },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    for (let tries = 1; tries <= 3; tries++) {
      await expect.poll(() => stage.model.requests.length).toBe(tries);
      await expect.poll(() => clock.waiting.includes(1_000)).toBe(true);
      clock.pass(1_000);
    }
    await done(page);
    expect(stage.model.requests).toHaveLength(4);
    expect(page.notes).toEqual([]);
    expect(page.models).toMatchObject([{ state: "failed", problem: { code: "model-rate-limited" } }]);
  });

  it("answers 429, and the user stops the wait", async () => {
    const stage = await stageOf([rateLimited(25)]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await expect.poll(() => page.notes.length).toBe(1);
    expect(conversation.stop()).toBe(true);
    await done(page);
    expect(page.models).toMatchObject([{ state: "stopped" }]);
    expect(page.notes).toEqual([]);
  });

  it.each([
    ["length", "model-length"],
    ["content_filter", "model-filtered"],
  ])("ends an answer by %s: a note says so", async (reason, code) => {
    const stage = await stageOf([[say("Once upon"), finish(reason)]]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("a story"));
    await done(page);
    expect(page.models).toMatchObject([{ state: "done", text: "Once upon" }]);
    expect(page.notes).toMatchObject([{ code }]);
  });
});

describe("a model that writes", () => {
  it.each([
    ["invalid JSON", "weather__forecast", '{"city": Rome}', /not valid JSON/],
    ["incomplete arguments", "weather__forecast", '{"city":"Ro', /not valid JSON/],
    ["arguments that are not an object", "weather__forecast", '["Rome"]', /not a JSON object/],
    ["a field of the wrong type", "weather__forecast", '{"city":"Rome","days":"two"}', /- days: /],
    ["a value out of range", "weather__forecast", '{"city":"Rome","days":0}', /- days: /],
    ["no required field", "weather__forecast", "{}", /city/],
    ["an unknown field", "weather__forecast", '{"city":"Rome","mood":1}', /mood/],
    ["an unknown tool", "weather__magic", "{}", /There is no tool "weather__magic"/],
  ])("%s gets an error, and continues; no server is called", async (_name, tool, input, problem) => {
    const stage = await stageOf(
      [callTool(tool, input), callTool("weather__forecast", { city: "Rome" }, { id: "b" }), say("Sunny.")],
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(page.calls).toMatchObject([{ state: "failed" }, { state: "done" }]);
    expect(page.calls[0]?.problem).toMatch(problem);
    expect(stage.model.requests[1]?.body.messages.at(-1)?.content).toMatch(problem);
    expect(stage.called).toHaveLength(1);
    expect(page.models.at(-1)).toMatchObject({ text: "Sunny.", state: "done" });
    const view = hearing();
    conversation.shown(page.calls[0]?.id ?? "", view);
    expect(view.heard.filter(([kind]) => kind === "cancelled")).toHaveLength(1);
  });

  it("the same failing call three times is stopped, with a note", async () => {
    const stage = await stageOf(
      Array.from({ length: 9 }, () => callTool("weather__forecast", {})),
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(stage.model.requests).toHaveLength(3);
    expect(page.notes).toMatchObject([{ level: "warning", code: "model-repeats" }]);
  });

  it("the same call with the same result over and over is stopped, with a note", async () => {
    const stage = await stageOf(
      Array.from({ length: 30 }, (_, at) =>
        callTool("weather__forecast", { city: at % 2 ? "Rome" : "Oslo" }),
      ),
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(stage.model.requests.length).toBeLessThan(15);
    expect(page.notes).toMatchObject([{ level: "warning", code: "model-loops" }]);
  });
});

describe("a limit", () => {
  const calls = Array.from({ length: 9 }, (_, at) => [
    callTool("weather__forecast", { city: `City ${at}` }),
    usage(90, 10),
  ]);

  it.each([
    ["rounds", { rounds: 3 }, 3, "limit-rounds"],
    ["tokens", { tokens: 250 }, 3, "limit-tokens"],
  ])("of %s ends the turn, with a note", async (_name, limits, asked, code) => {
    const stage = await stageOf([...calls], { tools: { forecast }, limits });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(stage.model.requests).toHaveLength(asked);
    expect(page.notes).toMatchObject([{ level: "warning", code }]);
    expect(page.calls.every(({ state }) => state === "done")).toBe(true);
  });

  it("of tokens counts arguments too, if the provider reports no usage", async () => {
    const big = callTool("weather__forecast", { city: "x".repeat(4_000) });
    const stage = await stageOf([big, big, big], { tools: { forecast }, limits: { tokens: 900 } });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await done(page);
    expect(stage.model.requests).toHaveLength(1);
    expect(page.notes).toMatchObject([{ code: "limit-tokens" }]);
  });

  it("of time ends the turn at any point", async () => {
    const clock = manualClock();
    const signals: AbortSignal[] = [];
    const stage = await stageOf([callTool("weather__slow", {})], {
      clock,
      limits: { seconds: 60 },
      tools: {
        slow: {
          work: (_input, { signal }) => {
            signals.push(signal);
            return new Promise(() => {});
          },
        },
      },
    });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await expect.poll(() => signals.length).toBe(1);
    clock.pass(60_000);
    await done(page);
    expect(signals[0]?.aborted).toBe(true);
    expect(page.calls).toMatchObject([{ state: "cancelled" }]);
    expect(page.notes).toMatchObject([{ code: "limit-seconds" }]);
  });
});

it("a result of 50 MB is available until a reload, the model sees its beginning, and it is not stored", async () => {
  const row = { id: 1, note: "x".repeat(84) };
  const rows = Array.from({ length: 500_000 }, () => row);
  const stage = await stageOf([callTool("weather__dump", {}), say("Large.")], {
    tools: { dump: { hasApp: true, work: () => ({ content: [], structuredContent: { rows } }) } },
  });
  const conversation = await stage.conversations.open("ana");
  await conversation.send(words("dump"));
  await expect.poll(() => conversation.isRunning).toBe(false);
  const seen = String(stage.model.requests[1]?.body.messages.at(-1)?.content);
  expect(seen.length).toBeLessThan(101_000);
  expect(seen).toMatch(/^\{"rows":\[\{"id":1,/);
  expect(seen).toMatch(/\[about \d\d,\d{3},\d{3} more characters were left out\]$/);
  const call = conversation.state().items.find(({ kind }) => kind === "call");
  expect(call).toMatchObject({ state: "done", result: { structuredContent: { rows } } });
  expect(call).not.toHaveProperty("isResultLost");
  await conversation.flush();
  const reopened = await stage.again().open("ana", conversation.id);
  const kept = reopened.state().items.find(({ kind }) => kind === "call");
  expect(kept).toMatchObject({ state: "done", isResultLost: true });
  expect(kept).not.toHaveProperty("result");
  const view = hearing();
  reopened.shown(kept?.id ?? "", view);
  expect(view.heard).toEqual([
    ["input", {}],
    ["cancelled", "its result was too large to be stored"],
  ]);
});

describe("a server whose answer is missing", () => {
  it.each([
    ["because of a timeout", new VitrineError("timeout", "the server did not answer in time"), true],
    [
      "because it exited",
      new GatewayError("server-exited", "it ended", { data: { indeterminate: true } }),
      true,
    ],
    [
      "because it was never called",
      new GatewayError("server-exited", "it ended", { data: { unsent: true } }),
      false,
    ],
  ])("%s: the model learns whether the call may have run", async (_name, error, mayBe) => {
    const work = () => Promise.reject(error);
    const stage = await stageOf([callTool("weather__order", {}), say("Sorry.")], {
      tools: { order: { work } },
    });
    const conversation = await stage.conversations.open("ana");
    await conversation.send(words("order"));
    await done(new Follower(conversation));
    const result = stage.model.requests[1]?.body.messages.find(({ role }) => role === "tool")?.content;
    expect(result).toBe(`${error.message}${mayBe ? ". It may have been executed anyway." : ""}`);
  });
});

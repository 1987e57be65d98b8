import { INVALID_PARAMS } from "@vitrine/protocol";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  type AsksStage,
  type AsksStageOptions,
  asksStage,
  silence,
} from "../../../../testing/gateway/asks-stage.js";
import { answer, finish, pause, say, usage, waitFor } from "../../../../testing/model/scripted-model.js";
import { SAMPLING_LIMITS } from "./limits.js";
import { readSamplingRequest } from "./sampling-request.js";

const never = new AbortController().signal;
const asker = { user: "ana", server: "notes" };
const text = (said: string) => ({ type: "text", text: said });
const ask = (said = "Say hello", more: object = {}) => ({
  messages: [{ role: "user", content: text(said) }],
  maxTokens: 50,
  ...more,
});

let stage: AsksStage;
afterEach(async () => stage?.close());
const setUp = async (options: AsksStageOptions = {}): Promise<AsksStage> => {
  stage = await asksStage({ otherwise: say("Hello", " there"), ...options });
  return stage;
};

describe("a server's request to the model", () => {
  it("I11: is shown to the user, sent after approval, and answered according to MCP", async () => {
    const { sampling, person, scripted, store } = await setUp();
    const params = ask("Say hello", { systemPrompt: "Be short.", temperature: 0.5, stopSequences: ["END"] });
    expect(await sampling.fromServer(stage.guardOf(asker), params, never)).toEqual({
      role: "assistant",
      content: text("Hello there"),
      model: "local/scripted",
      stopReason: "endTurn",
    });
    expect(person.asked).toEqual([
      {
        user: "ana",
        server: "notes",
        model: expect.stringContaining("scripted"),
        systemPrompt: "Be short.",
        messages: [{ role: "user", content: [text("Say hello")] }],
        maxTokens: 50,
        temperature: 0.5,
        stopSequences: ["END"],
      },
    ]);
    expect(scripted.requests[0]?.body).toMatchObject({
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Say hello" },
      ],
      max_tokens: 50,
      temperature: 0.5,
      stop: ["END"],
    });
    expect(scripted.requests[0]?.body.tools).toBeUndefined();
    await expect.poll(() => store.outcomes).toHaveLength(1);
    expect(store.entries).toMatchObject([
      {
        user: "ana",
        actor: "server",
        server: "notes",
        method: "sampling/createMessage",
        decision: "allowed",
        reason: "asked",
        paramsHash: expect.any(String),
        params: undefined,
      },
    ]);
    expect(store.outcomes).toMatchObject([{ outcome: "ok", resultHash: expect.any(String) }]);
    // Neither the request nor the answer is stored.
    expect(JSON.stringify(store.rows)).not.toMatch(/hello/i);
  });

  it("is sent with the user's changes", async () => {
    const { sampling, person, scripted } = await setUp();
    person.answer = () => ({
      answer: "allow",
      systemPrompt: "",
      maxTokens: 7,
      messages: [{ role: "user", content: [text("Say goodbye")] }],
    });
    await sampling.fromServer(stage.guardOf(asker), ask("Say hello", { systemPrompt: "Be rude." }), never);
    expect(scripted.requests[0]?.body).toMatchObject({
      messages: [{ role: "user", content: "Say goodbye" }],
      max_tokens: 7,
    });
    expect(scripted.requests[0]?.text).not.toContain("rude");
  });

  it("cannot exceed the limits through the user's page either", async () => {
    const { sampling, person, scripted } = await setUp();
    person.answer = () => ({ answer: "allow", maxTokens: 10_000_000 });
    await sampling.fromServer(stage.guardOf(asker), ask(), never);
    expect(scripted.requests[0]?.body["max_tokens"]).toBe(SAMPLING_LIMITS.maxTokens);
    person.answer = () => ({ answer: "allow", messages: [{ role: "system", content: [] }] });
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("the page's answer is unusable"),
    });
    expect(scripted.requests).toHaveLength(1);
  });

  it.each([[{ answer: "deny" }], [undefined], ["allow"], [{ answer: "Allow" }], [{ answer: true }]])(
    "is not sent if the user answers %j, and the server gets MCP's error code",
    async (given) => {
      const { sampling, person, scripted, store } = await setUp();
      person.answer = () => given;
      await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
        code: -1,
        message: "User rejected sampling request",
        data: { code: "denied" },
      });
      expect(scripted.requests).toEqual([]);
      expect(store.rows).toMatchObject([{ decision: "refused", reason: "denied", actor: "server" }]);
    },
  );

  it("is refused without a model, and without an open page", async () => {
    const { sampling, person, store } = await setUp();
    stage.hasModel = false;
    expect(sampling.hasModel).toBe(false);
    const unavailable = { data: { code: "sampling-unavailable" } };
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject(unavailable);
    expect(person.asked).toEqual([]);
    stage.hasModel = true;
    expect(sampling.hasModel).toBe(true);
    person.answer = () => {
      throw new Error("no page is open");
    };
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject(unavailable);
    // The model may become unavailable during the question.
    person.answer = () => {
      stage.hasModel = false;
      return { answer: "allow" };
    };
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject(unavailable);
    await expect
      .poll(() => store.outcomes)
      .toMatchObject([{ outcome: "failed", code: "sampling-unavailable" }]);
  });

  it("is not sent if it cannot be recorded", async () => {
    const { sampling, scripted, store } = await setUp();
    store.failing.begin = new Error("disk full");
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
      data: { code: "audit-failed" },
    });
    expect(scripted.requests).toEqual([]);
  });

  it("is stored if the operator enables payloads, with redacted fields", async () => {
    const { sampling, store } = await setUp({ payloads: "all" });
    await sampling.fromServer(
      stage.guardOf(asker),
      ask("Say hello", { metadata: { token: "s3cret" } }),
      never,
    );
    await expect.poll(() => store.outcomes[0]?.result).toContain("Hello there");
    expect(store.entries[0]?.params).toContain("Say hello");
    expect(JSON.stringify(store.rows)).not.toContain("s3cret");
  });

  it("follows the operator's policy", async () => {
    const { sampling, person, store } = await setUp();
    stage.policy = { "sampling/createMessage": "allow" };
    await sampling.fromServer(stage.guardOf(asker), ask(), never);
    expect(person.asked).toEqual([]);
    expect(store.entries).toMatchObject([{ reason: "policy" }]);
    stage.policy = { "sampling/createMessage": "deny" };
    expect(stage.guardOf(asker).isDenied("sampling/createMessage")).toBe(true);
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
      data: { code: "not-allowed" },
    });
  });
});

describe("the limit", () => {
  it("is five a minute for each server and user, and refusals of a flood are summarized in a few rows", async () => {
    const { sampling, person, store } = await setUp();
    person.answer = () => ({ answer: "deny" });
    const flood = await Promise.allSettled(
      Array.from({ length: 500 }, () => sampling.fromServer(stage.guardOf(asker), ask(), never)),
    );
    const codes = flood.map((each) => each.status === "rejected" && each.reason.data.code);
    expect(codes.filter((code) => code === "denied")).toHaveLength(5);
    expect(codes.filter((code) => code === "rate-limited")).toHaveLength(495);
    expect(person.asked).toHaveLength(5);
    expect(person.most).toBe(1);
    expect(store.rows.length).toBeLessThan(30);
    // Others are not affected, and after a minute it may ask again.
    await expect(
      sampling.fromServer(stage.guardOf({ ...asker, user: "ben" }), ask(), never),
    ).rejects.toMatchObject({
      code: -1,
    });
    stage.now += 12_000;
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({ code: -1 });
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
      data: { code: "rate-limited", retryAfter: expect.any(Number) },
    });
  });

  it("is one at a time, with a short queue", async () => {
    const { sampling, person } = await setUp({ sampling: { limits: { waiting: 1 } } });
    const { answer: wait, say: tell } = silence();
    person.answer = wait;
    const all = [1, 2, 3].map(() => sampling.fromServer(stage.guardOf(asker), ask(), never));
    await expect(all[2]).rejects.toMatchObject({ data: { code: "rate-limited" } });
    expect(person.asked).toHaveLength(1);
    tell({ answer: "allow" });
    await Promise.all(all.slice(0, 2));
    expect(person.most).toBe(1);
  });

  it("is a number of tokens per hour and server, by the provider's count", async () => {
    const { sampling } = await setUp({
      turns: [[say("a"), usage(300, 200)]],
      sampling: { limits: { tokensPerHour: 520 } },
    });
    await sampling.fromServer(stage.guardOf(asker), ask("hi", { maxTokens: 1_000 }), never);
    // The rest is the limit of the answer.
    await sampling.fromServer(stage.guardOf(asker), ask("hi", { maxTokens: 1_000 }), never);
    expect(stage.scripted.requests.map(({ body }) => body["max_tokens"])).toEqual([519, 19]);
    await expect(
      sampling.fromServer(stage.guardOf(asker), ask("x".repeat(100)), never),
    ).rejects.toMatchObject({
      data: { code: "rate-limited", retryAfter: expect.any(Number) },
    });
    stage.now += 3_600_001;
    await sampling.fromServer(stage.guardOf(asker), ask("x".repeat(100)), never);
  });

  it("counts concurrent requests of a server's views with their maximum", async () => {
    const { sampling } = await setUp({
      turns: [[say("a"), usage(300, 200)]],
      sampling: { limits: { tokensPerHour: 520 } },
    });
    stage.policy = { "sampling/createMessage": "allow" };
    const params = ask("hi", { maxTokens: 1_000 });
    const call = { ...asker, actor: "view", method: "sampling/createMessage", params } as const;
    const from = (view: string) => sampling.fromView(stage.guardOf(asker), { ...call, view });
    const [one, other] = await Promise.allSettled([from("a"), from("b")]);
    expect(one).toMatchObject({ status: "fulfilled" });
    expect(other).toMatchObject({ status: "rejected", reason: { data: { code: "rate-limited" } } });
    // The actual usage was lower.
    await from("b");
    expect(stage.scripted.requests.map(({ body }) => body["max_tokens"])).toEqual([519, 19]);
  });

  it("applies to the answer, whatever the model sends", async () => {
    const { sampling } = await setUp({ turns: [[say("cut"), finish("length")], say("y".repeat(1_200_000))] });
    expect(await sampling.fromServer(stage.guardOf(asker), ask(), never)).toMatchObject({
      stopReason: "maxTokens",
    });
    const { content, stopReason } = await sampling.fromServer(stage.guardOf(asker), ask(), never);
    expect(Object(content).text).toHaveLength(1_000_000);
    expect(stopReason).toBe("maxTokens");
  });
});

describe("the end", () => {
  it("of a cancelled request removes the question from the screen", async () => {
    const { sampling, person, store } = await setUp();
    person.answer = silence().answer;
    const controller = new AbortController();
    const asked = sampling.fromServer(stage.guardOf(asker), ask(), controller.signal);
    const waiting = sampling.fromServer(stage.guardOf(asker), ask(), controller.signal);
    const ended = Promise.allSettled([asked, waiting]);
    await expect.poll(() => person.asked).toHaveLength(1);
    controller.abort();
    expect(await ended).toMatchObject([{ reason: { code: "aborted" } }, { reason: { code: "aborted" } }]);
    expect(person.withdrawn).toBe(1);
    expect(store.rows).toMatchObject([{ reason: "aborted" }, { reason: "aborted" }]);
    // The next one is handled.
    person.answer = () => ({ answer: "allow" });
    await sampling.fromServer(stage.guardOf(asker), ask(), never);
  });

  it("of a cancelled request stops the model, and its tokens count", async () => {
    const stop = new Promise(() => {});
    const { sampling, scripted, store } = await setUp({ turns: [[say("Hel"), waitFor(stop)]] });
    const controller = new AbortController();
    const asked = sampling.fromServer(stage.guardOf(asker), ask(), controller.signal);
    const ended = expect(asked).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => scripted.requests).toHaveLength(1);
    controller.abort();
    await ended;
    expect(await scripted.requests[0]?.left).toBe(true);
    await expect.poll(() => store.outcomes).toMatchObject([{ outcome: "cancelled" }]);
  });

  it("comes by a timeout of the user or the model at the latest", async () => {
    const { sampling, person } = await setUp({
      turns: [pause(5_000)],
      sampling: { limits: { userTimeout: 50, time: 50 } },
    });
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("the model"),
    });
    person.answer = silence().answer;
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("the user"),
    });
    expect(person.withdrawn).toBe(1);
  });

  it("with an error of the model is reported", async () => {
    const { sampling, store } = await setUp({ turns: [answer(429)] });
    await expect(sampling.fromServer(stage.guardOf(asker), ask(), never)).rejects.toMatchObject({
      data: { code: "model-rate-limited" },
    });
    await expect.poll(() => store.outcomes).toMatchObject([{ outcome: "failed" }]);
  });
});

describe("a malformed request", () => {
  const user = (content: unknown) => ({ messages: [{ role: "user", content }], maxTokens: 5 });
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a list", []],
    ["no messages", { maxTokens: 5 }],
    ["empty messages", { messages: [], maxTokens: 5 }],
    ["too many messages", { messages: Array(101).fill({ role: "user", content: text("a") }), maxTokens: 5 }],
    ["a message of the system's", { messages: [{ role: "system", content: text("a") }], maxTokens: 5 }],
    ["no maxTokens", { messages: ask().messages }],
    ["no tokens", ask("a", { maxTokens: 0 })],
    ["half a token", ask("a", { maxTokens: 0.5 })],
    ["tools", ask("a", { tools: [{ name: "a", inputSchema: { type: "object" } }] })],
    ["a choice of tools", ask("a", { toolChoice: { mode: "auto" } })],
    ["sound", user({ type: "audio", data: "AAAA", mimeType: "audio/wav" })],
    ["a call", user({ type: "tool_use", id: "1", name: "a", input: {} })],
    ["an unsupported picture", user({ ...image, mimeType: "image/svg+xml" })],
    ["a picture that is not base64", user({ ...image, data: "<script>" })],
    ["a picture by the model", { messages: [{ role: "assistant", content: image }], maxTokens: 5 }],
    ["a temperature that is too high", ask("a", { temperature: 3 })],
    ["too many stop sequences", ask("a", { stopSequences: Array(9).fill("a") })],
    ["an empty stop sequence", ask("a", { stopSequences: [""] })],
  ])("%s is refused, and the user is not asked", async (_, params) => {
    const { sampling, person, store } = await setUp();
    await expect(sampling.fromServer(stage.guardOf(asker), params, never)).rejects.toMatchObject({
      code: INVALID_PARAMS,
    });
    expect(person.asked).toEqual([]);
    expect(store.rows).toMatchObject([{ decision: "refused", reason: "invalid-params" }]);
  });

  it("is refused before it is read if it is too large or nested too deeply", async () => {
    const { sampling, person } = await setUp();
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    for (const params of [ask("x".repeat(4_000_001)), ask("a", { metadata: { deep } })]) {
      await expect(sampling.fromServer(stage.guardOf(asker), params, never)).rejects.toMatchObject({
        data: { code: "too-large" },
      });
    }
    expect(person.asked).toEqual([]);
  });

  it("any input is accepted, or rejected with a code", () => {
    const limits = SAMPLING_LIMITS;
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom("messages", "role", "content", "maxTokens", "type") }),
        (params) => {
          try {
            readSamplingRequest(params, limits);
          } catch (error) {
            expect([INVALID_PARAMS, -32000]).toContain(Object(error).code);
          }
        },
      ),
    );
  });

  it("pictures and several blocks are accepted, without members that the user does not see", async () => {
    const { sampling, person, scripted } = await setUp();
    const block = { ...text("What is this?"), _meta: { hidden: "words" }, annotations: { priority: 1 } };
    await sampling.fromServer(stage.guardOf(asker), user([block, image]), never);
    expect(person.asked[0]?.["messages"]).toEqual([
      { role: "user", content: [text("What is this?"), image] },
    ]);
    expect(scripted.requests[0]?.text).toContain("data:image/png;base64,iVBORw0KGgo=");
    expect(scripted.requests[0]?.text).not.toContain("hidden");
  });
});

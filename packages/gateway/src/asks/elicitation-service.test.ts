import { INVALID_PARAMS } from "@vitrine/protocol";
import { afterEach, describe, expect, it } from "vitest";
import {
  type AsksStage,
  type AsksStageOptions,
  asksStage,
  silence,
} from "../../../../testing/gateway/asks-stage.js";

const never = new AbortController().signal;
const asker = { user: "ana", server: "weather" };
const requestedSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const form = { message: "Which city?", requestedSchema };
const url = (address: unknown, more: object = {}) => ({
  mode: "url",
  message: "Sign in",
  url: address,
  ...more,
});

let stage: AsksStage;
afterEach(async () => stage?.close());
const setUp = async (options: AsksStageOptions = {}): Promise<AsksStage> => {
  stage = await asksStage(options);
  stage.person.answer = () => ({ action: "accept", content: { city: "Oslo" } });
  return stage;
};

describe("a server's request to the user", () => {
  it("is shown, answered according to the form, and recorded without its content", async () => {
    const { elicitation, person, store } = await setUp();
    expect(await elicitation.fromServer(stage.guardOf(asker), form, never)).toEqual({
      action: "accept",
      content: { city: "Oslo" },
    });
    expect(person.asked).toEqual([
      { user: "ana", server: "weather", message: "Which city?", mode: "form", schema: requestedSchema },
    ]);
    await expect
      .poll(() => store.outcomes)
      .toMatchObject([{ outcome: "ok", resultHash: expect.any(String) }]);
    expect(store.entries).toMatchObject([
      {
        user: "ana",
        actor: "server",
        server: "weather",
        method: "elicitation/create",
        decision: "allowed",
        reason: "asked",
        paramsHash: expect.any(String),
      },
    ]);
    expect(JSON.stringify(store.rows)).not.toMatch(/city|Oslo/);
  });

  it.each([
    ["decline", "denied"],
    ["cancel", "aborted"],
  ])("may be answered with %s, which reveals nothing", async (action, reason) => {
    const { elicitation, person, store } = await setUp();
    person.answer = () => ({ action, content: { city: "Oslo" } });
    expect(await elicitation.fromServer(stage.guardOf(asker), form, never)).toEqual({ action });
    expect(store.rows).toMatchObject([{ decision: "refused", reason }]);
  });

  it("counts as cancelled without an answer in time", async () => {
    const { elicitation, person, store } = await setUp({ elicitation: { limits: { userTimeout: 30 } } });
    person.answer = silence().answer;
    expect(await elicitation.fromServer(stage.guardOf(asker), form, never)).toEqual({ action: "cancel" });
    expect(person.withdrawn).toBe(1);
    expect(store.rows).toMatchObject([{ decision: "refused", reason: "timeout" }]);
  });

  it("fails without an open page, and if it cannot be recorded", async () => {
    const { elicitation, person, store } = await setUp();
    store.failing.begin = new Error("disk full");
    await expect(elicitation.fromServer(stage.guardOf(asker), form, never)).rejects.toMatchObject({
      data: { code: "audit-failed" },
    });
    store.failing.begin = undefined;
    person.answer = () => {
      throw new Error("no page is open");
    };
    await expect(elicitation.fromServer(stage.guardOf(asker), form, never)).rejects.toMatchObject({
      data: { code: "elicitation-unavailable" },
    });
    expect(store.rows).toMatchObject([{ decision: "refused", reason: "elicitation-unavailable" }]);
  });

  it.each([
    [undefined],
    [{}],
    [{ action: "yes" }],
    [{ action: "accept" }],
    [{ action: "accept", content: { city: 7 } }],
  ])("an invalid answer %j of the page does not reach the server", async (answer) => {
    const { elicitation, person, store } = await setUp();
    person.answer = () => answer;
    await expect(elicitation.fromServer(stage.guardOf(asker), form, never)).rejects.toMatchObject({
      code: -32603,
    });
    expect(store.rows).toMatchObject([{ decision: "refused" }]);
  });

  it("is limited to one at a time and ten a minute, and can be denied by the operator", async () => {
    const { elicitation, person, store } = await setUp();
    const flood = await Promise.allSettled(
      Array.from({ length: 200 }, () => elicitation.fromServer(stage.guardOf(asker), form, never)),
    );
    expect(flood.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(person.asked).toHaveLength(10);
    expect(person.most).toBe(1);
    expect(store.entries.filter(({ decision }) => decision === "refused").length).toBeLessThan(25);
    stage.now += 6_000;
    await elicitation.fromServer(stage.guardOf(asker), form, never);
    stage.policy = { "elicitation/create": "deny" };
    expect(stage.guardOf(asker).isDenied("elicitation/create")).toBe(true);
    await expect(elicitation.fromServer(stage.guardOf(asker), form, never)).rejects.toMatchObject({
      data: { code: "not-allowed" },
    });
  });

  it("is removed from the screen when the server cancels it", async () => {
    const { elicitation, person } = await setUp();
    person.answer = silence().answer;
    const controller = new AbortController();
    const asked = elicitation.fromServer(stage.guardOf(asker), form, controller.signal);
    const ended = expect(asked).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => person.asked).toHaveLength(1);
    controller.abort();
    await ended;
    expect(person.withdrawn).toBe(1);
  });
});

describe("web pages that a server sends a user to", () => {
  it.each([
    ["https://example.com/sign-in?state=1", "https://example.com/sign-in?state=1"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/"],
    ["http://localhost:3000/a", "http://localhost:3000/a"],
    ["https://аррӏе.com/", "https://xn--80ak6aa92e.com/"],
  ])("may be %s", async (address, shown) => {
    const { elicitation, person } = await setUp();
    expect(await elicitation.fromServer(stage.guardOf(asker), url(address), never)).toEqual({
      action: "accept",
    });
    expect(person.asked).toEqual([
      { user: "ana", server: "weather", message: "Sign in", mode: "url", url: shown },
    ]);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "http://example.com/",
    "http://localhost.evil.example/",
    "http://192.168.0.1/",
    "https://example.com@evil.example/",
    "https://user:pass@example.com/",
    "mailto:a@example.com",
    "//example.com/",
    "/sign-in",
    "",
    undefined,
    7,
    `https://example.com/${"a".repeat(8_000)}`,
  ])("must not be %j", async (address) => {
    const { elicitation, person, store } = await setUp();
    await expect(elicitation.fromServer(stage.guardOf(asker), url(address), never)).rejects.toMatchObject({
      data: { code: "link-invalid" },
    });
    expect(person.asked).toEqual([]);
    expect(store.rows).toMatchObject([{ decision: "refused", reason: "link-invalid" }]);
  });

  it("are reported as completed once, and only if the user went there", async () => {
    const done: unknown[] = [];
    const { elicitation, person } = await setUp({
      elicitation: { oncompleted: ({ user, server }, sent) => done.push([user, server.name, sent.url]) },
    });
    const address = "https://example.com/";
    await elicitation.fromServer(stage.guardOf(asker), url(address, { elicitationId: "e1" }), never);
    person.answer = () => ({ action: "decline" });
    await elicitation.fromServer(stage.guardOf(asker), url(address, { elicitationId: "e2" }), never);
    elicitation.completed(stage.guardOf({ ...asker, server: "other" }), "e1");
    // Another server that has taken its name (attack E01).
    elicitation.completed(stage.guardOf({ ...asker, identity: "another" }), "e1");
    for (const id of ["e1", "e1", "e2", "e3", "__proto__"]) elicitation.completed(stage.guardOf(asker), id);
    expect(done).toEqual([["ana", "weather", address]]);
  });
});

describe("a malformed request", () => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a list", []],
    ["no message", { requestedSchema }],
    ["an empty message", { message: " ", requestedSchema }],
    ["no form", { message: "Which city?" }],
    ["another mode", { mode: "voice", message: "Which city?" }],
    ["an invalid id", url("https://example.com/", { elicitationId: 7 })],
  ])("%s is refused, and the user is not asked", async (_, params) => {
    const { elicitation, person } = await setUp();
    await expect(elicitation.fromServer(stage.guardOf(asker), params, never)).rejects.toMatchObject({
      code: INVALID_PARAMS,
    });
    expect(person.asked).toEqual([]);
  });

  it("is refused before it is read if it is too large or nested too deeply", async () => {
    const { elicitation, person } = await setUp();
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = { properties: deep };
    for (const params of [
      { ...form, more: "x".repeat(200_001) },
      { ...form, message: "x".repeat(10_001) },
      { message: "m", requestedSchema: deep },
    ]) {
      await expect(elicitation.fromServer(stage.guardOf(asker), params, never)).rejects.toMatchObject({
        data: { code: "too-large" },
      });
    }
    expect(person.asked).toEqual([]);
  });
});

/** Sampling requests of apps: through the guard, with the user's changes. */
import { afterEach, describe, expect, it } from "vitest";
import { type AsksStage, asksStage, silence } from "../../../../testing/gateway/asks-stage.js";
import { type MemoryStore, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { say } from "../../../../testing/model/scripted-model.js";
import type { GatewaySettings } from "../config/config.js";
import { gatewayGuard } from "../guard/gateway-guard.js";
import type { GuardedCall } from "../guard/guarded-call.js";

const text = (said: string) => ({ type: "text", text: said });
const ask = (said = "Say hello") => ({ messages: [{ role: "user", content: text(said) }], maxTokens: 50 });

let stage: AsksStage;
afterEach(async () => stage?.close());

async function setUp(policy: GatewaySettings["policy"] = {}) {
  stage = await asksStage({ otherwise: say("Hello", " there") });
  const { sampling, store } = stage;
  const guard = gatewayGuard({
    server: stageServer(),
    user: "ann",
    store,
    views: () => ({ session: "s1", tool: "show" }),
    settings: { policy, strict: false, audit: { payloads: "none", redact: [] } },
    // The service asks in a form of its own.
    ask: () => {
      throw new Error("the guard asked");
    },
  });
  const send = (params: Record<string, unknown>, more: Partial<GuardedCall> = {}) =>
    sampling.fromView(guard, {
      actor: "view",
      user: "ann",
      view: "v1",
      server: "shop",
      method: "sampling/createMessage",
      params,
      ...more,
    });
  return { ...stage, send };
}

const rows = ({ rows }: MemoryStore) =>
  rows.map(({ kind, decision, reason, outcome, code }) => [kind, decision ?? outcome, reason ?? code]);

describe("an app's request to the model", () => {
  it("I11: asks the user once, who may change it, and adds one row with one outcome", async () => {
    const { send, person, scripted, store } = await setUp();
    person.answer = () => ({
      answer: "allow",
      messages: [{ role: "user", content: [text("Say goodbye")] }],
    });
    expect(await send(ask())).toMatchObject({ content: text("Hello there"), stopReason: "endTurn" });
    expect(person.asked).toMatchObject([{ user: "ann", server: "shop", maxTokens: 50 }]);
    expect(scripted.requests[0]?.body.messages).toEqual([{ role: "user", content: "Say goodbye" }]);
    await expect
      .poll(() => rows(store))
      .toEqual([
        ["entry", "allowed", "asked"],
        ["outcome", "ok", undefined],
      ]);
    expect(store.entries).toMatchObject([{ actor: "view", view: "v1", method: "sampling/createMessage" }]);
  });

  it("is refused with MCP's code if the user declines", async () => {
    const { send, person, scripted, store } = await setUp();
    person.answer = () => ({ answer: "deny" });
    await expect(send(ask())).rejects.toMatchObject({ code: -1, data: { code: "denied" } });
    expect(scripted.requests).toEqual([]);
    expect(rows(store)).toEqual([["entry", "refused", "denied"]]);
  });

  it("needs no question if the operator allows it, and is refused if the operator denies it", async () => {
    const allowed = await setUp({ "sampling/createMessage": "allow" });
    await allowed.send(ask());
    expect(allowed.person.asked).toEqual([]);
    expect(allowed.scripted.requests).toHaveLength(1);
    await stage.close();
    const denied = await setUp({ "sampling/createMessage": "deny" });
    await expect(denied.send(ask())).rejects.toMatchObject({ data: { code: "not-allowed" } });
    expect(denied.scripted.requests).toEqual([]);
  });

  it("is limited to five a minute, whether or not the user is asked; another view has its own limit", async () => {
    const { send, person, store } = await setUp({ "sampling/createMessage": "allow" });
    for (let count = 0; count < 5; count++) await send(ask());
    await expect(send(ask())).rejects.toMatchObject({ data: { code: "rate-limited" } });
    await send(ask(), { view: "v2" });
    expect(person.asked).toEqual([]);
    expect(store.entries.filter(({ view }) => view === "v1")).toHaveLength(6);
  });

  it("is refused without a model, or if it needs more than text and pictures", async () => {
    const { send, person } = await setUp();
    stage.hasModel = false;
    await expect(send(ask())).rejects.toMatchObject({ data: { code: "sampling-unavailable" } });
    stage.hasModel = true;
    const tools = [{ name: "a", inputSchema: { type: "object" } }];
    await expect(send({ ...ask(), tools })).rejects.toMatchObject({ code: -32602 });
    await expect(send({ ...ask(), includeContext: "allServers" })).rejects.toMatchObject({
      data: { code: "other-server" },
    });
    expect(person.asked).toEqual([]);
  });

  it("is removed from the screen with the view", async () => {
    const { send, person, store } = await setUp();
    person.answer = silence().answer;
    const controller = new AbortController();
    const asked = send(ask(), { signal: controller.signal });
    const ended = expect(asked).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => person.asked).toHaveLength(1);
    controller.abort();
    await ended;
    await expect.poll(() => person.withdrawn).toBe(1);
    expect(rows(store)).toEqual([["entry", "refused", "aborted"]]);
  });
});

import { afterEach, expect, it } from "vitest";
import { memoryStore, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { type ScriptedModel, say, startScriptedModel } from "../../../../testing/model/scripted-model.js";
import { aiModel } from "../../../conversation/src/model/ai-model.js";
import type { GatewaySettings } from "../config/config.js";
import { gatewayGuard } from "../guard/gateway-guard.js";
import { PageQuestions } from "../sessions/page-questions.js";
import { type AskedPage, pageServices } from "./page-services.js";
import { asksOf } from "./services.js";

const never = new AbortController().signal;
const sample = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 };
const form = {
  message: "Sure?",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } },
};

let scripted: ScriptedModel | undefined;
afterEach(async () => scripted?.close());

async function setUp() {
  scripted = await startScriptedModel([], { otherwise: say("Hello") });
  const model = aiModel({ name: "local", type: "compatible", url: scripted.url }, "scripted");
  /** The messages to a page. */
  const sent: { id?: string; method: string; params: Record<string, unknown> }[] = [];
  const answers: Record<string, unknown> = {};
  const questions = new PageQuestions((text) => {
    const message = JSON.parse(text) as (typeof sent)[number];
    sent.push(message);
    if (message.method in answers) {
      setImmediate(() => questions.answered(message.id, answers[message.method], undefined));
    }
  });
  const app = { item: "i1", server: "shop", title: "Cart" };
  const page: AskedPage = {
    request: (method, params, signal) => questions.request(method, params, signal),
    speaker: (view) => (view === "v7" ? app : undefined),
  };
  const pages = new Map([["ana", page]]);
  const asked: (string | undefined)[][] = [];
  const settings: Pick<GatewaySettings, "policy" | "strict" | "audit"> = {
    policy: {},
    strict: false,
    audit: { payloads: "none", redact: [] },
  };
  const services = pageServices({
    model: () => model,
    page: (user, view) => {
      asked.push([user, view]);
      return pages.get(user);
    },
  });
  const store = memoryStore();
  const guardOf = (user: string) =>
    gatewayGuard({ server: stageServer(), user, store, settings, views: () => ({ session: "s1" }) });
  const asksFor = (user: string) => {
    const guard = guardOf(user);
    return asksOf(() => guard, services);
  };
  return { services, sent, answers, settings, questions, asked, guardOf, asksFor };
}

it("questions are sent to the user's page with an id, and answered", async () => {
  const { asksFor, sent, answers } = await setUp();
  answers["gateway/sample"] = { answer: "allow", maxTokens: 3 };
  answers["gateway/elicit"] = { action: "accept", content: { ok: true } };
  const asks = asksFor("ana");
  expect(asks.capabilities()).toEqual({ sampling: {}, elicitation: { form: {}, url: {} } });
  expect(await asks.sample?.(sample, never)).toMatchObject({ content: { text: "Hello" } });
  expect(await asks.elicit?.(form, never)).toEqual({ action: "accept", content: { ok: true } });
  expect(sent).toMatchObject([
    { id: "q1", method: "gateway/sample", params: { id: "q1", server: "shop", maxTokens: 5 } },
    { id: "q2", method: "gateway/elicit", params: { id: "q2", mode: "form", message: "Sure?" } },
  ]);
});

it("a user without a page cannot be asked, and a closed page counts as declined", async () => {
  const { asksFor, questions } = await setUp();
  const nobody = asksFor("ben");
  await expect(nobody.sample?.(sample, never)).rejects.toMatchObject({
    data: { code: "sampling-unavailable" },
  });
  await expect(nobody.elicit?.(form, never)).rejects.toMatchObject({
    data: { code: "elicitation-unavailable" },
  });
  const asking = asksFor("ana").sample?.(sample, never);
  setImmediate(() => questions.close());
  await expect(asking).rejects.toMatchObject({ data: { code: "sampling-unavailable" } });
});

it("an app's question is sent to the page that shows it", async () => {
  const { services, answers, asked, sent, guardOf } = await setUp();
  answers["gateway/sample"] = { answer: "allow" };
  const method = "sampling/createMessage";
  const call = { actor: "view", user: "ana", server: "shop", view: "v7", method, params: sample } as const;
  expect(await services.sampling.fromView(guardOf("ana"), call)).toMatchObject({
    content: { text: "Hello" },
  });
  expect(asked).toEqual([["ana", "v7"]]);
  expect(sent).toMatchObject([{ method: "gateway/sample", params: { app: { title: "Cart" } } }]);
});

it("the current policy of the operator applies to servers too", async () => {
  const { asksFor, settings } = await setUp();
  const asks = asksFor("ana");
  settings.policy = { "sampling/createMessage": "deny" };
  expect(asks.capabilities()).not.toHaveProperty("sampling");
  await expect(asks.sample?.(sample, never)).rejects.toMatchObject({ data: { code: "not-allowed" } });
  settings.policy = { "sampling/createMessage": "allow" };
  expect(await asks.sample?.(sample, never)).toMatchObject({ content: { text: "Hello" } });
});

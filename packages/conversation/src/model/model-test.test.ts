import { afterEach, expect, it } from "vitest";
import {
  answer,
  callTool,
  type Script,
  type ScriptedModel,
  say,
  startScriptedModel,
  unauthorized,
  usage,
  waitFor,
} from "../../../../testing/model/scripted-model.js";
import { aiModel } from "./ai-model.js";
import { testModel } from "./model-test.js";

const KEY = "sk-s3cret-0123456789";
const servers: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function tested(script: Script, timeout?: number) {
  const server = await startScriptedModel([script]);
  servers.push(server);
  const model = aiModel({ name: "local", type: "compatible", url: server.url, key: KEY }, "scripted");
  const outcome = await testModel(model, timeout);
  expect(JSON.stringify(outcome)).not.toContain(KEY);
  expect(server.requests).toHaveLength(1);
  return { outcome, server };
}

it("a test message shows that a model answers and can call tools", async () => {
  const { outcome, server } = await tested([
    say("Hi."),
    callTool("say_hello", { word: "vitrine" }),
    usage(50, 9),
  ]);
  expect(outcome).toEqual({
    text: "Hi.",
    duration: expect.any(Number),
    usage: { input: 50, output: 9 },
    canCall: true,
  });
  expect(server.requests[0]?.body.tools).toMatchObject([{ function: { name: "say_hello" } }]);
});

it.each<[string, Script]>([
  ["only text", say("I cannot call tools.")],
  ["another tool", callTool("other", { word: "x" })],
  ["malformed arguments", callTool("say_hello", '{"word": ')],
  ["missing arguments", callTool("say_hello", {})],
])("a model that answers with %s cannot call tools", async (_, script) => {
  const { outcome } = await tested(script);
  expect(outcome).toMatchObject({ canCall: false });
  expect(outcome.problem).toBeUndefined();
});

it.each<[string, Script, string]>([
  ["rejects the key", unauthorized, "model-unauthorized"],
  ["repeats the key in its error", answer(500, { error: { message: `bad ${KEY}` } }), "model-failed"],
])("a provider that %s is reported with its code", async (_, script, code) => {
  expect((await tested(script)).outcome).toMatchObject({ canCall: false, problem: { code } });
});

it("a provider that hangs is reported after the timeout", async () => {
  const { outcome } = await tested([say("one"), waitFor(new Promise(() => {}))], 200);
  expect(outcome).toMatchObject({ text: "one", canCall: false, problem: { code: "model-unreachable" } });
});

import { readdirSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import { createLog } from "@vitrine/gateway";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  answer,
  callTool,
  drop,
  endEarly,
  failInStream,
  finish,
  overloaded,
  pause,
  rateLimited,
  raw,
  type Script,
  type ScriptedModel,
  say,
  startScriptedModel,
  together,
  unauthorized,
  usage,
  waitFor,
} from "../../../../testing/model/scripted-model.js";
import { aiModel } from "./ai-model.js";
import type { ModelDelta, ModelRequest } from "./model.js";
import { ModelError } from "./model-error.js";

const KEY = "sk-s3cret-0123456789";
const hello: ModelRequest = {
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  tools: [],
};
const never = new AbortController().signal;

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function scripted(...turns: Script[]) {
  const server = await startScriptedModel(turns);
  open.push(server);
  const model = aiModel({ name: "local", type: "compatible", url: server.url, key: KEY }, "scripted");
  return { server, model };
}

/** The parts that arrived, and the error. */
async function all(deltas: AsyncIterable<ModelDelta>) {
  const came: ModelDelta[] = [];
  try {
    for await (const delta of deltas) came.push(delta);
    return { came };
  } catch (error) {
    return { came, error };
  }
}

/** The error of a script, which must not contain the key anywhere. */
async function failure(...script: Script[]): Promise<ModelError> {
  const { server, model } = await scripted(script);
  const { error } = await all(model.stream(hello, never));
  expect(error).toBeInstanceOf(ModelError);
  expect(server.requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  // Retrying is up to the caller.
  expect(server.requests).toHaveLength(1);
  shown(error);
  return error as ModelError;
}

/** Everything in an error that could be shown, logged or sent. */
function shown(error: unknown): string {
  const lines: string[] = [];
  createLog({ stream: { write: (line) => void lines.push(line) } }).error({ err: error }, String(error));
  const { data, message } = error as ModelError;
  const everything = `${inspect(error, { depth: 20, showHidden: true })}${JSON.stringify({ data, message })}${lines.join("")}`;
  expect(everything).not.toContain(KEY);
  expect(everything).not.toContain("127.0.0.1");
  expect((error as ModelError).cause).toBeUndefined();
  return everything;
}

describe("the answer of a model", () => {
  it("arrives token by token, with its usage and the reason of its end", async () => {
    const { model } = await scripted([say("Hel", "lo", "!"), usage(12, 3)]);
    expect(model).toMatchObject({ id: "local/scripted", label: "scripted (local)" });
    expect(await all(model.stream(hello, never))).toEqual({
      came: [
        { kind: "text", text: "Hel" },
        { kind: "text", text: "lo" },
        { kind: "text", text: "!" },
        { kind: "usage", usage: { input: 12, output: 3 } },
        { kind: "end", reason: "stop" },
      ],
    });
  });

  it("arrives while it is written, not only at its end", async () => {
    let goOn = (): void => {};
    const { model } = await scripted([
      say("first"),
      waitFor(new Promise<void>((r) => (goOn = r))),
      say("last"),
    ]);
    const deltas = model.stream(hello, never)[Symbol.asyncIterator]();
    expect(await deltas.next()).toMatchObject({ value: { text: "first" } });
    goOn();
    expect(await deltas.next()).toMatchObject({ value: { text: "last" } });
  });

  it("contains calls with every fragment of their arguments", async () => {
    const { model } = await scripted(callTool("show", { city: "Rome" }, { id: "c1", fragment: 5 }));
    const { came } = await all(model.stream(hello, never));
    expect(came).toEqual([
      { kind: "call", id: "c1", name: "show" },
      { kind: "arguments", id: "c1", text: '{"cit' },
      { kind: "arguments", id: "c1", text: 'y":"R' },
      { kind: "arguments", id: "c1", text: 'ome"}' },
      { kind: "called", id: "c1" },
      { kind: "end", reason: "tools" },
    ]);
  });

  it("contains calls that are written concurrently", async () => {
    const one = callTool("show", { city: "Rome" }, { index: 0, fragment: 4 });
    const two = callTool("show", { city: "Oslo, Norway" }, { index: 1, fragment: 3 });
    const { model } = await scripted([say("Both."), ...together(one, two)]);
    const { came } = await all(model.stream(hello, never));
    const textOf = (id: string) =>
      came.map((delta) => (delta.kind === "arguments" && delta.id === id ? delta.text : "")).join("");
    expect(JSON.parse(textOf("call-0"))).toEqual({ city: "Rome" });
    expect(JSON.parse(textOf("call-1"))).toEqual({ city: "Oslo, Norway" });
    const order = came.map((delta) => ("id" in delta ? `${delta.kind} ${delta.id}` : delta.kind));
    expect(order.slice(0, 5)).toEqual([
      "text",
      "call call-0",
      "call call-1",
      "arguments call-0",
      "arguments call-1",
    ]);
    expect(order.slice(-3)).toEqual(["called call-0", "called call-1", "end"]);
  });

  it("contains an empty object for a call without arguments", async () => {
    const { model } = await scripted(callTool("refresh", ""));
    const { came } = await all(model.stream(hello, never));
    expect(came).toContainEqual({ kind: "arguments", id: "call-0", text: "{}" });
  });

  it("contains malformed arguments unchanged, so that they can be reported", async () => {
    const { model } = await scripted(callTool("show", '{"city": Rome'));
    const { came } = await all(model.stream(hello, never));
    expect(came).toContainEqual({ kind: "arguments", id: "call-0", text: '{"city": Rome' });
    expect(came.at(-1)).toEqual({ kind: "end", reason: "tools" });
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "filtered"],
    ["eos", "other"],
  ])("ends with %s as %s", async (reason, expected) => {
    const { model } = await scripted([say("x"), finish(reason)]);
    expect((await all(model.stream(hello, never))).came.at(-1)).toEqual({ kind: "end", reason: expected });
  });

  it('contains calls to make even if the server reports "stop"', async () => {
    const { model } = await scripted([callTool("show", {}), finish("stop")]);
    expect((await all(model.stream(hello, never))).came.at(-1)).toEqual({ kind: "end", reason: "tools" });
  });
});

describe("the request to a model", () => {
  it("contains everything", async () => {
    const { server, model } = await scripted(say("ok"));
    await all(
      model.stream(
        {
          system: "Be short.",
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "What is this?" },
                { type: "text", text: "" },
                { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
                { type: "file", data: "JVBERi0=", mimeType: "application/pdf", name: "a.pdf" },
              ],
            },
            {
              role: "assistant",
              content: [
                { type: "text", text: "" },
                { type: "call", id: "c1", name: "look", arguments: { at: 1 } },
                { type: "call", id: "c2", name: "look", arguments: { at: 2 } },
              ],
            },
            {
              role: "tool",
              content: [
                { type: "result", id: "c1", name: "look", text: "a cat", isError: false },
                { type: "result", id: "c2", name: "look", text: "too dark", isError: true },
              ],
            },
            { role: "user", content: [{ type: "text", text: "" }] },
          ],
          tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }],
          maxTokens: 50,
          temperature: 0.5,
          stopSequences: ["END"],
        },
        never,
      ),
    );
    expect(server.requests[0]?.body).toMatchObject({
      model: "scripted",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 50,
      temperature: 0.5,
      stop: ["END"],
      messages: [
        { role: "system", content: "Be short." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            {
              type: "file",
              file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
            },
          ],
        },
        {
          role: "assistant",
          tool_calls: [
            { id: "c1", function: { name: "look", arguments: '{"at":1}' } },
            { id: "c2", function: { name: "look", arguments: '{"at":2}' } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "a cat" },
        { role: "tool", tool_call_id: "c2", content: "too dark" },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Looks." } }],
    });
    expect(server.requests[0]?.body.messages).toHaveLength(5);
  });

  it("contains no key if there is none", async () => {
    const { server } = await scripted(say("ok"));
    const model = aiModel({ name: "local", type: "compatible", url: server.url }, "scripted");
    expect((await all(model.stream(hello, never))).error).toBeUndefined();
    expect(server.requests[0]?.headers["authorization"]).toBeUndefined();
  });
});

describe("stopping", () => {
  it("before the request sends nothing", async () => {
    const { server, model } = await scripted(say("ok"));
    const reason = new Error("enough");
    expect(await all(model.stream(hello, AbortSignal.abort(reason)))).toEqual({ came: [], error: reason });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ["in the middle of an answer", [say("one"), waitFor(new Promise(() => {})), say("two")]],
    ["before the answer starts", [() => new Promise<Script>(() => {})]],
  ])("ends at once %s, and the provider's connection is closed", async (_, script) => {
    const { server, model } = await scripted(script);
    const stop = new AbortController();
    const done = all(model.stream(hello, stop.signal));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reason = new Error("enough");
    stop.abort(reason);
    expect((await done).error).toBe(reason);
    expect(await server.requests[0]?.left).toBe(true);
  });

  it("closes the provider's connection if the consumer stops", async () => {
    const { server, model } = await scripted([say("one"), waitFor(new Promise(() => {}))]);
    for await (const delta of model.stream(hello, never)) if (delta.kind === "text") break;
    expect(await server.requests[0]?.left).toBe(true);
  });
});

describe("errors of a model", () => {
  it.each<[string, Script[], string, RegExp]>([
    ["a rejected key", [unauthorized], "model-unauthorized", /rejects the key; check that it is correct/],
    ["a model that does not exist", [answer(404)], "model-unknown", /no model scripted.*choose another/],
    ["too many requests", [rateLimited()], "model-rate-limited", /wait a while/],
    [
      "an account without credit",
      [answer(429, { error: { message: "You exceeded your quota", code: "insufficient_quota" } })],
      "model-no-credit",
      /no credit left; add credit/,
    ],
    ["an overloaded server", [overloaded], "model-overloaded", /try again/],
    ["a server that fails", [answer(500)], "model-failed", /failed \(status 500\); try again/],
    [
      "a request that is too long",
      [answer(400, { error: { message: "too many tokens", code: "context_length_exceeded" } })],
      "model-refused",
      /new conversation.*it says: too many tokens/,
    ],
    [
      "a page instead of an API",
      [answer(200, "<h1>Hi", { "content-type": "text/html" })],
      "model-invalid",
      /url/,
    ],
    ["JSON instead of a stream", [answer(200, {})], "model-invalid", /does not answer with a stream/],
    ["malformed JSON in the stream", [say("a"), raw("data: {nope\n\n")], "model-invalid", /invalid answer/],
    ["an unknown event", [raw('data: {"choices": 7}\n\n')], "model-invalid", /invalid answer/],
    ["an unknown stream", [raw("\u0000\u0001 hello\r\r:::\n\n"), endEarly], "model-cut-off", /try again/],
    ["an empty stream", [raw(""), endEarly], "model-cut-off", /try again/],
    ["a broken connection", [say("a"), pause(10), drop], "model-cut-off", /was cut off; try again/],
    ["a stream that ends too early", [say("a"), endEarly], "model-cut-off", /was cut off; try again/],
    [
      "half of an event",
      [say("a"), raw('data: {"choices":[{"index":0,"del'), endEarly],
      "model-cut-off",
      /was cut off/,
    ],
    [
      "an overload in mid-stream",
      [say("a"), failInStream({ message: "The server is overloaded", type: "overloaded_error" })],
      "model-overloaded",
      /it says: The server is overloaded/,
    ],
    [
      "a limit in mid-stream",
      [say("a"), failInStream({ message: "slow down", code: "rate_limit_exceeded" })],
      "model-rate-limited",
      /slow down/,
    ],
    [
      "a key that is revoked in mid-stream",
      [say("a"), failInStream({ message: `bad key ${KEY}`, code: "invalid_api_key" })],
      "model-unauthorized",
      /key/,
    ],
    [
      "any other error in mid-stream",
      [say("a"), failInStream({ message: `worker ${KEY} died`, type: "server_error", code: 500 })],
      "model-failed",
      /it says: worker \[removed\] died/,
    ],
  ])("%s", async (_, script, code, message) => {
    const error = await failure(...script);
    expect(error.data.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  const withPicture: ModelRequest = {
    messages: [
      { role: "user", content: [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] },
      { role: "assistant", content: [{ type: "text", text: "?" }] },
      { role: "user", content: [{ type: "text", text: "Hello" }] },
    ],
    tools: [],
  };
  it.each([
    [400, "Invalid content type. image_url is only supported by certain models."],
    [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"],
    [400, "At most 0 image(s) may be provided in one prompt."],
    [400, "Model does not support images. Please use a model that does."],
    [500, "this model is missing data required for image input"],
    [404, "No endpoints found that support image input"],
    [400, "messages[0].content must be a string"],
    [422, "unknown variant `image_url`, expected `text`"],
    [400, "Model X is not a multimodal model"],
    [400, "PDF files are unsupported"],
  ])("name pictures and PDFs that a model does not read: %i %s", async (status, message) => {
    const { model } = await scripted([answer(status, { error: { message } })]);
    const { error } = await all(model.stream(withPicture, never));
    expect(error).toMatchObject({ data: { code: "model-no-files", status } });
    expect((error as ModelError).message).toMatch(/scripted does not read.*choose another model, or remove/);
  });

  it.each<[string, ModelRequest, number, string]>([
    ["a picture that is too large", withPicture, 400, "image exceeds 5 MB maximum"],
    ["a rejected key", withPicture, 401, "image input is not supported for this key"],
    ["a request without pictures", hello, 400, "image input is not supported"],
    ["a schema", withPicture, 400, "tools[0].parameters: unsupported keyword"],
  ])("%s is another problem", async (_, request, status, message) => {
    const { model } = await scripted([answer(status, { error: { message } })]);
    const { error } = await all(model.stream(request, never));
    expect(error).toMatchObject({ data: { code: status === 401 ? "model-unauthorized" : "model-refused" } });
  });

  it("come after the text so far", async () => {
    const { model } = await scripted([say("one", "two"), drop]);
    const { came, error } = await all(model.stream(hello, never));
    expect(came[0]).toEqual({ kind: "text", text: "one" });
    expect(error).toMatchObject({ data: { code: "model-cut-off" } });
  });

  it.each([
    ["seconds", () => 7, 7_000],
    // The minute starts with the test, not when its file is loaded.
    ["a date", () => new Date(Date.now() + 60_000).toUTCString(), expect.closeTo(60_000, -4)],
  ])("give the time to wait from %s", async (_, header, expected) => {
    expect((await failure(rateLimited(header()))).data).toEqual({
      code: "model-rate-limited",
      status: 429,
      retryAfter: expected,
    });
  });

  it("give the time to wait from milliseconds and from Google's field", async () => {
    const exact = await failure(
      answer(429, {}, { "content-type": "application/json", "retry-after-ms": "1500" }),
    );
    expect(exact.data.retryAfter).toBe(1_500);
    const google = { error: { message: "x", code: 429, details: [{ retryDelay: "34.5s" }] } };
    expect((await failure(answer(429, google))).data.retryAfter).toBe(34_500);
  });

  it("a provider that does not run", async () => {
    const server = await startScriptedModel();
    await server.close();
    const model = aiModel({ name: "local", type: "compatible", url: server.url, key: KEY }, "scripted");
    const { error } = await all(model.stream(hello, never));
    expect(error).toMatchObject({ data: { code: "model-unreachable" } });
    expect((error as ModelError).message).toMatch(
      /cannot be reached \(ECONNREFUSED\); check that it is running/,
    );
    shown(error);
  });

  it("a host that does not exist", async () => {
    const model = aiModel(
      { name: "far", type: "compatible", url: "http://nowhere.invalid/v1", key: KEY },
      "x",
    );
    const { error } = await all(model.stream(hello, never));
    expect(error).toMatchObject({ data: { code: "model-unreachable" } });
    expect(shown(error)).not.toContain("nowhere.invalid");
  });

  it("do not follow a redirect, which would send the key to another server", async () => {
    const elsewhere = await scripted(say("I have your key"));
    const location = `${elsewhere.server.url}/chat/completions`;
    const error = await failure(answer(307, "", { location }));
    expect(error).toMatchObject({ data: { code: "model-failed", status: 307 } });
    expect(error.message).toMatch(/set its url to the new address/);
    expect(elsewhere.server.requests).toHaveLength(0);
  });

  it("do not show a key that a provider repeats, or one in an address", async () => {
    const message = `no such thing: https://u:${KEY}@host/x?key=${KEY} (Bearer ${KEY})\n at line 2`;
    const error = await failure(answer(500, { error: { message } }));
    expect(error.message).toContain("it says: no such thing: https://[removed]@host/x?[removed]");
    expect(error.message).not.toContain("\n");
  });

  it("do not quote a provider if the key could be part of any word", async () => {
    const { server } = await scripted(answer(500, { error: { message: "ollama failed" } }));
    const model = aiModel({ name: "local", type: "compatible", url: server.url, key: "llama" }, "scripted");
    const { error } = await all(model.stream(hello, never));
    expect((error as ModelError).message).not.toContain("llama");
  });

  it("cut a long sentence", async () => {
    const error = await failure(answer(500, { error: { message: "long ".repeat(10_000) } }));
    expect(error.message.length).toBeLessThan(450);
  });
});

it("can be asked again after an error, and many times concurrently", async () => {
  const { server, model } = await scripted([say("a"), drop], say("b"), say("c"), say("d"));
  expect((await all(model.stream(hello, never))).error).toBeInstanceOf(ModelError);
  const answers = await Promise.all([1, 2, 3].map(() => all(model.stream(hello, never))));
  expect(answers.map(({ came }) => came.length)).toEqual([2, 2, 2]);
  expect(server.unscripted).toHaveLength(0);
});

it("loads no library of a provider before the first request", () => {
  const folder = new URL("..", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  const early = files.filter((path) =>
    /^import (?!type )[^;]*from "(ai|@ai-sdk\/[\w-]+)";/m.test(readFileSync(new URL(path, folder), "utf8")),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(early).toEqual([]);
});

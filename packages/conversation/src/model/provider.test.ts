import { readFileSync } from "node:fs";
import { KNOWN_PROVIDERS } from "@vitrine/gateway";
import { afterEach, describe, expect, it } from "vitest";
import {
  ANTHROPIC,
  GOOGLE,
  OPENAI,
  type ProviderServer,
  startProvider,
} from "../../../../testing/model/provider-wires.js";
import { aiModel } from "./ai-model.js";
import type { Model, ModelDelta, ModelRequest } from "./model.js";
import { ModelError } from "./model-error.js";
import { providerFetch } from "./provider-fetch.js";
import type { ModelProviderSettings } from "./settings.js";

const KEY = "sk-s3cret-0123456789";
const never = new AbortController().signal;
const request: ModelRequest = {
  system: "Be short.",
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  tools: [
    {
      name: "show",
      inputSchema: { type: "object", properties: { city: { type: "string" }, unit: { type: "string" } } },
    },
  ],
};

let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function provider(type: ModelProviderSettings["type"], stream: readonly string[]) {
  server = await startProvider({ stream });
  return { server, model: aiModel({ name: type, type, url: server.url, key: KEY }, "name") };
}

async function all(model: Model, asked = request): Promise<ModelDelta[]> {
  const came: ModelDelta[] = [];
  for await (const delta of model.stream(asked, never)) came.push(delta);
  return came;
}

async function failureOf(model: Model): Promise<ModelError> {
  const error = await all(model).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ModelError);
  const { message, data } = error as ModelError;
  expect(JSON.stringify({ message, data })).not.toContain(KEY);
  return error as ModelError;
}

const KINDS = [
  { type: "openai", stream: OPENAI, call: "call_1", path: "/responses", header: "authorization" },
  { type: "anthropic", stream: ANTHROPIC, call: "toolu_1", path: "/messages", header: "x-api-key" },
  {
    type: "google",
    stream: GOOGLE,
    call: expect.any(String),
    path: "/models/name:streamGenerateContent?alt=sse",
    header: "x-goog-api-key",
  },
] as const;

describe.each(KINDS)("$type", ({ type, stream, call, path, header }) => {
  it("streams text and calls in the common format", async () => {
    const { server, model } = await provider(type, stream);
    const came = await all(model);
    expect(came.slice(0, 3)).toEqual([
      { kind: "text", text: "Hello" },
      { kind: "text", text: " there" },
      { kind: "call", id: call, name: "show" },
    ]);
    const written = came.flatMap((delta) => (delta.kind === "arguments" ? [delta.text] : []));
    expect(JSON.parse(written.join(""))).toEqual({ city: "Rome" });
    expect(came.slice(-3)).toEqual([
      { kind: "called", id: call },
      { kind: "usage", usage: { input: 11, output: 7 } },
      { kind: "end", reason: "tools" },
    ]);
    // Each fragment that was sent arrives separately.
    if (type !== "google") expect(written).toEqual(['{"city"', ':"Rome"}']);
    const [asked] = server.requests;
    expect(asked?.path).toBe(path);
    // The key is in a header, never in the address.
    expect(asked?.headers[header]).toContain(KEY);
    expect(asked?.path).not.toContain(KEY);
  });

  it("reports that it was cut off wherever its stream breaks", async () => {
    const { server, model } = await provider(type, stream);
    for (let length = 0; length < stream.length; length++) {
      server.answer = { stream: stream.slice(0, length) };
      expect((await failureOf(model)).data.code).toBe("model-cut-off");
    }
  });

  it.each([
    [401, "model-unauthorized"],
    [404, "model-unknown"],
    [429, "model-rate-limited"],
    [503, "model-overloaded"],
    [529, "model-overloaded"],
    [500, "model-failed"],
  ])("has a code for status %i", async (status, code) => {
    const { server, model } = await provider(type, stream);
    const body = JSON.stringify({ error: { message: `key ${KEY}` } });
    server.answer = { status, headers: { "content-type": "application/json" }, stream: [body] };
    expect((await failureOf(model)).data).toMatchObject({ code, status });
    expect(server.requests).toHaveLength(1);
  });

  it("survives malformed events", async () => {
    const { server, model } = await provider(type, stream);
    server.answer = { stream: [...stream.slice(0, 3), "data: {nope\n\n"] };
    expect((await failureOf(model)).data.code).toBe("model-invalid");
  });
});

it("openai stores no conversation, and accepts schemas with optional arguments", async () => {
  const { server, model } = await provider("openai", OPENAI);
  await all(model);
  expect(server.requests[0]?.body).toMatchObject({ store: false, tools: [{ name: "show", strict: false }] });
});

it("google gets the signatures of its calls back", async () => {
  const { server, model } = await provider("google", GOOGLE);
  const came = await all(model);
  const id = came.flatMap((delta) => (delta.kind === "call" ? [delta.id] : []))[0] ?? "";
  await all(model, {
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", content: [{ type: "call", id, name: "show", arguments: { city: "Rome" } }] },
      { role: "tool", content: [{ type: "result", id, name: "show", text: "sunny", isError: false }] },
    ],
  });
  expect(JSON.stringify(server.requests[1]?.body)).toContain('"thoughtSignature":"signed"');
});

it("google reports an invalid argument for a wrong key, which becomes an error about the key", async () => {
  const { server, model } = await provider("google", GOOGLE);
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
  const error = { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details };
  server.answer = {
    status: 400,
    headers: { "content-type": "application/json" },
    stream: [JSON.stringify({ error })],
  };
  expect((await failureOf(model)).data.code).toBe("model-unauthorized");
});

it("anthropic is overloaded in mid-stream", async () => {
  const { server, model } = await provider("anthropic", ANTHROPIC);
  const event = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  for (const sent of [0, 3]) {
    const stream = [...ANTHROPIC.slice(0, sent), `event: error\ndata: ${JSON.stringify(event)}\n\n`];
    server.answer = { stream };
    expect((await failureOf(model)).data.code).toBe("model-overloaded");
  }
});

it("openai fails in mid-stream", async () => {
  const { server, model } = await provider("openai", OPENAI);
  const event = { type: "error", code: "rate_limit_exceeded", message: "slow down", sequence_number: 3 };
  server.answer = { stream: [...OPENAI.slice(0, 3), `data: ${JSON.stringify(event)}\n\n`] };
  expect((await failureOf(model)).data.code).toBe("model-rate-limited");
});

it("ends an endless answer", async () => {
  server = await startProvider({ stream: Array.from({ length: 50 }, () => ":".repeat(1_000)) });
  const response = await providerFetch({ name: "local" }, 20_000)(server.url);
  await expect(response.text()).rejects.toMatchObject({ data: { code: "model-invalid" } });
});

it.each(Object.entries(KNOWN_PROVIDERS))(
  "the listed models of %s are known to its library",
  (name, { models }) => {
    const file = new URL(`../../../../node_modules/@ai-sdk/${name}/dist/index.d.ts`, import.meta.url);
    const types = readFileSync(file, "utf8");
    expect(models.filter((model) => !types.includes(`'${model}'`))).toEqual([]);
  },
);

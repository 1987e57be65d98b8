import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { listModels } from "./model-list.js";
import { PRICES_AS_OF } from "./price-table.js";
import type { ModelProviderSettings } from "./settings.js";

const KEY = "sk-s3cret-0123456789";
const open: (() => unknown)[] = [];
const closeServer = (server: Server): void => {
  server.close();
  server.closeAllConnections();
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  open.push(() => closeServer(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const json =
  (value: unknown, seen: IncomingMessage[] = []) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(request);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  };

const at = (url: string, more: Partial<ModelProviderSettings> = {}): ModelProviderSettings => ({
  name: "some",
  type: "compatible",
  url,
  key: KEY,
  ...more,
});

describe("the list of models", () => {
  it("has OpenRouter's context lengths and prices for a million tokens, and nothing for what is missing", async () => {
    const entry = (id: string, more: object) => ({ id, name: id, ...more });
    const url = await serve(
      json({
        data: [
          entry("openai/gpt-4", {
            context_length: 8192,
            pricing: { prompt: "0.00003", completion: "0.00006" },
            supported_parameters: ["temperature", "tools"],
          }),
          entry("auto", { context_length: 2_000_000, pricing: { prompt: "-1", completion: "-1" } }),
          entry("odd", {
            context_length: "many",
            pricing: { prompt: 3, completion: null },
            supported_parameters: [],
          }),
          entry("free", { pricing: { prompt: "0", completion: "0" } }),
        ],
      }),
    );
    const asOf = new Date().toISOString().slice(0, 10);
    const source = "the provider";
    expect(await listModels(at(url))).toEqual([
      { name: "auto", context: 2_000_000 },
      { name: "free", price: { input: 0, output: 0, asOf, source } },
      { name: "odd", canCall: false },
      { name: "openai/gpt-4", context: 8192, canCall: true, price: { input: 30, output: 60, asOf, source } },
    ]);
  });

  it("is requested as each provider requires, with the key in a header only", async () => {
    const seen: IncomingMessage[] = [];
    const url = await serve(json({ data: [{ id: "a" }], models: [] }, seen));
    for (const type of ["openai", "anthropic", "google", "compatible"] as const)
      await listModels(at(url, { type }));
    expect(
      seen.map(({ url: path, headers }) => [
        path,
        headers["authorization"] ?? headers["x-api-key"] ?? headers["x-goog-api-key"],
      ]),
    ).toEqual([
      ["/v1/models", `Bearer ${KEY}`],
      ["/v1/models?limit=1000", KEY],
      ["/v1/models?pageSize=1000", KEY],
      ["/v1/models", `Bearer ${KEY}`],
    ]);
  });

  it("has Google's models for conversations, with their limits", async () => {
    const url = await serve(
      json({
        models: [
          {
            name: "models/gemini-x",
            inputTokenLimit: 1_048_576,
            supportedGenerationMethods: ["generateContent"],
          },
          { name: "models/embedding-x", inputTokenLimit: 2048, supportedGenerationMethods: ["embedContent"] },
        ],
      }),
    );
    expect(await listModels(at(url, { type: "google" }))).toEqual([{ name: "gemini-x", context: 1_048_576 }]);
  });

  it("leaves out OpenAI's models that write no text, and has no table prices at other addresses", async () => {
    const ids = [
      "gpt-5.5",
      "text-embedding-3-small",
      "whisper-1",
      "tts-1",
      "dall-e-3",
      "gpt-image-1",
      "gpt-realtime",
    ];
    const url = await serve(json({ data: ids.map((id) => ({ id })) }));
    expect(await listModels(at(url, { type: "openai" }))).toEqual([{ name: "gpt-5.5" }]);
    expect(PRICES_AS_OF).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it("ends at a thousand models, however many there are", async () => {
    const data = Array.from({ length: 20_000 }, (_, index) => ({ id: `m${index}` }));
    expect(await listModels(at(await serve(json({ data }))))).toHaveLength(1_000);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void, string]>([
    ["is huge", json({ data: [{ id: "x".repeat(5_000_000) }] }), "model-invalid"],
    ["is no list", json({ data: { a: 1 } }), "model-invalid"],
    [
      "is refused",
      (_, response) => void response.writeHead(401).end(`wrong key ${KEY}`),
      "model-unauthorized",
    ],
    [
      "is elsewhere",
      (_, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
      "model-failed",
    ],
  ])("that %s is an error without the key", async (_, answer, code) => {
    const error = await listModels(at(await serve(answer))).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ data: { code } });
    expect(`${JSON.stringify(error)}${(error as Error).message}`).not.toContain(KEY);
  });

  it("of a provider that hangs ends in time", async () => {
    const url = await serve(() => {});
    const listing = listModels(at(url), AbortSignal.timeout(100));
    await expect(listing).rejects.toMatchObject({ data: { code: "model-unreachable" } });
  });

  it("is not requested from a private address, if the settings allow public ones only", async () => {
    let asked = 0;
    const url = await serve(() => void asked++);
    const { port } = new URL(url);
    for (const host of ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "0.0.0.0"])
      await expect(
        listModels(at(`http://${host}:${port}/v1`, { privateNetwork: false })),
      ).rejects.toMatchObject({
        data: { code: "model-unreachable" },
      });
    await expect(listModels(at("http://169.254.169.254/v1", { privateNetwork: true }))).rejects.toMatchObject(
      {
        message: expect.stringContaining("must not be reached"),
      },
    );
    expect(asked).toBe(0);
    const listing = listModels(at(url, { privateNetwork: true }), AbortSignal.timeout(300));
    await expect(listing).rejects.toThrow("in time");
    expect(asked).toBe(1);
  });
});

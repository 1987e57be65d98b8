import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { llamaCpp, lmStudio, ollama, vllm } from "../../../../testing/model/local-documents.js";
import { type ScriptedModelOptions, startScriptedModel } from "../../../../testing/model/scripted-model.js";
import { LOCAL_PROGRAMS } from "./local-programs.js";
import { detectLocalServers } from "./local-servers.js";

type Program = (typeof LOCAL_PROGRAMS)[number]["program"];

const open: (() => unknown)[] = [];
const closeServer = (server: Server): void => {
  server.close();
  server.closeAllConnections();
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function serve(options: ScriptedModelOptions) {
  const server = await startScriptedModel([], options);
  open.push(() => server.close());
  return { ...server, port: Number(new URL(server.url).port) };
}

/** Ports that nothing listens on, except those that are given. */
async function portsWith(given: Partial<Record<Program, number>>): Promise<Record<Program, number>> {
  const free = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => free.once("listening", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  return { Ollama: port, "LM Studio": port, "llama.cpp": port, vLLM: port, ...given };
}

describe("local model servers", () => {
  it("are at the ports of their documentation", () => {
    expect(Object.fromEntries(LOCAL_PROGRAMS.map(({ program, port }) => [program, port]))).toEqual({
      Ollama: 11434,
      "LM Studio": 1234,
      "llama.cpp": 8080,
      vLLM: 8000,
    });
  });

  it("are all found, with the facts that they report", async () => {
    const [a, b, c, d] = await Promise.all([ollama("qwen3:8b"), lmStudio, llamaCpp, vllm].map(serve));
    const ports = { Ollama: a?.port, "LM Studio": b?.port, "llama.cpp": c?.port, vLLM: d?.port };
    expect(await detectLocalServers({ ports: ports as Record<Program, number>, timeout: 5_000 })).toEqual([
      { program: "Ollama", url: a?.url, models: [{ name: "qwen3:8b", context: 40_960, canCall: true }] },
      {
        program: "LM Studio",
        url: b?.url,
        models: [{ name: "meta-llama-3.1-8b-instruct", context: 131_072 }],
      },
      { program: "llama.cpp", url: c?.url, models: [{ name: "qwen3-8b", context: 8192, canCall: true }] },
      { program: "vLLM", url: d?.url, models: [{ name: "Qwen/Qwen3-8B", context: 32_768 }] },
    ]);
  });

  it.each<[string, ScriptedModelOptions]>([
    ["another web service", { documents: { "/api/tags": { tags: [] }, "/api/v0/models": [] } }],
    ["a page that answers everything", { documents: { "/api/tags": "hello", "/v1/models": "hello" } }],
    ["another OpenAI-compatible server", { list: [{ id: "x", object: "model", owned_by: "somebody" }] }],
    ["entries of another shape", { documents: { "/api/tags": { models: [{ name: "x" }] } } }],
  ])("are not %s", async (_, options) => {
    const { port } = await serve(options);
    const ports = await portsWith({ Ollama: port, "LM Studio": port, "llama.cpp": port, vLLM: port });
    expect(await detectLocalServers({ ports, timeout: 2_000 })).toEqual([]);
  });

  it("that hang delay no other, and half a second at most", async () => {
    const hanging = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => hanging.once("listening", resolve));
    open.push(() => closeServer(hanging));
    const { port } = await serve(ollama("qwen3"));
    const silent = (hanging.address() as AddressInfo).port;
    const started = performance.now();
    const found = await detectLocalServers({
      ports: { Ollama: port, "LM Studio": silent, "llama.cpp": silent, vLLM: silent },
    });
    expect(found.map(({ program }) => program)).toEqual(["Ollama"]);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it("are not followed elsewhere", async () => {
    const target = await serve(ollama("qwen3"));
    const moved = createServer((request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${target.port}${request.url}` }).end(),
    ).listen(0, "127.0.0.1");
    await new Promise((resolve) => moved.once("listening", resolve));
    open.push(() => closeServer(moved));
    const { port } = moved.address() as AddressInfo;
    expect(await detectLocalServers({ ports: await portsWith({ Ollama: port }), timeout: 2_000 })).toEqual(
      [],
    );
    expect(target.paths).toEqual([]);
  });

  it("with endless answers end at the limit", async () => {
    const endless = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = (): void => {
        while (!response.destroyed && response.write("[".repeat(65_536)));
      };
      response.on("drain", more).on("error", () => {});
      more();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => endless.once("listening", resolve));
    open.push(() => closeServer(endless));
    const { port } = endless.address() as AddressInfo;
    const ports = { Ollama: port, "LM Studio": port, "llama.cpp": port, vLLM: port };
    expect(await detectLocalServers({ ports, timeout: 3_000 })).toEqual([]);
  });

  it("have names that can be shown", async () => {
    const tag = (name: string) => ({ name, digest: "d" });
    const names = ["good", "two words", "a\u202eb", "x".repeat(300), "new\nline"];
    const { port } = await serve({ documents: { "/api/tags": { models: names.map(tag) } } });
    const [found] = await detectLocalServers({ ports: await portsWith({ Ollama: port }), timeout: 2_000 });
    expect(found?.models.map(({ name }) => name)).toEqual(["good"]);
  });
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { Bridge } from "@vitrine/host";
import { type CallToolResult, JsonText, memoryPair, Peer, VitrineError } from "@vitrine/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import * as examples from "../endpoint/http-endpoint.examples.js";
import { hostEndpoint } from "../endpoint/http-endpoint.js";
import type { Link } from "../links/link.js";
import { standardGuard } from "../links/standard.js";
import { clientUpstream } from "./client-upstream.js";
import { type HttpUpstreamOptions, httpUpstream } from "./http-upstream.js";
import type { Upstream } from "./upstream.js";

const INFO = { name: "chat", version: "1.0.0" };
const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {} };

const open: Link = (call, next) => next(call);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A Node server around a function from `Request` to `Response`, like any framework. */
async function listen(handle: (request: Request) => Promise<Response>): Promise<string> {
  const server: Server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: incoming.headers as Record<string, string>,
      signal: gone.signal,
      ...(hasBody && { body: Readable.toWeb(incoming), duplex: "half" }),
    } as RequestInit);
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/views`;
}

/** A real server behind the official client. */
async function weather() {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const started = vi.fn();
  const aborted = vi.fn();
  const tool = (name: string, visibility: string[], call: () => CallToolResult | Promise<CallToolResult>) =>
    server.registerTool(name, { _meta: { ui: { visibility } } }, call as never);
  tool("sky", ["app", "model"], () => ({
    content: [{ type: "text", text: "sunny" }],
    structuredContent: { a: 1 },
  }));
  tool("broken", ["app"], () => Promise.reject(new Error("out of order")));
  tool("secret", ["model"], () => ({ content: [] }));
  server.registerTool("large", { inputSchema: z.object({ size: z.number() }) }, ({ size }) => ({
    content: [{ type: "text", text: '"}]\\'.repeat(size / 4) }],
  }));
  server.registerTool("slow", {}, async ({ mcpReq }) => {
    started();
    await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve));
    aborted();
    return { content: [] };
  });
  server.registerResource("rome", "weather://rome", {}, () => ({
    contents: [{ uri: "weather://rome", text: "sunny" }],
  }));
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  const client = new Client(INFO);
  await server.connect(serverEnd);
  await client.connect(clientEnd);
  closing.push(() => client.close());
  return { upstream: clientUpstream(client, { server: "weather" }), started, aborted };
}

const page = (url: string, more: Partial<HttpUpstreamOptions> = {}): Upstream =>
  httpUpstream({ url, server: "weather", capabilities: CAPABILITIES, ...more });

const value = (result: object): unknown => (result instanceof JsonText ? result.parse() : result);

describe("a page, a back end and a real server", () => {
  async function all(guarded = false) {
    const { upstream, started, aborted } = await weather();
    const guard = guarded ? standardGuard(upstream, { ask: async () => ({ answer: "allow" }) }) : open;
    const url = await listen(hostEndpoint({ info: INFO, upstream, guard }));
    return { server: page(url), started, aborted };
  }

  it("I01, I02, I03: tools and resources are available", async () => {
    const { server } = await all();
    expect(value(await server.request("tools/call", { name: "sky" }))).toEqual({
      content: [{ type: "text", text: "sunny" }],
      structuredContent: { a: 1 },
    });
    expect(value(await server.request("resources/read", { uri: "weather://rome" }))).toMatchObject({
      contents: [{ text: "sunny" }],
    });
    const { tools } = value(await server.request("tools/list", {})) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["sky", "broken", "large", "slow"]);
  });

  it("a tool that fails is a result; a tool that is not there, too", async () => {
    const { server } = await all();
    for (const name of ["broken", "nowhere"]) {
      expect(value(await server.request("tools/call", { name }))).toMatchObject({ isError: true });
    }
  });

  it("C03: the back end's guard refuses with its code, whatever the page lets through", async () => {
    const { server } = await all(true);
    await expect(server.request("tools/call", { name: "secret" })).rejects.toMatchObject({
      name: "VitrineError",
      code: -32000,
      data: { code: "tool-not-visible" },
    });
    expect(value(await server.request("tools/call", { name: "sky" }))).toMatchObject({
      content: [{ text: "sunny" }],
    });
  });

  it("an error of the server's keeps its code", async () => {
    const { server } = await all();
    await expect(server.request("resources/read", { uri: "weather://nowhere" })).rejects.toMatchObject({
      name: "VitrineError",
      code: expect.any(Number),
    });
  });

  it("I12: giving a call up ends it at the server", async () => {
    const { server, started, aborted } = await all();
    const controller = new AbortController();
    const call = server.request("tools/call", { name: "slow" }, { signal: controller.signal });
    const refused = expect(call).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => started).toHaveBeenCalledOnce();
    controller.abort();
    await refused;
    await expect.poll(() => aborted).toHaveBeenCalledOnce();
  });

  it("a large result arrives whole, and as text", async () => {
    const { server } = await all();
    const result = await server.request("tools/call", { name: "large", arguments: { size: 400_000 } });
    expect(result).toBeInstanceOf(JsonText);
    expect(value(result)).toEqual({ content: [{ type: "text", text: '"}]\\'.repeat(100_000) }] });
    const small = await server.request("tools/call", { name: "large", arguments: { size: 40 } });
    expect(small).not.toBeInstanceOf(JsonText);
  });

  it("POST only, with a limit on chunked bodies", async () => {
    const { upstream } = await weather();
    const handle = hostEndpoint({ info: INFO, upstream, guard: open });
    const statuses: number[] = [];
    const url = await listen(async (request) => {
      const response = await handle(request);
      statuses.push(response.status);
      return response;
    });
    expect((await fetch(url)).headers.get("allow")).toBe("POST");
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let sent = 0; sent < 20; sent++) controller.enqueue(new Uint8Array(100_000).fill(0x20));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    // The connection of a sender that does not stop may be closed before the answer arrives.
    await fetch(url, { method: "POST", headers, body: pieces, duplex: "half" } as RequestInit).catch(
      () => {},
    );
    expect(statuses).toEqual([405, 413]);
  });

  it("a view behind a bridge works through it, and is promised no more", async () => {
    const { server } = await all();
    const [viewEnd, hostEnd] = memoryPair();
    const bridge = new Bridge({ info: INFO, upstream: server, guard: open });
    closing.push(() => bridge.close());
    bridge.open(hostEnd);
    const view = new Peer<"view">().open(viewEnd);
    const appInfo = { name: "map", version: "1" };
    const params = { protocolVersion: "2026-01-26", appInfo, appCapabilities: {} };
    const { hostCapabilities } = await view.request("ui/initialize", params);
    expect(hostCapabilities).toEqual({
      serverTools: { listChanged: false },
      serverResources: { listChanged: false },
    });
    view.notify("ui/notifications/initialized", {});
    expect(await view.request("tools/call", { name: "sky" })).toMatchObject({ content: [{ text: "sunny" }] });
    await expect(view.request("resources/subscribe", { uri: "weather://rome" })).rejects.toMatchObject({
      code: -32601,
    });
  });
});

describe("sent requests", () => {
  /** Answers and records every request. */
  function fake(answer: (id: number) => string, status = 200) {
    const sent: { url: string; init: RequestInit; message: Record<string, unknown> }[] = [];
    const send = async (url: string | URL | Request, init: RequestInit = {}) => {
      const message = JSON.parse(String(init.body)) as { id: number };
      sent.push({ url: String(url), init, message });
      return new Response(answer(message.id), { status });
    };
    return { sent, fetch: send as typeof fetch };
  }
  const result = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;

  it("is one JSON-RPC request in each POST, under an id of its own", async () => {
    const { sent, fetch } = fake(result);
    const server = page("https://host.test/views", { fetch });
    await server.request("tools/call", { name: "a" });
    await server.request("resources/read", { uri: "a://b" });
    expect(sent.map(({ message }) => message)).toEqual([
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } },
      { jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: "a://b" } },
    ]);
    expect(sent[0]?.url).toBe("https://host.test/views");
    expect(sent[0]?.init).toMatchObject({ method: "POST", redirect: "error" });
  });

  it("has the headers of the page, which a function is called for each time", async () => {
    const { sent, fetch } = fake(result);
    let token = 0;
    const fixed = page("https://host.test/", {
      fetch,
      headers: { "x-a": "1", "content-type": "text/plain" },
    });
    const fresh = page("https://host.test/", {
      fetch,
      headers: async () => ({ authorization: `${++token}` }),
    });
    await fixed.request("tools/call", { name: "a" });
    await fresh.request("tools/call", { name: "a" });
    await fresh.request("tools/call", { name: "a" });
    const headers = sent.map(({ init }) => Object.fromEntries(init.headers as Headers));
    expect(headers).toEqual([
      { "content-type": "application/json", "x-a": "1" },
      { "content-type": "application/json", authorization: "1" },
      { "content-type": "application/json", authorization: "2" },
    ]);
  });

  it("I13: capabilities that plain HTTP lacks are not announced, and `listen` receives nothing", () => {
    const { fetch } = fake(result);
    expect(page("https://host.test/", { fetch }).capabilities).toEqual({
      tools: {},
      resources: {},
      prompts: {},
    });
    expect(page("https://host.test/", { fetch, capabilities: {} }).capabilities).toEqual({});
    const stop = page("https://host.test/", { fetch }).listen(throwing);
    expect(stop()).toBeUndefined();
  });

  it("an aborted or unserializable request is not sent", async () => {
    const { sent, fetch } = fake(result);
    const server = page("https://host.test/", { fetch });
    const signal = AbortSignal.abort();
    await expect(server.request("tools/list", {}, { signal })).rejects.toMatchObject({ code: "aborted" });
    const call = server.request("tools/call", { name: "a", arguments: { big: 1n } });
    await expect(call).rejects.toMatchObject({ code: "send-failed" });
    expect(sent).toEqual([]);
  });

  const answered = (text: (id: number) => string, status?: number) =>
    page("https://host.test/secret-path", { fetch: fake(text, status).fetch }).request("tools/call", {
      name: "a",
    });

  it("an error comes with its code, message and data", async () => {
    const error = { code: -32602, message: "params.name is missing", data: { field: "params.name" } };
    const call = answered((id) => JSON.stringify({ jsonrpc: "2.0", id, error }), 400);
    await expect(call).rejects.toBeInstanceOf(VitrineError);
    await expect(call).rejects.toMatchObject(error);
    const nameless = answered(() => JSON.stringify({ jsonrpc: "2.0", id: null, error }), 413);
    await expect(nameless).rejects.toMatchObject(error);
  });

  it.each([
    ["a page of a proxy", () => "<h1>502 Bad Gateway</h1>", 502],
    ["nothing", () => "", 202],
    ["no result", (id: number) => `{"jsonrpc":"2.0","id":${id}}`, 200],
    ["a result that is none", (id: number) => `{"jsonrpc":"2.0","id":${id},"result":null}`, 200],
    ["the answer to another request", (id: number) => result(id + 1), 200],
    ["the error of another request", () => '{"id":99,"error":{"code":1,"message":"x"}}', 200],
    ["null", () => "null", 200],
  ])("an invalid answer is reported: %s", async (_name, text, status) => {
    await expect(answered(text as (id: number) => string, status)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("not a JSON-RPC answer"),
    });
  });

  it("a connection that fails is one sentence, and the address is not in it", async () => {
    const cause = new TypeError("fetch failed: https://host.test/secret-path");
    const fails = page("https://host.test/secret-path", { fetch: () => Promise.reject(cause) });
    const error = await fails.request("tools/list", {}).catch((thrown: unknown) => thrown as VitrineError);
    expect(error).toMatchObject({ code: "closed", cause });
    expect((error as VitrineError).message).not.toContain("secret");
    const nobody = page("http://127.0.0.1:9/");
    await expect(nobody.request("tools/list", {})).rejects.toMatchObject({ code: "closed" });
  });

  describe("a large answer", () => {
    const text = "x".repeat(100_000);
    const object = JSON.stringify({ content: [], pad: text, more: ['a"}]\\', { b: [] }] });

    it("is not parsed when it has the form that the endpoint writes", async () => {
      const parse = vi.spyOn(JSON, "parse");
      const before = parse.mock.calls.length;
      const answer = await answered((id) => `{"jsonrpc":"2.0","id":${id},"result":${object}}`);
      const parsed = parse.mock.calls.slice(before).filter(([source]) => source.length > 1000);
      parse.mockRestore();
      expect(answer).toBeInstanceOf(JsonText);
      expect((answer as JsonText).text).toBe(object);
      expect(parsed).toEqual([]);
    });

    it.each([
      ["more behind the result", (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${object},"x":{}}`],
      ["the id behind the result", (id: number) => `{"jsonrpc":"2.0","result":${object},"id":${id}}`],
      ["spaces", (id: number) => `{"jsonrpc": "2.0", "id": ${id}, "result": ${object}}\n`],
    ])("is parsed when it has another: %s", async (_name, write) => {
      expect(await answered(write)).toEqual(JSON.parse(object));
    });

    it.each([
      [
        "brackets that do not close",
        (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"a":"${text}","b":{}}`,
      ],
      [
        "a string that does not close",
        (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"a":"${text}}}`,
      ],
      ["another id", (id: number) => `{"jsonrpc":"2.0","id":${id + 1},"result":${object}}`],
    ])("that is invalid is refused: %s", async (_name, write) => {
      await expect(answered(write)).rejects.toMatchObject({ code: "invalid" });
    });

    it("that is an error is an error", async () => {
      const error = { code: 5, message: "no", data: text };
      await expect(
        answered((id) => JSON.stringify({ jsonrpc: "2.0", id, error }), 500),
      ).rejects.toMatchObject({
        code: 5,
      });
    });
  });

  it("the example is an upstream", () => {
    expect(examples.upstream(async () => "token")).toMatchObject({ server: "weather" });
  });
});

function throwing(): never {
  throw new Error("nothing is heard");
}

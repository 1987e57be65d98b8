/** The endpoint and the sandbox in the frameworks themselves, as docs/hosts/back-ends.md mounts them. */
import { once } from "node:events";
import { createServer, type RequestListener, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { clientUpstream, hostEndpoint, standardGuard } from "@vitrine/guard";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { Sandbox } from "@vitrine/sandbox";
import { serveSandbox } from "@vitrine/sandbox/node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { connectAll } from "../../examples/chat/servers.js";
import { expressListener } from "../../examples/hosts/back-ends/express.js";
import { fastifyListener } from "../../examples/hosts/back-ends/fastify.js";
import { honoListener } from "../../examples/hosts/back-ends/hono.js";
import { httpListener } from "../../examples/hosts/back-ends/http.js";
import { koaListener } from "../../examples/hosts/back-ends/koa.js";
import { worker } from "../../examples/hosts/back-ends/worker.js";

type Handler = (request: Request) => Promise<Response>;

const FRAMEWORKS: Record<string, (rpc: Handler) => RequestListener | Promise<RequestListener>> = {
  "Node's http": httpListener,
  "Express, after express.json()": expressListener,
  Fastify: fastifyListener,
  Koa: koaListener,
  Hono: honoListener,
};

/** A server, whose tool can be slow, behind the endpoint. */
async function endpoint() {
  const aborted = vi.fn();
  const running = vi.fn();
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  server.registerTool("slow", {}, async ({ mcpReq: { signal } }) => {
    running();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    aborted();
    return { content: [] };
  });
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  const info = { name: "host", version: "1.0.0" };
  const client = new Client(info);
  await server.connect(serverEnd);
  await client.connect(clientEnd);
  onTestFinished(() => client.close());
  const upstream = clientUpstream(client, { server: "shop" });
  const guard = standardGuard(upstream, { policy: () => "allow" });
  return { aborted, running, rpc: hostEndpoint({ info, upstream, guard, maxBody: 100_000 }) };
}

async function listen(listener: RequestListener): Promise<{ url: string }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const call = (name: string, input: Record<string, unknown> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
});

describe.each(Object.entries(FRAMEWORKS))("in %s", (_name, mount) => {
  it("a view's call is answered, and the answer is complete", async () => {
    const { rpc } = await endpoint();
    const { url } = await listen(await mount(rpc));
    const text = "ü".repeat(20_000);
    const answer = await fetch(`${url}/rpc`, call("echo", { text }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text }] },
    });
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });

  it("a body that is too large is refused, and the next call on the connection is answered", async () => {
    const { rpc } = await endpoint();
    const { url } = await listen(await mount(rpc));
    const large = await fetch(`${url}/rpc`, call("echo", { text: "x".repeat(900_000) }));
    expect(large.status).toBe(413);
    await large.text();
    expect((await fetch(`${url}/rpc`, call("echo", { text: "x" }))).status).toBe(200);
    const form = { method: "POST", body: "name=echo", headers: { "content-type": "text/plain" } };
    expect((await fetch(`${url}/rpc`, form)).status).toBe(415);
  });

  it("an answer streams, with its headers, and ends when nobody reads it", async () => {
    const cancelled = vi.fn();
    let next = 0;
    const stream: Handler = async () => {
      const headers = new Headers({ "content-type": "text/event-stream" });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      const body = new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          controller.enqueue(new TextEncoder().encode(`data: ${next++}\n\n`));
        },
        cancel: cancelled,
      });
      return new Response(body, { headers });
    };
    const { url } = await listen(await mount(stream));
    const leave = new AbortController();
    const answer = await fetch(`${url}/rpc`, { signal: leave.signal });
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    const reader = answer.body?.getReader();
    // The first part arrives although the answer never ends.
    expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/^data: 0\n/);
    leave.abort();
    await expect.poll(() => cancelled).toHaveBeenCalled();
    const last = next;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(next).toBeLessThanOrEqual(last + 1);
  });

  it("I12: a request that its sender aborts is cancelled at the server", async () => {
    const { rpc, aborted, running } = await endpoint();
    const { url } = await listen(await mount(rpc));
    const leave = new AbortController();
    const answer = fetch(`${url}/rpc`, { ...call("slow"), signal: leave.signal });
    await expect.poll(() => running).toHaveBeenCalled();
    expect(aborted).not.toHaveBeenCalled();
    leave.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => aborted).toHaveBeenCalled();
  });

  it("the handler gets the whole address and the headers", async () => {
    const seen: Handler = async ({ url, headers, method }) =>
      Response.json({ url, method, cookie: headers.get("cookie") });
    const { url } = await listen(await mount(seen));
    const { host } = new URL(url);
    const answer = await fetch(`${url}/rpc`, { headers: { cookie: "a=1; b=2" } });
    expect(await answer.json()).toEqual({ url: `http://${host}/rpc`, method: "GET", cookie: "a=1; b=2" });
  });

  it("shares the sandbox's listener", async () => {
    const { rpc } = await endpoint();
    const hosts = ["http://localhost:3000"];
    const fallback = await mount(rpc);
    const { sandbox, port, close } = await serveSandbox({
      secret: "sixteen bytes and more",
      port: 0,
      hosts,
      fallback,
    });
    onTestFinished(close);
    const servers = ["shop", "clock"].map((server) => sandbox.register({ server, html: `<p>${server}` }));
    const [shop, clock] = await Promise.all(servers);
    // The servers' apps have origins of their own, on one listener.
    expect(shop?.origin).not.toBe(clock?.origin);
    for (const view of [shop, clock]) expect(await statusAt(port, view?.src ?? "")).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/rpc`, call("echo", { text: "x" }))).status).toBe(200);
    expect(await statusAt(port, `${shop?.origin}/rpc`)).toBe(404);
  });
});

/** The status of a page of the sandbox, whose name only browsers resolve. */
async function statusAt(port: number, src: string): Promise<number | undefined> {
  const { host, pathname } = new URL(src);
  const request = send({
    host: "127.0.0.1",
    port,
    path: pathname,
    headers: { host, "sec-fetch-dest": "iframe" },
  });
  request.end();
  const [answer] = await once(request, "response");
  answer.resume();
  return answer.statusCode;
}

it("a fetch handler serves the sandbox and the endpoint: Workers, Deno, Bun", async () => {
  const { rpc } = await endpoint();
  const origin = "http://{role}-{label}.apps.example.com";
  const hosts = ["http://chat.example"];
  const sandbox = new Sandbox({ secret: "sixteen bytes and more", origin, hosts });
  const { src } = await sandbox.register({ server: "shop", html: "<p>shop" });
  const { fetch: handle } = worker(sandbox, rpc);
  const frame = { headers: { "sec-fetch-dest": "iframe" } };
  expect((await handle(new Request(src, frame))).status).toBe(200);
  expect((await handle(new Request(`${new URL(src).origin}/rpc`, call("echo", { text: "x" })))).status).toBe(
    405,
  );
  expect((await handle(new Request("http://chat.example/rpc", call("echo", { text: "x" })))).status).toBe(
    200,
  );
  expect((await handle(new Request("http://chat.example/"))).status).toBe(404);
});

it("several servers share one sandbox, and each view reaches its own server only", async () => {
  const transports = Object.fromEntries(
    await Promise.all(
      ["shop", "clock"].map(async (name) => {
        const server = new McpServer({ name, version: "1.0.0" });
        const uri = `ui://${name}/page`;
        const mimeType = UI_MIME_TYPE;
        server.registerResource("page", uri, { mimeType }, () => ({
          contents: [{ uri, mimeType, text: `<!doctype html><p>${name}` }],
        }));
        const _meta = { ui: { resourceUri: uri } };
        server.registerTool(`open-${name}`, { _meta }, () => ({ content: [{ type: "text", text: name }] }));
        const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
        await server.connect(serverEnd);
        return [name, clientEnd] as const;
      }),
    ),
  );
  const sandbox = new Sandbox({
    secret: "sixteen bytes and more",
    origin: "http://{role}.{label}.localhost:1",
    hosts: ["http://localhost:1"],
  });
  const chat = await connectAll({ transports, sandbox, userOf: () => "ada" });
  onTestFinished(() => void chat.close());
  const [shop, clock] = await (await chat.apps()).json();
  expect([shop.server, clock.server]).toEqual(["shop", "clock"]);
  expect(shop.apps[0].view.origin).not.toBe(clock.apps[0].view.origin);
  const ask = async (server: string, name: string) =>
    (await chat.rpc(new Request(`http://localhost:1/rpc/${server}`, call(name)))).json();
  expect(await ask("shop", "open-shop")).toMatchObject({ result: { content: [{ text: "shop" }] } });
  expect(await ask("clock", "open-clock")).toMatchObject({ result: { content: [{ text: "clock" }] } });
  expect(await ask("shop", "open-clock")).toMatchObject({ error: { code: -32000 } });
  expect((await chat.rpc(new Request("http://localhost:1/rpc/other", call("open-shop")))).status).toBe(404);
});

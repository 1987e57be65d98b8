/** The listener in Node's `http`, where no framework stands between. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { nodeListener } from "./node.js";

async function listen(listener: RequestListener): Promise<{ host: string; port: number; url: string }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, port, url: `http://127.0.0.1:${port}` };
}

/** Sends a GET exactly so; by default to the listener's own name. */
async function get(
  port: number,
  path: string,
  host = `127.0.0.1:${port}`,
): Promise<{ status: number; text: string }> {
  const socket = connect(port, "127.0.0.1");
  socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, "latin1"));
  const answer = Buffer.concat(await socket.toArray()).toString();
  const [head = "", body = ""] = answer.split(/\r\n\r\n(.*)/s);
  // The answers here are short: one chunk.
  const [, chunk] = /^[\da-f]+\r\n(.*)\r\n0\r\n/s.exec(body) ?? [];
  return { status: Number(head.split(" ")[1]), text: chunk ?? body };
}

it("does not take a path for a host", async () => {
  const { host, port } = await listen(nodeListener(async ({ url }) => new Response(url)));
  expect(await get(port, "//evil.example/rpc")).toEqual({
    status: 200,
    text: `http://${host}//evil.example/rpc`,
  });
  expect(await get(port, "http://evil.example/rpc")).toEqual({ status: 200, text: `http://${host}/` });
});

it("answers 500 for a handler that throws, and reports the error", async () => {
  const onerror = vi.fn();
  const failure = new Error("mine");
  const { port } = await listen(nodeListener(() => Promise.reject(failure), { onerror }));
  expect(await get(port, "/")).toEqual({ status: 500, text: "Internal error" });
  expect(onerror).toHaveBeenLastCalledWith(failure);
});

it.each(["", "a b", "a/b", "a?b", "a#b", "a@evil.example", "a\\b", "a:b", "a:99999", "\u00e9"])(
  "answers 400 to the host %j, and reports it",
  async (host) => {
    const onerror = vi.fn();
    const handle = vi.fn(async ({ url }: Request) => new Response(url));
    const { port } = await listen(nodeListener(handle, { onerror }));
    expect(await get(port, "//evil.example/rpc", host)).toEqual({ status: 400, text: "Bad request" });
    expect(onerror).toHaveBeenCalledOnce();
    expect(handle).not.toHaveBeenCalled();
  },
);

it.each(["localhost", "chat.example:8443", "[::1]:80", "under_score.example"])(
  "takes the host %j",
  async (host) => {
    const { port } = await listen(nodeListener(async (request) => new Response(request.headers.get("host"))));
    expect(await get(port, "/rpc", host)).toEqual({ status: 200, text: host });
  },
);

it("says so if a body was read by somebody who did not keep it", async () => {
  const onerror = vi.fn();
  const listener = nodeListener(async (request) => new Response(await request.text()), { onerror });
  const { url } = await listen(async (request, response) => {
    await request.toArray();
    await listener(request, response);
  });
  expect((await fetch(url, { method: "POST", body: "gone" })).status).toBe(400);
  expect(onerror.mock.calls[0]?.[0].message).toContain("third argument");
});

it.each([
  ["an object", { a: 1 }, '{"a":1}'],
  ["text", '{"a": 1}', '{"a": 1}'],
  ["bytes", Buffer.from("ü"), "ü"],
  ["nothing: it reads the body itself", undefined, "sent"],
  ["`next` of Express: it reads the body itself", () => {}, "sent"],
])("takes a body that is %s", async (_what, body, text) => {
  const listener = nodeListener(async (request) => new Response(await request.text()));
  const { url } = await listen((request, response) => void listener(request, response, body));
  expect(await (await fetch(url, { method: "POST", body: "sent" })).text()).toBe(text);
});

it("keeps the connection of a sender whose body nobody reads to its end", async () => {
  const listener = nodeListener(async (request) => {
    await request.body?.getReader().cancel();
    return new Response("enough", { status: 413 });
  });
  const { url } = await listen((request, response) => void listener(request, response));
  const answer = await fetch(url, { method: "POST", body: "x".repeat(5_000_000) });
  expect([answer.status, await answer.text()]).toEqual([413, "enough"]);
});

it("drops the connection for an answer that was sent before, and reports it", async () => {
  const onerror = vi.fn();
  const answer = new Response("once");
  const { port, url } = await listen(nodeListener(() => answer, { onerror }));
  expect(await get(port, "/")).toEqual({ status: 200, text: "once" });
  await expect(fetch(url)).rejects.toThrow();
  expect(onerror).toHaveBeenCalledOnce();
});

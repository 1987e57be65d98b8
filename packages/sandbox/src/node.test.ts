/** The listener with handwritten requests: its answers where Node itself would answer. */
import { once } from "node:events";
import { connect } from "node:net";
import { type ServedSandbox, type ServeSandboxOptions, serveSandbox } from "@vitrine/sandbox/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { closed } from "../../../testing/closed.js";
import { freePort } from "../../../testing/free-port.js";
import { DENY_ALL } from "./headers.js";

async function serve(options: Partial<ServeSandboxOptions> = {}): Promise<ServedSandbox> {
  const served = await serveSandbox({
    secret: "a secret of sixteen bytes or more",
    hosts: ["http://localhost:3000"],
    port: 0,
    ...options,
  });
  onTestFinished(() => served.close());
  return served;
}

/** The complete response to a request text. */
async function exchange(
  port: number,
  text: string,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    received += chunk;
  });
  socket.write(text);
  await closed(socket);
  const [head = "", body = ""] = received.split(/\r\n\r\n(.*)/s);
  const [first = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { status: Number(first.split(" ")[1]), headers, body };
}

const request = (line: string, ...headers: string[]): string =>
  [line, "Connection: close", ...headers, "", ""].join("\r\n");

describe("the listener", () => {
  it("serves registered pages, with their length", async () => {
    const { sandbox, port } = await serve();
    const { src } = await sandbox.register({ server: "s", html: "<p>é" });
    const { host, pathname } = new URL(src);
    const proxy = await exchange(port, request(`GET ${pathname} HTTP/1.1`, `Host: ${host}`));
    expect(proxy.status).toBe(200);
    expect(Number(proxy.headers["content-length"])).toBe(Buffer.byteLength(proxy.body));
    const view = await exchange(
      port,
      request(`GET ${pathname} HTTP/1.1`, `Host: ${host.replace(/^p/, "v")}`),
    );
    expect(view.body.endsWith("<p>é")).toBe(true);
    expect(view.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("sends nothing on a connection without a request: it would be taken for the next answer", async () => {
    const { port } = await serve();
    expect(await exchange(port, "")).toEqual({ status: Number.NaN, headers: {}, body: "" });
  });

  it.each([
    ["attack B18: a bent name", request("GET / HTTP/1.1", "Host: attacker.example"), 403],
    ["no name at all", request("GET / HTTP/1.1"), 403],
    ["a name that is no text", request("GET / HTTP/1.1", "Host: \u00e9\u0080"), 403],
    ["an upgrade", request("GET / HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket"), 403],
    ["an expectation", request("GET / HTTP/1.1", "Host: x", "Expect: anything"), 403],
    ["an absolute address", request("GET http://attacker.example/ HTTP/1.1", "Host: x"), 403],
    ["text that is not HTTP", "hello\r\n\r\n", 400],
    ["a bad header", request("GET / HTTP/1.1", "Host: x", "a b: c"), 400],
    ["a path that is too long", request(`GET /${"a".repeat(20_000)} HTTP/1.1`, "Host: x"), 400],
    ["headers that are too long", request("GET / HTTP/1.1", "Host: x", `X: ${"a".repeat(20_000)}`), 400],
  ])("denies everything in its answer to %s", async (_what, text, status) => {
    const { port } = await serve();
    const answer = await exchange(port, text);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(DENY_ALL);
    expect(answer.body).toBe("Nothing here.\n");
  });

  it.each(["POST", "HEAD", "OPTIONS", "PURGE"])("denies everything in its answer to %s", async (method) => {
    const { sandbox, port } = await serve();
    const { host, pathname } = new URL((await sandbox.register({ server: "s" })).src);
    const answer = await exchange(port, request(`${method} ${pathname} HTTP/1.1`, `Host: ${host}`));
    expect(answer.status).toBe(405);
    expect(answer.headers).toMatchObject(DENY_ALL);
  });

  it("forwards only the headers that matter, and does not take a path for a host", async () => {
    const { sandbox, port } = await serve();
    const { host, pathname } = new URL((await sandbox.register({ server: "s" })).src);
    const get = async (path: string, ...headers: string[]): Promise<number> =>
      (await exchange(port, request(`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers))).status;
    expect(await get(pathname, "Sec-Fetch-Dest: iframe")).toBe(200);
    expect(await get(pathname, "Sec-Fetch-Dest: document")).toBe(404);
    expect(await get(`//${host}${pathname}`)).toBe(404);
    expect(await get(`http://${host}${pathname}`)).toBe(404);
    expect(await get(`${pathname}?x`)).toBe(404);
    expect(await get("/%")).toBe(404);
    expect(await get("/\\..\\")).toBe(404);
  });

  it("listens on one address of loopback alone", async () => {
    const { port } = await serve();
    const socket = connect(port, "127.0.0.2");
    onTestFinished(() => void socket.destroy());
    await expect(once(socket, "connect")).rejects.toThrow();
  });

  it("gives its port back when its options are refused", async () => {
    const { port, close } = await serve();
    await close();
    await expect(serve({ port, secret: "short" })).rejects.toMatchObject({ code: "invalid" });
    expect((await serve({ port })).port).toBe(port);
  });

  it("reports that a port is in use", async () => {
    const { port } = await serve();
    await expect(serve({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("an application on the same listener", () => {
  const fallback: ServeSandboxOptions["fallback"] = (request, response) => {
    response.setHeader("x-app", "yes").end(`${request.method} ${request.headers.host} ${request.url}`);
  };

  it("gets requests for all names but those of apps", async () => {
    const { sandbox, port } = await serve({ fallback });
    const { host, pathname } = new URL((await sandbox.register({ server: "s", html: "<p>" })).src);
    const ask = (line: string, name: string) => exchange(port, request(line, `Host: ${name}`));
    const own = await ask("PUT /a?b HTTP/1.1", "chat.example");
    expect(own).toMatchObject({ status: 200, body: expect.stringContaining("PUT chat.example /a?b") });
    expect((await ask(`GET ${pathname} HTTP/1.1`, host)).headers).not.toHaveProperty("x-app");
    for (const path of ["/", "/other", `${pathname}x`]) {
      const answer = await ask(`GET ${path} HTTP/1.1`, host);
      expect(answer).toMatchObject({ status: 404, body: "Nothing here.\n", headers: DENY_ALL });
    }
    expect(await ask(`POST ${pathname} HTTP/1.1`, host)).toMatchObject({ status: 405, headers: DENY_ALL });
    // Node answers these itself where nobody does: an app could open the answer, without a policy.
    expect(await ask(`GET /${"a".repeat(20_000)} HTTP/1.1`, host)).toMatchObject({
      status: 400,
      headers: DENY_ALL,
    });
  });

  it("can handle upgrades", async () => {
    const { port, server } = await serve({ fallback });
    server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    const upgrade = ["Host: chat.example", "Connection: Upgrade", "Upgrade: websocket"];
    const text = ["GET / HTTP/1.1", ...upgrade, "", ""].join("\r\n");
    expect((await exchange(port, text)).status).toBe(101);
  });
});

describe("a port for each page of each app", () => {
  it("S01, S11: is the app's own, and answers to no other name", async () => {
    const { sandbox, port } = await serve({ portPerApp: true });
    const [a, again, b] = await Promise.all(
      ["a", "a", "b"].map((server) => sandbox.register({ server, opaque: false })),
    );
    expect(again).toEqual(a);
    const origins = [a?.origin, a?.viewOrigin, b?.origin, b?.viewOrigin];
    expect(new Set(origins).size).toBe(4);
    const { host, pathname, port: own } = new URL(`${a?.src}`);
    const get = async (name: string): Promise<number> =>
      (await exchange(Number(own), request(`GET ${pathname} HTTP/1.1`, `Host: ${name}`))).status;
    expect(await get(host)).toBe(200);
    expect(await get(`localhost:${own}`)).toBe(403);
    expect(await get(`attacker.example:${own}`)).toBe(403);
    // B's name on A's port: the document is not B's.
    expect(await get(new URL(`${b?.src}`).host)).toBe(404);
    expect((await exchange(port, request("GET / HTTP/1.1", `Host: 127.0.0.1:${port}`))).status).toBe(403);
  });
});

describe("a port for each page of each app, on another address", () => {
  const origin = "http://127.0.0.2:{port}";

  it("is where browsers are told that it is, and nowhere else", async () => {
    const { sandbox } = await serve({ portPerApp: true, address: "127.0.0.2", origin });
    const { src, isolation } = await sandbox.register({ server: "a" });
    expect(src).toMatch(/^http:\/\/127\.0\.0\.2:\d+\//);
    expect(isolation).toBe("opaque");
    expect((await fetch(src)).status).toBe(200);
    await expect(fetch(src.replace("127.0.0.2", "127.0.0.1"))).rejects.toThrow();
  });

  it("takes its ports from a range, and says when none is left", async () => {
    const first = await freePort();
    const { sandbox } = await serve({ portPerApp: [first, first + 1], address: "127.0.0.2", origin });
    const { src, origin: proxy } = await sandbox.register({ server: "a" });
    expect(proxy).toBe(`http://127.0.0.2:${first}`);
    expect((await fetch(src)).status).toBe(200);
    await expect(sandbox.register({ server: "b" })).rejects.toMatchObject({
      code: "unsupported",
      message: `all ports from ${first} to ${first + 1} are in use`,
    });
  });

  it.each([
    "http://192.168.1.5",
    "http://192.168.1.5:8091",
    "http://{port}",
    "http://*:{port}",
    "ftp://a:{port}",
  ])("refuses %s, which names no port for each app", async (pattern) => {
    await expect(serve({ portPerApp: true, origin: pattern })).rejects.toMatchObject({ code: "invalid" });
  });
});

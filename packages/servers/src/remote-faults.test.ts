/** A remote server that misbehaves: every call ends, and nothing is sent to a forbidden address. */
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type HttpServer,
  sendJson,
  startHttpServer,
  textResult,
} from "../../../testing/gateway/http-server.ts";
import { serverSettings } from "../../../testing/gateway/servers.ts";
import { launch } from "./isolation/launch.js";
import { ServerPool, type ServerPoolOptions } from "./pool.js";
import type { RemoteSettings, ServerSettings } from "./settings.js";

let http: HttpServer;
let other: HttpServer;
const pools: ServerPool[] = [];
beforeEach(async () => {
  http = await startHttpServer();
  other = await startHttpServer("127.0.0.2");
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close(0)));
  await Promise.all([http.close(), other.close()]);
});

function remote(
  settings: Partial<RemoteSettings> = {},
  limits: Partial<ServerSettings["limits"]> = {},
  options: Partial<ServerPoolOptions> = {},
) {
  const transport: RemoteSettings = {
    type: "http",
    url: http.url,
    headers: {},
    oauth: false,
    privateNetwork: false,
    ...settings,
  };
  const pool = new ServerPool({ launch, ...options });
  pools.push(pool);
  pool.update(new Map([["far", serverSettings("far", transport, limits)]]));
  const server = pool.get("me", "far");
  const call = (name = "do") => server.upstream.request("tools/call", { name, arguments: {} });
  const list = () => server.upstream.request("tools/list", {});
  return { server, call, list };
}

const failure = (code: string, more: Record<string, unknown> = {}) =>
  expect.objectContaining({ data: expect.objectContaining({ code, ...more }) });
const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers).end("refused");
    return true;
  };
const events = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { "content-type": "text/event-stream" });
const event = (id: unknown, text: string): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: textResult(text) })}\n\n`;

describe("HTTP 401", () => {
  it("without a sign-in: the server is unauthorized, and the error says what to do", async () => {
    http.answer = (_, response) => refuse(401)(response);
    const { server, call } = remote();
    await expect(call()).rejects.toEqual(failure("server-unauthorized"));
    expect(server.status).toMatchObject({ state: "unauthorized", problem: { code: "server-unauthorized" } });
    const before = http.received.length;
    await expect(call()).rejects.toEqual(failure("server-unauthorized"));
    expect(http.received.length).toBe(before);
  });

  it("with a sign-in: reports the address, and starts after the user has signed in", async () => {
    let token = "";
    let signedIn = (): void => {};
    http.answer = ({ headers }, response) =>
      headers.authorization !== "Bearer good" && refuse(401, { "www-authenticate": "Bearer" })(response);
    const signIn = {
      authorizeUrl: "https://auth.example/sign-in",
      provider: {
        token: async () => token,
        onUnauthorized: async () => {
          throw new (await import("@modelcontextprotocol/client")).UnauthorizedError();
        },
      },
      onSignedIn: (listener: () => void) => {
        signedIn = listener;
        return () => {};
      },
    };
    const { server, call } = remote({ oauth: true }, {}, { signIn: () => signIn });
    await expect(call()).rejects.toEqual(
      failure("server-unauthorized", { authorizeUrl: signIn.authorizeUrl }),
    );
    expect(server.status).toMatchObject({ state: "unauthorized", authorizeUrl: signIn.authorizeUrl });
    token = "good";
    signedIn();
    await expect.poll(() => server.status.state).toBe("ready");
    expect(server.status.authorizeUrl).toBeUndefined();
    // Rejected in the middle of a session.
    token = "old";
    await expect(call()).rejects.toEqual(failure("server-unauthorized"));
    expect(server.status.state).toBe("unauthorized");
    expect(http.calls).toBe(0);
  });
});

it("HTTP 404 for the session: a new session is started, and the call is made once there", async () => {
  const { call, server } = remote();
  await call();
  http.session = "forgotten";
  expect(await call()).toMatchObject(textResult("done"));
  expect(http.calls).toBe(2);
  expect(server.status.starts).toBe(2);
  // A server that forgets every session is not retried forever.
  http.answer = ({ method }, response) => method === "tools/call" && refuse(404)(response);
  await expect(call()).rejects.toEqual(failure("server-exited", { indeterminate: false }));
});

it("HTTP 404 with an error for the request: in a session, it still means that the session has ended", async () => {
  const { call, server } = remote();
  await call();
  http.answer = ({ method, id }, response) => {
    if (method !== "tools/call") return false;
    const error = { code: -32601, message: "no such session" };
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    return true;
  };
  await expect(call()).rejects.toEqual(failure("server-exited", { indeterminate: false }));
  expect(server.status.starts).toBe(2);
});

describe("HTTP 429", () => {
  it("for a list: it is requested again after the requested time", async () => {
    let refusals = 2;
    http.answer = ({ method }, response) =>
      method === "tools/list" && refusals-- > 0 && refuse(429, { "retry-after": "0" })(response);
    expect(await remote().list()).toEqual({ tools: [] });
    expect(http.received.filter(({ method }) => method === "tools/list").length).toBe(3);
  });

  it("for a call: it fails, and says when to retry", async () => {
    http.answer = ({ method }, response) =>
      method === "tools/call" && refuse(429, { "retry-after": "7" })(response);
    await expect(remote().call()).rejects.toEqual(failure("overloaded", { retryAfter: 7 }));
    expect(http.received.filter(({ method }) => method === "tools/call").length).toBe(1);
  });

  it("for too long a time: it fails", async () => {
    http.answer = ({ method }, response) =>
      method === "tools/list" && refuse(429, { "retry-after": "86400" })(response);
    await expect(remote().list()).rejects.toEqual(failure("overloaded", { retryAfter: 86_400 }));
  });
});

it("HTTP 500: the error is passed on, and the connection stays", async () => {
  let broken = true;
  http.answer = ({ method }, response) => method === "tools/call" && broken && refuse(500)(response);
  const { call, server } = remote();
  await expect(call()).rejects.toEqual(failure("server-failed", { status: 500 }));
  broken = false;
  expect(await call()).toMatchObject(textResult("done"));
  expect(server.status).toMatchObject({ state: "ready", starts: 1 });
});

it("HTTP 500 for the handshake: it is retried later", async () => {
  http.answer = (_, response) => refuse(500)(response);
  const { call, server } = remote();
  await expect(call()).rejects.toEqual(failure("server-failed", { status: 500 }));
  expect(server.status).toMatchObject({ state: "waiting", retryAt: expect.any(Number) });
});

describe("a result that does not match the tool's output schema", () => {
  const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  const add = (annotations: object) => ({
    name: "add",
    inputSchema: { type: "object" },
    outputSchema,
    annotations,
  });

  it.each([
    ["is missing", {}, {}, true],
    ["has another type", { structuredContent: { sum: "three" } }, {}, true],
    ["has another type", { structuredContent: { sum: "three" } }, { readOnlyHint: true }, false],
  ])(
    "%s: the tool may have run, and this is not reported as the server's error",
    async (_, more, hints, indeterminate) => {
      http.answer = ({ id, method }, response) => {
        if (method === "tools/list") sendJson(response, id, { tools: [add(hints)] });
        else if (method === "tools/call") sendJson(response, id, { ...textResult("3"), ...more });
        return method?.startsWith("tools/") ?? false;
      };
      const { call, server } = remote();
      await server.catalogue();
      const error = expect.objectContaining({ code: "invalid", data: { indeterminate } });
      await expect(call("add")).rejects.toEqual(error);
      await expect(call("add")).rejects.toThrow(/structured content/i);
      expect(http.received.filter(({ method }) => method === "tools/call").length).toBe(2);
    },
  );

  it("is distinguished from the server's own error", async () => {
    http.answer = ({ id, method }, response) => {
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32602, message: "no such tool" } }));
      return true;
    };
    const own = expect.objectContaining({ code: -32602, message: "no such tool", data: undefined });
    await expect(remote().call()).rejects.toEqual(own);
  });
});

it("an unreachable server: the error says so", async () => {
  await http.close();
  const { call } = remote();
  await expect(call()).rejects.toEqual(failure("server-failed"));
  http = await startHttpServer();
});

describe("an event stream", () => {
  it("that is cut before the answer: the call fails, and may have run", async () => {
    http.answer = ({ method }, response) => {
      if (method !== "tools/call") return false;
      events(response).write(": here I am\n\n");
      setTimeout(() => response.destroy(), 20);
      return true;
    };
    await expect(remote().call()).rejects.toEqual(failure("server-exited", { indeterminate: true }));
  });

  it("that ends without the answer: the call fails", async () => {
    http.answer = ({ method }, response) => {
      if (method !== "tools/call") return false;
      events(response).end("data: {}\n\n");
      return true;
    };
    await expect(remote().call()).rejects.toEqual(failure("server-exited"));
  });

  it("that is cut after an event with an id: it is resumed, and nothing is called again", async () => {
    let called: unknown;
    http.answer = ({ method, id }, response) => {
      if (method !== "tools/call") return false;
      called = id;
      events(response).write("retry: 10\nid: 41\ndata:\n\n", () => response.destroy());
      return true;
    };
    http.stream = (request, response) => {
      if (request.headers["last-event-id"] === undefined) return void response.writeHead(405).end();
      events(response).end(event(called, `after ${request.headers["last-event-id"]}`));
    };
    expect(await remote().call()).toMatchObject(textResult("after 41"));
    expect(http.received.filter(({ method }) => method === "tools/call").length).toBe(1);
  });

  it("with answers to other requests: no call gets them", async () => {
    http.answer = ({ method, id, params }, response) => {
      if (method !== "tools/call") return false;
      const own = String(params?.["name"]);
      events(response).write(event(9_999, "stolen") + event("0", "stolen") + event(id, own));
      response.end(event(id, "again"));
      return true;
    };
    const { call } = remote();
    const names = Array.from({ length: 20 }, (_, n) => `call ${n}`);
    const results = await Promise.all(names.map((name) => call(name)));
    expect(results).toMatchObject(names.map((name) => textResult(name)));
  });

  it("of an aborted call is closed", async () => {
    let closed = false;
    http.answer = ({ method }, response) => {
      if (method !== "tools/call") return false;
      events(response).write(": wait\n\n");
      response.once("close", () => {
        closed = true;
      });
      return true;
    };
    const { call } = remote({}, { timeout: 300 });
    await expect(call()).rejects.toMatchObject({ code: "timeout" });
    await expect.poll(() => closed).toBe(true);
    await expect.poll(() => http.received.at(-1)?.method).toBe("notifications/cancelled");
  });
});

it("a server that restarts: subscriptions are restored without a call, and views are notified of possible changes", async () => {
  const streams = new Set<ServerResponse>();
  const subscribed: unknown[] = [];
  http.stream = (request, response) => {
    if (request.headers["mcp-session-id"] !== http.session) return void response.writeHead(404).end();
    events(response).write("retry: 10\n\n");
    streams.add(response);
  };
  http.answer = ({ id, method, headers }, response) => {
    if (method !== "resources/subscribe" || headers["mcp-session-id"] !== http.session) return false;
    subscribed.push(http.session);
    sendJson(response, id, {});
    return true;
  };
  const { server } = remote();
  const heard: unknown[] = [];
  server.upstream.listen((method, { uri }) => method.endsWith("updated") && heard.push(uri));
  await server.upstream.request("resources/subscribe", { uri: "x://1" });
  await expect.poll(() => streams.size).toBe(1);
  http.session = "forgotten";
  for (const response of streams) response.destroy();
  await expect.poll(() => subscribed, { timeout: 5_000 }).toEqual(["session-1", "session-2"]);
  expect(heard).toEqual(["x://1"]);
});

it("a server that hangs: calls that time out leave no connections open", async () => {
  const open = new Set<unknown>();
  let isHung = false;
  http.answer = (_, response) => {
    if (!isHung) return false;
    open.add(response);
    response.once("close", () => open.delete(response));
    // Cancellations are not answered either.
    return true;
  };
  const { call } = remote({}, { timeout: 300 });
  await call();
  isHung = true;
  const calls = Array.from({ length: 20 }, () => call());
  await Promise.all(calls.map((one) => expect(one).rejects.toMatchObject({ code: "timeout" })));
  const cancelled = () => http.received.filter(({ method }) => method === "notifications/cancelled");
  await expect.poll(() => cancelled().length).toBeGreaterThan(0);
  await expect.poll(() => open.size).toBe(0);
});

describe("size and time limits", () => {
  it("a response that trickles in ends at the call's timeout, and so does its connection", async () => {
    let closed = false;
    http.answer = ({ method }, response) => {
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.once("close", () => {
        clearInterval(drip);
        closed = true;
      });
      return true;
    };
    const { call } = remote({}, { timeout: 300 });
    await expect(call()).rejects.toMatchObject({ code: "timeout" });
    await expect.poll(() => closed).toBe(true);
  });

  it.each([
    ["application/json", "server-too-large"],
    ["text/event-stream", "server-exited"],
  ])("a message above the limit (%s) fails the call", async (type, code) => {
    let sent = 0;
    http.answer = ({ method }, response) => {
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": type });
      response.write('data: {"jsonrpc":"2.0","result":"');
      const pour = (): void => {
        while (sent < 100_000_000 && !response.destroyed && response.write("x".repeat(65_536)))
          sent += 65_536;
        if (sent < 100_000_000) response.once("drain", pour);
      };
      pour();
      return true;
    };
    await expect(remote({}, { message: 1_000_000 }).call()).rejects.toEqual(failure(code));
    // Buffered in sockets only.
    expect(sent).toBeLessThan(50_000_000);
  });
});

describe("a redirect", () => {
  const redirecting = (location: string) => {
    http.answer = (_, response) => refuse(307, { location })(response);
  };

  it.each([
    ["to a private address", (url: string) => url],
    ["to a private address in decimal", (url: string) => url.replace("127.0.0.2", "2130706434")],
    ["to a private address in IPv6", (url: string) => url.replace("127.0.0.2", "[::ffff:127.0.0.2]")],
    ["to a name of this machine", (url: string) => url.replace("127.0.0.2", "localhost")],
    ["to a metadata service", () => "http://169.254.169.254/latest/meta-data/"],
  ])("%s is not followed", async (_, location) => {
    redirecting(location(other.url));
    const { call } = remote({ headers: { "x-api-key": "secret" } });
    await expect(call()).rejects.toEqual(failure("address-forbidden"));
    expect(other.received).toEqual([]);
  });

  it("to another path of the same origin is followed, with the required headers", async () => {
    http.answer = ({ headers }, response) => {
      if (headers["x-api-key"] !== "secret") return refuse(403)(response);
      return response.req.url === "/mcp" ? refuse(307, { location: "/moved" })(response) : false;
    };
    const { call } = remote({ headers: { "X-Api-Key": "secret" } });
    expect(await call()).toMatchObject(textResult("done"));
  });
});

describe("the SSE transport", () => {
  function serveEvents(): { streams: ServerResponse[] } {
    const streams: ServerResponse[] = [];
    http.stream = (_, response) => {
      streams.push(events(response));
      response.write("event: endpoint\ndata: /mcp\n\n");
    };
    http.answer = ({ id, method, params }, response) => {
      response.writeHead(202).end();
      const say = (result: unknown) =>
        streams.at(-1)?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
      const serverInfo = { name: "old", version: "1.0.0" };
      if (method === "initialize") {
        say({ protocolVersion: params?.["protocolVersion"], capabilities: { tools: {} }, serverInfo });
      }
      if (method === "tools/call" && params?.["name"] !== "slow") say(textResult("by events"));
      return true;
    };
    return { streams };
  }

  it("works, and sends headers", async () => {
    serveEvents();
    const { call } = remote({ type: "sse", headers: { "x-api-key": "secret" } });
    expect(await call()).toMatchObject(textResult("by events"));
    expect(http.received.every(({ headers }) => headers["x-api-key"] === "secret")).toBe(true);
  });

  it("with a cut stream: calls fail, and the next call makes a new handshake", async () => {
    const { streams } = serveEvents();
    const { call, server } = remote({ type: "sse" });
    await call();
    const slow = call("slow").catch((error: unknown) => error);
    await expect.poll(() => http.received.some(({ params }) => params?.["name"] === "slow")).toBe(true);
    streams[0]?.destroy();
    expect(await slow).toEqual(failure("server-exited", { indeterminate: true }));
    expect(await call()).toMatchObject(textResult("by events"));
    expect(server.status.starts).toBe(2);
    expect(http.received.filter(({ method }) => method === "initialize").length).toBe(2);
  });
});

it("an answer in an event stream works", async () => {
  http.answer = ({ method, id }, response) => {
    if (method !== "tools/call") return false;
    events(response).end(event(id, "by events"));
    return true;
  };
  expect(await remote().call()).toMatchObject(textResult("by events"));
});

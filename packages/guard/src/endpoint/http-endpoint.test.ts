import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  JsonText,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  PROTOCOL_VERSION,
  type RequestContext,
  VitrineError,
} from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { HostHandlers } from "../handlers.js";
import type { Link, ViewCall } from "../links/link.js";
import { Refusal } from "../links/refusal.js";
import type { ServerCapabilities, Upstream, UpstreamRequestOptions } from "../upstream/upstream.js";
import * as examples from "./http-endpoint.examples.js";
import { type HostEndpointOptions, hostEndpoint } from "./http-endpoint.js";

type Answer = (params: Record<string, unknown>, options: UpstreamRequestOptions) => unknown;

const INFO = { name: "chat", version: "1.0.0" };
const ALL: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: {},
};

/** A test server with canned answers. */
const upstream = (answers: { [method: string]: Answer } = {}, capabilities = ALL): Upstream => ({
  server: "weather",
  capabilities,
  request: async (method, params, options = {}) => (await answers[method]?.(params, options)) as never,
  listen: () => () => {},
});

const endpoint = (options: Partial<HostEndpointOptions<unknown>> = {}) =>
  hostEndpoint<unknown>({ info: INFO, upstream: upstream(), guard: open, ...options });
const open: Link = (call, next) => next(call);

const post = (body: BodyInit | null, more: RequestInit = {}): Request =>
  new Request("http://host.test/views", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    ...more,
  });

interface Reply {
  status: number;
  headers: Headers;
  text: string;
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  const { id, result, error } = (text ? JSON.parse(text) : {}) as Reply;
  return { status: response.status, headers: response.headers, text, id, result, error } as Reply;
}

/** Sends a request to an endpoint with these options. */
const ask = async (
  options: Partial<HostEndpointOptions<unknown>>,
  method: string,
  params?: unknown,
  id: unknown = 1,
) => read(await endpoint(options)(post(JSON.stringify({ jsonrpc: "2.0", id, method, params }))));
const tell = async (options: Partial<HostEndpointOptions<unknown>>, method: string, params?: unknown) =>
  read(await endpoint(options)(post(JSON.stringify({ jsonrpc: "2.0", method, params }))));

const throwing = (error: unknown) => () => {
  throw error;
};

describe("options", () => {
  it("a missing one that is required is named", () => {
    const make = (options: object) => () => hostEndpoint(options as HostEndpointOptions);
    expect(make({ upstream: upstream() })).toThrow('the option "info" is missing');
    expect(make({ info: INFO })).toThrow('the option "upstream" is missing');
    expect(make({ info: INFO, upstream: upstream() })).toThrow('the option "guard" is missing');
    expect(make({ info: INFO })).toThrow(expect.objectContaining({ name: "VitrineError", code: "invalid" }));
    expect(() => hostEndpoint(undefined as never)).toThrow(VitrineError);
  });

  it("the value that `init` returns for the request reaches every callback", async () => {
    const seen: unknown[] = [];
    const note = (name: string) => (context: unknown) => void seen.push([name, context]);
    const options: Partial<HostEndpointOptions<unknown>> = {
      init: async (request) => ({ user: request.headers.get("x-user") }),
      upstream: (context) => {
        note("upstream")(context);
        return upstream();
      },
      handlers: (context) => {
        note("handlers")(context);
        return {};
      },
      view: (context) => {
        note("view")(context);
        return "view-1";
      },
      initialize: (context) => {
        note("initialize")(context);
        return undefined;
      },
      initialized: note("initialized"),
      teardownResponse: note("teardownResponse"),
    };
    const handle = endpoint(options);
    const headers = { "content-type": "application/json", "x-user": "ann" };
    for (const method of ["ui/initialize", "ui/resource-teardown", "ui/notifications/initialized"]) {
      const id = method.includes("notifications") ? {} : { id: 1 };
      await handle(post(JSON.stringify({ jsonrpc: "2.0", ...id, method }), { headers }));
    }
    expect(Object.fromEntries(seen as [string, unknown][])).toEqual({
      upstream: { user: "ann" },
      handlers: { user: "ann" },
      view: { user: "ann" },
      initialize: { user: "ann" },
      initialized: { user: "ann" },
      teardownResponse: { user: "ann" },
    });
  });

  it("without `init` the context is undefined", async () => {
    const initialize = vi.fn();
    await ask({ initialize }, "ui/initialize", {});
    expect(initialize).toHaveBeenCalledExactlyOnceWith(undefined, expect.anything());
  });

  it("a `Response` that `init` throws is the answer; any other error is one of a callback", async () => {
    const denied = await ask({ init: throwing(new Response("sign in", { status: 401 })) }, "ping").catch(
      () => "text",
    );
    expect(denied).toBe("text");
    const response = await endpoint({ init: throwing(new Response("sign in", { status: 401 })) })(
      post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })),
    );
    expect([response.status, await response.text()]).toEqual([401, "sign in"]);
    expect(await ask({ init: throwing(new VitrineError("closed", "no database")) }, "ping")).toMatchObject({
      status: 500,
      id: 1,
      error: { code: INTERNAL_ERROR, data: { message: "no database" } },
    });
  });

  it("no server is a server without anything", async () => {
    const none = { upstream: () => undefined };
    expect(await ask(none, "tools/call", { name: "a" })).toMatchObject({ status: 404 });
    const { result } = await ask(none, "ui/initialize", {});
    expect(result).toMatchObject({ hostCapabilities: {} });
  });
});

describe("the HTTP of it", () => {
  it.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("%s is not served: POST is", async (method) => {
    const response = await endpoint()(new Request("http://host.test/views", { method }));
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  it("answers are JSON in UTF-8, and kept nowhere", async () => {
    for (const { headers } of [await ask({}, "ping"), await ask({}, "nope")]) {
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-cache");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    const { headers, status, text } = await tell({}, "ui/notifications/initialized");
    expect([status, text, headers.get("cache-control")]).toEqual([202, "", "no-cache"]);
  });

  it("requests that a page of another site can send unasked are refused", async () => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"]) {
      const response = await endpoint()(
        post(new Blob([message]), { headers: type ? { "content-type": type } : {} }),
      );
      expect([type, response.status]).toEqual([type, 415]);
    }
    for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
      const response = await endpoint()(post(message, { headers: { "content-type": type } }));
      expect([type, response.status]).toEqual([type, 200]);
    }
  });

  it.each(["not json", "", "{", '{"jsonrpc":"2.0",}', "\u0000"])("no JSON: %j", async (body) => {
    const reply = await read(await endpoint()(post(body)));
    expect(reply).toMatchObject({ status: 400, id: null, error: { code: PARSE_ERROR } });
    expect(reply.error?.data?.["message"]).toContain("not JSON");
  });

  it("bytes that are not text", async () => {
    const reply = await read(await endpoint()(post(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))));
    expect(reply).toMatchObject({ status: 400, error: { code: PARSE_ERROR } });
  });

  it.each([
    ["null", null],
    ["text", "ping"],
    ["a number", 5],
    ["an object", {}],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["an id that is none", { jsonrpc: "2.0", id: { a: 1 }, method: "ping" }],
    ["no id but null", { jsonrpc: "2.0", id: null, method: "ping" }],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: 5 }],
    ["an answer", { jsonrpc: "2.0", id: 1, result: {} }],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }],
  ])("no request: %s", async (_name, body) => {
    const reply = await read(await endpoint()(post(JSON.stringify(body))));
    expect(reply).toMatchObject({ status: 400, error: { code: INVALID_REQUEST } });
  });

  it("a batch is refused, with a hint", async () => {
    const reply = await read(await endpoint()(post('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')));
    expect(reply).toMatchObject({ status: 400, id: null, error: { code: INVALID_REQUEST } });
    expect(reply.error?.message).toContain("each message by itself");
  });

  describe("a body has a limit", () => {
    const ping = (bytes: number): string => {
      const frame = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { pad: "" } });
      return frame.replace('""', `"${"x".repeat(bytes - frame.length)}"`);
    };

    it("of 1,000,000 bytes", async () => {
      expect((await endpoint()(post(ping(1_000_000)))).status).toBe(200);
      const reply = await read(await endpoint()(post(ping(1_000_001))));
      expect(reply).toMatchObject({ status: 413, error: { code: INVALID_REQUEST } });
      expect(reply.error?.message).toContain("1000000 bytes");
    });

    it("of bytes and not of characters", async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { pad: "€".repeat(50) } });
      expect((await endpoint({ maxBody: body.length })(post(body))).status).toBe(413);
    });

    it("that a stream without a length cannot pass: it is not read to its end", async () => {
      let sent = 0;
      const cancelled = vi.fn();
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1000;
          controller.enqueue(new Uint8Array(1000).fill(0x20));
        },
        cancel: cancelled,
      });
      const init = { duplex: "half" } as RequestInit;
      expect((await endpoint({ maxBody: 5000 })(post(endless, init))).status).toBe(413);
      expect(sent).toBeLessThan(20_000);
      expect(cancelled).toHaveBeenCalledOnce();
    });

    it("and a small stream is read, wherever it is cut", async () => {
      const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":"€","method":"ping"}');
      const drops = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
          controller.close();
        },
      });
      const reply = await read(await endpoint()(post(drops, { duplex: "half" } as RequestInit)));
      expect(reply).toMatchObject({ status: 200, id: "€", result: {} });
    });
  });

  it("a body that was already read is reported as unreadable", async () => {
    const request = post("{}");
    await request.text();
    expect(await read(await endpoint()(request))).toMatchObject({
      status: 400,
      error: { code: PARSE_ERROR },
    });
  });
});

describe("ui/initialize", () => {
  const done = () => ({});

  it("answers in full", async () => {
    const initialize = vi.fn(() => ({ hostContext: { theme: "dark" as const, locale: "it" } }));
    const appInfo = { name: "map", version: "2.0.0" };
    const params = {
      protocolVersion: PROTOCOL_VERSION,
      appInfo,
      appCapabilities: { availableDisplayModes: ["inline"] },
    };
    const reply = await ask({ initialize, handlers: { openLink: done } }, "ui/initialize", params, "a");
    expect(initialize).toHaveBeenCalledExactlyOnceWith(undefined, params);
    expect(reply).toMatchObject({ status: 200, id: "a" });
    expect(reply.result).toEqual({
      protocolVersion: PROTOCOL_VERSION,
      hostInfo: INFO,
      hostCapabilities: {
        openLinks: {},
        serverTools: { listChanged: false },
        serverResources: { listChanged: false },
      },
      hostContext: { theme: "dark", locale: "it" },
    });
  });

  it.each([
    ["clientInfo and capabilities", { clientInfo: { name: "a", version: "1" }, capabilities: {} }],
    ["nothing at all", undefined],
    ["capabilities alone, as an older host endpoint's views", { appCapabilities: {} }],
  ])("T01: with %s", async (_name, params) => {
    const reply = await ask({}, "ui/initialize", params);
    expect(reply).toMatchObject({
      status: 200,
      result: { protocolVersion: PROTOCOL_VERSION, hostContext: {} },
    });
  });

  it("L02: the version is one that both can speak, or ours", async () => {
    const version = async (protocolVersion: string) =>
      (await ask({}, "ui/initialize", { protocolVersion })).result as { protocolVersion: string };
    expect(await version("2025-11-21")).toMatchObject({ protocolVersion: "2025-11-21" });
    expect(await version("0.3")).toMatchObject({ protocolVersion: PROTOCOL_VERSION });
  });

  it("I13: a callback details the capabilities that work, and cannot add any", async () => {
    const initialize = () => ({
      hostCapabilities: {
        openLinks: {},
        downloadFile: {},
        sampling: {},
        logging: {},
        message: { text: {}, image: {} },
        serverTools: { listChanged: true },
        serverResources: { listChanged: true },
        sandbox: { permissions: { camera: {} } },
        experimental: { x: {} },
      },
    });
    const server = upstream({}, { tools: { listChanged: true }, resources: {} });
    const { result } = await ask(
      { initialize, upstream: server, handlers: { message: done } },
      "ui/initialize",
    );
    expect((result as { hostCapabilities: object }).hostCapabilities).toEqual({
      message: { text: {}, image: {} },
      serverTools: { listChanged: true },
      serverResources: { listChanged: false },
      sandbox: { permissions: { camera: {} } },
      experimental: { x: {} },
    });
  });

  it("a refusal of a callback is passed on", async () => {
    const initialize = throwing(new VitrineError("unsupported", "this host is closed today"));
    expect(await ask({ initialize }, "ui/initialize")).toMatchObject({
      status: 500,
      error: { code: INTERNAL_ERROR, data: { message: "this host is closed today" } },
    });
  });
});

describe("requests to the host", () => {
  const content = [{ type: "text", text: "hi" }];
  const sampled = { role: "assistant", model: "m", content: { type: "text", text: "ok" } };
  const resource = { uri: "file:///a.txt", text: "a" };
  const CASES: [id: string, method: string, handler: keyof HostHandlers, params: object, result: object][] = [
    ["I04", "ui/open-link", "openLink", { url: "https://example.com/" }, {}],
    ["I05", "ui/message", "message", { role: "user", content }, {}],
    ["I06", "ui/update-model-context", "updateModelContext", { content, structuredContent: { a: 1 } }, {}],
    ["I07", "ui/request-display-mode", "requestDisplayMode", { mode: "fullscreen" }, { mode: "fullscreen" }],
    ["I10", "ui/download-file", "downloadFile", { contents: [{ type: "resource", resource }] }, {}],
    ["I11", "sampling/createMessage", "createMessage", { messages: [], maxTokens: 5 }, sampled],
  ];

  it.each(CASES)("%s: %s reaches its callback", async (_id, method, name, params, result) => {
    const handler = vi.fn(() => result as never);
    const reply = await ask({ handlers: { [name]: handler } }, method, params);
    expect(reply).toMatchObject({ status: 200, id: 1 });
    expect(reply.result).toEqual(result);
    expect(handler).toHaveBeenCalledExactlyOnceWith(params, expect.objectContaining({ requestId: 1 }));
  });

  it.each(CASES)("%s: %s without a callback is not supported", async (_id, method, _name, params) => {
    expect(await ask({}, method, params)).toMatchObject({
      status: 404,
      id: 1,
      error: {
        code: METHOD_NOT_FOUND,
        message: "Method not supported",
        data: { message: `this host does not support ${method}` },
      },
    });
  });

  it.each(CASES)("%s: %s that fails on purpose returns its reason", async (_id, method, name, params) => {
    const handlers = { [name]: throwing(new VitrineError("unsupported", "not today")) };
    const reply = await ask({ handlers }, method, params);
    expect(reply).toMatchObject({
      status: 500,
      error: { code: INTERNAL_ERROR, data: { message: "not today" } },
    });
  });

  it.each([
    ["ui/open-link", {}, "params.url"],
    ["ui/open-link", { url: 5 }, "params.url"],
    ["ui/message", { role: "user" }, "params.content"],
    ["ui/request-display-mode", { mode: "huge" }, "params.mode"],
    ["ui/update-model-context", { content: "text" }, "params.content"],
    ["ui/resource-teardown", { reason: 5 }, "params.reason"],
    ["tools/call", { arguments: {} }, "params.name"],
    ["resources/read", {}, "params.uri"],
    ["ui/open-link", [], "params"],
  ])("bad params of %s: %j", async (method, params, field) => {
    const reply = await ask({}, method, params);
    expect(reply).toMatchObject({ status: 400, id: 1, error: { code: INVALID_PARAMS, data: { field } } });
    expect(reply.error?.data?.["message"]).toContain(field);
  });

  it("I05, T04: one block instead of a list, and another role, are accepted", async () => {
    const message = vi.fn();
    const params = { role: "assistant", content: content[0] };
    expect(await ask({ handlers: { message } }, "ui/message", params)).toMatchObject({
      status: 200,
      result: {},
    });
    expect(message.mock.calls[0]?.[0]).toEqual({ role: "user", sentRole: "assistant", content });
  });

  it("I04: a link that could run something is refused before the callback", async () => {
    const openLink = vi.fn();
    const reply = await ask({ handlers: { openLink } }, "ui/open-link", { url: "javascript:alert(1)" });
    expect(reply).toMatchObject({ status: 400, error: { code: INVALID_PARAMS } });
    expect(openLink).not.toHaveBeenCalled();
  });

  it.each([
    ["fullscreen", "fullscreen"],
    ["fullscreen", "inline"],
    ["fullscreen", "pip"],
    ["inline", "inline"],
    ["inline", "fullscreen"],
    ["inline", "pip"],
    ["pip", "pip"],
  ] as const)("I07: when %s is requested, the callback decides the mode: %s", async (mode, actual) => {
    const requestDisplayMode = vi.fn(() => ({ mode: actual }));
    const reply = await ask({ handlers: { requestDisplayMode } }, "ui/request-display-mode", { mode });
    expect(reply.result).toEqual({ mode: actual });
    expect(requestDisplayMode).toHaveBeenCalledOnce();
  });

  it("T05: picture-in-picture is pip", async () => {
    const handlers: HostHandlers = { requestDisplayMode: ({ mode }) => ({ mode }) };
    const { result } = await ask({ handlers }, "ui/request-display-mode", { mode: "picture-in-picture" });
    expect(result).toEqual({ mode: "pip" });
  });

  it("D22: details of unexpected errors in a callback stay with the host", async () => {
    const onreport = vi.fn();
    const cause = new Error("connect ECONNREFUSED 10.0.0.3:5432");
    const options = { handlers: { message: throwing(cause) }, onreport };
    const reply = await ask(options, "ui/message", { role: "user", content: [] });
    expect(reply).toMatchObject({
      status: 500,
      error: { code: INTERNAL_ERROR, message: "ui/message failed", data: { message: "ui/message failed" } },
    });
    expect(onreport).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "listener-failed", cause }),
    );
    const explain = (error: unknown) => (error as Error).message;
    const open = await ask({ ...options, explain }, "ui/message", { role: "user", content: [] });
    expect(open).toMatchObject({
      status: 500,
      error: { code: INTERNAL_ERROR, data: { message: cause.message } },
    });
  });

  it("an error with a number of its own keeps it, and its data", async () => {
    const error = new VitrineError(-32042, "sign in first", { data: { url: "https://example.com" } });
    expect(
      await ask({ handlers: { message: throwing(error) } }, "ui/message", { role: "user", content: [] }),
    ).toMatchObject({
      status: 500,
      error: {
        code: -32042,
        message: "sign in first",
        data: { url: "https://example.com", message: "sign in first" },
      },
    });
  });

  it.each([undefined, null, "text", Symbol("s"), Object.create(null), { code: 1, message: Symbol("s") }])(
    "whatever a callback throws, there is an answer",
    async (thrown) => {
      const onreport = throwing(new Error("the log is full"));
      const handlers = { message: throwing(thrown) };
      const reply = await ask({ handlers, onreport, explain: throwing(1) }, "ui/message", {
        role: "user",
        content: [],
      });
      expect(reply.status).toBe(500);
      expect(reply.error?.data).toHaveProperty("message");
    },
  );

  it.each([
    ["a number that JSON has not", { model: 1n }],
    [
      "a cycle",
      (() => {
        const cycle: { self?: unknown } = {};
        cycle.self = cycle;
        return cycle;
      })(),
    ],
  ])("a result that cannot be written is a failure of the callback: %s", async (_name, result) => {
    const reply = await ask({ handlers: { message: () => result as never } }, "ui/message", {
      role: "user",
      content: [],
    });
    expect(reply).toMatchObject({ status: 500, id: 1, error: { code: INTERNAL_ERROR } });
  });

  it("the request's abort signal reaches the callback", async () => {
    const controller = new AbortController();
    let heard: AbortSignal | undefined;
    const message = (_params: unknown, { signal }: RequestContext) => {
      heard = signal;
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new VitrineError("aborted", "aborted")));
        controller.abort();
      });
    };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "ui/message",
      params: { role: "user", content: [] },
    });
    const response = await endpoint({ handlers: { message } })(post(body, { signal: controller.signal }));
    expect([heard?.aborted, response.status]).toEqual([true, 500]);
  });
});

describe("teardown", () => {
  it("L08: the view's answer to a teardown reaches its callback, with an id or without", async () => {
    const teardownResponse = vi.fn();
    const params = { reason: "navigation" };
    expect(await ask({ teardownResponse }, "ui/resource-teardown", params)).toMatchObject({
      status: 200,
      result: {},
    });
    expect(await tell({ teardownResponse }, "ui/resource-teardown", params)).toMatchObject({
      status: 202,
      text: "",
    });
    expect(teardownResponse).toHaveBeenCalledTimes(2);
    expect(await ask({}, "ui/resource-teardown")).toMatchObject({ status: 200, result: {} });
  });
});

describe("requests to the server", () => {
  const RESULT = { content: [{ type: "text", text: "sunny" }], structuredContent: { a: 1 }, _meta: { b: 2 } };

  it("I01: a tool's result is returned unchanged", async () => {
    const call = vi.fn(() => RESULT);
    const reply = await ask({ upstream: upstream({ "tools/call": call }) }, "tools/call", {
      name: "sky",
      arguments: { x: 1 },
    });
    expect(reply).toMatchObject({ status: 200, id: 1 });
    expect(reply.result).toEqual(RESULT);
    expect(call).toHaveBeenCalledExactlyOnceWith({ name: "sky", arguments: { x: 1 } }, expect.anything());
  });

  it.each([
    ["the server's", Object.assign(new Error("no such tool"), { code: -32602 }), "no such tool"],
    [
      "the connection's",
      new VitrineError("timeout", "the server did not answer in time"),
      "the server did not answer in time",
    ],
    ["an error that may quote anything", new Error("EPIPE /home/ann/.secret"), "tools/call failed"],
  ])("a tool call that fails is a result: %s", async (_name, error, text) => {
    const reply = await ask({ upstream: upstream({ "tools/call": throwing(error) }) }, "tools/call", {
      name: "sky",
    });
    expect(reply).toMatchObject({ status: 200, id: 1 });
    expect(reply.result).toEqual({ content: [{ type: "text", text }], isError: true });
  });

  it("a cancelled tool call has no result", async () => {
    const controller = new AbortController();
    const call: Answer = (_params, { signal }) => {
      controller.abort();
      expect(signal?.aborted).toBe(true);
      throw new VitrineError("aborted", "aborted");
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } });
    const request = post(body, { signal: controller.signal });
    const reply = await read(await endpoint({ upstream: upstream({ "tools/call": call }) })(request));
    expect(reply).toMatchObject({ status: 500, error: { code: INTERNAL_ERROR } });
  });

  it("C03: a call that the guard refuses stays an error, and never reaches the server", async () => {
    const call = vi.fn();
    const seen: ViewCall[] = [];
    const refuse =
      (refusal: Refusal): Link =>
      async (passed) => {
        seen.push(passed);
        throw refusal;
      };
    const reply = async (refusal: Refusal) =>
      ask(
        { upstream: upstream({ "tools/call": call }), guard: refuse(refusal), view: "view-7" },
        "tools/call",
        { name: "rm" },
      );
    expect(await reply(new Refusal("tool-not-visible", "not for views"))).toMatchObject({
      status: 403,
      error: {
        code: -32000,
        message: "not for views",
        data: { code: "tool-not-visible", message: "not for views" },
      },
    });
    const limited = await reply(new Refusal("rate-limited", "too many", { retryAfter: 1500 }));
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "2"]);
    expect((await reply(new Refusal("too-large", "too large"))).status).toBe(413);
    expect((await reply(new Refusal("method-unknown", "no"))).status).toBe(404);
    expect(call).not.toHaveBeenCalled();
    expect(seen[0]).toMatchObject({ view: "view-7", server: "weather", method: "tools/call" });
  });

  it("the guard knows the server under the name that it was given", async () => {
    const guard = vi.fn<Link>((call, next) => next(call));
    await ask({ guard, server: "weather@eu" }, "tools/call", { name: "a" });
    expect(guard.mock.calls[0]?.[0]).toMatchObject({ server: "weather@eu", view: "http" });
  });

  it("I02, I03, D16: resources, templates, prompts and tools are listed and read", async () => {
    const tools = [
      { name: "mine", inputSchema: { type: "object" } },
      { name: "models", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["model"] } } },
    ];
    const server = upstream({
      "tools/list": () => ({ tools }),
      "resources/list": () => ({ resources: [] }),
      "resources/templates/list": () => ({ resourceTemplates: [] }),
      "resources/read": ({ uri }) => ({ contents: [{ uri, text: "a" }] }),
      "prompts/list": () => ({ prompts: [] }),
      "prompts/get": () => ({ messages: [] }),
    });
    const result = async (method: string, params?: object) =>
      (await ask({ upstream: server }, method, params)).result;
    expect(await result("tools/list")).toEqual({ tools: [tools[0]] });
    expect(await result("resources/list")).toEqual({ resources: [] });
    expect(await result("resources/templates/list")).toEqual({ resourceTemplates: [] });
    expect(await result("resources/read", { uri: "a://b" })).toEqual({
      contents: [{ uri: "a://b", text: "a" }],
    });
    expect(await result("prompts/list")).toEqual({ prompts: [] });
    expect(await result("prompts/get", { name: "a" })).toEqual({ messages: [] });
  });

  it("a resource that the server does not have is the server's error", async () => {
    const error = Object.assign(new Error("no such resource"), { code: -32602, data: { uri: "a://b" } });
    const server = upstream({ "resources/read": throwing(error) });
    expect(await ask({ upstream: server }, "resources/read", { uri: "a://b" })).toMatchObject({
      status: 400,
      error: { code: INVALID_PARAMS, message: "no such resource", data: { uri: "a://b" } },
    });
  });

  it("I13: subscriptions are refused, since no notification could be sent", async () => {
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      expect(await ask({}, method, { uri: "a://b" })).toMatchObject({
        status: 404,
        error: { code: METHOD_NOT_FOUND, message: "Method not supported" },
      });
    }
  });

  it("text that is JSON already is forwarded without being parsed", async () => {
    const text = new JsonText('{ "content" : [ ] }');
    const parse = vi.spyOn(text, "parse");
    const reply = await ask({ upstream: upstream({ "tools/call": () => text }) }, "tools/call", {
      name: "a",
    });
    expect(reply.text).toBe('{"jsonrpc":"2.0","id":1,"result":{ "content" : [ ] }}');
    expect(parse).not.toHaveBeenCalled();
  });

  it("D6: a progress token stays here, and no progress is asked for", async () => {
    const call = vi.fn((_params: object, _options: UpstreamRequestOptions) => RESULT);
    const params = { name: "a", _meta: { progressToken: 1, trace: "t" } };
    await ask({ upstream: upstream({ "tools/call": call }) }, "tools/call", params);
    const [sent, options] = call.mock.calls[0] ?? [];
    expect(sent).toEqual({ name: "a", _meta: { trace: "t" } });
    expect(options?.onprogress).toBeUndefined();
  });
});

describe("everything else", () => {
  it("L10: ping", async () => {
    expect(await ask({}, "ping", {}, "p-1")).toMatchObject({ status: 200, id: "p-1", result: {} });
  });

  it.each(["unknown/method", "constructor", "ui/notifications/size-changed", "x".repeat(100_000)])(
    "L12: an unknown request",
    async (method) => {
      const reply = await ask({}, method);
      expect(reply).toMatchObject({
        status: 404,
        id: 1,
        error: { code: METHOD_NOT_FOUND, message: "Method not found" },
      });
      expect(reply.text.length).toBeLessThan(400);
    },
  );

  const log = { level: "info", data: "x" };
  it.each([
    ["I08", "ui/notifications/size-changed", "size", { width: 800, height: 600 }],
    ["I09", "notifications/message", "log", log],
    ["L09", "ui/notifications/request-teardown", "requestTeardown", {}],
  ] as const)("%s: %s reaches its callback and is accepted", async (_id, method, name, params) => {
    const handler = vi.fn();
    expect(await tell({ handlers: { [name]: handler } }, method, params)).toMatchObject({
      status: 202,
      text: "",
    });
    const from = { view: expect.any(String), server: expect.any(String) };
    expect(handler).toHaveBeenCalledExactlyOnceWith(params, from);
  });

  it.each([
    ["without a callback", {}, "ui/notifications/size-changed", { width: 1 }],
    ["with bad params", {}, "ui/notifications/size-changed", { width: "wide" }],
    ["with params that are none", {}, "ui/notifications/size-changed", [5]],
    [
      "whose callback fails",
      { handlers: { size: throwing(new Error("x")) } },
      "ui/notifications/size-changed",
      {},
    ],
    [
      "that the guard stops",
      { guard: throwing(new Refusal("rate-limited", "x")) as Link },
      "notifications/message",
      log,
    ],
    ["for which `init` fails", { init: throwing(new Error("x")) }, "notifications/message", log],
    ["that nobody knows", {}, "notifications/unheard", {}],
    ["that is no notification", {}, "tools/call", { name: "a" }],
    ["of the host's own", {}, "ui/notifications/tool-input", {}],
    ["that cancels", {}, "notifications/cancelled", { requestId: 1 }],
    ["of progress", {}, "notifications/progress", { progressToken: 1, progress: 1 }],
    ["of readiness", { initialized: throwing(new Error("x")) }, "ui/notifications/initialized", {}],
  ] as const)("a notification is never an error: one %s", async (_name, options, method, params) => {
    expect(await tell(options, method, params)).toMatchObject({ status: 202, text: "" });
  });

  it("D22: a notification that came to nothing is reported", async () => {
    const codes: unknown[] = [];
    const onreport = ({ code }: VitrineError) => void codes.push(code);
    await tell({ onreport }, "ui/notifications/size-changed", { width: "wide" });
    await tell(
      { onreport, handlers: { size: throwing(new Error("x")) } },
      "ui/notifications/size-changed",
      {},
    );
    await tell({ onreport, guard: throwing(new Refusal("rate-limited", "x")) }, "notifications/message", log);
    expect(codes).toEqual(["invalid", "listener-failed", -32000]);
  });
});

describe("hostile bodies", () => {
  const handlers: HostHandlers = {
    openLink: () => ({}),
    message: () => ({}),
    updateModelContext: () => ({}),
    downloadFile: () => ({}),
    requestDisplayMode: ({ mode }) => ({ mode }),
    createMessage: throwing(new Error("no")),
    log: throwing(new Error("no")),
  };
  const echo = upstream({ "tools/call": (params) => ({ content: [], structuredContent: params }) });
  const handle = endpoint({ handlers, upstream: echo, maxBody: 100_000 });

  /** Valid answers: a result, an error with a code and a reason, or nothing for a notification. */
  async function check(body: BodyInit): Promise<void> {
    const response = await handle(post(body));
    const text = await response.text();
    if (response.status === 202) {
      expect(text).toBe("");
      return;
    }
    const message = JSON.parse(text) as Record<string, unknown>;
    expect(message["jsonrpc"]).toBe("2.0");
    if (response.status === 200) {
      expect(Object.keys(message)).toEqual(["jsonrpc", "id", "result"]);
      expect(message["result"]).toBeTypeOf("object");
    } else {
      expect(Object.keys(message)).toEqual(["jsonrpc", "id", "error"]);
      const error = message["error"] as Record<string, unknown>;
      expect(error["code"]).toSatisfy(Number.isInteger);
      expect(error["message"]).toBeTypeOf("string");
      expect(error["data"]).toHaveProperty("message");
    }
  }

  it("bytes, text and JSON of any kind get an answer", async () => {
    const body = fc.oneof(fc.uint8Array(), fc.string({ unit: "binary" }), fc.json());
    await fc.assert(
      fc.asyncProperty(body, (sent) => check(sent as BodyInit)),
      { numRuns: 300 },
    );
  });

  it("messages with anything in any place get an answer", async () => {
    const method = fc.constantFrom(
      ...[
        "ui/initialize",
        "ui/open-link",
        "ui/message",
        "ui/request-display-mode",
        "ui/update-model-context",
      ],
      ...[
        "ui/download-file",
        "ui/resource-teardown",
        "sampling/createMessage",
        "tools/call",
        "tools/list",
        "ping",
      ],
      ...[
        "resources/read",
        "resources/subscribe",
        "prompts/get",
        "notifications/message",
        "__proto__",
        "toString",
      ],
      ...["ui/notifications/size-changed", "notifications/cancelled", "ui/notifications/sandbox-proxy-ready"],
    );
    const keys = [
      "url",
      "role",
      "content",
      "mode",
      "name",
      "arguments",
      "uri",
      "level",
      "_meta",
      "__proto__",
    ];
    const params = fc.dictionary(
      fc.constantFrom(...keys),
      fc.oneof(fc.jsonValue(), fc.constant("https://a.b/")),
    );
    const message = fc.record(
      {
        jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, fc.jsonValue()),
        id: fc.oneof({ weight: 9, arbitrary: fc.nat() }, fc.jsonValue()),
        method: fc.oneof({ weight: 9, arbitrary: method }, fc.jsonValue()),
        params: fc.oneof({ weight: 9, arbitrary: params }, fc.jsonValue()),
      },
      { requiredKeys: ["jsonrpc", "method"] },
    );
    await fc.assert(
      fc.asyncProperty(message, (sent) => check(JSON.stringify(sent))),
      { numRuns: 1000 },
    );
  });

  it("nesting without end gets an answer", async () => {
    const deep = `${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`;
    await check(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${deep}}}`);
    await check("[".repeat(90_000));
    await check(deep);
  });
});

describe("the example", () => {
  it("serves users who are signed in", async () => {
    const added: unknown[] = [];
    const chat = { id: "c-1", theme: "dark" as const, add: (content: unknown) => added.push(content) };
    const signedIn = examples.endpoint(upstream(), async () => chat);
    const message = { jsonrpc: "2.0", id: 1, method: "ui/message", params: { role: "user", content: [] } };
    expect((await signedIn(post(JSON.stringify(message)))).status).toBe(200);
    expect(added).toEqual([[]]);
    const stranger = examples.endpoint(upstream(), async () => undefined);
    expect((await stranger(post(JSON.stringify(message)))).status).toBe(401);
  });
});

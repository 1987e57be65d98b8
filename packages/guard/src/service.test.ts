import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  JsonText,
  METHOD_NOT_FOUND,
  type Progress,
  type RequestContext,
  VitrineError,
} from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import type { HostHandlers } from "./handlers.js";
import type { ViewCall } from "./links/link.js";
import * as examples from "./service.examples.js";
import { hostService, type ServiceOptions } from "./service.js";
import type {
  ServerCapabilities,
  Upstream,
  UpstreamNotification,
  UpstreamRequestOptions,
} from "./upstream/upstream.js";

type Answer = (params: Record<string, unknown>, options: UpstreamRequestOptions) => unknown;

/** A test server with canned answers that records its requests. */
function upstream(answers: { [method: string]: Answer } = {}, capabilities?: ServerCapabilities) {
  const asked: { method: string; params: unknown }[] = [];
  const listeners = new Set<(method: UpstreamNotification, params: Record<string, unknown>) => void>();
  const server: Upstream = {
    server: "weather",
    capabilities: capabilities ?? { tools: {}, resources: { subscribe: true }, prompts: {} },
    async request(method, params, options = {}) {
      asked.push({ method, params });
      return (await answers[method]?.(params, options)) as never;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { server, asked };
}

const request = (more: Partial<RequestContext> = {}): RequestContext => ({
  requestId: 1,
  signal: new AbortController().signal,
  progress: undefined,
  ...more,
});
const service = (options: Partial<ServiceOptions> = {}) =>
  hostService({ view: "view-1", guard: "behind-upstream", ...options });

describe("advertised capabilities", () => {
  it("I13: nothing where there is nothing", () => {
    expect(service().capabilities).toEqual({});
    expect(service({ upstream: upstream({}, {}).server }).capabilities).toEqual({});
  });

  it("I13: each capability separately, and exactly as far as it works", () => {
    const text = { text: {} };
    const done = () => ({});
    const each: [HostHandlers, object][] = [
      [{ openLink: done }, { openLinks: {} }],
      [{ downloadFile: done }, { downloadFile: {} }],
      [{ log: done }, { logging: {} }],
      [{ message: done }, { message: text }],
      [{ updateModelContext: done }, { updateModelContext: text }],
      [{ createMessage: () => ({ role: "assistant", model: "m", content: [] }) }, { sampling: {} }],
      [{ size: done, requestTeardown: done, requestDisplayMode: ({ mode }) => ({ mode }) }, {}],
    ];
    for (const [handlers, capabilities] of each) {
      expect(service({ handlers }).capabilities).toEqual(capabilities);
    }
    const { server } = upstream({}, { tools: { listChanged: true }, resources: {}, prompts: {} });
    expect(service({ upstream: server }).capabilities).toEqual({
      serverTools: { listChanged: true },
      serverResources: { listChanged: false },
    });
  });

  it("I13: details count only where the thing itself exists", () => {
    const details = {
      message: { text: {}, image: {} },
      updateModelContext: { structuredContent: {} },
      sampling: { tools: {} },
      sandbox: { permissions: { camera: {} } },
    };
    expect(service({ details }).capabilities).toEqual({ sandbox: details.sandbox });
    const handlers: HostHandlers = { message: () => {}, updateModelContext: () => {} };
    expect(service({ details, handlers }).capabilities).toEqual({
      sandbox: details.sandbox,
      message: details.message,
      updateModelContext: details.updateModelContext,
    });
  });

  it("I13: a method that is not advertised is refused with -32601", async () => {
    const { requests } = service({ upstream: upstream({}, { resources: {} }).server });
    const {
      "ui/request-display-mode": _always,
      "resources/read": _r,
      "resources/list": _l,
      ...rest
    } = requests;
    const { "resources/templates/list": _t, ...missing } = rest;
    expect(Object.keys(missing)).toHaveLength(11);
    for (const [method, handler] of Object.entries(missing)) {
      const error = await handler({}, request()).catch((thrown: unknown) => thrown);
      expect([method, error]).toEqual([method, expect.objectContaining({ code: METHOD_NOT_FOUND })]);
    }
  });
});

describe("requests to the server", () => {
  it("I01: a tool call, and its unchanged result", async () => {
    const result = { content: [], structuredContent: { a: 1 }, _meta: { b: 2 } };
    const { server, asked } = upstream({ "tools/call": () => result });
    const { requests } = service({ upstream: server });
    expect(await requests["tools/call"]({ name: "a", arguments: { x: 1 } }, request())).toBe(result);
    expect(asked).toEqual([{ method: "tools/call", params: { name: "a", arguments: { x: 1 } } }]);
  });

  it("I02, D16: resources, templates and prompts", async () => {
    const { server, asked } = upstream();
    const { requests } = service({ upstream: server });
    await requests["resources/read"]({ uri: "a://b" }, request());
    await requests["resources/list"]({ cursor: "2" }, request());
    await requests["resources/templates/list"]({}, request());
    await requests["prompts/list"]({}, request());
    await requests["prompts/get"]({ name: "a" }, request());
    expect(asked.map(({ method, params }) => [method, params])).toEqual([
      ["resources/read", { uri: "a://b" }],
      ["resources/list", { cursor: "2" }],
      ["resources/templates/list", {}],
      ["prompts/list", {}],
      ["prompts/get", { name: "a" }],
    ]);
  });

  it("I03: a view sees only the tools that it may call, whether the list comes parsed or not", async () => {
    const tool = (name: string, visibility?: string[]) => ({
      name,
      inputSchema: { type: "object" },
      ...(visibility && { _meta: { ui: { visibility } } }),
    });
    const list = {
      tools: [tool("both"), tool("mine", ["app"]), tool("model", ["model"]), tool("nobody", [])],
      nextCursor: "2",
    };
    for (const answer of [list, new JsonText(JSON.stringify(list))]) {
      const { server } = upstream({ "tools/list": () => answer });
      const listed = await service({ upstream: server }).requests["tools/list"]({}, request());
      expect(listed).toEqual({ tools: [tool("both"), tool("mine", ["app"])], nextCursor: "2" });
    }
  });

  it("I12: progress and cancellation pass through", async () => {
    const { server } = upstream({
      "tools/call": (_params, { signal, onprogress }) =>
        new Promise((_resolve, reject) => {
          onprogress?.({ progress: 1, total: 2 });
          signal?.addEventListener("abort", () => reject(new VitrineError("aborted", "aborted")));
        }),
    });
    const controller = new AbortController();
    const progress: Progress[] = [];
    const call = service({ upstream: server }).requests["tools/call"](
      { name: "a" },
      request({ signal: controller.signal, progress: (step) => progress.push(step) }),
    );
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "aborted" });
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
  });

  it("a large result passes as the text it is", async () => {
    const text = new JsonText('{"content":[]}');
    const { server } = upstream({ "tools/call": () => text });
    expect(await service({ upstream: server }).requests["tools/call"]({ name: "a" }, request())).toBe(text);
  });

  it("a server's error passes with its code, message and data, and nothing else", async () => {
    const failure = Object.assign(new Error("no such tool"), {
      code: -32602,
      data: { name: "a" },
      token: "secret",
    });
    const { server } = upstream({ "tools/call": () => Promise.reject(failure) });
    const error = await service({ upstream: server })
      .requests["tools/call"]({ name: "a" }, request())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: -32602, message: "no such tool", data: { name: "a" } });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  it("D22: details of a failure at the host stay with the host", async () => {
    const onreport = vi.fn();
    const cause = Object.assign(new Error("connect ECONNREFUSED 10.0.0.3:5432"), { code: "ECONNREFUSED" });
    const handlers: HostHandlers = {
      message: () => {
        throw cause;
      },
    };
    const { requests } = service({ handlers, onreport });
    await expect(requests["ui/message"]({ role: "user", content: [] }, request())).rejects.toMatchObject({
      code: INTERNAL_ERROR,
      message: "ui/message failed",
    });
    expect(onreport).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "listener-failed", cause }),
    );
  });

  it("D4: a resource is left when the last view that subscribed to it has left", async () => {
    const { server, asked } = upstream();
    const views = [service({ upstream: server }), service({ upstream: server })] as const;
    const uri = "a://b";
    for (const { requests } of views)
      expect(await requests["resources/subscribe"]({ uri }, request())).toEqual({});
    await views[0].requests["resources/subscribe"]({ uri }, request()); // Twice is once.
    expect(views[1].isSubscribedTo("a://b/part")).toBe(true);
    expect(views[1].isSubscribedTo("a://c")).toBe(false);
    await views[0].requests["resources/unsubscribe"]({ uri }, request());
    await views[0].requests["resources/unsubscribe"]({ uri }, request());
    expect(views[0].isSubscribedTo(uri)).toBe(false);
    expect(asked.map(({ method }) => method)).not.toContain("resources/unsubscribe");
    views[1].close();
    expect(asked.at(-1)).toEqual({ method: "resources/unsubscribe", params: { uri } });
  });

  it("D4: a view that is about to subscribe is not left out when another stops; one that was refused counts for nothing", async () => {
    const uri = "a://b";
    let answer: (error?: Error) => void = () => {};
    const { server, asked } = upstream({
      "resources/subscribe": () =>
        new Promise((resolve, reject) => {
          answer = (error) => (error ? reject(error) : resolve({}));
        }),
    });
    const [first, second] = [service({ upstream: server }), service({ upstream: server })];
    const subscribe = async ({ requests }: typeof first, error?: Error): Promise<unknown> => {
      const asking = requests["resources/subscribe"]({ uri }, request()).catch((thrown: Error) => thrown);
      await expect.poll(() => asked.at(-1)?.method).toBe("resources/subscribe");
      answer(error);
      return asking;
    };
    await subscribe(first);
    const asking = second.requests["resources/subscribe"]({ uri }, request());
    await new Promise((resolve) => setTimeout(resolve));
    first.close();
    answer();
    await asking;
    const ends = () => asked.filter(({ method }) => method === "resources/unsubscribe").length;
    expect(ends()).toBe(0);
    second.close();
    expect(ends()).toBe(1);
    await subscribe(first, new Error("no"));
    first.close();
    expect(ends()).toBe(1);
  });
});

describe("requests that the host handles itself", () => {
  it("I05, I06, I10, I11, attack C16: each method has its handler, which gets the sender", async () => {
    const sampled = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
    const handlers = {
      openLink: vi.fn(() => ({})),
      message: vi.fn(() => ({ isError: true })),
      updateModelContext: vi.fn(),
      downloadFile: vi.fn(async () => ({ isError: false })),
      createMessage: vi.fn(() => sampled),
    };
    const { requests } = service({ server: "weather", handlers: handlers as unknown as HostHandlers });
    const context = request();
    const params = { role: "user", content: [] };
    expect(await requests["ui/message"](params, context)).toEqual({ isError: true });
    expect(handlers.message).toHaveBeenCalledExactlyOnceWith(params, {
      ...context,
      view: "view-1",
      server: "weather",
    });
    expect(await requests["ui/update-model-context"]({}, context)).toEqual({});
    expect(await requests["ui/download-file"]({ contents: [] }, context)).toEqual({ isError: false });
    expect(await requests["sampling/createMessage"]({}, context)).toEqual(sampled);
    expect(await requests["ui/open-link"]({ url: "https://a.example" }, context)).toEqual({});
    expect(handlers.openLink).toHaveBeenCalledOnce();
  });

  it.each([
    ["https://a.example/b", true],
    ["HTTP://a.example", true],
    ["mailto:a@b.example", true],
    ["javascript:alert(1)", false],
    [" java\nscript:alert(1)", false],
    ["data:text/html,x", false],
    ["file:///etc/passwd", false],
    ["vscode://x", false],
    ["//a.example", false],
    ["a.example", false],
    ["", false],
  ])("I04, D17: %j reaches the handler: %s", async (url, reaches) => {
    const openLink = vi.fn();
    const opened = service({ handlers: { openLink } }).requests["ui/open-link"]({ url }, request());
    if (reaches) expect(await opened).toEqual({});
    else await expect(opened).rejects.toMatchObject({ code: INVALID_PARAMS });
    expect(openLink).toHaveBeenCalledTimes(reaches ? 1 : 0);
  });

  it("a handler that is a method of something keeps its `this`", async () => {
    class Chat implements HostHandlers {
      readonly turns: unknown[] = [];
      message(params: object): void {
        this.turns.push(params);
      }
    }
    const chat = new Chat();
    await service({ handlers: chat }).requests["ui/message"]({ role: "user", content: [] }, request());
    expect(chat.turns).toHaveLength(1);
  });

  it("I08, I09, L09: notifications reach their handlers", async () => {
    const handlers = { log: vi.fn(), size: vi.fn(), requestTeardown: vi.fn() };
    const onnotice = vi.fn();
    const { notifications } = service({ handlers, onnotice });
    await notifications["notifications/message"]({ level: "info", data: 1 });
    await notifications["ui/notifications/size-changed"]({ height: 3 });
    await notifications["ui/notifications/request-teardown"]({});
    const from = { view: "view-1", server: "" };
    expect(handlers.log).toHaveBeenCalledExactlyOnceWith({ level: "info", data: 1 }, from);
    expect(handlers.size).toHaveBeenCalledExactlyOnceWith({ height: 3 }, from);
    expect(handlers.requestTeardown).toHaveBeenCalledOnce();
    expect(onnotice).toHaveBeenCalledTimes(3);
  });
});

describe("display modes", () => {
  const modes = (
    more: Partial<ServiceOptions>,
    theirs: ReturnType<NonNullable<ServiceOptions["viewModes"]>> = ["inline", "fullscreen", "pip"],
  ) => {
    const onmode = vi.fn();
    const context = () => ({
      displayMode: "inline" as const,
      availableDisplayModes: ["inline" as const, "fullscreen" as const],
    });
    const { requests } = service({ context, viewModes: () => theirs, onmode, ...more });
    const ask = (mode: string) => requests["ui/request-display-mode"]({ mode }, request());
    return { ask, onmode };
  };
  const grant: HostHandlers = { requestDisplayMode: ({ mode }) => ({ mode }) };

  it("I07: the mode in force is the answer, changed or not", async () => {
    const granted = modes({ handlers: grant });
    expect(await granted.ask("fullscreen")).toEqual({ mode: "fullscreen" });
    expect(granted.onmode).toHaveBeenCalledExactlyOnceWith("fullscreen");
    const kept = modes({ handlers: { requestDisplayMode: () => ({ mode: "inline" }) } });
    expect(await kept.ask("fullscreen")).toEqual({ mode: "inline" });
    expect(kept.onmode).not.toHaveBeenCalled();
  });

  it("I07: without a handler it is the current one", async () => {
    expect(await modes({}).ask("fullscreen")).toEqual({ mode: "inline" });
    expect(await service().requests["ui/request-display-mode"]({ mode: "pip" }, request())).toEqual({
      mode: "inline",
    });
  });

  it("I07, attack C12: a mode that the host or the view does not have is not even asked for", async () => {
    const requestDisplayMode = vi.fn(grant.requestDisplayMode);
    expect(await modes({ handlers: { requestDisplayMode } }).ask("pip")).toEqual({ mode: "inline" });
    expect(await modes({ handlers: { requestDisplayMode } }, ["inline"]).ask("fullscreen")).toEqual({
      mode: "inline",
    });
    expect(await modes({ handlers: { requestDisplayMode } }, []).ask("fullscreen")).toEqual({
      mode: "inline",
    });
    expect(requestDisplayMode).not.toHaveBeenCalled();
  });

  it("I07: nor is an unsupported mode accepted from a handler", async () => {
    const handlers: HostHandlers = { requestDisplayMode: () => ({ mode: "pip" }) };
    expect(await modes({ handlers }).ask("fullscreen")).toEqual({ mode: "inline" });
  });

  it("I07: a view that declared nothing is asked nothing", async () => {
    const { requests } = service({
      handlers: grant,
      context: () => ({ availableDisplayModes: ["inline", "fullscreen"] }),
    });
    expect(await requests["ui/request-display-mode"]({ mode: "fullscreen" }, request())).toEqual({
      mode: "fullscreen",
    });
  });
});

describe("the guard", () => {
  it("C03, C04: sees every call with its origin, before anything happens, and can refuse it", async () => {
    const calls: ViewCall[] = [];
    const { server, asked } = upstream();
    const handlers = {
      openLink: vi.fn(),
      log: vi.fn(),
      message: vi.fn(),
      updateModelContext: vi.fn(),
      downloadFile: vi.fn(),
      createMessage: vi.fn(),
    };
    const { requests, notifications } = service({
      upstream: server,
      handlers,
      guard: async (call) => {
        calls.push(call);
        throw new VitrineError(-32000, "not allowed");
      },
    });
    const context = request();
    for (const handler of Object.values(requests)) {
      await expect(handler({ a: 1 }, context)).rejects.toMatchObject({
        code: -32000,
        message: "not allowed",
      });
    }
    for (const listener of Object.values(notifications))
      await expect(listener({})).rejects.toThrow("not allowed");
    expect(new Set(calls.map(({ method }) => method)).size).toBe(15 + 3);
    expect(calls[0]).toEqual({
      view: "view-1",
      server: "weather",
      method: expect.any(String),
      params: { a: 1 },
      signal: context.signal,
    });
    expect(asked).toEqual([]);
    expect(handlers.openLink).not.toHaveBeenCalled();
  });

  it("I13: is not asked about requests without a handler, so that the user is not asked in vain", async () => {
    const guard = vi.fn();
    const { requests } = service({ guard });
    await expect(requests["ui/open-link"]({ url: "https://example.com" }, request())).rejects.toMatchObject({
      code: -32601,
    });
    expect(guard).not.toHaveBeenCalled();
  });

  it("D1: an upstream without a guard is refused, with a hint", () => {
    const { server } = upstream();
    const guard = undefined;
    expect(() => service({ upstream: server, guard })).toThrow(/standardGuard\(upstream\)/);
  });

  it("may change messages in both directions", async () => {
    const { server, asked } = upstream({ "tools/call": () => ({ content: [] }) });
    const { requests } = service({
      upstream: server,
      guard: async (call, next) => ({
        ...Object(await next({ ...call, params: { name: "safe" } })),
        seen: true,
      }),
    });
    expect(await requests["tools/call"]({ name: "a" }, request())).toEqual({ content: [], seen: true });
    expect(asked).toEqual([{ method: "tools/call", params: { name: "safe" } }]);
  });

  it("attack D03: of a flood that it stops, only the first is worth a report", async () => {
    const data = { repeated: false };
    const { notifications } = service({
      guard: () => Promise.reject(new VitrineError(-32000, "too many", { data })),
    });
    const log = notifications["notifications/message"];
    await expect(log({})).rejects.toThrow("too many");
    data.repeated = true;
    await expect(log({})).resolves.toBeUndefined();
  });
});

describe("the examples", () => {
  it("behave as their comments say", async () => {
    const chat = { add: vi.fn(), context: undefined as unknown, setMode: () => "inline" as const };
    const handlers = examples.handlers(chat);
    const { server } = upstream({
      "tools/list": () => ({
        tools: [{ name: "forecast", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
      }),
      "tools/call": () => ({ content: [] }),
    });
    expect(await examples.service(server, handlers)).toEqual({
      capabilities: {
        serverTools: { listChanged: false },
        serverResources: { listChanged: false },
        message: { text: {} },
        updateModelContext: { text: {} },
      },
      result: { content: [] },
    });
    const asked = { ...request(), view: "view-1", server: "shop" };
    await handlers.message?.({ role: "user", content: [] }, asked);
    await handlers.updateModelContext?.({ structuredContent: { a: 1 } }, asked);
    expect(chat.add).toHaveBeenCalledWith([], "shop");
    expect(chat.context).toEqual({ structuredContent: { a: 1 } });
    expect(handlers.requestDisplayMode?.({ mode: "pip" }, asked)).toEqual({ mode: "inline" });
  });
});

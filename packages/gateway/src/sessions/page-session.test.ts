import { Conversations } from "@vitrine/conversation";
import type { UpstreamRequestOptions } from "@vitrine/guard";
import { VitrineError } from "@vitrine/protocol";
import { GatewayError, type OpenedView, type ViewPlace } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import { memoryStore, NO_HEIRS, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { UserCapabilities, UserRoots } from "../asks/index.js";
import { gatewayGuard } from "../guard/gateway-guard.js";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { Idempotency } from "../guard/idempotency.js";
import { type PageOptions, PageSession } from "./page-session.js";
import { UserTasks } from "./user-tasks.js";

function setUp(options: Partial<PageOptions> = {}) {
  const store = memoryStore();
  const server = stageServer();
  const known = new Set<string>();
  const at = {
    server,
    guard: gatewayGuard({
      server,
      user: "ann",
      store,
      views: (view) => (known.has(view) ? {} : undefined),
      settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
      ask: (question, remember, signal) => page.ask(question, remember, signal),
    }),
  };
  const sent: { channel: string; message: Record<string, unknown> }[] = [];
  const wire = {
    send: (channel: string, text: string) => sent.push({ channel, message: JSON.parse(text) }),
    closeChannel: vi.fn(),
    isFull: false,
    isConnected: true,
  };
  const refused = vi.fn(async () => {});
  const onerror = vi.fn();
  const nothing = async (): Promise<never> => {
    throw new Error("no test here needs this: conversations.test.ts has them");
  };
  const conversations = new Conversations({
    store: {
      create: nothing,
      get: async () => undefined,
      list: nothing,
      put: nothing,
      delete: nothing,
      prune: nothing,
    },
    tools: { list: nothing, identityOf: () => undefined, find: nothing, call: nothing, recall: nothing },
    apps: { call: nothing },
    models: { current: () => undefined, help: "" },
  });
  const serverOf = (name: string): GuardedServer => {
    if (name === "shop") return at;
    throw new GatewayError("server-unknown", `there is no server "${name}"`);
  };
  const page: PageSession = new PageSession({
    user: "ann",
    wire,
    mayBeOld: false,
    refused,
    onerror,
    conversations,
    known: NO_HEIRS,
    capabilities: new UserCapabilities(),
    declarable: () => ({}),
    roots: new UserRoots(() => undefined),
    tasks: new UserTasks(),
    isShared: () => false,
    oauthSession: () => undefined,
    markSignIn: async () => {},
    fields: () => [],
    sampling: { fromView: nothing },
    models: { state: () => ({ models: [], help: "" }), choose: nothing, setup: Object(undefined) },
    summaries: () => [],
    server: serverOf,
    pass: async (call, effect) => {
      const found = serverOf(call.server);
      return found.guard.pass(call, (passed) => effect(found, passed));
    },
    refuse: (_call, error) => Promise.reject(error),
    catalogue: async () => ({ tools: [], resources: [], templates: [], prompts: [], views: [] }),
    start: async (name) => ({ name, state: "ready", capabilities: {} }),
    restart: async (name) => ({ name, state: "ready", capabilities: {}, protocolVersion: "new" }),
    document: async (view, { name }) => ({ view, server: "", capabilities: {}, uri: name }),
    closeDocument: vi.fn(),
    restore: async (opened) => opened,
    know: (view) => void known.add(view),
    forget: (view) => void known.delete(view),
    prepare: async (view, _at, { uri = "ui://shop/cart.html" }): Promise<OpenedView> => ({
      view,
      server: "shop",
      identity: at.server.settings.identity,
      capabilities: {},
      uri,
    }),
    ...options,
  });
  let last = 0;
  const say = (message: object, channel = ".") =>
    page.receive(channel, JSON.stringify({ jsonrpc: "2.0", ...message }));
  const ask = async (method: string, params: unknown = {}, channel = ".") => {
    const id = `n.${++last}`;
    say({ id, method, params }, channel);
    const answer = () => sent.find((each) => each.channel === channel && each.message["id"] === id)?.message;
    await expect.poll(answer).toBeDefined();
    return answer() ?? {};
  };
  const open = async (params: object = {}) =>
    (await ask("gateway/open", { server: "shop", tool: "show", ...params }))["result"] as OpenedView;
  return { store, server, at, page, sent, wire, known, refused, onerror, say, ask, open };
}

/** Tool calls that end on request, or when they are cancelled. */
function stall({ upstream }: ReturnType<typeof setUp>["server"]) {
  const running: {
    params: unknown;
    onprogress: UpstreamRequestOptions["onprogress"];
    resolve(result: unknown): void;
  }[] = [];
  const request = upstream.request.bind(upstream);
  upstream.request = (method, params, options) =>
    method !== "tools/call"
      ? request(method, params)
      : new Promise((resolve, reject) => {
          const aborted = new VitrineError("aborted", "taken back");
          options?.signal?.addEventListener("abort", () => reject(aborted));
          running.push({
            params,
            onprogress: options?.onprogress,
            resolve: (result) => resolve(result as never),
          });
        });
  return running;
}

describe("requests of a page", () => {
  it("must be methods of the gateway, with valid params", async () => {
    const { ask, page, sent } = setUp();
    for (const method of ["tools/call", "gateway/Servers", "__proto__", "constructor", ""])
      expect(await ask(method)).toMatchObject({ error: { code: -32601 } });
    expect(await ask("gateway/call", { server: "shop", name: 1 })).toMatchObject({
      error: { code: -32602, data: { field: "params.name" } },
    });
    expect(await ask("gateway/open", { server: "shop", tool: "show", uri: "ui://shop/x" })).toMatchObject({
      error: { code: -32602 },
    });
    // A page may only narrow a policy, by known names; any other value could widen it.
    for (const narrow of [["unsafe-eval"], ["frame-domains", "*"], { frameDomains: true }, "frame-domains"]) {
      expect(await ask("gateway/open", { server: "shop", tool: "show", narrow })).toMatchObject({
        error: { code: -32602, message: expect.stringContaining("params.narrow") },
      });
      expect(await ask("gateway/show", { name: "Cart", html: "<p>", narrow })).toMatchObject({
        error: { code: -32602 },
      });
    }
    page.receive(".", "{");
    expect(sent.at(-1)?.message).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it("get errors of the gateway; an internal error is not described", async () => {
    const { ask, onerror } = setUp({
      start: async () => {
        throw new Error("password=1234");
      },
    });
    expect(await ask("gateway/catalogue", { server: "shop" })).toMatchObject({ result: { tools: [] } });
    expect(await ask("gateway/call", { server: "bank", name: "look" })).toMatchObject({
      error: { code: -32050, data: { code: "server-unknown" } },
    });
    expect(onerror).not.toHaveBeenCalled();
    const { error } = await ask("gateway/start", { server: "shop" });
    expect(JSON.stringify(error)).not.toContain("1234");
    expect(onerror).toHaveBeenCalledOnce();
  });

  it("C02: call tools on behalf of the model, with the page's own token", async () => {
    const { ask, store } = setUp();
    expect(await ask("gateway/call", { server: "shop", name: "secret" })).toMatchObject({ result: {} });
    expect(await ask("gateway/call", { server: "shop", name: "inner" })).toMatchObject({
      error: { data: { code: "tool-not-visible" } },
    });
    expect(store.entries).toMatchObject([
      { actor: "host", target: "secret", decision: "allowed", key: "n.1" },
      { actor: "host", target: "inner", decision: "refused" },
    ]);
  });

  it("get progress with their own token, which the server never sees; a slow page gets only the latest", async () => {
    const { ask, page, say, sent, server, wire } = setUp();
    const running = stall(server);
    const params = { server: "shop", name: "look", _meta: { progressToken: "p.1" } };
    say({ id: "p.1", method: "gateway/call", params });
    await expect.poll(() => running.at(0)).toBeDefined();
    running[0]?.onprogress?.({ progress: 1, total: 9, message: "one" });
    const reported = () =>
      sent.map(({ channel, message }) => [channel, message["method"], message["params"]]);
    const progress = (progress: object) => [
      ".",
      "notifications/progress",
      { ...progress, progressToken: "p.1" },
    ];
    expect(reported()).toEqual([progress({ progress: 1, total: 9, message: "one" })]);
    const traceparent = expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(running[0]?.params).toEqual({ name: "look", arguments: {}, _meta: { traceparent } });
    wire.isFull = true;
    for (const step of [2, 3]) running[0]?.onprogress?.({ progress: step });
    expect(sent).toHaveLength(1);
    wire.isFull = false;
    page.resume();
    expect(reported().slice(1)).toEqual([progress({ progress: 3 })]);
    // Delayed progress is dropped when the answer arrives.
    wire.isFull = true;
    running[0]?.onprogress?.({ progress: 4 });
    running[0]?.resolve({ content: [] });
    await expect.poll(() => sent.at(-1)?.message).toMatchObject({ id: "p.1", result: {} });
    wire.isFull = false;
    page.resume();
    await ask("gateway/servers");
    expect(reported().filter(([, method]) => method === "notifications/progress")).toHaveLength(2);
  });

  it("without a token get no progress", async () => {
    const { say, sent, server } = setUp();
    const running = stall(server);
    say({ id: 1, method: "gateway/call", params: { server: "shop", name: "look" } });
    await expect.poll(() => running.at(0)).toBeDefined();
    expect(running[0]?.onprogress).toBeUndefined();
    running[0]?.resolve({ content: [] });
    await expect.poll(() => sent).toMatchObject([{ message: { id: 1 } }]);
  });

  it("restart existing servers", async () => {
    const { ask } = setUp();
    expect(await ask("gateway/restart", { server: "shop" })).toMatchObject({
      result: { name: "shop", protocolVersion: "new" },
    });
    expect(await ask("gateway/restart", {})).toMatchObject({ error: { code: -32602 } });
  });

  it("are answered to the reloaded page, and run once: while they run, and afterwards", async () => {
    const { ask, page, say, sent, server, store } = setUp();
    const running = stall(server);
    const request = {
      id: "7-9.1",
      method: "gateway/call",
      params: { server: "shop", name: "secret", arguments: { a: 1 }, _meta: { progressToken: "7-9.1" } },
    };
    const answers = () => sent.filter(({ message }) => message["id"] === "7-9.1");
    say(request);
    await expect.poll(() => running).toHaveLength(1);
    page.renewed();
    say(request);
    // It is the same call: its progress and outcome are reported once.
    running[0]?.onprogress?.({ progress: 1 });
    await expect.poll(() => sent.at(-1)?.message).toMatchObject({ params: { progressToken: "7-9.1" } });
    running[0]?.resolve({ content: [] });
    await expect.poll(answers).toMatchObject([{ message: { result: { content: [] } } }]);
    // The page was disconnected when the answer arrived.
    page.renewed();
    say(request);
    await expect.poll(answers).toHaveLength(2);
    expect(answers()[1]).toEqual(answers()[0]);
    expect([running.length, store.entries.length]).toEqual([1, 1]);
    // An id in use by the page itself cannot be reused.
    say({ ...request, id: "7-9.2" });
    await expect.poll(() => running).toHaveLength(2);
    say({ ...request, id: "7-9.2" });
    await expect.poll(() => sent.at(-1)?.message).toMatchObject({ id: "7-9.2", error: { code: -32600 } });
    expect(await ask("gateway/servers")).toHaveProperty("result");
  });

  it("are not repeated after a reload if their answer was dropped: the audit log knows that they ran", async () => {
    const { ask, at, page, say, sent, server, store } = setUp();
    at.guard = gatewayGuard({
      server,
      user: "ann",
      store,
      views: () => undefined,
      ask: () => ({ answer: "deny" }),
      settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
      idempotency: new Idempotency({ audit: store.audit, keepFor: 0 }),
    });
    const request = { id: "7-9.1", method: "gateway/call", params: { server: "shop", name: "change" } };
    const answers = () => sent.filter(({ message }) => message["id"] === "7-9.1");
    say(request);
    await expect.poll(answers).toHaveLength(1);
    page.renewed();
    say(request);
    await expect
      .poll(answers)
      .toMatchObject([{}, { message: { error: { data: { code: "indeterminate" } } } }]);
    expect(server.calls).toHaveLength(1);
    expect(await ask("gateway/call", { server: "shop", name: "change" })).toHaveProperty("result");
  });

  it("can be cancelled by the reloaded page", async () => {
    const { page, say, server, store } = setUp();
    const running = stall(server);
    const request = { id: "7-9.1", method: "gateway/call", params: { server: "shop", name: "secret" } };
    say(request);
    await expect.poll(() => running).toHaveLength(1);
    page.renewed();
    say(request);
    say({ method: "notifications/cancelled", params: { requestId: "7-9.1" } });
    await expect.poll(() => store.outcomes).toMatchObject([{ of: 1, code: "aborted" }]);
  });

  it("get no answer of another request after a reload: pages that count reuse ids, and a key is for one request", async () => {
    const { page, say, sent, server } = setUp();
    const running = stall(server);
    const call = (id: unknown, name: string) => ({
      id,
      method: "gateway/call",
      params: { server: "shop", name },
    });
    for (const id of [1, "7-9.1"]) say(call(id, "secret"));
    await expect.poll(() => running).toHaveLength(2);
    page.renewed();
    say({ id: 1, method: "gateway/servers", params: {} });
    say(call("7-9.1", "show"));
    const refusals = [1, "7-9.1"].map((id) => ({ message: { id, error: { code: -32600 } } }));
    await expect.poll(() => sent).toMatchObject(refusals);
    // The same request still gets its answer.
    say(call("7-9.1", "secret"));
    running[1]?.resolve({ content: [] });
    await expect.poll(() => sent.at(2)?.message).toMatchObject({ id: "7-9.1", result: {} });
  });

  it("are answered if they were cancelled, and are sent again after a reload", async () => {
    const { page, say, sent } = setUp({ catalogue: () => new Promise(() => {}) });
    const request = { id: "7-9.1", method: "gateway/catalogue", params: { server: "shop" } };
    say(request);
    say({ method: "notifications/cancelled", params: { requestId: "7-9.1" } });
    page.renewed();
    say(request);
    await expect.poll(() => sent).toMatchObject([{ message: { id: "7-9.1", error: { code: -32600 } } }]);
  });

  it("fail if the answer is larger than a message to a page; a call may have run", async () => {
    const description = "x".repeat(2000);
    const lists = { tools: [], resources: [], templates: [], prompts: [], views: [] };
    const { ask, server } = setUp({
      messageLimit: 1000,
      catalogue: async () => ({ ...lists, resources: [{ uri: "x://1", name: "x", description }] }),
    });
    const listed = await ask("gateway/catalogue", { server: "shop" });
    expect(listed).toMatchObject({ error: { data: { code: "server-too-large" } } });
    expect(listed).not.toMatchObject({ error: { data: { indeterminate: true } } });
    const numbers = Array(100).fill(1e20);
    server.upstream.answers["tools/call"] = () => ({ content: [], structuredContent: { numbers } });
    expect(await ask("gateway/call", { server: "shop", name: "secret" })).toMatchObject({
      error: {
        message: expect.stringContaining("may have run"),
        data: { code: "server-too-large", indeterminate: true },
      },
    });
  });

  it("have unique ids", async () => {
    const { say, sent } = setUp({ catalogue: () => new Promise(() => {}) });
    for (const _ of [1, 2]) say({ id: 1, method: "gateway/catalogue", params: { server: "shop" } });
    await expect.poll(() => sent).toMatchObject([{ message: { id: 1, error: { code: -32600 } } }]);
  });
});

describe("a view", () => {
  it("has a random id, and is registered before any question about it", async () => {
    const seen: boolean[] = [];
    const { known, open } = setUp({
      prepare: async (view) => {
        seen.push(known.has(view));
        return { view, server: "shop", capabilities: {}, uri: "" };
      },
    });
    const [one, two] = [await open(), await open()];
    expect(seen).toEqual([true, true]);
    expect(one.view).toMatch(/^v[\w-]{16}$/);
    expect(one.view).not.toBe(two.view);
    expect(known).toEqual(new Set([one.view, two.view]));
  });

  it("that is cancelled during its preparation is forgotten, and not answered", async () => {
    let prepared = (_: OpenedView) => {};
    const { known, page, say, sent } = setUp({
      prepare: () => new Promise((resolve) => (prepared = resolve)),
    });
    say({ id: 1, method: "gateway/open", params: { server: "shop", tool: "show" } });
    expect(known.size).toBe(1);
    say({ method: "notifications/cancelled", params: { requestId: 1 } });
    prepared({ view: "v", server: "shop", capabilities: {}, uri: "" });
    await expect.poll(() => known.size).toBe(0);
    expect(page.size).toBe(0);
    expect(sent).toEqual([]);
  });

  it("whose server changes or is removed during its preparation belongs to the new server, or to none", async () => {
    let prepared = (_: OpenedView) => {};
    const [old, next] = [setUp().at, setUp().at];
    const servers = [old, next];
    const { known, say, sent } = setUp({
      server: () => {
        const [first] = servers;
        if (first) return first;
        throw new GatewayError("server-unknown", "it is gone");
      },
      prepare: () => new Promise((resolve) => (prepared = resolve)),
    });
    const listeners = () => [old, next].map(({ server }) => server.upstream.listeners);
    const [before = 0] = listeners();
    const wanted = { server: "shop", tool: "show" };
    say({ id: 1, method: "gateway/open", params: wanted });
    servers.shift();
    prepared({ view: "v1", server: "shop", capabilities: {}, uri: "" });
    await expect.poll(() => sent).toHaveLength(1);
    expect(listeners()).toEqual([before, before + 1]);
    say({ id: 2, method: "gateway/open", params: wanted });
    servers.shift();
    const { size } = known;
    prepared({ view: "v2", server: "shop", capabilities: {}, uri: "" });
    await expect
      .poll(() => sent.at(-1)?.message)
      .toMatchObject({ id: 2, error: { data: { code: "server-unknown" } } });
    expect(known.size).toBe(size - 1);
  });

  it("attack E01: whose name another server takes during its preparation is not opened, and forgotten", async () => {
    let prepared = (_: OpenedView) => {};
    const first = setUp().at;
    const servers = [first, { ...first, server: stageServer({ identity: "another" }) }];
    const { known, say, sent } = setUp({
      server: () => servers[0] ?? first,
      prepare: () => new Promise((resolve) => (prepared = resolve)),
    });
    say({ id: 1, method: "gateway/open", params: { server: "shop", tool: "show" } });
    servers.shift();
    prepared({ view: "v1", server: "shop", capabilities: {}, uri: "" });
    await expect
      .poll(() => sent.at(-1)?.message)
      .toMatchObject({ id: 1, error: { data: { code: "server-replaced" } } });
    expect(known.size).toBe(0);
  });

  it("that cannot be prepared is forgotten", async () => {
    const { ask, known } = setUp({
      prepare: async () => {
        throw new GatewayError("server-failed", "it does not start");
      },
    });
    expect(await ask("gateway/open", { server: "shop", tool: "show" })).toMatchObject({
      error: { data: { code: "server-failed" } },
    });
    expect(known.size).toBe(0);
  });

  it("shows the call of its tool: the outcome is reported, and kept for a reload", async () => {
    const { ask, open, sent, store } = setUp();
    const { view, input } = await open({ arguments: { a: 1 } });
    expect(input).toEqual({ a: 1 });
    await expect
      .poll(() => sent.at(-1))
      .toMatchObject({
        channel: view,
        message: { method: "ui/notifications/tool-result", params: { content: [{ text: "did show" }] } },
      });
    expect(await ask("gateway/views")).toMatchObject({
      result: { views: [{ view, input: { a: 1 }, result: { content: [{ text: "did show" }] } }] },
    });
    expect(store.entries).toMatchObject([{ actor: "host", view, target: "show" }]);
  });

  it("is closed if its page cancels the request that opened it, even if the answer is on its way", async () => {
    const { ask, say, sent, page, server, known } = setUp();
    const running = stall(server);
    for (const method of ["gateway/open", "gateway/show"]) {
      const id = `n.${method}`;
      const params =
        method === "gateway/open"
          ? { server: "shop", tool: "show", arguments: { a: 1 } }
          : { name: "Cart", html: "<p>" };
      say({ id, method, params });
      await expect.poll(() => sent.find(({ message }) => message["id"] === id)).toBeDefined();
      expect(page.size).toBe(1);
      say({ method: "notifications/cancelled", params: { requestId: id } });
      expect(page.size).toBe(0);
      expect(known.size).toBe(0);
    }
    expect(running).toHaveLength(1);
    expect(await ask("gateway/views")).toMatchObject({ result: { views: [] } });
  });

  it("stays open if its id is reused and that request is cancelled", async () => {
    const { say, sent, page } = setUp();
    const answered = (count: number) =>
      expect.poll(() => sent.filter(({ message }) => message["id"] === 1)).toHaveLength(count);
    say({ id: 1, method: "gateway/open", params: { server: "shop", tool: "show" } });
    await answered(1);
    say({ id: 1, method: "gateway/servers", params: {} });
    await answered(2);
    say({ method: "notifications/cancelled", params: { requestId: 1 } });
    expect(page.size).toBe(1);
    // Another page, which counts from 1 again.
    say({ id: 1, method: "gateway/open", params: { server: "shop", tool: "show" } });
    await answered(3);
    page.renewed();
    say({ method: "notifications/cancelled", params: { requestId: 1 } });
    expect(page.size).toBe(2);
  });

  it("does not inherit the subscriptions of its document before a reload", async () => {
    const { ask, open, page, server } = setUp();
    const { view } = await open();
    expect(await ask("resources/subscribe", { uri: "note://1" }, view)).toHaveProperty("result");
    const request = vi.spyOn(server.upstream, "request");
    page.renewed();
    expect(request).toHaveBeenCalledExactlyOnceWith("resources/unsubscribe", { uri: "note://1" });
  });

  it("gets on its channel what would make the answer after a reload too large", async () => {
    const { ask, open, sent, server } = setUp();
    const text = "x".repeat(9_000_000);
    server.upstream.answers["tools/call"] = () => ({ content: [{ type: "text", text }] });
    const first = await open({ arguments: { a: 1 } });
    const second = await open({ arguments: { a: 2 } });
    const results = () => sent.filter(({ message }) => message["method"] === "ui/notifications/tool-result");
    await expect.poll(() => results().length).toBe(2);
    sent.length = 0;
    const { views } = (await ask("gateway/views"))["result"] as { views: OpenedView[] };
    expect(views.map(({ view, input, result }) => [view, input, result?.content.length])).toEqual([
      [first.view, { a: 1 }, 1],
      [second.view, undefined, undefined],
    ]);
    expect(sent.filter(({ channel }) => channel !== ".")).toMatchObject([
      { channel: second.view, message: { params: { arguments: { a: 2 } } } },
      { channel: second.view, message: { params: { content: [{ text }] } } },
    ]);
  });

  it("gets a cancelled call on its channel if its input does not fit", async () => {
    const { ask, open, sent, server } = setUp();
    server.upstream.answers["tools/call"] = () => ({ content: [] });
    await open({ arguments: { a: "x".repeat(9_000_000) } });
    await expect.poll(() => sent.at(-1)?.message["method"]).toBe("ui/notifications/tool-result");
    server.upstream.answers["tools/call"] = () => {
      throw new GatewayError("server-exited", "it ended");
    };
    const { view } = await open({ arguments: { a: "x".repeat(9_000_000) } });
    await expect.poll(() => sent.at(-1)?.message["method"]).toBe("ui/notifications/tool-cancelled");
    sent.length = 0;
    const { views } = (await ask("gateway/views"))["result"] as { views: OpenedView[] };
    expect(views[1]).not.toHaveProperty("cancelled");
    const reported = sent.filter(({ channel }) => channel === view).map(({ message }) => message["method"]);
    expect(reported).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-cancelled"]);
  });

  it("that does not fit into one message is closed, and the page gets the reason", async () => {
    const uri = `ui://shop/${"x".repeat(2000)}`;
    const { ask, page, known } = setUp({
      messageLimit: 1000,
      prepare: async (view) => ({ view, server: "shop", identity: "1", capabilities: {}, uri }),
    });
    expect(await ask("gateway/open", { server: "shop", tool: "show" })).toMatchObject({
      error: { data: { code: "server-too-large" } },
    });
    expect([page.size, known.size]).toEqual([0, 0]);
  });

  it("is notified that its call ran if the result is larger than a message, also after a reload", async () => {
    const { page, server, sent, open, ask } = setUp({ messageLimit: 1000 });
    const running = stall(server);
    const { view } = await open({ arguments: {} });
    await expect.poll(() => running.length).toBe(1);
    running[0]?.resolve({ content: [{ type: "text", text: '"'.repeat(600) }] });
    const reported = () => sent.filter(({ channel }) => channel === view).map(({ message }) => message);
    const reason = expect.stringMatching(/has run.*too large/);
    const cancelled = { method: "ui/notifications/tool-cancelled", params: { reason } };
    await expect.poll(reported).toMatchObject([cancelled]);
    page.renewed();
    await ask("gateway/views");
    expect(reported().slice(1)).toMatchObject([{ method: "ui/notifications/tool-input" }, cancelled]);
  });

  it("is notified why the call of its tool failed", async () => {
    const { ask, open, sent, server } = setUp();
    server.upstream.answers["tools/call"] = () => {
      throw new GatewayError("server-exited", "it ended");
    };
    const { view } = await open({ arguments: {} });
    const params = { reason: "it ended" };
    await expect
      .poll(() => sent.at(-1))
      .toMatchObject({ channel: view, message: { method: "ui/notifications/tool-cancelled", params } });
    expect(await ask("gateway/views")).toMatchObject({ result: { views: [{ cancelled: "it ended" }] } });
  });

  it("gets the progress of its call without a token; it survives a reload; a slow page gets only the end", async () => {
    const { ask, open, page, sent, server, wire } = setUp();
    const running = stall(server);
    const { view } = await open({ arguments: {} });
    await expect.poll(() => running.at(0)).toBeDefined();
    running[0]?.onprogress?.({ progress: 1, total: 2 });
    const reported = () => sent.filter(({ channel }) => channel === view).map(({ message }) => message);
    expect(reported()).toEqual([
      { jsonrpc: "2.0", method: "gateway/progress", params: { progress: 1, total: 2 } },
    ]);
    expect(await ask("gateway/views")).toMatchObject({
      result: { views: [{ progress: { progress: 1, total: 2 } }] },
    });
    wire.isFull = true;
    running[0]?.onprogress?.({ progress: 2, total: 2 });
    wire.isFull = false;
    running[0]?.resolve({ content: [] });
    await expect.poll(reported).toHaveLength(2);
    page.resume();
    running[0]?.onprogress?.({ progress: 3 });
    expect(reported().slice(1)).toMatchObject([{ method: "ui/notifications/tool-result" }]);
    const { views } = (await ask("gateway/views"))["result"] as { views: OpenedView[] };
    expect(views[0]).not.toHaveProperty("progress");
  });

  it("whose call is cancelled is notified once, and it is recorded; a finished call cannot be cancelled", async () => {
    const { ask, open, sent, server, store } = setUp();
    const running = stall(server);
    const { view } = await open({ arguments: {} });
    await expect.poll(() => running.at(0)).toBeDefined();
    expect(await ask("gateway/cancel", { view })).toMatchObject({ result: { cancelled: true } });
    const reported = () => sent.filter(({ channel }) => channel === view).map(({ message }) => message);
    const reason = "the call was cancelled";
    expect(reported()).toMatchObject([{ method: "ui/notifications/tool-cancelled", params: { reason } }]);
    await expect.poll(() => store.outcomes).toMatchObject([{ outcome: "indeterminate", code: "aborted" }]);
    running[0]?.resolve({ content: [] });
    running[0]?.onprogress?.({ progress: 1 });
    expect(await ask("gateway/cancel", { view })).toMatchObject({ result: { cancelled: false } });
    expect(reported()).toHaveLength(1);
    expect(await ask("gateway/views")).toMatchObject({ result: { views: [{ cancelled: reason }] } });
    const { view: without } = await open();
    expect(await ask("gateway/cancel", { view: without })).toMatchObject({ result: { cancelled: false } });
    expect(await ask("gateway/cancel", { view: "vNobody" })).toMatchObject({
      error: { data: { code: "view-unknown" } },
    });
  });

  it("cancels its call when it is closed", async () => {
    const { ask, open, server, store } = setUp();
    const running = stall(server);
    const { view } = await open({ arguments: {} });
    await expect.poll(() => running.at(0)).toBeDefined();
    expect(await ask("gateway/close", { view })).toMatchObject({ result: {} });
    await expect.poll(() => store.outcomes).toMatchObject([{ outcome: "indeterminate", code: "aborted" }]);
  });

  it("without a server is released when it is closed", async () => {
    const place = { src: "http://proxy.a.localhost/n" } as ViewPlace;
    const closeDocument = vi.fn();
    const { ask } = setUp({
      closeDocument,
      document: async (view, { name }) => ({ view, server: "", capabilities: {}, uri: name, place }),
    });
    const { result } = await ask("gateway/show", { name: "a recording", html: "<p>" });
    expect(closeDocument).not.toHaveBeenCalled();
    await ask("gateway/close", { view: (result as OpenedView).view });
    expect(closeDocument.mock.calls).toEqual([[place]]);
  });

  it("is one of at most a thousand, with or without a server", async () => {
    const { ask, page, say } = setUp();
    const params = { server: "shop", tool: "show" };
    await ask("gateway/show", { name: "a recording", html: "<p>" });
    for (let id = 0; id < 999; id++) say({ id, method: "gateway/open", params });
    await expect.poll(() => page.size).toBe(1000);
    expect(await ask("gateway/show", { name: "a recording", html: "<p>" })).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("1000") },
    });
    expect(await ask("gateway/open", { server: "shop", tool: "show" })).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("1000") },
    });
    expect(page.size).toBe(1000);
  });

  it("attack C19: that is closed, or never existed, is refused with a record; only requests are answered", async () => {
    const { ask, known, open, refused, say, sent, server, wire } = setUp();
    const { view } = await open();
    expect(await ask("gateway/close", { view })).toMatchObject({ result: {} });
    expect(wire.closeChannel).toHaveBeenCalledWith(view);
    expect(known.size).toBe(0);
    expect(await ask("gateway/close", { view })).toMatchObject({ error: { data: { code: "view-unknown" } } });
    for (const [channel, of] of [
      [view, "shop"],
      ["vNobody", ""],
    ] as const) {
      expect(await ask("tools/call", { name: "look" }, channel)).toMatchObject({
        error: { code: -32050, data: { code: "view-unknown" } },
      });
      expect(refused).toHaveBeenLastCalledWith(
        expect.objectContaining({
          actor: "view",
          user: "ann",
          view: channel,
          server: of,
          method: "tools/call",
        }),
        expect.objectContaining({ code: -32050 }),
        of === "" ? undefined : server.settings.identity,
      );
    }
    const { length } = sent;
    say({ method: "notifications/message", params: {} }, view);
    say({ id: "q1", result: {} }, view);
    expect(sent).toHaveLength(length);
    expect(refused).toHaveBeenCalledTimes(2);
    expect(server.calls).toEqual([]);
  });
});

describe("a view whose document was evicted from the sandbox", () => {
  it("is shown again after a reload: its document is restored, and its call stays", async () => {
    const gone = { src: "http://p.l.localhost/gone" } as ViewPlace;
    const back = { src: "http://p.l.localhost/back" } as ViewPlace;
    const restore = vi.fn(async (opened: OpenedView) => ({ ...opened, place: back }));
    const { ask, open } = setUp({
      prepare: async (view) => ({
        view,
        server: "shop",
        capabilities: {},
        uri: "ui://shop/cart",
        place: gone,
      }),
      restore,
    });
    const { view } = await open({ arguments: {} });
    await expect
      .poll(async () => (await ask("gateway/views"))["result"])
      .toMatchObject({ views: [{ view, place: back, result: {} }] });
    // It is stored: the next time, it is looked up at its new address.
    expect(restore.mock.lastCall?.[0]).toMatchObject({ place: back });
  });

  it("that is closed while others are restored is not listed, and stays closed", async () => {
    const place = { src: "http://p.l.localhost/gone" } as ViewPlace;
    const waiting = new Map<string, () => void>();
    const signals: AbortSignal[] = [];
    const { ask, open, say, sent } = setUp({
      restore: (opened, signal) =>
        new Promise((resolve) => {
          signals.push(signal);
          waiting.set(opened.view, () => resolve({ ...opened, place }));
        }),
    });
    const [closed, kept] = [await open(), await open()];
    say({ id: "a.1", method: "gateway/views", params: {} });
    await expect.poll(() => waiting.size).toBe(2);
    await ask("gateway/close", { view: closed.view });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await open();
    for (const each of waiting.values()) each();
    // A view that is opened meanwhile is reported only to its opener.
    await expect
      .poll(() => sent.at(-1)?.message)
      .toEqual({ jsonrpc: "2.0", id: "a.1", result: { views: [{ ...kept, place }] } });
  });

  it("without a server reports that it is gone", async () => {
    const place = { src: "http://p.l.localhost/gone" } as ViewPlace;
    const { ask } = setUp({
      document: async (view) => ({ view, server: "", capabilities: {}, uri: "Cart", place }),
      restore: async () => {
        throw new GatewayError("view-unknown", "open it again");
      },
    });
    await ask("gateway/show", { name: "Cart", html: "<p>" });
    const { result } = await ask("gateway/views");
    const problem = { code: "load-failed", message: expect.stringContaining("open it again") };
    expect(result).toMatchObject({ views: [{ problem }] });
    expect(result).not.toHaveProperty("views.0.place");
  });
});

describe("a document without a server", () => {
  it("is a view of the page: found after a reload, and closed like others", async () => {
    const { ask, known, page, wire } = setUp();
    const shown = (await ask("gateway/show", { name: "Cart", html: "<p>" }))["result"] as OpenedView;
    expect(shown).toEqual({
      view: expect.stringMatching(/^v[\w-]{16}$/),
      server: "",
      capabilities: {},
      uri: "Cart",
    });
    // No guard knows it, so nothing can be allowed.
    expect(known.size).toBe(0);
    expect(await ask("gateway/views")).toMatchObject({ result: { views: [shown] } });
    expect(await ask("gateway/close", { view: shown.view })).toMatchObject({ result: {} });
    expect(wire.closeChannel).toHaveBeenCalledWith(shown.view);
    expect(page.size).toBe(0);
    await ask("gateway/show", { name: "Cart", html: "<p>" });
    page.end();
    expect(page.size).toBe(0);
  });

  it("has all of its requests refused, with a record and an explanation", async () => {
    const { ask, refused, say, sent, server } = setUp();
    const { view } = (await ask("gateway/show", { name: "Cart", html: "<p>" }))["result"] as OpenedView;
    for (const method of ["tools/call", "ui/open-link", "ping"]) {
      expect(await ask(method, { name: "look" }, view)).toMatchObject({
        error: { data: { code: "server-unknown" }, message: expect.stringContaining("without its server") },
      });
      expect(refused).toHaveBeenLastCalledWith(
        expect.objectContaining({ actor: "view", user: "ann", view, server: "", method }),
        expect.anything(),
        undefined,
      );
    }
    const { length } = sent;
    say({ method: "notifications/message", params: {} }, view);
    say({ id: "q1", result: {} }, view);
    expect(sent).toHaveLength(length);
    expect(server.calls).toEqual([]);
  });
});

describe("a page", () => {
  it("lists its views, also after a reload", async () => {
    const { open, page, say, sent } = setUp();
    const { view } = await open();
    say({ id: 1, method: "tools/call", params: { name: "change" } }, view);
    const asked = () => sent.filter(({ message }) => message["method"] === "gateway/ask");
    await expect
      .poll(asked)
      .toMatchObject([{ channel: ".", message: { params: { view, subject: "change" } } }]);
    page.renewed();
    expect(asked()).toHaveLength(2);
    expect(asked()[1]).toEqual(asked()[0]);
    say({ id: asked()[0]?.message["id"], result: { answer: "allow" } });
    await expect.poll(() => sent.at(-1)).toMatchObject({ channel: view, message: { id: 1, result: {} } });
  });

  it("that has ended leaves nothing: no views, calls or questions, and gets no more messages", async () => {
    const { known, open, page, say, sent, server, store } = setUp();
    const { view } = await open();
    say({ id: 1, method: "tools/call", params: { name: "change" } }, view);
    await expect.poll(() => sent.at(-1)?.message["method"]).toBe("gateway/ask");
    const { length } = sent;
    page.end();
    page.notify("gateway/changed", { server: "shop" });
    await expect.poll(() => store.entries).toMatchObject([{ target: "change", decision: "refused" }]);
    expect([known.size, page.size]).toEqual([0, 0]);
    expect(server.calls).toEqual([]);
    expect(sent.slice(length).filter(({ channel }) => channel === view)).toEqual([]);
  });
});

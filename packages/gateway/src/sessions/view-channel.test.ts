import { VitrineError } from "@vitrine/protocol";
import type { ServerSettings } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import {
  memoryStore,
  type StageServer,
  stageServer,
  stageSettings,
} from "../../../../testing/gateway/guard-stage.js";
import { gatewayGuard } from "../guard/gateway-guard.js";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { ViewChannel } from "./view-channel.js";

const UPDATED = "notifications/resources/updated";
const TOOLS_CHANGED = "notifications/tools/list_changed";
const LISTS_CHANGED = "notifications/resources/list_changed";

function setUp(limits?: Partial<ServerSettings["limits"]>) {
  const store = memoryStore();
  const guarded = (server: StageServer): GuardedServer => ({
    server,
    guard: gatewayGuard({
      server,
      user: "ann",
      store,
      views: (view) => (view === "v1" ? {} : undefined),
      settings: { policy: { "ui/message": "allow" }, strict: false, audit: { payloads: "none", redact: [] } },
    }),
  });
  const server = stageServer(limits && { limits: { ...stageSettings().limits, ...limits } });
  const sent: Record<string, unknown>[] = [];
  const state = { isCongested: false };
  const refused = vi.fn(async () => {});
  const channel = new ViewChannel({
    opened: { view: "v1", server: "shop", capabilities: {}, uri: "ui://shop/cart.html" },
    user: "ann",
    at: guarded(server),
    refused,
    refuse: (_call, error) => Promise.reject(error),
    sampling: {
      fromView: async () => {
        throw new Error("no test here needs this: conversations.test.ts has one");
      },
    },
    send: (text) => sent.push(JSON.parse(text)),
    isCongested: () => state.isCongested,
    onerror: () => {},
  });
  let last = 0;
  const say = (message: object) => channel.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const answerOf = async (id: string | number) => {
    await expect.poll(() => sent.find((message) => message["id"] === id)).toBeDefined();
    return sent.find((message) => message["id"] === id) ?? {};
  };
  const ask = (method: string, params?: unknown, id = `n.${++last}`) => {
    say({ id, method, params });
    return answerOf(id);
  };
  return { store, server, channel, sent, state, refused, guarded, say, ask, answerOf };
}

describe("a request of a view", () => {
  it("is answered with the server's result, through the guard", async () => {
    const { ask, store } = setUp();
    expect(await ask("tools/call", { name: "look" })).toEqual({
      jsonrpc: "2.0",
      id: "n.1",
      result: { content: [{ type: "text", text: "did look" }] },
    });
    expect(store.entries).toMatchObject([{ actor: "view", view: "v1", key: "n.1", target: "look" }]);
  });

  it("is answered with the server's own error, or without details for any other error", async () => {
    const { ask, server } = setUp();
    server.upstream.answers["tools/call"] = () => {
      throw Object.assign(new Error("no such thing"), { code: 42, data: { a: 1 } });
    };
    expect(await ask("tools/call", { name: "look" })).toMatchObject({
      error: { code: 42, message: "no such thing", data: { a: 1 } },
    });
    server.upstream.answers["tools/call"] = () => {
      throw new Error("password=1234");
    };
    const { error } = await ask("tools/call", { name: "look" });
    expect(error).toEqual({
      code: -32603,
      message: "internal error; see the gateway's log",
      data: { trace: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
  });

  it("with duplicate params is recorded with those that count", async () => {
    const { channel, ask, answerOf, store } = setUp();
    const first = '{"jsonrpc":"2.0","id":"t.1","method":"tools/call","params":{"name":"secret"}';
    channel.receive(`${first},"params":{"name":"look"}}`);
    await answerOf("t.1");
    await ask("tools/call", { name: "look" });
    const [twice, plain] = store.entries;
    expect([twice?.target, twice?.paramsHash]).toEqual(["look", plain?.paramsHash]);
  });

  it("must have a unique id: a second one is refused, and the first continues", async () => {
    const { say, sent, server } = setUp();
    let answer = (_: unknown) => {};
    server.upstream.answers["tools/call"] = () => new Promise((resolve) => (answer = resolve));
    say({ id: 1, method: "tools/call", params: { name: "look" } });
    await expect.poll(() => server.upstream.asked).toContain("tools/call");
    say({ id: 1, method: "tools/call", params: { name: "look" } });
    expect(sent).toMatchObject([{ id: 1, error: { code: -32600, message: "the id 1 is in use" } }]);
    answer({ content: [] });
    await expect.poll(() => sent.at(-1)).toMatchObject({ id: 1, result: { content: [] } });
  });

  it("that is cancelled is not answered, and is cancelled at the server", async () => {
    const { say, sent, server, ask, store } = setUp();
    const signals: AbortSignal[] = [];
    const request = server.upstream.request.bind(server.upstream);
    server.upstream.request = (method, params, options) => {
      if (method !== "tools/call" || !options?.signal) return request(method, params);
      const { signal } = options;
      signals.push(signal);
      const aborted = new VitrineError("aborted", "taken back");
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(aborted)));
    };
    say({ id: 1, method: "tools/call", params: { name: "look" } });
    await expect.poll(() => signals).toHaveLength(1);
    say({ method: "notifications/cancelled", params: { requestId: 1 } });
    expect(signals[0]?.aborted).toBe(true);
    await ask("resources/read", { uri: "note://1" }, "next");
    expect(sent.map(({ id }) => id)).toEqual(["next"]);
    expect(store.outcomes[0]).toMatchObject({ outcome: "cancelled" });
  });

  it("D6: gets its progress with its own token, which the server never sees", async () => {
    const { ask, sent, server } = setUp();
    const request = server.upstream.request.bind(server.upstream);
    const params: unknown[] = [];
    server.upstream.request = (method, asked, options) => {
      if (method === "tools/call") {
        params.push(asked);
        options?.onprogress?.({ progress: 1, total: 2 });
      }
      return request(method, asked);
    };
    await ask("tools/call", { name: "look", _meta: { progressToken: "mine", trace: 7 } });
    await ask("tools/call", { name: "look", _meta: { progressToken: "other" } });
    const traceparent = expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(params).toEqual([
      { name: "look", _meta: { trace: 7, traceparent } },
      { name: "look", _meta: { traceparent } },
    ]);
    expect(sent.filter(({ method }) => method === "notifications/progress")).toMatchObject([
      { params: { progressToken: "mine", progress: 1, total: 2 } },
      { params: { progressToken: "other" } },
    ]);
  });

  it("attack C10: must be a valid request, not a response or invalid JSON", async () => {
    const { channel, say, sent, store } = setUp();
    say({ id: 1, result: {} });
    say({ id: 2, error: { code: 1, message: "" } });
    channel.receive("{");
    channel.receive("null");
    say({ id: 3 });
    expect(sent).toMatchObject([{ id: 3, error: { code: -32600 } }]);
    expect(store.rows).toEqual([]);
  });

  it("for its page gets a permit, which ends once, by this view", async () => {
    const { ask, say, store } = setUp();
    const { result } = await ask("ui/message", { role: "user", content: [] });
    const { permit } = result as { permit: number };
    const outcome = (params: object) => say({ method: "gateway/outcome", params });
    outcome({ permit: permit + 1, outcome: "ok" });
    outcome({ permit: `${permit}`, outcome: "ok" });
    outcome({ permit, outcome: "indeterminate" });
    expect(store.outcomes).toEqual([]);
    outcome({ permit, outcome: "failed", code: "x".repeat(1000) });
    outcome({ permit, outcome: "ok" });
    expect(store.outcomes).toMatchObject([{ of: permit, outcome: "failed", code: "x".repeat(100) }]);
  });

  it("I09: that logs is recorded, and not answered", async () => {
    const { say, sent, store } = setUp();
    say({ method: "notifications/message", params: { level: "info", data: "hello" } });
    await expect.poll(() => store.entries).toMatchObject([{ method: "notifications/message" }]);
    expect(sent).toEqual([]);
  });
});

describe("notifications of a server", () => {
  it("are passed on: changes of lists, and of subscribed resources", async () => {
    const { ask, sent, server } = setUp();
    await ask("resources/subscribe", { uri: "note://1" });
    sent.splice(0);
    server.upstream.say(UPDATED, { uri: "note://1" });
    server.upstream.say(UPDATED, { uri: "note://2" });
    server.upstream.say(TOOLS_CHANGED);
    expect(sent).toEqual([
      { jsonrpc: "2.0", method: UPDATED, params: { uri: "note://1" } },
      { jsonrpc: "2.0", method: TOOLS_CHANGED, params: {} },
    ]);
  });

  it("are limited to 500 subscriptions: one more is refused, and unsubscribing frees one", async () => {
    const { ask, sent, server } = setUp({
      rates: { read: { burst: 5000, perSecond: 5000 } },
      concurrency: { perView: 1000, total: 1000 },
    });
    const uri = (id: number | string) => `notes:///${id}.md`;
    const subscribe = (id: number | string) => ask("resources/subscribe", { uri: uri(id) });
    const asked = () => server.calls.filter((call) => call.startsWith("resources/subscribe")).length;
    const first = await Promise.all(Array.from({ length: 499 }, (_, id) => subscribe(id)));
    expect(first.filter(({ result }) => result === undefined)).toEqual([]);
    // A rejected subscription does not count.
    const answer = server.upstream.answers["resources/subscribe"];
    server.upstream.answers["resources/subscribe"] = () => {
      throw Object.assign(new Error("no such note"), { code: -32002 });
    };
    expect(await subscribe("none")).toMatchObject({ error: { message: "no such note" } });
    if (answer) server.upstream.answers["resources/subscribe"] = answer;
    expect(await subscribe(500)).toMatchObject({ result: {} });
    const before = asked();
    expect(await subscribe(501)).toMatchObject({
      error: { code: -32602, message: "a view can subscribe to at most 500 resources: unsubscribe some" },
    });
    expect(asked()).toBe(before);
    // The others continue, and an existing subscription may be repeated.
    expect(await subscribe(500)).toMatchObject({ result: {} });
    sent.splice(0);
    server.upstream.say(UPDATED, { uri: uri(500) });
    server.upstream.say(UPDATED, { uri: uri(501) });
    expect(sent).toMatchObject([{ method: UPDATED, params: { uri: uri(500) } }]);
    await ask("resources/unsubscribe", { uri: uri(7) });
    expect(await subscribe(501)).toMatchObject({ result: {} });
  });

  it("are delayed for a slow page, and then sent once, in the order of their first occurrence", () => {
    const { channel, sent, server, state } = setUp();
    state.isCongested = true;
    for (let i = 0; i < 1000; i++) {
      server.upstream.say(TOOLS_CHANGED, { i });
      server.upstream.say(LISTS_CHANGED, { i });
    }
    channel.resume();
    expect(sent).toEqual([]);
    state.isCongested = false;
    channel.resume();
    channel.resume();
    expect(sent).toMatchObject([
      { method: TOOLS_CHANGED, params: { i: 999 } },
      { method: LISTS_CHANGED, params: { i: 999 } },
    ]);
  });

  it("stay delayed if the page becomes slow again in between", () => {
    const { channel, sent, server, state } = setUp();
    state.isCongested = true;
    server.upstream.say(TOOLS_CHANGED);
    server.upstream.say(LISTS_CHANGED);
    let reads = 0;
    Object.defineProperty(state, "isCongested", { get: () => ++reads > 1 });
    channel.resume();
    expect(sent).toMatchObject([{ method: TOOLS_CHANGED }]);
  });

  it("do not delay answers", async () => {
    const { ask, state } = setUp();
    state.isCongested = true;
    expect(await ask("tools/call", { name: "look" })).toMatchObject({ result: {} });
  });
});

describe("a view whose server changes", () => {
  it("uses the new server, and no longer the old one", async () => {
    const { ask, channel, guarded, sent, server } = setUp();
    const next = stageServer();
    channel.move(guarded(next));
    server.upstream.say(TOOLS_CHANGED);
    next.upstream.say(UPDATED, { uri: "note://1" });
    expect(sent).toEqual([]);
    next.upstream.say(TOOLS_CHANGED);
    expect(sent).toHaveLength(1);
    await ask("tools/call", { name: "look" });
    expect(server.calls).not.toContain("tools/call look");
    expect(next.calls).toEqual(["tools/call look"]);
  });

  it("stays subscribed, and is notified that its resources may have changed, as soon as the new one has started", async () => {
    const { ask, channel, guarded, sent, server, store } = setUp();
    const updated = { jsonrpc: "2.0", method: UPDATED, params: { uri: "note://1" } };
    await ask("resources/subscribe", { uri: "note://1" });
    await ask("resources/subscribe", { uri: "notes:///2.md" });
    const next = stageServer();
    next.failing.start = new GatewayError("server-failed", "not yet");
    channel.move(guarded(next));
    await ask("resources/unsubscribe", { uri: "notes:///2.md" });
    sent.splice(0);
    delete next.failing.start;
    await expect.poll(() => sent, { timeout: 5_000 }).toEqual([updated]);
    expect(next.calls).toEqual(["resources/subscribe note://1"]);
    expect(store.entries.at(-1)).toMatchObject({ actor: "view", method: "resources/subscribe" });
    next.upstream.say(UPDATED, { uri: "note://1" });
    server.upstream.say(UPDATED, { uri: "note://1" });
    expect(sent).toEqual([updated, updated]);
  });

  it("loses a subscription that the new one refuses", async () => {
    const { ask, channel, guarded, sent, server } = setUp();
    await ask("resources/subscribe", { uri: "note://1" });
    const next = stageServer();
    const refuse = vi.fn(() => {
      throw new VitrineError(-32002, "no such note");
    });
    next.upstream.answers["resources/subscribe"] = refuse;
    channel.move(guarded(next));
    await expect.poll(() => refuse).toHaveBeenCalledOnce();
    sent.splice(0);
    next.upstream.say(UPDATED, { uri: "note://1" });
    expect(sent).toEqual([]);
    // It is forgotten: later servers do not get it.
    channel.move(guarded(server));
    await ask("resources/read", { uri: "note://1" });
    expect(server.calls).toEqual(["resources/subscribe note://1", "resources/read note://1"]);
  });

  it("is refused without a server, with a record, and continues with the next one", async () => {
    const { ask, channel, guarded, refused, server } = setUp();
    channel.orphan();
    for (const [method, params] of [
      ["tools/call", { name: "look" }],
      ["ui/open-link", { url: "https://example.com/" }],
    ] as const) {
      expect(await ask(method, params)).toMatchObject({
        error: { code: -32050, data: { code: "server-unknown" } },
      });
      expect(refused).toHaveBeenLastCalledWith(
        expect.objectContaining({ view: "v1", server: "shop", user: "ann", method }),
        expect.objectContaining({ code: -32050 }),
        undefined,
      );
    }
    expect(server.calls).toEqual([]);
    channel.move(guarded(stageServer()));
    expect(await ask("tools/call", { name: "look" })).toMatchObject({ result: {} });
  });
});

describe("a view that is closed", () => {
  it("cancels its requests, and gets no more notifications", async () => {
    const { channel, say, sent, server, state } = setUp();
    server.upstream.answers["tools/call"] = () => new Promise(() => {});
    say({ id: 1, method: "tools/call", params: { name: "look" } });
    await expect.poll(() => server.upstream.asked).toContain("tools/call");
    state.isCongested = true;
    server.upstream.say(TOOLS_CHANGED);
    const { listeners } = server.upstream;
    channel.close();
    channel.close();
    state.isCongested = false;
    channel.resume();
    channel.notify("result", "{}");
    server.upstream.say(TOOLS_CHANGED);
    expect(sent).toEqual([]);
    expect(server.upstream.listeners).toBe(listeners - 1);
  });

  it("ends its unreported permits as indeterminate", async () => {
    const { ask, channel, store } = setUp();
    await ask("ui/message", { role: "user", content: [] });
    channel.close();
    expect(store.outcomes).toMatchObject([{ outcome: "indeterminate" }]);
  });
});

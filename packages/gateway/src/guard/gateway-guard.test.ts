import { type ConsentAnswer, type Question, Refusal, type ViewCall } from "@vitrine/guard";
import { JsonText, recordOf, VitrineError } from "@vitrine/protocol";
import type { ServerSettings } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import { tool } from "../../../../testing/fake-upstream.js";
import { diskFull, memoryStore, STAGE_TOOLS, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { sha256 } from "./digest.js";
import { gatewayGuard } from "./gateway-guard.js";
import * as examples from "./guard.examples.js";
import type { GatewayAsk, GatewayGuardOptions } from "./guard-options.js";
import type { GuardedCall, KnownView } from "./guarded-call.js";

type Options = Partial<GatewayGuardOptions> & { of?: Partial<ServerSettings> };

function setUp({ of, settings, ...options }: Options = {}) {
  const store = memoryStore();
  const server = stageServer(of);
  const views = new Map<string, KnownView>([
    ["v1", { session: "s1", tool: "show", uri: "ui://shop/cart.html" }],
    ["v2", { session: "s2" }],
  ]);
  const ask = vi.fn<GatewayAsk>(async () => ({ answer: "deny" }));
  const onerror = vi.fn();
  const guard = gatewayGuard({
    server,
    user: "ann",
    store,
    ask,
    onerror,
    views: (view) => views.get(view),
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] }, ...settings },
    ...options,
  });
  const call = (
    method: string,
    params: Record<string, unknown>,
    more: Partial<GuardedCall> = {},
  ): GuardedCall => ({
    actor: "view",
    user: "ann",
    view: "v1",
    server: "shop",
    method,
    params,
    ...more,
  });
  const effect = vi.fn(
    async ({ method, params }: GuardedCall): Promise<unknown> =>
      server.upstream.request(method as "tools/call", params as { name: string }),
  );
  const send = (method: string, params: Record<string, unknown> = {}, more: Partial<GuardedCall> = {}) =>
    guard.pass(call(method, params, more), effect);
  const callTool = (name: string, more: Partial<GuardedCall> = {}, args = {}) =>
    send("tools/call", { name, arguments: args }, more);
  const permit = (method: string, params: Record<string, unknown>, more: Partial<GuardedCall> = {}) =>
    guard.permit(call(method, params, more));
  return { store, server, views, ask, onerror, guard, call, effect, send, callTool, permit };
}

const always = async (): Promise<ConsentAnswer> => ({ answer: "allow", remember: "always" });
const refusal = (code: string) => ({ code: -32000, data: { code } });
const failure = (code: string) => ({ code: -32050, data: { code } });
const text = { role: "user", content: [{ type: "text", text: "hi" }] };

describe("an allowed call", () => {
  it("is known by the parent id that the gateway gave it, and not by a trace id that a caller chose", async () => {
    const { callTool, effect, guard } = setUp({ of: { policy: { "tools/call": "allow" } } });
    const chosen = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const params = { name: "change", arguments: {}, _meta: { traceparent: chosen } };
    await callTool("change", { params });
    const sent = recordOf(effect.mock.calls[0]?.[0].params["_meta"])["traceparent"];
    expect(String(sent).slice(0, 36)).toBe(chosen.slice(0, 36));
    expect(guard.originOf(String(sent))).toEqual({ actor: "view", view: "v1" });
    expect(guard.originOf(chosen)).toBeUndefined();
    expect(guard.originOf("4bf92f3577b34da6a3ce929d0e0e4736")).toBeUndefined();
  });

  it("is on disk before it runs, and its outcome afterwards", async () => {
    const { store, server, callTool, effect } = setUp({ of: { policy: { "tools/call": "allow" } } });
    const paramsText = '{"name":"change", "arguments":{"a":1}}';
    effect.mockImplementation(async () => {
      expect(store.rows).toHaveLength(1);
      return new JsonText('{"content":[]}');
    });
    await callTool("change", { paramsText, key: "nonce.1" });
    await vi.waitFor(() => expect(store.rows).toHaveLength(2));
    expect(store.rows).toMatchObject([
      {
        seq: 1,
        kind: "entry",
        user: "ann",
        actor: "view",
        view: "v1",
        server: "shop",
        method: "tools/call",
        target: "change",
        decision: "allowed",
        reason: "policy",
        key: "nonce.1",
        paramsHash: sha256(paramsText),
        paramsSize: paramsText.length,
        params: undefined,
      },
      {
        kind: "outcome",
        of: 1,
        outcome: "ok",
        duration: expect.any(Number),
        resultHash: sha256('{"content":[]}'),
        resultSize: 14,
      },
    ]);
    expect(server.calls).toEqual([]);
  });

  it("that is read-only runs while its entry is written; the answer is returned only after that is on disk", async () => {
    const { store, callTool, effect } = setUp();
    const begin = store.audit.begin;
    let write = (): void => {};
    const disk = new Promise<void>((resolve) => {
      write = resolve;
    });
    vi.spyOn(store.audit, "begin").mockImplementation(async (entry) => disk.then(() => begin(entry)));
    const answered = vi.fn();
    const answer = callTool("look").then(answered);
    await vi.waitFor(() => expect(effect).toHaveResolved());
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).not.toHaveBeenCalled();
    write();
    await answer;
    expect(store.entries).toHaveLength(1);
  });

  it("that is read-only returns no answer if its entry cannot be written", async () => {
    const { store, callTool, effect } = setUp();
    vi.spyOn(store.audit, "begin").mockRejectedValueOnce(diskFull());
    await expect(callTool("look")).rejects.toMatchObject(failure("audit-failed"));
    expect(effect).toHaveBeenCalledOnce();
    expect(store.rows).toEqual([]);
  });

  it("has the same hash for any order of its params", async () => {
    const { store, send } = setUp();
    await send("tools/call", { name: "look", arguments: { a: 1, b: { c: [1], d: 2 } } });
    await send("tools/call", { arguments: { b: { d: 2, c: [1] }, a: 1 }, name: "look" });
    expect(new Set(store.entries.map(({ paramsHash }) => paramsHash)).size).toBe(1);
  });

  it("that fails is recorded with the reason", async () => {
    const { store, callTool, effect } = setUp();
    const errors = [
      new VitrineError(-32603, "server's own"),
      new GatewayError("server-exited", "gone"),
      new VitrineError("timeout", "slow"),
      new VitrineError("aborted", "taken back"),
      new Error("plain"),
      Object.assign(new Error("a server says so"), { code: -32000, data: { code: "server-exited" } }),
    ];
    for (const error of errors) {
      effect.mockRejectedValueOnce(error);
      await expect(callTool("look")).rejects.toBe(error);
    }
    expect(store.outcomes.map(({ outcome, code }) => `${outcome} ${code}`)).toEqual([
      "failed -32603",
      "indeterminate server-exited",
      "indeterminate timeout",
      "cancelled aborted",
      "failed error",
      "failed -32000",
    ]);
    expect(store.entries).toHaveLength(6);
  });

  it("that a user wrote is on disk before it runs, and indeterminate if it is cancelled then", async () => {
    const { store, send, effect } = setUp();
    effect.mockImplementation(async () => {
      expect(store.entries).toMatchObject([{ method: "demo/echo", decision: "allowed" }]);
      throw new VitrineError("aborted", "taken back");
    });
    const written = { actor: "host", view: "", asWritten: true } as const;
    await expect(send("demo/echo", { a: 1 }, written)).rejects.toMatchObject({ code: "aborted" });
    expect(store.outcomes).toMatchObject([{ outcome: "indeterminate", code: "aborted" }]);
  });

  it("that a user wrote is recorded, and indeterminate if it is cancelled, if it is a ping", async () => {
    const { store, send, effect } = setUp();
    const written = { actor: "host", view: "", asWritten: true } as const;
    effect.mockRejectedValueOnce(new VitrineError("aborted", "taken back"));
    await expect(send("ping", { a: 1 }, written)).rejects.toMatchObject({ code: "aborted" });
    expect(store.rows).toMatchObject([
      { method: "ping", decision: "allowed" },
      { outcome: "indeterminate", code: "aborted" },
    ]);
  });

  it.each(["view", "model", "http"] as const)(
    "cannot be written by others than the user: %s",
    async (actor) => {
      const { send, effect } = setUp();
      const written = send("demo/echo", {}, { actor, asWritten: true });
      await expect(written).rejects.toMatchObject({ data: { code: "method-unknown" } });
      expect(effect).not.toHaveBeenCalled();
    },
  );

  it("with effects is indeterminate if it is cancelled after the server received it", async () => {
    const { store, callTool, effect } = setUp({ of: { policy: { "tools/call": "allow" } } });
    effect.mockRejectedValueOnce(new VitrineError("aborted", "taken back"));
    await expect(callTool("change")).rejects.toMatchObject({ code: "aborted" });
    expect(store.outcomes).toMatchObject([{ outcome: "indeterminate", code: "aborted" }]);
  });

  it.each([
    ["stopping", new GatewayError("stopping", "the server is being stopped")],
    [
      "server-exited",
      new GatewayError("server-exited", "the server no longer reads its input", { data: { unsent: true } }),
    ],
    ["aborted", new VitrineError("aborted", "the request was cancelled", { data: { unsent: true } })],
  ])("that never reached the server did not run: %s", async (code, error) => {
    const { store, callTool, effect } = setUp({ of: { policy: { "tools/call": "allow" } } });
    effect.mockRejectedValueOnce(error);
    await expect(callTool("change")).rejects.toBe(error);
    expect(store.outcomes).toMatchObject([{ outcome: "cancelled", code }]);
  });

  it("during a stop of the gateway gets that error, and raises no alarm", async () => {
    const { store, callTool, effect } = setUp({ of: { policy: { "tools/call": "allow" } } });
    vi.spyOn(store.audit, "begin").mockRejectedValue(new GatewayError("stopping", "the gateway is stopping"));
    await expect(callTool("change")).rejects.toMatchObject(failure("stopping"));
    expect(effect).not.toHaveBeenCalled();
    expect(store.rows).toEqual([]);
  });

  it("with a result that is too large gets an error, and is not recorded as refused", async () => {
    const { store, callTool, effect } = setUp({ of: { limits: { sizes: { result: 100 } } as never } });
    effect.mockResolvedValueOnce({ content: [{ type: "text", text: "x".repeat(1000) }] });
    await expect(callTool("look")).rejects.toMatchObject(refusal("too-large"));
    expect(store.rows).toMatchObject([{ decision: "allowed" }, { outcome: "failed", code: "too-large" }]);
  });

  it.each([
    ["too large", { content: [{ type: "text", text: "x".repeat(1000) }] }, "server-too-large"],
    ["invalid JSON", new JsonText('{"content":[{"type":"resource_link","uri":NaN}]}'), "invalid"],
  ])("with effects may have run, if its result is %s", async (_, result, code) => {
    const of = { policy: { "tools/call": "allow" }, limits: { sizes: { result: 100 } } as never } as const;
    const { store, callTool, effect } = setUp({ of });
    effect.mockResolvedValueOnce(result);
    await expect(callTool("change")).rejects.toMatchObject({
      message: expect.stringContaining("may have run"),
      data: { indeterminate: true },
    });
    expect(store.rows).toMatchObject([{ decision: "allowed" }, { outcome: "indeterminate", code }]);
  });

  it("may safely be repeated, if its result is invalid JSON and it is idempotent or read-only", async () => {
    const { store, callTool, effect } = setUp({
      of: { policy: { "tools/call": "allow" }, idempotent: ["change"] },
    });
    effect.mockResolvedValue(new JsonText('{"content":[{"type":"resource_link","uri":NaN}]}'));
    for (const name of ["change", "look"])
      await expect(callTool(name)).rejects.toMatchObject({ code: "invalid", data: { indeterminate: false } });
    expect(store.outcomes).toMatchObject([{ outcome: "failed" }, { outcome: "failed" }]);
  });

  it("does not run if it is cancelled while the record is written", async () => {
    const { store, callTool, effect } = setUp({ of: { policy: { "tools/call": "allow" } } });
    const controller = new AbortController();
    const begin = store.audit.begin;
    vi.spyOn(store.audit, "begin").mockImplementation(async (entry) => {
      controller.abort();
      return begin(entry);
    });
    await expect(callTool("change", { signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(effect).not.toHaveBeenCalled();
    expect(store.outcomes).toMatchObject([{ outcome: "cancelled" }]);
  });

  it("stores payloads depending on the operator's settings, with redacted secrets", async () => {
    for (const payloads of ["arguments", "all"] as const) {
      const audit = { payloads, redact: ["token"] };
      const { store, callTool, effect } = setUp({ settings: { policy: {}, strict: false, audit } });
      effect.mockResolvedValueOnce({ content: [], structuredContent: { Token: "hunter2", a: 1 } });
      await callTool("look", {}, { TOKEN: "hunter2", b: 2 });
      expect(JSON.stringify(store.rows)).not.toContain("hunter2");
      expect(store.entries[0]?.params).toContain('"b":2');
      await vi.waitFor(() => expect(store.outcomes).toHaveLength(1));
      expect(JSON.stringify(store.rows)).not.toContain("hunter2");
      expect(store.outcomes[0]?.result !== undefined).toBe(payloads === "all");
    }
  });

  it.each([
    ["retries", ['{"content":[]}']],
    ["none", []],
  ] as const)("with payloads %j stores these results for repeated keys: %j", async (payloads, kept) => {
    const audit = { payloads, redact: ["token"] };
    const { store, callTool, effect } = setUp({
      of: { policy: { "tools/call": "allow" } },
      settings: { policy: {}, strict: false, audit },
    });
    effect.mockResolvedValueOnce({ content: [], structuredContent: { list: [{ Token: "hunter2" }] } });
    await callTool("change", { key: "nonce.1" });
    effect.mockResolvedValueOnce(new JsonText('{"content":[]}'));
    await callTool("change", { key: "nonce.2" });
    await vi.waitFor(() => expect(store.outcomes).toHaveLength(2));
    // The first one has a redacted field.
    expect([...store.kept.values()]).toEqual(kept);
    expect(store.entries.map(({ params }) => params)).toEqual([undefined, undefined]);
  });

  it("is recorded with the current settings", async () => {
    const settings = { policy: {}, strict: false, audit: { payloads: "none" as "none" | "all", redact: [] } };
    const store = memoryStore();
    const guard = gatewayGuard({ server: stageServer(), user: "ann", settings, store, views: () => ({}) });
    const call = {
      actor: "view",
      user: "ann",
      view: "v",
      server: "shop",
      method: "tools/list",
      params: {},
    } as const;
    await guard.pass(call, async () => ({ tools: [] }));
    await vi.waitFor(() => expect(store.outcomes).toHaveLength(1));
    settings.audit = { payloads: "all", redact: [] };
    await guard.pass(call, async () => ({ tools: [] }));
    await vi.waitFor(() => expect(store.outcomes).toHaveLength(2));
    expect(store.outcomes.map(({ result }) => result)).toEqual([undefined, '{"tools":[]}']);
  });

  it("is reported to metrics, whose errors are ignored", async () => {
    const decided = vi.fn();
    const ended = vi.fn(() => {
      throw new Error("metrics");
    });
    const { callTool, onerror } = setUp({ metrics: { decided, ended } });
    await callTool("look");
    await expect(callTool("gone")).rejects.toBeDefined();
    expect(decided.mock.calls.map(([, ...rest]) => rest)).toEqual([
      ["allowed", "policy", '{"name":"look","arguments":{}}'.length],
      ["refused", "tool-unknown", undefined],
    ]);
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    expect(onerror).toHaveBeenCalledWith(new Error("metrics"));
  });
});

describe("the order", () => {
  /** Each of these has one more error than the previous one; the caller gets the first. */
  it("is known view, method, visibility, server, sizes, rates, policy, record", async () => {
    const { send, callTool, views, store } = setUp({
      of: {
        policy: { "tools/call:look": "deny" },
        limits: {
          sizes: { params: { "tools/call": 200 } },
          rates: { call: { burst: 1, perSecond: 0 } },
        } as never,
      },
    });
    await callTool("inner");
    store.failing.begin = diskFull();
    const big = { arguments: { x: "x".repeat(300) } };
    const wrong: [string, Promise<unknown>][] = [
      ["rate-limited", callTool("look")],
      ["too-large", send("tools/call", { name: "look", ...big })],
      ["other-server", send("tools/call", { name: "look", server: "bank", ...big })],
      ["tool-unknown", send("tools/call", { name: "gone", server: "bank", ...big })],
      ["method-unknown", send("tools/cal", { name: "gone", server: "bank", ...big })],
      ["view-unknown", send("tools/cal", { name: "gone", server: "bank", ...big }, { view: "v3" })],
    ];
    for (const [code, sent] of wrong) await expect(sent).rejects.toMatchObject({ data: { code } });
    // Another view has its own rate, so it reaches the policy, and then the disk.
    await expect(callTool("look", { view: "v2" })).rejects.toMatchObject(refusal("not-allowed"));
    views.set("v4", {});
    await expect(callTool("inner", { view: "v4" })).rejects.toMatchObject(failure("audit-failed"));
  });

  it("attack D05: calls that wait for the user do not block others", async () => {
    const { callTool } = setUp({
      ask: () => new Promise(() => {}),
      of: { limits: { concurrency: { perView: 1, waiting: 1 } } as never },
    });
    const controller = new AbortController();
    const waiting = callTool("change", { signal: controller.signal });
    await expect(callTool("look")).resolves.toBeDefined();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  it("attack D05: the number of pending calls is limited, whatever they wait for", async () => {
    const { callTool, store } = setUp({
      ask: () => new Promise(() => {}),
      of: { limits: { concurrency: { perView: 1, waiting: 2 } } as never },
    });
    const controller = new AbortController();
    const waiting = [1, 2, 3].map((n) => callTool("wipe", { signal: controller.signal }, { n }));
    await expect(callTool("look")).rejects.toMatchObject(refusal("rate-limited"));
    await expect(callTool("look", { view: "v2" })).resolves.toBeDefined();
    controller.abort();
    await Promise.allSettled(waiting);
    await expect(callTool("look")).resolves.toBeDefined();
    expect(store.entries.map(({ reason }) => reason).sort()).toEqual(
      ["aborted", "aborted", "aborted", "policy", "policy", "rate-limited"].sort(),
    );
  });
});

describe("internal errors of the guard deny the call", () => {
  const boom = new Error("boom");
  const boomProxy = () =>
    new Proxy<Record<string, unknown>>(
      { name: "look" },
      {
        ownKeys: () => {
          throw boom;
        },
      },
    );
  type Stage = ReturnType<typeof setUp>;
  const throwing = () => {
    throw boom;
  };

  it.each<[string, Options, (stage: Stage) => Promise<unknown>]>([
    ["the list of views", { views: throwing }, ({ callTool }) => callTool("look")],
    [
      "params that throw, in the sizes",
      {},
      ({ send }) => send("tools/call", boomProxy(), { paramsText: "{}" }),
    ],
    [
      "the tool directory",
      {},
      ({ server, callTool }) => {
        server.upstream.answers["tools/list"] = throwing;
        return callTool("look");
      },
    ],
    [
      "the resource directory",
      {},
      ({ server, send }) => {
        server.upstream.answers["resources/list"] = throwing;
        return send("resources/read", { uri: "note://1" });
      },
    ],
    [
      "the clock of the rates",
      { clock: undefined },
      ({ callTool, guard }) => {
        vi.spyOn(performance, "now")
          .mockImplementationOnce(() => 0)
          .mockImplementationOnce(throwing);
        return callTool("look").finally(() => [vi.restoreAllMocks(), guard]);
      },
    ],
    [
      "the policy",
      {
        settings: {
          strict: false,
          audit: { payloads: "none", redact: [] },
          policy: new Proxy({}, { ownKeys: throwing, getOwnPropertyDescriptor: throwing }),
        },
      },
      ({ callTool }) => callTool("look"),
    ],
    [
      "the consent store, when it is read",
      {},
      ({ store, callTool }) => {
        store.failing.get = boom;
        return callTool("change");
      },
    ],
    [
      "the consent store, when it is written",
      { ask: always },
      ({ store, callTool }) => {
        store.failing.set = boom;
        return callTool("change");
      },
    ],
    ["the question", { ask: throwing }, ({ callTool }) => callTool("change")],
    ["the question, later", { ask: async () => throwing() }, ({ callTool }) => callTool("wipe")],
    ["the answer", { ask: async () => ({ answer: "yes" }) as never }, ({ callTool }) => callTool("change")],
    [
      "the key's log",
      {},
      ({ store, callTool }) => {
        vi.spyOn(store.audit, "find").mockRejectedValue(boom);
        return callTool("look", { key: "k", mayBeOld: true });
      },
    ],
  ])("in %s", async (_where, options, attempt) => {
    const stage = setUp(options);
    await expect(attempt(stage)).rejects.toBeInstanceOf(VitrineError);
    expect(stage.effect).not.toHaveBeenCalled();
    expect(stage.server.calls).toEqual([]);
    expect(stage.store.rows).toMatchObject([{ kind: "entry", decision: "refused" }]);
  });

  it("report the reason to the operator, but not to the view", async () => {
    const { callTool, onerror } = setUp({ ask: throwing });
    const error = await callTool("change").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Refusal);
    expect(String(error)).not.toContain("boom");
    expect(onerror).toHaveBeenCalledWith(boom);
  });

  it("a server that does not start denies the call, and the caller gets the reason", async () => {
    const { server, callTool, store, effect } = setUp();
    vi.spyOn(server, "status", "get").mockReturnValue({ ...server.status, state: "waiting" });
    server.failing.start = new GatewayError("server-failed", "it exited with code 1");
    await expect(callTool("look")).rejects.toMatchObject(failure("server-failed"));
    expect(effect).not.toHaveBeenCalled();
    expect(store.rows).toMatchObject([{ decision: "refused", reason: "server-failed" }]);
  });

  it("numbers of a server's errors do not become reasons", async () => {
    const { server, callTool, store } = setUp();
    server.upstream.answers["tools/list"] = () => Promise.reject(new VitrineError(-12345, "no list"));
    await expect(callTool("look")).rejects.toMatchObject({ code: -12345 });
    expect(store.rows).toMatchObject([{ decision: "refused", reason: "server-error" }]);
  });
});

describe("a disk that fails", () => {
  it.each([
    ["tools/call", { name: "look" }],
    ["tools/list", {}],
    ["resources/read", { uri: "note://1" }],
    ["prompts/get", { name: "p" }],
  ])("denies %s", async (method, params) => {
    const { store, send, effect } = setUp();
    store.failing.begin = diskFull();
    await expect(send(method, params)).rejects.toMatchObject(failure("audit-failed"));
    expect(effect).not.toHaveBeenCalled();
  });

  it.each([
    ["ui/message", text],
    ["ui/update-model-context", {}],
    ["ui/request-display-mode", { mode: "fullscreen" }],
    ["ui/open-link", { url: "https://a.example" }],
  ])("permits no %s", async (method, params) => {
    const { store, permit } = setUp({ ask: always });
    store.failing.begin = new Error("SQLITE_FULL");
    await expect(permit(method, params)).rejects.toMatchObject(failure("audit-failed"));
  });

  it("denies calls of the page and of programs, and recovers", async () => {
    const { store, callTool } = setUp();
    store.failing.begin = diskFull();
    for (const actor of ["host", "http"] as const)
      await expect(callTool("look", { actor })).rejects.toMatchObject(failure("audit-failed"));
    delete store.failing.begin;
    await expect(callTool("look")).resolves.toBeDefined();
  });

  it("allows calls without effects (pings and logs), and reports that they were not recorded", async () => {
    const { store, send, effect, onerror } = setUp();
    store.failing.begin = diskFull();
    effect.mockResolvedValue({});
    await expect(send("ping")).resolves.toEqual({});
    await expect(send("notifications/message", { level: "info", data: "x" })).resolves.toEqual({});
    await vi.waitFor(() => expect(onerror).toHaveBeenCalledWith(store.failing.begin));
    delete store.failing.begin;
    await send("notifications/message", { level: "info", data: "x" });
    await vi.waitFor(() =>
      expect(store.rows).toMatchObject([{ method: "notifications/message" }, { outcome: "ok" }]),
    );
  });

  it("does not change refusals", async () => {
    const { store, callTool, onerror } = setUp();
    store.failing.begin = diskFull();
    await expect(callTool("secret")).rejects.toMatchObject(refusal("tool-not-visible"));
    expect(onerror).toHaveBeenCalledWith(store.failing.begin);
  });
});

describe("approval", () => {
  it("of a server's tools is asked for once, and remembered for all of them", async () => {
    const { callTool, ask, store } = setUp();
    ask.mockImplementation(always);
    await callTool("change", {}, { a: 1 });
    await callTool("change", {}, { a: 2 });
    await callTool("set", { view: "v2" });
    expect(ask).toHaveBeenCalledOnce();
    expect(ask.mock.calls[0]?.[1]).toEqual(["session", "always"]);
    // The question names the scope of an approval.
    expect(ask.mock.calls[0]?.[0]).toMatchObject({
      reason: "The app wants to use a tool that may change something.",
      scope: "all ordinary tools of shop",
      scopeNote: expect.stringMatching(/^Ordinary tools are all tools of this server that apps may call/),
      covers: "tools",
    });
    expect(ask.mock.calls[0]?.[0]).not.toHaveProperty("asker");
    expect(store.entries.map(({ reason }) => reason)).toEqual(["asked", "remembered", "remembered"]);
    expect(store.records).toMatchObject([{ user: "ann", server: "shop", method: "tools/call", subject: "" }]);
  });

  it("of a destructive tool is asked for every time, with its arguments, whatever the answer says", async () => {
    const { callTool, ask, store } = setUp({ of: { trusted: true } });
    ask.mockImplementation(always);
    await callTool("change");
    await callTool("wipe", {}, { all: true });
    await callTool("wipe", {}, { all: true });
    expect(ask).toHaveBeenCalledTimes(2);
    expect(ask.mock.calls[0]?.[0]).toMatchObject({ subject: "wipe", params: { arguments: { all: true } } });
    expect(ask.mock.calls[0]?.[1]).toEqual([]);
    expect(store.records).toEqual([]);
  });

  it.each([
    [
      "changes",
      () => STAGE_TOOLS.map((each) => (each.name === "set" ? tool("set", { description: "!" }) : each)),
    ],
    ["is added", () => [...STAGE_TOOLS, tool("extra")]],
    ["is removed", () => STAGE_TOOLS.filter(({ name }) => name !== "set")],
  ])("attack C23: is required again when any tool of the server %s", async (_what, tools) => {
    const { callTool, ask, server } = setUp();
    ask.mockImplementation(always);
    await callTool("change");
    server.upstream.answers["tools/list"] = () => ({ tools: tools() });
    server.upstream.say("notifications/tools/list_changed");
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(2);
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("attack C23: is void if the tool changes while the question is open", async () => {
    const { callTool, ask, server, effect } = setUp();
    ask.mockImplementation(async () => {
      server.upstream.answers["tools/list"] = () => ({ tools: [tool("change", { description: "!" })] });
      server.upstream.say("notifications/tools/list_changed");
      return { answer: "allow" };
    });
    await expect(callTool("change")).rejects.toMatchObject(refusal("not-allowed"));
    expect(effect).not.toHaveBeenCalled();
  });

  it("attack C23: a restarted server is listed again", async () => {
    const { callTool, server } = setUp();
    await callTool("look");
    server.upstream.answers["tools/list"] = () => ({ tools: [] });
    server.restart();
    await expect(callTool("look")).rejects.toMatchObject(refusal("tool-unknown"));
  });

  it("attack C19: is void if the view is closed while the question is open", async () => {
    const { callTool, ask, views, effect } = setUp();
    ask.mockImplementation(async () => {
      views.delete("v1");
      return { answer: "allow" };
    });
    await expect(callTool("change")).rejects.toMatchObject(failure("view-unknown"));
    expect(effect).not.toHaveBeenCalled();
  });

  it("for a session is valid in that session, and ends with it", async () => {
    const { callTool, ask, guard } = setUp();
    ask.mockResolvedValue({ answer: "allow", remember: "session" });
    await callTool("change");
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(1);
    await callTool("change", { view: "v2" });
    expect(ask).toHaveBeenCalledTimes(2);
    guard.endSession("s1");
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it("for always expires after 90 days", async () => {
    let time = 1_000;
    const { callTool, ask } = setUp({ now: () => time });
    ask.mockImplementation(always);
    await callTool("change");
    time += 90 * 24 * 3_600_000 - 1;
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(1);
    time += 1001;
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("is required again at once after a revocation", async () => {
    const { callTool, ask, guard, store } = setUp();
    ask.mockImplementation(always);
    await callTool("change");
    await callTool("change");
    await store.consents.revoke("ann", { server: "shop" });
    guard.consentsRevoked();
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("is one question for several views that ask at once", async () => {
    const { callTool, ask } = setUp();
    const open: { question: Question; signal: AbortSignal; answer: (answer: ConsentAnswer) => void }[] = [];
    ask.mockImplementation(
      (question, _remember, signal) => new Promise((answer) => open.push({ question, signal, answer })),
    );
    const both = [callTool("change"), callTool("set", { view: "v2" })];
    await vi.waitFor(() => expect(open).toHaveLength(2));
    open[0]?.answer({ answer: "allow", remember: "always" });
    await expect(Promise.all(both)).resolves.toHaveLength(2);
    expect(open[1]?.signal.aborted).toBe(true);
  });

  it("of a single call covers only that call", async () => {
    const { callTool, ask } = setUp();
    ask.mockResolvedValue({ answer: "allow" });
    await callTool("change");
    await callTool("change");
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("that the operator requires for one tool covers only that tool", async () => {
    const { callTool, ask } = setUp({ of: { policy: { "tools/call:set": "ask" } } });
    ask.mockImplementation(always);
    await callTool("change");
    await callTool("set");
    await callTool("set");
    expect(ask.mock.calls.map(([{ subject }]) => subject)).toEqual(["change", "set"]);
  });

  it("can be decided by the operator, by tool, by view, and for all", async () => {
    const { callTool, permit, ask } = setUp({
      of: { policy: { "tools/call:wipe": "allow", "view:ui://shop/cart.html:ui/message": "allow" } },
      settings: {
        strict: false,
        audit: { payloads: "none", redact: [] },
        policy: { "ui/open-link:docs.example": "allow", "tools/call:look": "deny" },
      },
    });
    await callTool("wipe");
    await permit("ui/message", text);
    await permit("ui/open-link", { url: "https://docs.example/a" });
    expect(ask).not.toHaveBeenCalled();
    await expect(callTool("look")).rejects.toMatchObject(refusal("not-allowed"));
    await expect(permit("ui/message", text, { view: "v2" })).rejects.toMatchObject(refusal("denied"));
  });

  it("is asked for with its scope", async () => {
    const { permit, ask } = setUp();
    ask.mockResolvedValue({ answer: "allow" });
    const content = [{ type: "text", text: "Hi" }];
    await permit("ui/open-link", { url: "https://a.example" });
    await permit("ui/message", { role: "user", content });
    await permit("ui/download-file", {
      contents: [{ type: "resource", resource: { uri: "file:///a.txt", text: "" } }],
    });
    expect(ask.mock.calls.map(([{ scope }]) => scope)).toEqual([
      "links to a.example",
      "all messages from shop",
      "all files from shop",
    ]);
  });

  it("is denied if there is nobody to ask", async () => {
    const { callTool } = setUp({ ask: undefined });
    await expect(callTool("change")).rejects.toMatchObject(refusal("denied"));
  });
});

describe("actions of the page", () => {
  it("are permitted and recorded, with the params that were shown, and end once", async () => {
    const { permit, guard, store, ask } = setUp();
    ask.mockResolvedValue({ answer: "allow" });
    const given = await permit("ui/open-link", { url: "https://A.example" });
    expect(given).toEqual({ permit: 1, params: { url: "https://a.example/" } });
    expect(store.rows).toMatchObject([{ target: "a.example", decision: "allowed", reason: "asked" }]);
    expect(guard.outcome("v1", 1, { outcome: "ok" })).toBe(true);
    expect(guard.outcome("v1", 1, { outcome: "failed" })).toBe(false);
    expect(store.outcomes).toMatchObject([{ of: 1, outcome: "ok" }]);
  });

  it("can be ended only by the view with the permit", async () => {
    const { permit, guard, store } = setUp();
    await permit("ui/update-model-context", {});
    expect(guard.outcome("v2", 1, { outcome: "ok" })).toBe(false);
    expect(guard.outcome("v1", 2, { outcome: "ok" })).toBe(false);
    expect(store.outcomes).toEqual([]);
    expect(guard.outcome("v1", 1, { outcome: "failed", code: "no-model" })).toBe(true);
    expect(store.outcomes).toMatchObject([{ outcome: "failed", code: "no-model" }]);
  });

  it("are indeterminate if the view closes without a report", async () => {
    const { permit, guard, store } = setUp();
    await permit("ui/update-model-context", {});
    await permit("ui/request-display-mode", { mode: "inline" });
    await permit("ui/update-model-context", {}, { view: "v2" });
    guard.outcome("v1", 1, { outcome: "ok" });
    guard.closeView("v1");
    expect(store.outcomes.map(({ of, outcome }) => [of, outcome])).toEqual([
      [1, "ok"],
      [2, "indeterminate"],
    ]);
    await guard.close();
    expect(store.outcomes.at(-1)).toMatchObject({ of: 3, outcome: "indeterminate" });
  });

  it("are limited in number", async () => {
    const rate = { burst: 2000, perSecond: 0 };
    const { permit, store } = setUp({ of: { limits: { rates: { context: rate } } as never } });
    for (let n = 0; n < 1001; n++) await permit("ui/update-model-context", {});
    expect(store.outcomes).toMatchObject([{ of: 1, outcome: "indeterminate" }]);
  });

  it("get the same permit for the same key", async () => {
    const { permit, store } = setUp();
    const [one, two] = await Promise.all([
      permit("ui/update-model-context", {}, { key: "n.1" }),
      permit("ui/update-model-context", {}, { key: "n.1" }),
    ]);
    expect(one).toEqual(two);
    expect(store.entries).toHaveLength(1);
  });

  it.each(["tools/call", "resources/read", "ping"])("never include %s", async (method) => {
    const { permit } = setUp();
    await expect(permit(method, { name: "look", uri: "note://1" })).rejects.toMatchObject({ code: -32601 });
  });
});

describe("the page and its model", () => {
  it("call tools for the model without a question, and are recorded", async () => {
    const { callTool, ask, store } = setUp();
    for (const name of ["secret", "change", "wipe"]) await callTool(name, { actor: "host", view: "" });
    expect(ask).not.toHaveBeenCalled();
    expect(store.entries).toHaveLength(3);
    expect(store.entries[0]).toMatchObject({ actor: "host", target: "secret", reason: "policy" });
  });

  it("C02: cannot call app-only tools", async () => {
    const { callTool, server } = setUp();
    await expect(callTool("inner", { actor: "host" })).rejects.toMatchObject(refusal("tool-not-visible"));
    expect(server.calls).toEqual([]);
  });

  it("the user reads what the server answers, the model only calls tools, and nobody what the operator denies", async () => {
    const policy = { "tools/call:wipe": "deny", "resources/read:note://2": "deny" } as const;
    const { callTool, send } = setUp({ of: { policy } });
    // A view may read only what its server lists.
    const unlisted = { uri: "note://not-listed" };
    await expect(send("resources/read", unlisted, { actor: "host" })).resolves.toBeDefined();
    await expect(send("resources/read", unlisted)).rejects.toMatchObject(refusal("resource-unknown"));
    await expect(send("resources/read", { uri: "note://1" }, { actor: "model" })).rejects.toMatchObject({
      code: -32601,
    });
    await expect(send("ui/message", text, { actor: "host" })).rejects.toMatchObject({ code: -32601 });
    await expect(send("resources/read", { uri: "note://2" }, { actor: "host" })).rejects.toMatchObject(
      refusal("not-allowed"),
    );
    await expect(callTool("wipe", { actor: "host" })).rejects.toMatchObject(refusal("not-allowed"));
  });

  it.each(["completion/complete", "logging/setLevel", "tasks/cancel"])(
    "only the user inspects: %s",
    async (method) => {
      const { send } = setUp();
      const params = {
        ref: { type: "ref/prompt", name: "x" },
        argument: { name: "a", value: "" },
        level: "info",
        taskId: "1",
      };
      // It reaches the upstream of this test, which has no such method.
      await expect(send(method, params, { actor: "host" })).rejects.toThrow("no such method");
      for (const actor of ["view", "model", "http"] as const)
        await expect(send(method, params, { actor })).rejects.toThrow("not available here");
    },
  );

  it("a program gets no permit, and is asked about like a view", async () => {
    const { send, permit, ask } = setUp();
    await expect(permit("ui/message", text, { actor: "http" })).rejects.toMatchObject({ code: -32601 });
    await expect(send("ui/message", text, { actor: "http" })).rejects.toMatchObject(refusal("denied"));
    expect(ask).toHaveBeenCalledOnce();
  });

  it("a program with the name of a view has neither its rate nor its approval", async () => {
    const { callTool, ask } = setUp({
      of: { limits: { rates: { call: { burst: 1, perSecond: 0 } } } as never },
    });
    ask.mockResolvedValue({ answer: "allow", remember: "session" });
    await callTool("change");
    await callTool("change", { actor: "http" });
    expect(ask.mock.calls.map(([{ view }]) => view)).toEqual(["v1", "http:v1"]);
    await expect(callTool("look", { actor: "http" })).rejects.toMatchObject(refusal("rate-limited"));
  });

  it("nobody can act for another user", async () => {
    const { callTool, effect } = setUp();
    for (const actor of ["view", "host", "http"] as const)
      await expect(callTool("look", { actor, user: "bob" })).rejects.toMatchObject(refusal("not-allowed"));
    expect(effect).not.toHaveBeenCalled();
  });
});

describe("keys", () => {
  it("run once, for all waiting callers, with one entry", async () => {
    const { callTool, store, server } = setUp();
    const answers = await Promise.all([callTool("look", { key: "n.1" }), callTool("look", { key: "n.1" })]);
    expect(answers[0]).toBe(answers[1]);
    expect(server.calls).toHaveLength(1);
    expect(store.entries).toHaveLength(1);
  });

  it("of failed calls return the same error, without a further row", async () => {
    const { callTool, store, effect } = setUp();
    effect.mockRejectedValueOnce(new VitrineError(-32603, "once"));
    await expect(callTool("look", { key: "n.1" })).rejects.toThrow("once");
    await expect(callTool("look", { key: "n.1" })).rejects.toThrow("once");
    expect(store.rows).toHaveLength(2);
  });

  it("from before a crash: read-only and idempotent calls run again, and nothing else", async () => {
    const { callTool, store, guard, call, effect } = setUp({ of: { idempotent: ["wipe"] }, ask: always });
    const names = ["look", "set", "wipe", "change"];
    for (const name of names) {
      await guard.pass(call("tools/call", { name, arguments: {} }, { key: `old.${name}` }), effect);
    }
    const after = setUp({ of: { idempotent: ["wipe"] }, ask: always, store });
    for (const name of names.slice(0, 3)) {
      await after.callTool(name, { key: `old.${name}`, mayBeOld: true });
    }
    await expect(after.callTool("change", { key: "old.change", mayBeOld: true })).rejects.toMatchObject(
      failure("indeterminate"),
    );
    expect(after.server.calls).toHaveLength(3);
    expect(store.rows.at(-1)).toMatchObject({ decision: "refused", reason: "indeterminate" });
    expect(store.rows.at(-1)?.key).toBeUndefined();
    await expect(callTool("look", { key: "k".repeat(201) })).rejects.toMatchObject({ code: -32602 });
  });

  it("of refused calls count as new: after a crash they run", async () => {
    const { callTool, store } = setUp();
    await expect(callTool("change", { key: "n.1" })).rejects.toMatchObject(refusal("denied"));
    const after = setUp({ store, ask: always });
    await expect(after.callTool("change", { key: "n.1", mayBeOld: true })).resolves.toBeDefined();
  });
});

describe("browser permissions", () => {
  it("are asked about, remembered for the same UI, and recorded", async () => {
    const { guard, ask, store, views } = setUp();
    views.set("v2", { session: "s2", uri: "ui://shop/cart.html" });
    ask.mockImplementation(always);
    expect(await guard.permission("v1", "camera", undefined, "hash-1")).toBe(true);
    expect(await guard.permission("v2", "camera", undefined, "hash-1")).toBe(true);
    expect(ask).toHaveBeenCalledOnce();
    expect(await guard.permission("v1", "camera", undefined, "hash-2")).toBe(true);
    expect(await guard.permission("v1", "microphone", undefined, "hash-2")).toBe(true);
    expect(ask).toHaveBeenCalledTimes(3);
    expect(store.entries.map(({ target, reason }) => `${target} ${reason}`)).toEqual([
      "camera asked",
      "camera remembered",
      "camera asked",
      "microphone asked",
    ]);
  });

  it("can be decided by the operator", async () => {
    const { guard, ask, store } = setUp({
      of: { permissions: { camera: "allow", microphone: "deny" }, policy: { "ui/permission": "deny" } },
    });
    expect(await guard.permission("v1", "camera")).toBe(true);
    expect(await guard.permission("v1", "microphone")).toBe(false);
    expect(await guard.permission("v1", "geolocation")).toBe(false);
    expect(ask).not.toHaveBeenCalled();
    expect(store.entries.map(({ reason }) => reason)).toEqual(["policy", "not-allowed", "not-allowed"]);
  });

  it("are denied if the user declines, cannot be asked, or on an error", async () => {
    expect(await setUp().guard.permission("v1", "camera")).toBe(false);
    expect(await setUp({ ask: undefined }).guard.permission("v1", "camera")).toBe(false);
    const broken = setUp({ ask: always });
    broken.store.failing.get = new Error("boom");
    expect(await broken.guard.permission("v1", "camera")).toBe(false);
    const full = setUp({ ask: always });
    full.store.failing.begin = diskFull();
    expect(await full.guard.permission("v1", "camera")).toBe(false);
  });
});

describe("floods", () => {
  it("attack D03: of refusals become a few rows", async () => {
    const { callTool, store, guard } = setUp();
    await Promise.allSettled(Array.from({ length: 5000 }, () => callTool("gone")));
    await guard.close();
    expect(store.entries.length).toBeLessThan(200);
    const counted = store.entries.map(({ reason }) => Number(/×(\d+)/.exec(reason ?? "")?.[1] ?? 1));
    expect(counted.reduce((sum, count) => sum + count)).toBe(5000);
  });

  it("attack A44: of dropped logs become one row per burst", async () => {
    const { send, store, effect, guard } = setUp({ clock: () => 0 });
    effect.mockResolvedValue({});
    const logs = Array.from({ length: 500 }, () =>
      send("notifications/message", { level: "info", data: "x" }),
    );
    await Promise.allSettled(logs);
    await guard.close();
    const refused = store.entries.filter(({ decision }) => decision === "refused");
    expect(refused.map(({ reason }) => reason)).toEqual(["rate-limited"]);
  });

  it("made-up names of views take no memory", async () => {
    vi.useFakeTimers();
    try {
      const { callTool } = setUp();
      for (let n = 0; n < 100; n++) await callTool("look", { view: `x${n}` }).catch(() => {});
      expect(vi.getTimerCount()).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

it("resources in results may be read, including those of the page's calls", async () => {
  const { send, callTool, effect, guard } = setUp();
  const link = (uri: string) => ({ content: [{ type: "resource_link", uri, name: "x" }] });
  effect.mockResolvedValueOnce(link("hidden://1"));
  await callTool("secret", { actor: "host" });
  await expect(send("resources/read", { uri: "hidden://1" })).resolves.toBeDefined();
  await expect(send("resources/read", { uri: "hidden://2" })).rejects.toMatchObject(
    refusal("resource-unknown"),
  );
  guard.learn(link("hidden://2"));
  await expect(send("resources/read", { uri: "hidden://2" })).resolves.toBeDefined();
});

it("stops listening to its server", async () => {
  const { guard, server } = setUp();
  expect(server.upstream.listeners).toBeGreaterThan(0);
  await guard.close();
  expect(server.upstream.listeners).toBe(0);
});

it("works like its example", async () => {
  const { server, store, ask } = setUp();
  const call: ViewCall = { view: "v1", server: "shop", method: "tools/call", params: { name: "look" } };
  const result = await examples.gatewayGuardExample(server, store, ask, call);
  expect(result).toMatchObject({ content: [{ text: "did look" }] });
});

import type { Answer, Question } from "@vitrine/guard";
import { type ToolAnnotations, VitrineError } from "@vitrine/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../../testing/gateway/guard-stage.js";
import { RefusalLog } from "../guard/refusal-log.js";
import { AppCalls } from "./app-calls.js";
import { KnownViews } from "./known-views.js";
import type { PageSession } from "./page-session.js";

function setUp(policy: { server?: object; all?: object; identity?: string } = {}) {
  const store = memoryStore();
  const onerror = vi.fn();
  const ask = vi.fn(async (_question: Question): Promise<Answer> => ({ answer: "allow" }));
  const request = vi.fn<PageSession["request"]>(async () => ({ content: [] }) as never);
  const views = new KnownViews();
  const page = { ask, request } as unknown as PageSession;
  const shop = { server: "shop", identity: "1" };
  views.add("v1", { user: "ann", ...shop, session: "s", tool: "show", uri: "ui://shop/cart", page });
  const refusals = new RefusalLog({ write: (entry) => store.audit.begin(entry), onerror });
  const settings = {
    policy: { ...policy.all },
    strict: false,
    audit: { payloads: "none", redact: [] },
  } as const;
  const calls = new AppCalls({
    views,
    place: ({ server, identity }) => ({
      server,
      identity,
      audit: store.audit,
      settings,
      refusals,
      onerror,
      metrics: {},
      clock: () => 0,
    }),
    policy: () => ({
      server: { policy: { ...policy.server }, trusted: false, identity: policy.identity ?? "1" },
      settings,
    }),
  });
  const call = (annotations: ToolAnnotations = {}, signal = new AbortController().signal) => {
    const tool = { name: "add", inputSchema: { type: "object" as const }, annotations };
    const call = { view: "v1", tool, current: () => tool, arguments: {}, conversation: "c", item: "i" };
    return calls.call("ann", call, signal);
  };
  return { store, ask, request, call, calls, views, policy };
}

const READS = { readOnlyHint: true };
const refused = (code: string) => ({ data: { code } });

afterEach(() => void vi.useRealTimers());

describe("a tool of an app", () => {
  it.each<[string, { server?: object; all?: object }, ToolAnnotations, string]>([
    ["asked about", {}, {}, "asked"],
    ["called if it is read-only", {}, READS, "policy"],
    ["asked about if the operator requires it", { all: { "app-tools/call": "ask" } }, READS, "asked"],
    ["called if the operator allows it", { server: { "app-tools/call:add": "allow" } }, {}, "policy"],
    [
      "decided about by the server's table first",
      { server: { "view:show:app-tools/call": "allow" }, all: { "app-tools/call": "deny" } },
      {},
      "policy",
    ],
    ["not what a table says of a server's tool", { all: { "tools/call": "deny" } }, READS, "policy"],
  ])("is %s (A06)", async (_what, policy, annotations, reason) => {
    const { store, ask, call } = setUp(policy);
    await expect(call(annotations)).resolves.toEqual({ content: [] });
    expect(ask).toHaveBeenCalledTimes(reason === "asked" ? 1 : 0);
    expect(store.entries).toMatchObject([{ method: "app-tools/call", target: "add", reason }]);
  });

  it("attack E01: does not use the policy of another server that has taken the name", async () => {
    const { store, ask, request, call } = setUp({ server: { "app-tools/call": "allow" }, identity: "2" });
    await expect(call(READS)).rejects.toMatchObject(refused("server-replaced"));
    expect(ask).not.toHaveBeenCalled();
    expect(request).not.toHaveBeenCalled();
    expect(store.entries).toMatchObject([{ decision: "refused", reason: "server-replaced" }]);
  });

  it("is described correctly in the question", async () => {
    const { ask, call } = setUp({ all: { "app-tools/call": "ask" } });
    for (const annotations of [READS, {}, { destructiveHint: true }]) await call(annotations);
    expect(ask.mock.calls.map(([{ reason }]) => reason)).toEqual([
      expect.stringContaining("declares itself read-only"),
      expect.stringContaining("may change something"),
      expect.stringContaining("may delete or overwrite something"),
    ]);
  });

  it("is not called if the operator denies it, or the app is closed, while the question is open", async () => {
    const { ask, request, call, policy, views } = setUp();
    ask.mockImplementationOnce(async () => {
      policy.server = { "app-tools/call": "deny" };
      return { answer: "allow" };
    });
    await expect(call()).rejects.toMatchObject(refused("not-allowed"));
    policy.server = {};
    ask.mockImplementationOnce(async () => {
      views.remove("v1");
      return { answer: "allow" };
    });
    await expect(call()).rejects.toMatchObject(refused("view-unknown"));
    expect(request).not.toHaveBeenCalled();
  });

  it("stays approved when another user revokes approvals", async () => {
    const { ask, call, calls } = setUp();
    ask.mockResolvedValue({ answer: "allow", remember: "session" });
    await call();
    calls.revoked("bea");
    await call();
    expect(ask).toHaveBeenCalledTimes(1);
    calls.revoked("ann");
    await call();
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("that the operator denies is not called, and the user is not asked", async () => {
    const { store, ask, request, call } = setUp({ all: { "app-tools/call:add": "deny" } });
    await expect(call(READS)).rejects.toMatchObject(refused("not-allowed"));
    expect(ask).not.toHaveBeenCalled();
    expect(request).not.toHaveBeenCalled();
    expect(store.entries).toMatchObject([{ decision: "refused", reason: "not-allowed" }]);
  });

  it("A05: with an answer of more than 10 MB has failed, and is recorded as such", async () => {
    const { store, request, call } = setUp();
    request.mockResolvedValueOnce({ content: [{ type: "text", text: "x".repeat(10_000_001) }] } as never);
    await expect(call(READS)).rejects.toMatchObject(refused("too-large"));
    expect(store.outcomes).toMatchObject([{ outcome: "failed", code: "too-large" }]);
  });

  it.each([{ content: "no" }, null, 7])("A05: with the invalid answer %j has failed", async (answer) => {
    const { request, call } = setUp();
    request.mockResolvedValueOnce(answer as never);
    await expect(call(READS)).rejects.toMatchObject({ code: "invalid" });
  });

  it.each([
    ["timeout", new VitrineError(-32603, "30 s are over", { data: { code: "timeout" } }), "timeout"],
    ["closed", new VitrineError("closed", "the page has closed"), "closed"],
    ["invalid", new VitrineError(-32603, "larger than 10 MB", { data: { code: "invalid" } }), "invalid"],
  ])("A05: whose page reports %s may have run", async (_, error, code) => {
    const { store, request, call } = setUp();
    request.mockRejectedValueOnce(error);
    const reported = {
      code,
      message: expect.stringContaining("may have run"),
      data: { indeterminate: true },
    };
    await expect(call()).rejects.toMatchObject(reported);
    expect(store.outcomes).toMatchObject([{ outcome: "indeterminate", code }]);
  });

  it.each([{ content: "no" }, { content: [{ type: "text", text: "x".repeat(10_000_001) }] }])(
    "A05: with effects and an invalid answer may have run",
    async (answer) => {
      const { store, request, call } = setUp();
      request.mockResolvedValueOnce(answer as never);
      await expect(call()).rejects.toMatchObject({ code: "invalid", data: { indeterminate: true } });
      expect(store.outcomes).toMatchObject([{ outcome: "indeterminate", code: "invalid" }]);
    },
  );

  it("that reports a failure has failed", async () => {
    const { store, request, call } = setUp();
    request.mockRejectedValueOnce(new VitrineError(-32603, "no such button", { data: { code: undefined } }));
    await expect(call()).rejects.toMatchObject({ message: "no such button" });
    expect(store.outcomes).toMatchObject([{ outcome: "failed" }]);
  });

  it("A05: without an answer in time may have run; so may a cancelled one", async () => {
    vi.useFakeTimers();
    const { store, request, call } = setUp();
    request.mockImplementation(
      (_method, _params, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new VitrineError("aborted", "taken back")));
        }),
    );
    const late = expect(call(READS)).rejects.toMatchObject({ code: "timeout" });
    await vi.advanceTimersByTimeAsync(35_000);
    await late;
    const controller = new AbortController();
    const taken = expect(call(READS, controller.signal)).rejects.toMatchObject({ code: "aborted" });
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    await taken;
    expect(store.outcomes).toMatchObject([
      { outcome: "indeterminate", code: "timeout" },
      { outcome: "indeterminate", code: "aborted" },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

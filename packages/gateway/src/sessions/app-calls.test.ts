import type { ConsentAnswer, Question } from "@vitrine/guard";
import { type ToolAnnotations, VitrineError } from "@vitrine/protocol";
import { replacedServer } from "@vitrine/servers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryStore, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { CallRecord } from "../guard/call-record.js";
import { gatewayGuard } from "../guard/gateway-guard.js";
import { RefusalLog } from "../guard/refusal-log.js";
import { AppCalls } from "./app-calls.js";
import { KnownViews } from "./known-views.js";
import type { PageSession } from "./page-session.js";

type Table = Record<string, "allow" | "ask" | "deny">;

function setUp({ identity = "1", server: table = {}, all = {} }: Partial<Tables> = {}) {
  const store = memoryStore();
  const onerror = vi.fn();
  const ask = vi.fn(async (_question: Question): Promise<ConsentAnswer> => ({ answer: "allow" }));
  const request = vi.fn<PageSession["request"]>(async () => ({ content: [] }) as never);
  const views = new KnownViews();
  const page = { ask, request } as unknown as PageSession;
  const shop = { server: "shop", identity: "1" };
  views.add("v1", { user: "ann", ...shop, session: "s", tool: "show", uri: "ui://shop/cart", page });
  const policy = { server: { ...table }, all: { ...all } };
  const settings = {
    strict: false,
    audit: { payloads: "none", redact: [] },
    get policy() {
      return policy.all;
    },
  } as const;
  const server = stageServer({ identity, policy: policy.server });
  const guard = gatewayGuard({
    user: "ann",
    server,
    store,
    settings,
    ask: async (question) => ask(question),
    views: (view) => views.of(view, "ann"),
  });
  const place = {
    server: "shop",
    audit: store.audit,
    settings,
    refusals: new RefusalLog({ write: (entry) => store.audit.begin(entry), onerror }),
    onerror,
    metrics: {},
    clock: () => 0,
  };
  const getSame = vi.fn(() => ({ server, guard }));
  const calls = new AppCalls({
    views,
    servers: {
      getSame,
      checkSame: (wanted) => {
        if (wanted.identity !== identity) throw replacedServer(wanted.name);
      },
    },
    refused: (call, error, identity) => new CallRecord(call, { ...place, identity }).refused(error),
  });
  const call = (annotations: ToolAnnotations = {}, signal = new AbortController().signal) => {
    const tool = { name: "add", inputSchema: { type: "object" as const }, annotations };
    const call = { view: "v1", tool, current: () => tool, arguments: {}, conversation: "c", item: "i" };
    return calls.call("ann", call, signal);
  };
  return { store, ask, request, call, calls, getSame, guard, views, policy };
}

interface Tables {
  readonly server: Table;
  readonly all: Table;
  readonly identity: string;
}

const READS = { readOnlyHint: true };
const refused = (code: string) => ({ data: { code } });

afterEach(() => void vi.useRealTimers());

describe("a tool of an app", () => {
  it.each<[string, { server?: Table; all?: Table }, ToolAnnotations, string]>([
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

  it("of another user's app is neither asked about nor looked up", async () => {
    const { store, ask, calls, getSame } = setUp();
    const tool = { name: "add", inputSchema: { type: "object" as const } };
    const call = { view: "v1", tool, current: () => tool, arguments: {}, conversation: "c", item: "i" };
    await expect(calls.call("bea", call, new AbortController().signal)).rejects.toMatchObject(
      refused("view-unknown"),
    );
    expect(ask).not.toHaveBeenCalled();
    expect(getSame).not.toHaveBeenCalled();
    expect(store.entries).toEqual([]);
  });

  it("is described correctly in the question", async () => {
    const { ask, call } = setUp({ all: { "app-tools/call": "ask" } });
    for (const annotations of [READS, {}, { destructiveHint: true }]) await call(annotations);
    expect(ask.mock.calls[0]?.[0]).toMatchObject({ asker: "model", covers: "own-tool" });
    expect(ask.mock.calls.map(([{ reason }]) => reason)).toEqual([
      expect.stringContaining("declares itself read-only"),
      expect.stringContaining("may change something"),
      expect.stringContaining("may delete or overwrite something"),
    ]);
  });

  it("is not called if the operator denies it, or the app is closed, while the question is open", async () => {
    const { ask, request, call, policy, views } = setUp();
    ask.mockImplementationOnce(async () => {
      policy.all = { "app-tools/call": "deny" };
      return { answer: "allow" };
    });
    await expect(call()).rejects.toMatchObject(refused("not-allowed"));
    policy.all = {};
    ask.mockImplementationOnce(async () => {
      views.remove("v1");
      return { answer: "allow" };
    });
    await expect(call()).rejects.toMatchObject(refused("view-unknown"));
    expect(request).not.toHaveBeenCalled();
  });

  it("stays approved until the user revokes approvals", async () => {
    const { ask, call, guard } = setUp();
    ask.mockResolvedValue({ answer: "allow", remember: "session" });
    await call();
    await call();
    expect(ask).toHaveBeenCalledTimes(1);
    guard.consentsRevoked();
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

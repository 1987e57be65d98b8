import { JsonText, VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../../testing/gateway/guard-stage.js";
import type { AuditEntry } from "../store/store.js";
import { sha256 } from "./digest.js";
import { Idempotency, type IdempotencyOptions, type KeyedCall } from "./idempotency.js";

function setUp(limits: Partial<IdempotencyOptions> = {}) {
  const store = memoryStore();
  let time = 0;
  const idempotency = new Idempotency({ audit: store.audit, clock: () => time, ...limits });
  const call = (key: string, more: Partial<KeyedCall> = {}): KeyedCall => ({
    user: "ann",
    key,
    server: "shop",
    method: "tools/call",
    paramsHash: "1",
    caller: "view v1",
    identity: "1",
    isReplayable: async () => false,
    ...more,
  });
  /** Counts its runs. */
  const work = (result: unknown = { n: 1 }) =>
    vi.fn(async (started: () => void) => {
      started();
      return result;
    });
  return { store, idempotency, call, work, pass: (ms: number) => (time += ms) };
}

/** An entry of the audit log, without its key and params. */
const started: Omit<AuditEntry, "decision"> = {
  user: "ann",
  actor: "view",
  view: "v1",
  server: "shop",
  method: "tools/call",
  reason: "policy",
};
const conflict = { data: { code: "conflict" } };
const indeterminate = { data: { code: "indeterminate" } };

describe("the same key", () => {
  it("returns the same outcome to callers that arrive while it runs", async () => {
    const { idempotency, call } = setUp();
    let finish = (_result: object) => {};
    const run = vi.fn(async (started: () => void) => {
      started();
      return new Promise<object>((resolve) => (finish = resolve));
    });
    const both = [idempotency.run(call("k"), run), idempotency.run(call("k"), run)];
    await expect.poll(() => run.mock.calls.length).toBe(1);
    finish({ n: 1 });
    expect(await Promise.all(both)).toEqual([{ n: 1 }, { n: 1 }]);
    expect(run).toHaveBeenCalledOnce();
  });

  it("returns the same outcome to a view that was reopened after its session was lost, with another id", async () => {
    const { idempotency, call, work } = setUp();
    const run = work();
    await idempotency.run(call("k"), run);
    const again = call("k", { caller: "view v2", mayBeOld: true });
    expect(await idempotency.run(again, run)).toEqual({ n: 1 });
    expect(run).toHaveBeenCalledOnce();
    await expect(idempotency.run({ ...again, paramsHash: "2" }, run)).rejects.toMatchObject(conflict);
  });

  it("returns the same outcome for ten minutes, including errors", async () => {
    const { idempotency, call, work, pass, store } = setUp();
    const run = work();
    await idempotency.run(call("k"), run);
    pass(599_999);
    expect(await idempotency.run(call("k"), run)).toEqual({ n: 1 });
    expect(run).toHaveBeenCalledOnce();
    const fails = vi.fn(async (started: () => void) => {
      started();
      throw new Error("once");
    });
    await expect(idempotency.run(call("f"), fails)).rejects.toThrow("once");
    await expect(idempotency.run(call("f"), fails)).rejects.toThrow("once");
    expect(fails).toHaveBeenCalledOnce();
    expect(store.finds).toEqual(["k", "f"]);
    // After that, the audit log knows it, and it does not run again.
    await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
    pass(600_000);
    await expect(idempotency.run(call("k"), run)).rejects.toMatchObject(indeterminate);
    expect(run).toHaveBeenCalledOnce();
  });

  it.each([
    ["params", { paramsHash: "2" }],
    ["method", { method: "resources/read" }],
    ["server", { server: "bank" }],
    ["caller", { caller: "view v2" }],
  ])("attack C20: with another %s is a conflict, while it runs and afterwards", async (_what, more) => {
    const { idempotency, call, work } = setUp();
    const run = work();
    const other = work();
    const first = idempotency.run(call("k"), run);
    await expect(idempotency.run(call("k", more), other)).rejects.toMatchObject(conflict);
    await first;
    await expect(idempotency.run(call("k", more), other)).rejects.toMatchObject(conflict);
    expect(other).not.toHaveBeenCalled();
  });

  it("is indeterminate if another server has taken the name, while it runs and afterwards", async () => {
    const { idempotency, call, work } = setUp();
    const other = work();
    const first = idempotency.run(call("k"), work());
    await expect(idempotency.run(call("k", { identity: "2" }), other)).rejects.toMatchObject(indeterminate);
    await first;
    await expect(idempotency.run(call("k", { identity: "2" }), other)).rejects.toMatchObject(indeterminate);
    expect(other).not.toHaveBeenCalled();
  });

  it("of another user is a different key", async () => {
    const { idempotency, call, work } = setUp();
    await idempotency.run(call("k"), work({ of: "ann" }));
    expect(await idempotency.run(call("k", { user: "bob", paramsHash: "2" }), work({ of: "bob" }))).toEqual({
      of: "bob",
    });
  });

  it("can be used again if the call never started", async () => {
    const { idempotency, call, work } = setUp();
    const refused = async () => Promise.reject(new VitrineError(-32000, "denied"));
    await expect(idempotency.run(call("k"), refused)).rejects.toThrow("denied");
    expect(idempotency.count).toBe(0);
    await expect(idempotency.run(call("k"), work())).resolves.toEqual({ n: 1 });
  });

  it.each([
    ["overloaded", new GatewayError("overloaded", "HTTP 429", { data: { unsent: true } })],
    ["server-failed", new GatewayError("server-failed", "ECONNREFUSED", { data: { unsent: true } })],
    ["stopping", new GatewayError("stopping", "the server is being stopped")],
  ])("is free again after %s, if the server never got the call", async (_code, error) => {
    const { idempotency, call, work } = setUp();
    const fails = vi.fn(async (begun: () => void) => {
      begun();
      throw error;
    });
    await expect(idempotency.run(call("k"), fails)).rejects.toBe(error);
    await expect(idempotency.run(call("k"), work())).resolves.toEqual({ n: 1 });
  });

  it("is not cancelled for one caller because another cancelled it", async () => {
    const { idempotency, call, work } = setUp();
    let leave: ((error: Error) => void) | undefined;
    const first = idempotency.run(call("k"), () => new Promise((_resolve, reject) => (leave = reject)));
    const second = idempotency.run(call("k"), work());
    await expect.poll(() => leave).toBeDefined();
    leave?.(new VitrineError("aborted", "taken back"));
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    await expect(second).resolves.toEqual({ n: 1 });
  });

  it("is indeterminate if the first caller cancelled the call after it had started", async () => {
    const { idempotency, call, work, store } = setUp();
    let leave: ((error: Error) => void) | undefined;
    const first = idempotency.run(call("k"), async (start) => {
      const seq = await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
      start();
      return new Promise((_resolve, reject) => {
        leave = (error) => {
          store.audit.end(seq, { outcome: "indeterminate", code: "aborted", duration: 1 });
          reject(error);
        };
      });
    });
    const again = work();
    const second = idempotency.run(call("k"), again);
    await expect.poll(() => leave).toBeDefined();
    leave?.(new VitrineError("aborted", "taken back"));
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    await expect(second).rejects.toMatchObject({ data: { code: "indeterminate", indeterminate: true } });
    await expect(idempotency.run(call("k"), again)).rejects.toMatchObject(indeterminate);
    expect(again).not.toHaveBeenCalled();
    const safe = call("k", { isReplayable: async () => true });
    await expect(idempotency.run(safe, again)).resolves.toEqual({ n: 1 });
  });
});

describe("an old key", () => {
  it("without a record never started: it runs", async () => {
    const { idempotency, call, work, store } = setUp();
    await expect(idempotency.run(call("k", { mayBeOld: true }), work())).resolves.toEqual({ n: 1 });
    expect(store.finds).toEqual(["k"]);
  });

  it("with a record is indeterminate, and does not run", async () => {
    const { idempotency, call, work, store } = setUp();
    const seq = await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
    const run = work();
    await expect(idempotency.run(call("k", { mayBeOld: true }), run)).rejects.toMatchObject({
      data: { code: "indeterminate", outcome: "indeterminate" },
    });
    store.audit.end(seq, { outcome: "ok", duration: 1 });
    await expect(idempotency.run(call("k", { mayBeOld: true }), run)).rejects.toMatchObject({
      data: { code: "indeterminate", outcome: "ok" },
    });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ["whose entry could not be written", "audit-failed"],
    ["that was cancelled between its entry and its effect", "aborted"],
    ["whose view was closed between its entry and its effect", "view-unknown"],
  ])("%s never started: it runs", async (_what, code) => {
    const { idempotency, call, work, store } = setUp();
    const seq = await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
    store.audit.end(seq, { outcome: "cancelled", code, duration: 0 });
    await expect(idempotency.run(call("k", { mayBeOld: true }), work())).resolves.toEqual({ n: 1 });
  });

  it("runs again if that is harmless, and once for two callers", async () => {
    const { idempotency, call, work, store } = setUp();
    await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
    const run = work();
    const old = call("k", { mayBeOld: true, isReplayable: async () => true });
    expect(await Promise.all([idempotency.run(old, run), idempotency.run(old, run)])).toEqual([
      { n: 1 },
      { n: 1 },
    ]);
    expect(run).toHaveBeenCalledOnce();
  });

  it("attack C20: with other params is a conflict, even if it could run again", async () => {
    const { idempotency, call, work, store } = setUp();
    await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
    const more = { mayBeOld: true, paramsHash: "2", isReplayable: async () => true };
    await expect(idempotency.run(call("k", more), work())).rejects.toMatchObject(conflict);
  });

  it.each(["k", "page.1"])("does not run if the log cannot be read, and may have run: %s", async (key) => {
    const fails = async () => Promise.reject(new Error("database is locked"));
    const audit = { find: fails, mayHaveSeries: fails, isIncomplete: false };
    const { idempotency, call, work } = setUp({ audit });
    const run = work();
    await expect(idempotency.run(call(key), run)).rejects.toMatchObject({
      data: { code: "audit-failed", indeterminate: true },
      cause: { message: "database is locked" },
    });
    expect(run).not.toHaveBeenCalled();
  });

  it("D2: is looked up also for a caller that reports no earlier session", async () => {
    const { idempotency, call, work, store } = setUp();
    await store.audit.begin({ ...started, decision: "allowed", key: "page.1", paramsHash: "1" });
    const run = work();
    await expect(idempotency.run(call("page.1"), run)).rejects.toMatchObject(indeterminate);
    await expect(idempotency.run(call("page.1", { paramsHash: "2" }), run)).rejects.toMatchObject(conflict);
    expect(run).not.toHaveBeenCalled();
  });

  it("D1: is answered with its known outcome instead of a refusal", async () => {
    const { idempotency, call, store } = setUp();
    await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
    const refuse = () => Promise.reject(new VitrineError(-32050, "there is no such server"));
    await expect(idempotency.run(call("k"), refuse)).rejects.toMatchObject(indeterminate);
    await expect(idempotency.run(call("k", { server: undefined }), refuse)).rejects.toMatchObject(
      indeterminate,
    );
    await expect(idempotency.run(call("new"), refuse)).rejects.toThrow("no such server");
  });

  it("gets its stored result, with the same arguments and for the same caller", async () => {
    const store = memoryStore();
    const { idempotency, call, work } = setUp({ audit: store.audit, results: store.results });
    const seq = await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
    store.results.keep(seq, '{"n":1}');
    store.audit.end(seq, { outcome: "ok", duration: 1, resultHash: sha256('{"n":1}') });
    const run = work();
    expect(await idempotency.run(call("k"), run)).toEqual(new JsonText('{"n":1}'));
    await expect(idempotency.run(call("k", { paramsHash: "2" }), run)).rejects.toMatchObject(conflict);
    await expect(idempotency.run(call("k", { caller: "host" }), run)).rejects.toMatchObject(conflict);
    expect(run).not.toHaveBeenCalled();
  });
});

it.each([
  [
    "has another hash than the recorded one",
    { outcome: "ok", duration: 1, resultHash: sha256("{}") } as const,
  ],
  ["belongs to a call without an outcome", undefined],
])("a stored result that %s is not returned", async (_which, outcome) => {
  const store = memoryStore();
  const { idempotency, call, work } = setUp({ audit: store.audit, results: store.results });
  const seq = await store.audit.begin({ ...started, decision: "allowed", key: "k", paramsHash: "1" });
  store.results.keep(seq, '{"of":"another call"}');
  if (outcome) store.audit.end(seq, outcome);
  const run = work();
  await expect(idempotency.run(call("k"), run)).rejects.toMatchObject(indeterminate);
  expect(run).not.toHaveBeenCalled();
});

describe("memory", () => {
  it("is limited; keys that are forgotten early are looked up in the log", async () => {
    const { idempotency, call, store } = setUp({ entries: 10 });
    const recorded = (key: string) => async (began: () => void) => {
      await store.audit.begin({ ...started, decision: "allowed", key, paramsHash: "1" });
      began();
      return { n: 1 };
    };
    for (let n = 1; n <= 100; n++) {
      const key = `page.${n}`;
      await idempotency.run(call(key), recorded(key));
    }
    expect(idempotency.count).toBeLessThanOrEqual(10);
    // New keys need no lookup.
    expect(store.finds).toEqual([]);
    const run = vi.fn(recorded("page.98"));
    await expect(idempotency.run(call("page.5"), run)).rejects.toMatchObject(indeterminate);
    await expect(idempotency.run(call("page.98"), run)).resolves.toEqual({ n: 1 });
    expect(run).not.toHaveBeenCalled();
    expect(store.finds).toEqual(["page.5"]);
  });

  it("looks up keys without a number, and those of a known series", async () => {
    const { idempotency, call, work, store } = setUp();
    await store.audit.begin({ ...started, decision: "allowed", key: "old.7", paramsHash: "1" });
    for (const key of ["uuid-a", "old.8", "old.9", "new.1", "new.2"])
      await idempotency.run(call(key), work());
    expect(store.finds).toEqual(["uuid-a", "old.8", "old.9"]);
  });

  it("looks up a number of a new series that arrived before", async () => {
    const { idempotency, call, work, store } = setUp({ entries: 1 });
    await Promise.all(["new.2", "new.1", "new.3"].map((key) => idempotency.run(call(key), work())));
    expect(store.finds).toEqual(["new.1"]);
  });

  it("does not treat a key as new because its series was forgotten while its call was running", async () => {
    const { idempotency, call, work, store } = setUp({ entries: 10 });
    const recorded = (key: string) =>
      vi.fn(async (began: () => void) => {
        await store.audit.begin({ ...started, decision: "allowed", key, paramsHash: "1" });
        began();
        return { n: 1 };
      });
    // The user is asked, so nothing is recorded yet. Meanwhile others fill the list of series.
    let agree = (): void => {};
    const asked = new Promise<void>((resolve) => (agree = resolve));
    const run = recorded("page.7");
    const first = idempotency.run(call("page.7"), async (began) => {
      await asked;
      return run(began);
    });
    for (let n = 0; n < 10_000; n++) await idempotency.run(call(`other-${n}.1`), work());
    await idempotency.run(call("page.6"), work());
    agree();
    await first;
    for (let n = 0; n < 20; n++) await idempotency.run(call(`later-${n}.1`), work());
    await expect(idempotency.run(call("page.7"), run)).rejects.toMatchObject(indeterminate);
    expect(run).toHaveBeenCalledOnce();
  });

  it("stores no large result, only that there was one", async () => {
    const { idempotency, call, work } = setUp({ result: 100 });
    const run = work(new JsonText(`"${"x".repeat(1000)}"`));
    await idempotency.run(call("k"), run);
    await expect(idempotency.run(call("k"), run)).rejects.toMatchObject(indeterminate);
    await idempotency.run(call("k", { isReplayable: async () => true }), run);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it("holds no more characters than its limit", async () => {
    const { idempotency, call, work } = setUp({ total: 10_000, result: 5_000 });
    for (let n = 0; n < 100; n++) await idempotency.run(call(`p.${n}`), work({ text: "x".repeat(2_000) }));
    expect(idempotency.count).toBeLessThan(5);
  });
});

import { describe, expect, it, vi } from "vitest";
import { fakeUpstream, tool, visibleTo } from "../../../../testing/fake-upstream.js";
import type { AuditRow } from "./audit.js";
import type { Ask } from "./consent.js";
import * as examples from "./guard.examples.js";
import type { ViewCall } from "./link.js";
import { isRefusal } from "./refusal.js";
import { type GuardOptions, standardGuard } from "./standard.js";

function setUp(options: GuardOptions = {}) {
  const rows: AuditRow[] = [];
  const upstream = fakeUpstream({
    "tools/list": () => ({
      tools: [
        tool("look", { annotations: { readOnlyHint: true } }),
        tool("pay"),
        tool("secret", { ...visibleTo("model"), annotations: { readOnlyHint: true } }),
      ],
    }),
    "tools/call": () => ({ content: [] }),
    "resources/read": () => ({ contents: [] }),
  });
  const guard = standardGuard(upstream, {
    audit: { sink: (row) => void rows.push(row) },
    now: () => 0,
    ...options,
  });
  const send = (method: string, params: Record<string, unknown> = {}, signal?: AbortSignal) =>
    guard(
      { view: "v", server: "shop", method: method as ViewCall["method"], params, signal },
      ({ method, params }) => upstream.request(method as "tools/call", params as { name: string }),
    );
  return { rows, upstream, guard, send };
}

describe("standardGuard", () => {
  it("lets a view work, with one row for each call", async () => {
    const { send, rows, upstream } = setUp({ ask: async () => ({ answer: "allow" }) });
    await send("tools/call", { name: "look" });
    await send("tools/call", { name: "pay" });
    expect(upstream.asked.filter((method) => method === "tools/call")).toHaveLength(2);
    expect(rows.map(({ outcome, target }) => `${outcome} ${target}`)).toEqual([
      "allowed look",
      "allowed pay",
    ]);
  });

  it.each([
    ["attack C01", "tools/call", { name: "secret" }, "tool-not-visible"],
    ["attack C02", "tools/call", { name: "gone" }, "tool-unknown"],
    ["attack C03", "tools/call", { name: "look", server: "bank" }, "other-server"],
    ["attack C06", "resources/read", { uri: "file:///etc/passwd" }, "resource-unknown"],
    ["attack C07", "__resources_read__", { uri: "x:" }, "method-unknown"],
    ["attack C14", "ui/open-link", { url: "javascript:x" }, "link-invalid"],
    ["attack C15", "ui/message", { content: "x".repeat(1_000_000) }, "too-large"],
    ["attack A42", "ui/open-link", { url: "https://evil.example" }, "denied"],
    ["attack D05", "tools/call", { name: "pay" }, "denied"],
  ])("%s: %s %j ends with one row, and no call", async (_attack, method, params, code) => {
    const { send, rows, upstream } = setUp();
    await expect(send(method, params)).rejects.toSatisfy(isRefusal);
    expect(rows.map((row) => [row.outcome, row.code])).toEqual([["refused", code]]);
    expect(upstream.asked.filter((asked) => !asked.endsWith("/list"))).toEqual([]);
  });

  it("attack C01: the user is not asked about a call that is refused anyway", async () => {
    const ask = vi.fn<Ask>(async () => ({ answer: "allow" }));
    const { send } = setUp({ ask });
    for (const name of ["secret", "gone"]) await expect(send("tools/call", { name })).rejects.toBeDefined();
    expect(ask).not.toHaveBeenCalled();
  });

  it("attack D05: calls that wait for a user do not block others", async () => {
    const { send } = setUp({ ask: () => new Promise(() => {}), concurrency: { perView: 1 } });
    const controller = new AbortController();
    const waiting = send("tools/call", { name: "pay" }, controller.signal);
    await expect(send("tools/call", { name: "look" })).resolves.toBeDefined();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  it("attack D05: a view has so many calls under way at its server, and the rest wait", async () => {
    const { send, upstream } = setUp({ concurrency: { perView: 2 } });
    const ends: (() => void)[] = [];
    upstream.answers["tools/call"] = () =>
      new Promise<object>((resolve) => ends.push(() => resolve({ content: [] })));
    const all = [1, 2, 3].map(() => send("tools/call", { name: "look" }));
    await expect.poll(() => ends).toHaveLength(2);
    ends[0]?.();
    await expect.poll(() => ends).toHaveLength(3);
    for (const end of ends) end();
    await expect(Promise.all(all)).resolves.toHaveLength(3);
  });

  it("attack D03: a flood costs the server nothing", async () => {
    const { send, upstream, rows } = setUp();
    const flood = Array.from({ length: 10_000 }, () => send("tools/call", { name: "gone" }));
    const ends = await Promise.allSettled(flood);
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
    expect(upstream.asked).toEqual(["tools/list"]);
    expect(rows).toHaveLength(10_000);
  });

  it("D3, D4: has two listeners on its server, and none when closed", () => {
    const { guard, upstream } = setUp();
    expect(upstream.listeners).toBe(2);
    guard.close();
    expect(upstream.listeners).toBe(0);
  });

  it("D1: is closed without any option", async () => {
    const upstream = fakeUpstream({ "tools/list": () => ({ tools: [tool("pay")] }) });
    const call: ViewCall = { view: "v", server: "shop", method: "tools/call", params: { name: "pay" } };
    await expect(standardGuard(upstream)(call, async () => ({}))).rejects.toMatchObject({
      data: { code: "denied" },
    });
  });

  it("shares consent between the guards of many servers, each for itself", async () => {
    const ask = vi.fn<Ask>(async () => ({ answer: "allow", remember: "session" }));
    const tools = { "tools/list": () => ({ tools: [tool("pay")] }) };
    const upstreams = [fakeUpstream(tools, "a"), fakeUpstream(tools, "b"), fakeUpstream(tools, "a")];
    const guards = examples.memoryConsentsExample(upstreams, async (...args) => ask(...args));
    for (const [index, guard] of guards.entries()) {
      const server = upstreams[index]?.server ?? "";
      await guard({ view: "v", server, method: "tools/call", params: { name: "pay" } }, async () => ({}));
    }
    expect(ask.mock.calls.map(([question]) => question.server)).toEqual(["a", "b"]);
    const rows: AuditRow[] = [];
    const save = (row: AuditRow) => void rows.push(row);
    expect(examples.standardGuardExample(fakeUpstream(), async (...args) => ask(...args), save)).toBeTypeOf(
      "function",
    );
  });
});

describe("refusals", () => {
  it("C03: explain the reason to users and programs", async () => {
    const { send, guard } = setUp({ rates: { call: { burst: 0, perSecond: 10 } } });
    const wait = vi.fn();
    const call: ViewCall = { view: "v", server: "shop", method: "tools/call", params: { name: "look" } };
    await expect(examples.isRefusalExample(guard, call, async () => ({}), wait)).rejects.toThrow(
      /try again in 100 ms/,
    );
    expect(wait).toHaveBeenCalledWith(100);
    expect(isRefusal(await send("x").catch((error) => error))).toBe(true);
    expect(isRefusal(new Error("x"))).toBe(false);
  });

  it("the first link of a chain sees the refusals of the others", async () => {
    const log = vi.fn();
    const guard = examples.chainExample(log);
    const call: ViewCall = { view: "v", server: "shop", method: "tools/call", params: {} };
    await expect(guard(call, async () => ({}))).rejects.toThrow("no tools here");
    expect(log).toHaveBeenCalledOnce();
  });
});

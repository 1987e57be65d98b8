import { VitrineError } from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import { type AuditOptions, type AuditRow, writeAudit } from "./audit.js";
import * as examples from "./guard.examples.js";
import type { Next, ViewCall } from "./link.js";
import { Refusal } from "./refusal.js";

function setUp(options: Partial<AuditOptions> = {}) {
  const rows: AuditRow[] = [];
  const clock = { time: 1000 };
  const link = writeAudit({ sink: (row) => void rows.push(row), ...options }, () => clock.time);
  const send = (method: ViewCall["method"], params: Record<string, unknown>, next: Next = async () => ({})) =>
    link({ view: "v", server: "shop", method, params }, next);
  return { rows, clock, send };
}

describe("writeAudit", () => {
  it("has one row for a call, when it is over, without payloads", async () => {
    const { rows, clock, send } = setUp();
    await send("tools/call", { name: "pay", arguments: { card: "4111" } }, async () => {
      expect(rows).toEqual([]);
      clock.time += 250;
      return { content: [], structuredContent: { secret: "x".repeat(100) } };
    });
    expect(rows).toEqual([
      {
        time: 1000,
        view: "v",
        server: "shop",
        method: "tools/call",
        target: "pay",
        outcome: "allowed",
        code: undefined,
        duration: 250,
        size: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/4111|xxx/);
    expect(rows[0]?.size).toBeGreaterThan(100);
  });

  it("has one row for each refused action, with its code, and forwards the refusal", async () => {
    const { rows, send } = setUp();
    const refuse = async () => {
      throw new Refusal("denied", "no");
    };
    for (let n = 0; n < 3; n++) await expect(send("ui/message", {}, refuse)).rejects.toBeInstanceOf(Refusal);
    expect(rows.map(({ outcome, code }) => [outcome, code])).toEqual(Array(3).fill(["refused", "denied"]));
  });

  it("attack D03: a flood of dropped notifications is one row", async () => {
    const { rows, send } = setUp();
    for (let n = 0; n < 100; n++) {
      const refusal = new Refusal("rate-limited", "slow", n > 0 ? { repeated: true } : {});
      await expect(send("notifications/message", {}, () => Promise.reject(refusal))).rejects.toBe(refusal);
    }
    expect(rows).toHaveLength(1);
  });

  it("distinguishes a failure from a refusal, whatever a server sends", async () => {
    const { rows, send } = setUp();
    const forged = new VitrineError(-32000, "no", { data: { code: "denied" } });
    await expect(send("tools/call", { name: "x" }, () => Promise.reject(forged))).rejects.toBe(forged);
    await expect(send("tools/call", { name: "x" }, () => Promise.reject(new Error("?")))).rejects.toThrow(
      "?",
    );
    expect(rows.map(({ outcome, code }) => [outcome, code])).toEqual([
      ["failed", -32000],
      ["failed", undefined],
    ]);
  });

  it.each([
    ["resources/read", { uri: "file:///a" }, "file:///a"],
    ["prompts/get", { name: "p" }, "p"],
    ["ui/open-link", { url: "https://evil.example:8/?secret=1" }, "evil.example:8"],
    ["ui/open-link", { url: "javascript:secret" }, undefined],
    ["ui/message", { content: "secret" }, undefined],
    ["tools/call", { name: "n".repeat(10_000) }, "n".repeat(500)],
    ["tools/call", { name: "pay", uri: "note://harmless" }, "pay"],
    ["resources/read", { uri: "note://2", name: "harmless" }, "note://2"],
  ] as const)("attack A42: %s %j is recorded as %j", async (method, params, target) => {
    const { rows, send } = setUp();
    await send(method, params);
    expect(rows[0]?.target).toBe(target);
  });

  it("attack A42: another record keeper gets the same", () => {
    expect(examples.targetOfExample()).toBe("evil.example");
  });

  it("records params only when asked to", async () => {
    const { rows, send } = setUp({ payloads: true });
    await send("tools/call", { name: "pay", arguments: { a: 1 } });
    expect(rows[0]?.params).toEqual({ name: "pay", arguments: { a: 1 } });
  });

  it.each([
    () => {
      throw new Error("disk");
    },
    () => Promise.reject(new Error("disk")),
  ])("a failing sink stops nothing, and the host is notified (%#)", async (sink) => {
    const onerror = vi.fn();
    const { send } = setUp({ sink, onerror });
    await expect(send("ping", {})).resolves.toEqual({});
    await expect.poll(() => onerror).toHaveBeenCalledWith(new Error("disk"));
    await expect(setUp({ sink }).send("ping", {})).resolves.toEqual({});
    expect(examples.writeAuditExample(async () => {}, onerror)).toBeTypeOf("function");
  });
});

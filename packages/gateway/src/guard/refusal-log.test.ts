import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuditEntry } from "../store/store.js";
import { RefusalLog } from "./refusal-log.js";

const entry = (reason: string, view = "v1"): AuditEntry => ({
  user: "ann",
  actor: "view",
  view,
  server: "shop",
  method: "tools/call",
  decision: "refused",
  reason,
});

function setUp() {
  const written: string[] = [];
  const onerror = vi.fn();
  const failing: { error?: Error } = {};
  const log = new RefusalLog({
    write: async ({ view, reason }) => {
      if (failing.error) throw failing.error;
      written.push(`${view} ${reason}`);
    },
    onerror,
  });
  return { log, written, onerror, failing };
}

describe("RefusalLog", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("writes a row for each refusal", async () => {
    const { log, written } = setUp();
    await log.note("v1", entry("tool-unknown"));
    await log.note("v1", entry("denied"));
    expect(written).toEqual(["v1 tool-unknown", "v1 denied"]);
  });

  it("writes one row per second for rate limit refusals, with their number", async () => {
    const { log, written } = setUp();
    for (let n = 0; n < 1000; n++) await log.note("v1", entry("rate-limited"));
    expect(written).toEqual(["v1 rate-limited"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(written).toEqual(["v1 rate-limited", "v1 rate-limited ×999"]);
    await log.note("v1", entry("rate-limited"));
    await vi.advanceTimersByTimeAsync(5000);
    expect(written).toEqual(["v1 rate-limited", "v1 rate-limited ×999", "v1 rate-limited"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("writes a few rows with numbers for a flood of any refusals", async () => {
    const { log, written } = setUp();
    for (let n = 0; n < 10_000; n++) await log.note("v1", entry(n % 2 ? "tool-unknown" : "method-unknown"));
    await vi.advanceTimersByTimeAsync(1000);
    expect(written).toHaveLength(22);
    expect(written.slice(-2)).toEqual(["v1 method-unknown ×4990", "v1 tool-unknown ×4990"]);
  });

  it("does not drop rows of a view because another floods", async () => {
    const { log, written } = setUp();
    for (let n = 0; n < 100; n++) await log.note("v1", entry("tool-unknown"));
    await log.note("v2", entry("tool-unknown", "v2"));
    expect(written).toContain("v2 tool-unknown");
  });

  it("writes its summaries when the view is closed", async () => {
    const { log, written } = setUp();
    for (let n = 0; n < 3; n++) await log.note("v1", entry("rate-limited"));
    await log.flush("v2");
    await log.flush("v1");
    expect(written).toEqual(["v1 rate-limited", "v1 rate-limited ×2"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("reports that a row could not be written", async () => {
    const { log, onerror, failing } = setUp();
    failing.error = new Error("disk full");
    await log.note("v1", entry("denied"));
    expect(onerror).toHaveBeenCalledWith(failing.error);
  });
});

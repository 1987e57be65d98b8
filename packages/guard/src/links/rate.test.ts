import { describe, expect, it, vi } from "vitest";
import * as examples from "./guard.examples.js";
import type { ViewCall } from "./link.js";
import { limitRate, RATE_LIMITS } from "./rate.js";
import { isRefusal, type Refusal } from "./refusal.js";

function setUp(limits?: Parameters<typeof limitRate>[0]) {
  const clock = { time: 1_000_000 };
  const link = limitRate(limits, () => clock.time);
  const next = vi.fn(async () => ({}));
  const send = (method: ViewCall["method"], view = "v") =>
    link({ view, server: "s", method, params: {} }, next);
  const flood = async (method: ViewCall["method"], count: number, view?: string): Promise<Refusal[]> => {
    const ends = await Promise.allSettled(Array.from({ length: count }, () => send(method, view)));
    return ends.flatMap((end) => (end.status === "rejected" && isRefusal(end.reason) ? [end.reason] : []));
  };
  return { clock, next, send, flood };
}

describe("limitRate", () => {
  it("attack D05: of 10,000 calls a burst passes, and each of the others gets the time to retry", async () => {
    const { flood, next, clock, send } = setUp();
    const refused = await flood("tools/call", 10_000);
    expect(next).toHaveBeenCalledTimes(RATE_LIMITS.call.burst);
    expect(refused).toHaveLength(10_000 - RATE_LIMITS.call.burst);
    const [first] = refused;
    expect(first).toMatchObject({ code: -32000, data: { code: "rate-limited", retryAfter: 50 } });
    expect(refused.some(({ data }) => data.repeated)).toBe(false);
    clock.time += 49;
    await expect(send("tools/call")).rejects.toBeDefined();
    clock.time += 1;
    await expect(send("tools/call")).resolves.toBeDefined();
    await expect(send("tools/call")).rejects.toBeDefined();
  });

  it("attack D03: of 100,000 notifications a burst passes, and there is one notice", async () => {
    const { flood, next, clock } = setUp();
    const dropped = await flood("ui/notifications/size-changed", 100_000);
    expect(next).toHaveBeenCalledTimes(RATE_LIMITS.other.burst);
    expect(dropped.filter(({ data }) => !data.repeated)).toHaveLength(1);
    // The flood continues: single calls that pass do not cause another notice.
    clock.time += 500;
    expect((await flood("ui/notifications/size-changed", 1000)).filter(({ data }) => !data.repeated)).toEqual(
      [],
    );
    // The flood stopped, and a new one started.
    clock.time += 60_000;
    expect(
      (await flood("ui/notifications/size-changed", 1000)).filter(({ data }) => !data.repeated),
    ).toHaveLength(1);
  });

  it("attack D03: a flood of one kind, or of one view, is nothing to the others", async () => {
    const { flood, send } = setUp();
    await flood("notifications/message", 1000);
    await flood("tools/call", 1000);
    await expect(send("ui/message")).resolves.toBeDefined();
    await expect(send("resources/read")).resolves.toBeDefined();
    await expect(send("ui/update-model-context")).resolves.toBeDefined();
    await expect(send("tools/call", "w")).resolves.toBeDefined();
  });

  it("attack C15: 100 messages in a second are ten", async () => {
    const { flood, next } = setUp();
    await flood("ui/message", 100);
    expect(next).toHaveBeenCalledTimes(10);
  });

  it("I11: messages, links, downloads and sampling share one limit that protects the user", async () => {
    const { send } = setUp({ person: { burst: 3, perSecond: 1 } });
    await send("ui/open-link");
    await send("ui/download-file");
    await send("sampling/createMessage");
    await expect(send("ui/message")).rejects.toMatchObject({ data: { retryAfter: 1000 } });
  });

  it("a clock that is set back takes nothing away", async () => {
    const { send, clock } = setUp({ call: { burst: 2, perSecond: 1 } });
    await send("tools/call");
    clock.time -= 1_000_000;
    await expect(send("tools/call")).resolves.toBeDefined();
    clock.time += 1000;
    await expect(send("tools/call")).resolves.toBeDefined();
  });

  it("attack D03: thousands of views come and go, and one that was refused stays refused", async () => {
    const { send, flood, clock } = setUp({ call: { burst: 1, perSecond: 0.001 } });
    await flood("tools/call", 1, "hostile");
    for (let view = 0; view < 3000; view++) {
      clock.time += 1;
      await send("ping", String(view));
      if (view % 900 > 0) continue;
      await expect(send("tools/call", "hostile")).rejects.toMatchObject({ data: { code: "rate-limited" } });
    }
  });

  it("uses real time without a clock", async () => {
    const link = examples.limitRateExample();
    const send = () => link({ view: "v", server: "s", method: "ui/message", params: {} }, async () => ({}));
    await Promise.all([send(), send(), send()]);
    await expect(send()).rejects.toMatchObject({ data: { code: "rate-limited" } });
  });
});

import type { TrafficMessage } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { ServerTraffic } from "./server-traffic.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const MINE = `00-${TRACE}-00f067aa0ba902b7-00`;
const OTHERS = `00-${TRACE}-11f067aa0ba902b7-00`;

/** Watches a server that another user uses too; the own call has the `traceparent` {@link MINE}. */
function watch(isShared: boolean) {
  const seen: TrafficMessage[] = [];
  const traffic = new ServerTraffic({
    fields: () => ["password"],
    isShared,
    originOf: (traceparent) => (traceparent === MINE ? { actor: "host" } : undefined),
    take: (message) => seen.push(message),
  });
  const call = (id: string | number, traceparent: string, method = "tools/call") =>
    traffic.take({
      direction: "sent",
      message: { id, method, params: { _meta: { traceparent, progressToken: id } } },
    });
  const answer = (id: string | number, result: unknown = {}) =>
    traffic.take({ direction: "received", message: { id, result } });
  return { seen, traffic, call, answer };
}

describe("ServerTraffic", () => {
  it("shows at a shared server the own calls only, though another caller chose the same trace id", () => {
    const { seen, traffic, call, answer } = watch(true);
    call(1, MINE);
    call(2, OTHERS);
    for (const progressToken of [1, 2])
      traffic.take({
        direction: "received",
        message: { method: "notifications/progress", params: { progressToken } },
      });
    answer(1, "mine");
    answer(2, "not mine");
    expect(seen.map(({ kind, trace, by }) => [kind, trace, by?.actor])).toEqual([
      ["request", TRACE, "host"],
      ["notification", TRACE, "host"],
      ["result", TRACE, "host"],
    ]);
    expect(JSON.stringify(seen)).not.toContain("not mine");
  });

  it("cuts long ids and methods, and matches no answer by a cut id", () => {
    const { seen, call, answer } = watch(false);
    const id = "i".repeat(100_000);
    call(id, MINE, "m".repeat(100_000));
    answer(`${id}2`);
    expect(seen[0]?.method).toBe("m".repeat(200));
    expect(seen.map((message) => message.id)).toEqual(["i".repeat(200), "i".repeat(200)]);
    expect(seen[1]).toMatchObject({ kind: "result", method: undefined });
    expect(seen[1]).not.toHaveProperty("duration");
  });

  it("masks secrets in texts that are JSON", () => {
    const { seen, answer } = watch(false);
    answer(1, { content: [{ type: "text", text: '{"password":"hunter2"}' }] });
    expect(seen[0]?.text).toContain("[redacted]");
    expect(seen[0]?.text).not.toContain("hunter2");
  });
});

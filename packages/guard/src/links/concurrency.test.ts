import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fairGate, limitConcurrency } from "./concurrency.js";
import * as examples from "./guard.examples.js";
import type { ViewCall } from "./link.js";

/** Runs all pending microtasks and tasks. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

function setUp(limits: Parameters<typeof limitConcurrency>[0]) {
  const link = limitConcurrency(limits);
  const running: { name: string; end: () => void; fail: () => void }[] = [];
  const started: string[] = [];
  const send = (
    view: string,
    name: string,
    signal?: AbortSignal,
    method: ViewCall["method"] = "tools/call",
  ) =>
    link({ view, server: "s", method, params: { name }, signal }, ({ params }) => {
      started.push(String(params["name"]));
      return new Promise((resolve, reject) => {
        running.push({ name, end: () => resolve({}), fail: () => reject(new Error("failed")) });
      });
    });
  const endFirst = async () => {
    running.shift()?.end();
    await settle();
  };
  return { send, running, started, endFirst };
}

describe("limitConcurrency", () => {
  it("attack D05: one view runs so many at a time, and the others wait in order", async () => {
    const { send, started, endFirst } = setUp({ perView: 2 });
    const all = ["1", "2", "3", "4"].map((name) => send("v", name));
    await settle();
    expect(started).toEqual(["1", "2"]);
    await endFirst();
    expect(started).toEqual(["1", "2", "3"]);
    await endFirst();
    await endFirst();
    await endFirst();
    await Promise.all(all);
    expect(started).toEqual(["1", "2", "3", "4"]);
  });

  it("attack D05: views take turns, however many calls one has waiting", async () => {
    const { send, started, endFirst } = setUp({ perView: 5, total: 1 });
    for (const name of ["a1", "a2", "a3", "a4"]) send("a", name);
    for (const name of ["b1", "b2"]) send("b", name);
    send("c", "c1");
    for (let step = 0; step < 7; step++) await endFirst();
    expect(started).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  it("I12: a call that is cancelled while it waits never starts", async () => {
    const { send, started, endFirst } = setUp({ perView: 1 });
    const controller = new AbortController();
    send("v", "1");
    const second = send("v", "2", controller.signal);
    const third = send("v", "3");
    await settle();
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    await endFirst();
    await endFirst();
    await third;
    expect(started).toEqual(["1", "3"]);
    await expect(send("v", "4", controller.signal)).rejects.toMatchObject({ code: "aborted" });
  });

  it("a call that fails makes room", async () => {
    const { send, running, started } = setUp({ perView: 1 });
    const first = send("v", "1");
    send("v", "2");
    await settle();
    running.shift()?.fail();
    await expect(first).rejects.toThrow("failed");
    await settle();
    expect(started).toEqual(["1", "2"]);
  });

  it("attack D05: the queue is bounded", async () => {
    const { send } = setUp({ perView: 1, waiting: 2 });
    for (const name of ["1", "2", "3"]) send("v", name);
    await expect(send("v", "4")).rejects.toMatchObject({ data: { code: "rate-limited" } });
    send("w", "5");
  });

  it("L10: requests that the host answers itself never wait", async () => {
    const { send, started } = setUp({ perView: 1 });
    send("v", "1");
    send("v", "2", undefined, "ping");
    send("v", "3", undefined, "ui/message");
    await settle();
    expect(started.sort()).toEqual(["1", "2", "3"]);
    expect(examples.limitConcurrencyExample()).toBeTypeOf("function");
  });
});

describe("fairGate", () => {
  it("attack D05: never runs more than its limits, and runs everything", async () => {
    const job = fc.record({ view: fc.constantFrom("a", "b", "c"), abort: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { maxLength: 40 }), fc.scheduler(), async (jobs, scheduler) => {
        const gate = fairGate({ perView: 2, total: 3, waiting: 100 });
        const now = new Map<string, number>();
        let ran = 0;
        const all = jobs.map(({ view, abort }, index) => {
          const controller = new AbortController();
          const done = gate(view, controller.signal, async () => {
            now.set(view, (now.get(view) ?? 0) + 1);
            expect(now.get(view)).toBeLessThanOrEqual(2);
            expect([...now.values()].reduce((a, b) => a + b)).toBeLessThanOrEqual(3);
            await scheduler.schedule(Promise.resolve(), `job ${index}`);
            now.set(view, (now.get(view) ?? 0) - 1);
            ran++;
          });
          if (abort) controller.abort();
          return done.then(
            () => "ran",
            (error) => error.code,
          );
        });
        await scheduler.waitFor(Promise.all(all));
        const ends = await Promise.all(all);
        expect(ends.every((end) => end === "ran" || end === "aborted")).toBe(true);
        expect(ends.filter((end) => end === "ran")).toHaveLength(ran);
        jobs.forEach(({ abort }, index) => {
          if (!abort) expect(ends[index]).toBe("ran");
        });
      }),
    );
  });
});

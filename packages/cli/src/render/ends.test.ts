import { expect, it, vi } from "vitest";
import { endAll } from "./ends.js";

it("closes all of them, in order, even after one that throws and one that never ends, and reports those", async () => {
  const ended: string[] = [];
  const fine = (what: string) => ({ what, end: async () => void ended.push(what) });
  const problems = await endAll(
    [
      fine("a"),
      { what: "the thrower", end: () => Promise.reject(new Error("no")) },
      {
        what: "the quick thrower",
        end: () => {
          throw new Error("at once");
        },
      },
      fine("b"),
      { what: "the sleeper", end: () => new Promise(() => {}) },
      fine("c"),
    ],
    20,
  );
  expect(ended).toEqual(["a", "b", "c"]);
  expect(problems).toEqual([
    "the thrower did not end: no",
    "the quick thrower did not end: at once",
    "the sleeper did not end: it took longer than 20 ms",
  ]);
});

it("leaves no timer behind", async () => {
  vi.useFakeTimers();
  try {
    expect(await endAll([{ what: "x", end: async () => {} }])).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { Observable, quietly } from "./observable.js";

class Counter extends Observable {
  count = 0;

  add(): void {
    this.count++;
    this.changed();
  }
}

/** A counter, and the values that its listeners saw. */
function watched(): { counter: Counter; seen: number[] } {
  const counter = new Counter();
  const seen: number[] = [];
  counter.subscribe(() => seen.push(counter.count));
  return { counter, seen };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
afterEach(() => vi.useRealTimers());

describe("changes", () => {
  it("are reported soon, and many at once", async () => {
    const { counter, seen } = watched();
    counter.add();
    counter.add();
    expect(seen).toEqual([]);
    await settle();
    expect(seen).toEqual([2]);
  });

  it("are reported once when held-back work is done, whatever its outcome", async () => {
    const { counter, seen } = watched();
    const version = counter.version;
    const work = async (): Promise<void> => {
      await settle();
      for (let n = 0; n < 3; n++) {
        counter.add();
        await settle();
      }
      expect([seen, counter.version]).toEqual([[], version]);
      throw new Error("no");
    };
    await expect(quietly(work(), 60_000)).rejects.toThrow("no");
    await settle();
    expect([seen, counter.version]).toEqual([[3], version + 1]);
    counter.add();
    await settle();
    expect(seen).toEqual([3, 4]);
  });

  it("are not held longer than the limit, and not released by a later end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { counter, seen } = watched();
    let endFirst = (): void => {};
    let endSecond = (): void => {};
    const first = quietly(new Promise<void>((resolve) => (endFirst = resolve)), 100);
    counter.add();
    await settle();
    vi.advanceTimersByTime(100);
    await settle();
    expect(seen).toEqual([1]);
    const second = quietly(new Promise<void>((resolve) => (endSecond = resolve)), 100);
    counter.add();
    await settle();
    endFirst();
    await first;
    expect(seen).toEqual([1]);
    endSecond();
    await second;
    await settle();
    expect(seen).toEqual([1, 2]);
  });

  it("during consecutive held-back work are reported when the first is late", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { counter, seen } = watched();
    const never = new Promise<void>(() => {});
    void quietly(never, 100);
    counter.add();
    await settle();
    vi.advanceTimersByTime(60);
    void quietly(never, 100);
    vi.advanceTimersByTime(40);
    await settle();
    expect(seen).toEqual([1]);
  });

  it("during concurrent held-back work are reported when all are done; a listener that throws does not affect others", async () => {
    const thrown: unknown[] = [];
    const hear = (error: unknown): void => void thrown.push(error);
    process.on("uncaughtException", hear);
    const [first, second] = [watched(), watched()];
    first.counter.subscribe(() => {
      throw new Error("of a listener");
    });
    let endFirst = (): void => {};
    let endSecond = (): void => {};
    const one = quietly(new Promise<void>((resolve) => (endFirst = resolve)), 60_000);
    const other = quietly(new Promise<void>((resolve) => (endSecond = resolve)), 60_000);
    first.counter.add();
    second.counter.add();
    await settle();
    endFirst();
    await one;
    await settle();
    expect([first.seen, second.seen]).toEqual([[], []]);
    endSecond();
    await other;
    await settle();
    process.off("uncaughtException", hear);
    expect([first.seen, second.seen]).toEqual([[1], [1]]);
    expect(thrown).toEqual([new Error("of a listener")]);
  });
});

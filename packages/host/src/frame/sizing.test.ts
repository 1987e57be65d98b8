import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Sizing } from "./sizing.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MAX = 4000;
const START = 150;

/** A view that reports this size after its frame got another height, after this delay. */
function loop(next: (height: number) => number, latency: () => number): Sizing {
  const report = (height: number): void => {
    setTimeout(() => sizing.follow(next(height), MAX), latency());
  };
  const sizing: Sizing = new Sizing(START, report);
  report(START);
  return sizing;
}

/** A view whose content grows by a line each time. Resolves with all heights of its frame. */
async function log(lines: number, pause: (line: number) => number): Promise<number[]> {
  const heights: number[] = [];
  const sizing = new Sizing(START, (height) => heights.push(height));
  for (let line = 1; line <= lines; line++) {
    sizing.follow(START + line * 20, MAX);
    await vi.advanceTimersByTimeAsync(pause(line));
  }
  await vi.advanceTimersByTimeAsync(2_000);
  return heights;
}

/** The frame ends at the height of its content, and never shrank along the way. */
function expectGrowth(heights: readonly number[], lines: number): void {
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
  expect(heights.at(-1)).toBe(START + lines * 20);
}

describe("a feedback loop", () => {
  it.each([
    ["by a constant", (height: number) => height + 20],
    ["by a share", (height: number) => height * 1.1],
    ["by steps that differ", (height: number) => height + 3 + (height % 7)],
  ])("that grows %s is reset and held", async (_name, next) => {
    const sizing = loop(next, () => 20);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sizing.height).toBe(START);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sizing.height).toBe(START);
  });

  it("is found when it reacts slowly and not always equally fast", async () => {
    let times = 0;
    const sizing = loop(
      (height) => height + 20,
      () => 200 + (times++ % 4) * 30,
    );
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sizing.height).toBe(START);
  });

  it("follows its view again when that reports another height", async () => {
    const sizing = loop(
      (height) => height + 20,
      () => 20,
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sizing.height).toBe(START);
    sizing.follow(100, MAX);
    expect(sizing.height).toBe(100);
  });
});

describe("content that grows", () => {
  it.each([0, 16, 50, 300, 400, 500, 700, 1000, 1100, 1500, 3000, 60_000])(
    "by one line each %d ms keeps growing",
    async (pause) => {
      expectGrowth(await log(150, () => pause), 150);
    },
  );

  it("by one line now and then keeps growing", async () => {
    let seed = 7;
    const random = (): number => {
      seed = (seed * 16_807) % 2_147_483_647;
      return (seed % 1500) + 1;
    };
    expectGrowth(await log(150, random), 150);
  });

  it("is limited, and invalid heights are ignored", () => {
    const sizing = new Sizing(START, () => {});
    sizing.follow(1e9, MAX);
    expect(sizing.height).toBe(MAX);
    for (const odd of [-1, Number.NaN, undefined]) sizing.follow(odd, MAX);
    expect(sizing.height).toBe(MAX);
  });
});

it("a stopped check changes nothing", async () => {
  const heights: number[] = [];
  const sizing = new Sizing(START, (height) => heights.push(height));
  for (let line = 1; line <= 30; line++) sizing.follow(START + line, MAX);
  const before = heights.length;
  sizing.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(heights).toHaveLength(before);
});

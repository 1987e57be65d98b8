/** Polling: how often, and when not. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Poll } from "./poll.js";

let page: EventTarget & { hidden: boolean };
let leaving: EventTarget;
beforeEach(() => {
  vi.useFakeTimers();
  page = Object.assign(new EventTarget(), { hidden: false });
  leaving = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("addEventListener", leaving.addEventListener.bind(leaving));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const after = (time: number): Promise<unknown> => vi.advanceTimersByTimeAsync(time);
function look(isHidden: boolean): Promise<unknown> {
  page.hidden = isHidden;
  page.dispatchEvent(new Event("visibilitychange"));
  return after(0);
}

describe("a poll", () => {
  it("polls once per interval, and not before start or after stop", async () => {
    const ask = vi.fn(async () => true);
    const poll = new Poll(1000, ask);
    await after(5000);
    expect(ask).toHaveBeenCalledTimes(0);
    poll.start();
    await after(999);
    expect(ask).toHaveBeenCalledTimes(0);
    await after(2001);
    expect(ask).toHaveBeenCalledTimes(3);
    poll.stop();
    await after(5000);
    await look(false);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it("doubles the pause after each failure, up to a minute, and resets it after an answer", async () => {
    let isAway = true;
    const times: number[] = [];
    const poll = new Poll(10_000, async () => {
      times.push(Date.now());
      return !isAway;
    });
    poll.start();
    await after(10_000 + 20_000 + 40_000 + 60_000);
    isAway = false;
    await after(60_000 + 10_000);
    poll.stop();
    expect(times.slice(1).map((time, at) => (time - (times[at] ?? 0)) / 1000)).toEqual([20, 40, 60, 60, 10]);
  });

  it("pauses while the page is hidden, and polls at once when it is visible again", async () => {
    const ask = vi.fn(async () => true);
    new Poll(1000, ask).start();
    await look(true);
    await after(60_000);
    expect(ask).toHaveBeenCalledTimes(0);
    await look(false);
    expect(ask).toHaveBeenCalledTimes(1);
    leaving.dispatchEvent(new Event("pagehide"));
    await after(60_000);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it("never polls twice at the same time", async () => {
    const answers: ((ok: boolean) => void)[] = [];
    const ask = vi.fn(() => new Promise<boolean>((resolve) => answers.push(resolve)));
    const poll = new Poll(1000, ask);
    poll.start();
    await after(1000);
    await look(true);
    await look(false);
    poll.start();
    await after(10_000);
    expect(ask).toHaveBeenCalledTimes(1);
    answers[0]?.(true);
    await after(1000);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});

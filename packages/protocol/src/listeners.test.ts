import { describe, expect, it, vi } from "vitest";
import { Listeners } from "./listeners.js";

describe("listeners", () => {
  it("are called in order, with all arguments", () => {
    const listeners = new Listeners<[string, number]>();
    const calls: unknown[] = [];
    listeners.add((...args) => calls.push(["first", ...args]));
    listeners.add((...args) => calls.push(["second", ...args]));
    listeners.notify("a", 1);
    expect(calls).toEqual([
      ["first", "a", 1],
      ["second", "a", 1],
    ]);
  });

  it("a function that is added twice is called twice, and each addition is removed separately", () => {
    const listeners = new Listeners();
    const listener = vi.fn();
    const removeFirst = listeners.add(listener);
    listeners.add(listener);
    listeners.notify();
    expect(listener).toHaveBeenCalledTimes(2);
    removeFirst();
    removeFirst();
    expect(listeners.size).toBe(1);
    listeners.notify();
    expect(listener).toHaveBeenCalledTimes(3);
    listeners.clear();
    listeners.notify();
    expect(listener).toHaveBeenCalledTimes(3);
  });

  it("a listener may remove itself and add others during a notification", () => {
    const listeners = new Listeners();
    const added = vi.fn();
    const last = vi.fn();
    const remove = listeners.add(() => {
      remove();
      listeners.add(added);
    });
    listeners.add(last);
    listeners.notify();
    expect([added.mock.calls.length, last.mock.calls.length]).toEqual([0, 1]);
    listeners.notify();
    expect([added.mock.calls.length, last.mock.calls.length]).toEqual([1, 2]);
  });

  it("an error, thrown now or later, stops neither others nor the caller, and is reported", async () => {
    const onerror = vi.fn();
    const listeners = new Listeners(onerror);
    const other = vi.fn();
    listeners.add(() => {
      throw new Error("now");
    });
    listeners.add(() => Promise.reject(new Error("later")));
    listeners.add(other);
    listeners.notify();
    expect(other).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(onerror.mock.calls).toEqual([[new Error("now")], [new Error("later")]]));
  });

  it("without `onerror`, an error is an uncaught error", async () => {
    const uncaught = vi.fn();
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", uncaught);
    try {
      const listeners = new Listeners();
      listeners.add(() => {
        throw new Error("nobody caught this");
      });
      listeners.notify();
      await vi.waitFor(() => expect(uncaught).toHaveBeenCalledOnce());
      expect(uncaught.mock.calls[0]?.[0]).toEqual(new Error("nobody caught this"));
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const listener of others) process.on("uncaughtException", listener);
    }
  });
});

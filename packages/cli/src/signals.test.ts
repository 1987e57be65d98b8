import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { unlessAborted } from "./signals.js";

it("returns the result of the work, or its error, and leaves no listener", async () => {
  const { signal } = new AbortController();
  for (let run = 0; run < 20; run++) expect(await unlessAborted(signal, Promise.resolve(run))).toBe(run);
  await expect(unlessAborted(signal, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("throws the reason of the signal at once, and ignores how the work ends", async () => {
  const controller = new AbortController();
  let fail = (_error: Error): void => {};
  const work = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const waiting = unlessAborted(controller.signal, work);
  controller.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(unlessAborted(controller.signal, work)).rejects.toThrow("stopped");
  fail(new Error("too late"));
});

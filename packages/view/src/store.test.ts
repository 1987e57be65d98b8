import { afterEach, expect, it, vi } from "vitest";
import { variable } from "./store.js";

afterEach(() => vi.unstubAllGlobals());

it("a store's listener that throws does not stop others, and its error is reported to the window", async () => {
  const reportError = vi.fn();
  vi.stubGlobal("reportError", reportError);
  const store = variable(0);
  const seen: number[] = [];
  store.subscribe(() => {
    throw new Error("broken listener");
  });
  store.subscribe(() => seen.push(store.get()));
  store.set(1);
  expect(seen).toEqual([1]);
  await vi.waitFor(() => expect(reportError.mock.calls).toEqual([[new Error("broken listener")]]));
});

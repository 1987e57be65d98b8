import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Patience } from "./patience.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request that is never answered, and ends when it is taken back. */
const silent = ({ signal }: { signal?: AbortSignal | undefined }): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

describe("Patience", () => {
  it("D7: gives up what is silent for too long, and not what reports progress", async () => {
    const patience = new Patience(1_000);
    let report = (): void => {};
    const over = vi.fn();
    patience
      .run("tools/call", {}, (options) => {
        report = () => options.onprogress?.({ progress: 1 });
        return silent(options);
      })
      .catch(over);
    await vi.advanceTimersByTimeAsync(900);
    report();
    await vi.advanceTimersByTimeAsync(900);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100);
    expect(over).toHaveBeenCalledWith(expect.objectContaining({ code: "timeout" }));
  });

  it("gives up nothing while it is held, and everything has its whole time after that", async () => {
    const patience = new Patience(1_000);
    const over = vi.fn();
    patience.run("tools/call", {}, silent).catch(over);
    await vi.advanceTimersByTimeAsync(500);
    const [one, two] = [patience.hold(), patience.hold()];
    await vi.advanceTimersByTimeAsync(300_000);
    one();
    // Twice is once.
    one();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(over).not.toHaveBeenCalled();
    two();
    await vi.advanceTimersByTimeAsync(999);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(over).toHaveBeenCalledOnce();
  });

  it("leaves no timer behind, and a request that was taken back is not late", async () => {
    const patience = new Patience(1_000);
    expect(await patience.run("tools/list", {}, async () => "done")).toBe("done");
    const controller = new AbortController();
    const call = patience.run("tools/list", { signal: controller.signal }, silent);
    controller.abort(new Error("mine"));
    await expect(call).rejects.toThrow("mine");
    patience.hold()();
    expect(vi.getTimerCount()).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestTimeouts } from "./request-timeouts.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request that is never answered, and rejects when it is aborted. */
const silent = ({ signal }: { signal?: AbortSignal | undefined }): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

describe("RequestTimeouts", () => {
  it("D7: ends requests that are silent for too long, but not those that report progress", async () => {
    const timeouts = new RequestTimeouts(1_000);
    let report = (): void => {};
    const over = vi.fn();
    timeouts
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

  it("ends nothing while suspended, and gives every request its full time afterwards", async () => {
    const timeouts = new RequestTimeouts(1_000);
    const over = vi.fn();
    timeouts.run("tools/call", {}, silent).catch(over);
    await vi.advanceTimersByTimeAsync(500);
    const [one, two] = [timeouts.hold(), timeouts.hold()];
    await vi.advanceTimersByTimeAsync(300_000);
    one();
    // A second call has no effect.
    one();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(over).not.toHaveBeenCalled();
    two();
    await vi.advanceTimersByTimeAsync(999);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(over).toHaveBeenCalledOnce();
  });

  it("leaves no timer behind, and an aborted request does not time out", async () => {
    const timeouts = new RequestTimeouts(1_000);
    expect(await timeouts.run("tools/list", {}, async () => "done")).toBe("done");
    const controller = new AbortController();
    const call = timeouts.run("tools/list", { signal: controller.signal }, silent);
    controller.abort(new Error("mine"));
    await expect(call).rejects.toThrow("mine");
    timeouts.hold()();
    expect(vi.getTimerCount()).toBe(0);
  });
});

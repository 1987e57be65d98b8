/** Progress as text, its configuration, and its size. */

import { type ProgressConfig, progress, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";
import { stateOf } from "./state.js";

const text = (data: unknown, config: ProgressConfig = {}): string | undefined =>
  progress.text?.(data, config);

describe("the progress of a job", () => {
  it.each([
    [{ progress: 1, total: 4 }, 25, false],
    [{ progress: "3", total: 4 }, 75, false],
    [{ progress: 29, total: 100 }, 29, false],
    [{ progress: 999, total: 1000 }, 99, false],
    [{ progress: 4, total: 4 }, 100, true],
    [{ percent: 40 }, 40, false],
    [{ percent: 140 }, 100, true],
    [{ percent: -1 }, 0, false],
    [{ percent: 100, done: false }, 100, false],
    [{ done: true }, 100, true],
    [{ steps: [{ label: "a", status: "done" }, { label: "b" }] }, 50, false],
    [{ progress: 3 }, undefined, false],
    [{ progress: 3, total: 0 }, undefined, false],
    [{ percent: "" }, undefined, false],
    [{ steps: [] }, undefined, false],
    ["Compiled", undefined, false],
    [null, undefined, false],
  ])("is read from %j", (data, percent, isDone) => {
    expect(stateOf(data)).toMatchObject({ percent, isDone });
  });

  it("knows the usual words for a step's status", () => {
    const words = [
      "done",
      "Completed",
      "success",
      "running",
      "in_progress",
      "in-progress",
      "failed",
      "error",
      "x",
      5,
    ];
    const { steps } = stateOf({ steps: words.map((status) => ({ label: "a", status })) });
    expect(steps?.map(({ status }) => status)).toEqual([
      ...Array(3).fill("done"),
      ...Array(3).fill("active"),
      ...Array(2).fill("failed"),
      ...Array(2).fill("pending"),
    ]);
    expect(stateOf({ steps: ["plain", { name: "named" }] }).steps?.map(({ label }) => label)).toEqual([
      "plain",
      "named",
    ]);
  });
});

describe("progress without a view", () => {
  it("is a sentence, and a list of the steps", () => {
    expect(text({ progress: 1, total: 4, message: "Compiling" }, { title: "Build" })).toBe(
      "Build: 25 %, Compiling",
    );
    expect(text({ done: true })).toBe("Progress: done");
    expect(text("Compiled")).toBe("Progress: Compiled");
    expect(text({})).toBe("Progress: working");
    const steps = [
      { label: "Fetch", status: "done" },
      { label: "Compile", status: "running" },
      { label: "Test" },
    ];
    expect(text({ steps })).toBe(
      "Progress: 33 %, Compile\n\n- [x] Fetch\n- [ ] Compile (active)\n- [ ] Test",
    );
    expect(text([{ message: "Fetched" }, { step: "Compiled", percent: 60 }])).toBe(
      "Progress: 60 %, Compiled\n\n- [x] Fetched",
    );
  });
});

describe("the document of progress", () => {
  it("has 20,000 bytes at most", () => {
    expect(Buffer.byteLength(renderTemplate(progress, { title: "Build" }))).toBeLessThanOrEqual(20_000);
  });

  it.each([
    [{ pollIntervall: 5 }, 'config has an unknown field "pollIntervall" (did you mean pollInterval?)'],
    [{ pollInterval: 5 }, "config.pollInterval must be 100 or more"],
    [{ pollArgs: [] }, "config.pollArgs must be an object"],
    [{ showPercentage: 0 }, "config.showPercentage must be true or false"],
  ])("is refused for %j", (config, message) => {
    expect(() => renderTemplate(progress, config as ProgressConfig)).toThrow(`progress: ${message}`);
  });
});

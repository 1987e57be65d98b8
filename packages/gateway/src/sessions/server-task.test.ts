import { expect, it } from "vitest";
import { readTask } from "./server-task.js";

it("texts of a task are cut, and a task with an endless id is none", () => {
  const long = "x".repeat(100_000);
  const task = { taskId: "1", status: "working", statusMessage: long, createdAt: long, lastUpdatedAt: long };
  expect(JSON.stringify(readTask(task)).length).toBeLessThan(1000);
  expect(readTask({ ...task, statusMessage: "almost" })).toMatchObject({ statusMessage: "almost" });
  expect(readTask({ ...task, taskId: long })).toBeUndefined();
});

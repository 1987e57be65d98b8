import { expect, it } from "vitest";
import { isActTakenOut, sayAct } from "./recorded-act.js";

it("describes an action in plain text", () => {
  expect([{ click: "Refresh" }, { wait: "Sunday" }, { wait: 200 }].map(sayAct)).toEqual([
    "pressed “Refresh”",
    "waited for “Sunday”",
    "waited 200 ms",
  ]);
});

it("recognizes actions that cannot be repeated, because they were redacted", () => {
  expect([{ click: "Write to [redacted]" }, { wait: "Sunday" }, { wait: 200 }].map(isActTakenOut)).toEqual([
    true,
    false,
    false,
  ]);
});

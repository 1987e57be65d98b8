import { expect, it } from "vitest";
import { isActTakenOut, sayAct } from "./recorded-act.js";

it("says what was done, as people do", () => {
  expect([{ click: "Refresh" }, { wait: "Sunday" }, { wait: 200 }].map(sayAct)).toEqual([
    "pressed “Refresh”",
    "waited for “Sunday”",
    "waited 200 ms",
  ]);
});

it("knows what cannot be done again, as it was taken out of the file", () => {
  expect([{ click: "Write to [redacted]" }, { wait: "Sunday" }, { wait: 200 }].map(isActTakenOut)).toEqual([
    true,
    false,
    false,
  ]);
});

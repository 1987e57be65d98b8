import { commandLineServer } from "@vitrine/gateway";
import { expect, it } from "vitest";
import { planOf } from "./render-plan.js";
import { patient } from "./stage.js";

const limitsFor = (timeout?: number, own = {}) => {
  const settings = commandLineServer(["node"]);
  const limited = { ...settings, limits: { ...settings.limits, ...own } };
  const { timeout: answer, startTimeout: start } = patient(limited, planOf({ tool: ["x"], timeout })).limits;
  return { start, answer };
};

it("gives the server as long as --timeout says, also longer than its own settings", () => {
  expect(limitsFor(300_000)).toEqual({ start: 300_000, answer: 302_000 });
  expect(limitsFor(500)).toEqual({ start: 500, answer: 2_500 });
});

it("keeps the shorter times of the settings where nobody said another", () => {
  expect(limitsFor(undefined, { startTimeout: 5_000 })).toEqual({ start: 5_000, answer: 32_000 });
});

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

it("applies --timeout to the server, even if longer than its own settings", () => {
  expect(limitsFor(300_000)).toEqual({ start: 300_000, answer: 302_000 });
  expect(limitsFor(500)).toEqual({ start: 500, answer: 2_500 });
});

it("keeps the shorter timeouts of the settings by default", () => {
  expect(limitsFor(undefined, { startTimeout: 5_000 })).toEqual({ start: 5_000, answer: 32_000 });
});

import type { ModelState } from "@vitrine/wire";
import { expect, it } from "vitest";
import { StagedPage } from "../../../../../testing/workbench/conversation-stage.js";
import { ModelList } from "./models.js";

const state = (current?: string): ModelState => ({
  models: [{ id: "a/b", label: "B" }],
  help: "add one",
  ...(current !== undefined && { current }),
});

it("the current model is known, selectable, and updated when another page selects one", async () => {
  const page = new StagedPage();
  const models = new ModelList(page.gateway);
  expect(models.state).toBeUndefined();
  page.answer("model/state", () => state());
  await models.load();
  expect(models.state).toEqual(state());
  page.answer("model/choose", ({ model }) => state(model));
  await models.choose("a/b");
  expect([models.state, page.of("model/choose")]).toEqual([state("a/b"), [{ model: "a/b" }]]);
  await models.choose(undefined);
  expect(models.state).toEqual(state());
  page.notify("model/changed", state("a/b"));
  expect(models.state?.current).toBe("a/b");
});

it("a model that cannot be chosen explains why, and the previous one answers", async () => {
  const page = new StagedPage();
  const models = new ModelList(page.gateway);
  page.notify("model/changed", state("a/b"));
  page.answer("model/choose", () => Promise.reject(new Error("no key: set OPENAI_API_KEY")));
  await models.choose("c/d");
  expect([models.state?.current, models.problem]).toEqual(["a/b", "no key: set OPENAI_API_KEY"]);
  page.notify("model/changed", state());
  expect(models.problem).toBeUndefined();
});

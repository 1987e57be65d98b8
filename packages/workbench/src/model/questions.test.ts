import type { ElicitationQuestion, SamplingQuestion } from "@vitrine/protocol";
import { expect, it } from "vitest";
import { Questions } from "./questions.js";

const sampling = (id: string): SamplingQuestion => ({
  ...{ id, server: "s", model: "m", messages: [], maxTokens: 10 },
});
const elicitation: ElicitationQuestion = { id: "e", server: "s", message: "Who?", mode: "form", schema: {} };
const never = new AbortController().signal;

it("questions wait in their order until each is answered, once", async () => {
  const questions = new Questions();
  const first = questions.sample(sampling("1"), never);
  const second = questions.sample(sampling("2"), never);
  const third = questions.elicit(elicitation, never);
  expect(questions.sampling.map(({ question }) => question.id)).toEqual(["1", "2"]);
  expect(questions.elicitations.map(({ question }) => question.id)).toEqual(["e"]);
  const [one] = questions.sampling;
  questions.sampling[1]?.answer({ answer: "deny" });
  one?.answer({ answer: "allow", maxTokens: 5 });
  one?.answer({ answer: "deny" });
  questions.elicitations[0]?.answer({ action: "accept", content: { name: "Ana" } });
  expect(await first).toEqual({ answer: "allow", maxTokens: 5 });
  expect(await second).toEqual({ answer: "deny" });
  expect(await third).toEqual({ action: "accept", content: { name: "Ana" } });
  expect([questions.sampling, questions.elicitations]).toEqual([[], []]);
});

it("a question that no longer matters goes, and one that is asked again is shown once", async () => {
  const questions = new Questions();
  const controller = new AbortController();
  const withdrawn = questions.sample(sampling("1"), controller.signal);
  const again = questions.sample(sampling("1"), never);
  expect(questions.sampling).toHaveLength(1);
  controller.abort();
  await expect(withdrawn).rejects.toThrow();
  expect(questions.sampling).toHaveLength(1);
  questions.sampling[0]?.answer({ answer: "allow" });
  expect(await again).toEqual({ answer: "allow" });
  await expect(questions.elicit(elicitation, controller.signal)).rejects.toThrow();
  expect(questions.elicitations).toEqual([]);
});

it("who shows them hears of each", async () => {
  const questions = new Questions();
  let heard = 0;
  questions.subscribe(() => heard++);
  const asked = questions.sample(sampling("1"), never);
  await Promise.resolve();
  expect(heard).toBe(1);
  questions.sampling[0]?.answer({ answer: "deny" });
  await asked;
  await Promise.resolve();
  expect(heard).toBe(2);
});

import type { ElicitationQuestion, SamplingQuestion } from "@vitrine/wire";
import { expect, it } from "vitest";
import { Questions } from "./questions.js";

const sampling = (id: string): SamplingQuestion => ({
  id,
  server: "s",
  model: "m",
  messages: [],
  maxTokens: 10,
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

it("a question that no longer matters disappears, and one that is asked again is shown once", async () => {
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

it("listeners are notified of each", async () => {
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

it("a page that a server sent the user to is remembered until the server is done, and the user has read that", async () => {
  const questions = new Questions();
  const url = "https://example.com/login";
  const asked = (id: string, elicitationId?: string): ElicitationQuestion => ({
    id,
    server: "s",
    message: "Sign in",
    mode: "url",
    url,
    ...(elicitationId !== undefined && { elicitationId }),
  });
  const ask = async (question: ElicitationQuestion, action: "accept" | "decline"): Promise<void> => {
    const answer = questions.elicit(question, never);
    questions.elicitations[0]?.answer({ action });
    await answer;
  };
  await ask(asked("1", "a"), "accept");
  await ask(asked("2", "b"), "decline");
  await ask(asked("3"), "accept");
  await ask(elicitation, "accept");
  expect(questions.visits).toEqual([{ id: "1", server: "s", url, elicitationId: "a", isDone: false }]);
  // A question of another server, and one of another page.
  questions.completed({ server: "t", elicitationId: "a" });
  questions.completed({ server: "s", elicitationId: "z" });
  expect(questions.visits).toMatchObject([{ isDone: false }]);
  questions.completed({ server: "s", elicitationId: "a" });
  expect(questions.visits).toMatchObject([{ id: "1", isDone: true }]);
  questions.dismiss("1");
  expect(questions.visits).toEqual([]);
  for (let at = 0; at < 9; at++) await ask(asked(`v${at}`, `v${at}`), "accept");
  expect(questions.visits.map(({ id }) => id)).toEqual(["v4", "v5", "v6", "v7", "v8"]);
});

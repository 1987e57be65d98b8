import { expect, it } from "vitest";
import { runOf } from "./recorded-run.js";
import type { RecordedEvent } from "./recording.js";
import { Answers, keyOf } from "./replay-answers.js";

const ask = (id: number, method: string, params: object): RecordedEvent => ({
  t: id,
  d: "in",
  m: { id, method, params },
});
const answer = (id: number, result: unknown): RecordedEvent => ({ t: id, d: "out", m: { id, result } });
const call = (id: number, name: string, args: object): RecordedEvent =>
  ask(id, "tools/call", { name, arguments: args, _meta: { progressToken: id } });

const run = runOf([
  call(1, "add", { a: 1, b: 2 }),
  answer(1, 3),
  call(2, "add", { a: 1, b: 2 }),
  answer(2, 4),
  call(3, "add", { a: 9 }),
  answer(3, 5),
  call(4, "other", {}),
]);
const found = (answers: Answers, params: object): unknown =>
  answers.find("tools/call", params)?.answer?.m["result"];

it("gives the same question its answers in order, and then the last one again", () => {
  const answers = new Answers(run);
  const params = { arguments: { b: 2, a: 1 }, name: "add" };
  expect([1, 2, 3].map(() => found(answers, params))).toEqual([3, 4, 4]);
});

it("gives another request of the same tool the next unused answer, and never another tool's", () => {
  const answers = new Answers(run);
  expect(found(answers, { name: "add", arguments: { a: 7 } })).toBe(3);
  expect(answers.find("tools/call", { name: "unknown" })).toBeUndefined();
  expect(answers.find("resources/read", { uri: "x" })).toBeUndefined();
});

it("knows a question that was never answered", () => {
  const question = new Answers(run).find("tools/call", { name: "other", arguments: {} });
  expect(question?.kind).toBe("request");
  expect(question?.answer).toBeUndefined();
});

it("writes the same params in one way", () => {
  expect(keyOf({ b: [{ y: 1, x: undefined }], a: 1, _meta: {} })).toBe(keyOf({ a: 1, b: [{ y: 1 }] }));
  expect(keyOf({ a: [1, 2] })).not.toBe(keyOf({ a: [2, 1] }));
  expect(keyOf(undefined)).toBe(keyOf({}));
});

it("finds the answers to questions that parts were taken out of, each once and in order", () => {
  const read = (id: number, city: string): RecordedEvent =>
    ask(id, "resources/read", { uri: `weather://now?city=${city}` });
  const answers = new Answers(
    runOf([
      read(1, "[redacted]"),
      answer(1, "Rome"),
      read(2, "[redacted]"),
      answer(2, "Oslo"),
      read(3, "Bern"),
      answer(3, "Bern"),
    ]),
  );
  const foundFor = (city: string): unknown =>
    answers.find("resources/read", { uri: `weather://now?city=${city}` })?.answer?.m["result"];
  expect(["Rome", "Bern", "Oslo"].map(foundFor)).toEqual(["Rome", "Bern", "Oslo"]);
  expect(answers.find("resources/read", { uri: "other://now?city=Rome" })).toBeUndefined();
});

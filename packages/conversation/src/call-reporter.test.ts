import { PARTIAL_INTERVAL } from "@vitrine/protocol";
import type { CallItem } from "@vitrine/wire";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hearing } from "../../../testing/gateway/conversation-stage.js";
import { manualClock } from "../../../testing/gateway/manual-clock.js";
import { CallReporter } from "./call-reporter.js";

const started = (): CallItem => ({
  kind: "call",
  id: "a",
  at: 0,
  by: "model",
  server: "s",
  tool: "t",
  state: "writing",
  inputText: "",
  hasApp: true,
});

const WORDS = "city days list deep".split(" ");
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "grapheme" }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie("node"), { maxKeys: 3 }),
  ),
})).node;
const arguments_ = fc.dictionary(fc.constantFrom(...WORDS), value, { maxKeys: 4 });

/** Whether a value is a partially written form of another one. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (typeof part !== "object" || part === null) return Object.is(part, whole);
  if (typeof whole !== "object" || whole === null || Array.isArray(part) !== Array.isArray(whole))
    return false;
  return Object.entries(part).every(([key, each]) =>
    isBeginning(each, (whole as Record<string, unknown>)[key]),
  );
}

it("L05: for any split of the arguments and any time at which a view opens: partials are beginnings, then one input, one end", () => {
  fc.assert(
    fc.property(
      arguments_,
      fc.array(fc.record({ size: fc.integer({ min: 0, max: 12 }), wait: fc.constantFrom(0, 10, 60) }), {
        maxLength: 40,
      }),
      fc.nat(40),
      fc.constantFrom("done", "failed", "cancelled", "problem"),
      fc.boolean(),
      (input, cuts, joins, end, isTwice) => {
        const clock = manualClock();
        const item = started();
        const text = JSON.stringify(input);
        const views: { shown: CallReporter; heard: [string, unknown][] }[] = [];
        const join = (): void => {
          const view = hearing();
          views.push({ shown: new CallReporter(item, view, clock), heard: view.heard });
        };
        let at = 0;
        const write = (piece: string): void => {
          item.inputText += piece;
          at += piece.length;
          for (const { shown } of views) shown.write(piece);
        };
        if (isTwice) join();
        for (const [index, { size, wait }] of cuts.entries()) {
          if (index === joins) join();
          write(text.slice(at, at + size));
          clock.pass(wait);
        }
        write(text.slice(at));
        Object.assign(item, { state: "running", input, inputText: undefined });
        for (const { shown } of views) shown.changed(item);
        if (views.length === 0) join();
        clock.pass(1_000);
        if (end === "problem") Object.assign(item, { state: "failed", problem: "no" });
        else if (end === "cancelled") item.state = "cancelled";
        else Object.assign(item, { state: end, result: { content: [], isError: end === "failed" } });
        for (let times = 0; times < 2; times++) for (const { shown } of views) shown.changed(item);
        join();
        clock.pass(1_000);
        for (const { heard } of views) {
          const kinds = heard.map(([kind]) => kind).join(" ");
          expect(kinds).toMatch(
            end === "done" || end === "failed" ? /^(partial )*input result$/ : /^(partial )*input cancelled$/,
          );
          const whole = JSON.parse(text) as unknown;
          let before: unknown = {};
          for (const [kind, said] of heard) {
            if (kind === "input") expect(said).toEqual(whole);
            if (kind !== "partial") continue;
            expect(isBeginning(said, whole)).toBe(true);
            expect(isBeginning(before, said)).toBe(true);
            before = said;
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});

it("the first part is reported at once, later parts once per interval, and nothing after the input", () => {
  const clock = manualClock();
  const item = started();
  const { heard, ...view } = hearing();
  const shown = new CallReporter(item, view, clock);
  for (const piece of ["", " ", '{"a":', '"1']) shown.write(piece);
  // Only an object can be reported, and white space causes no delay.
  expect(heard).toEqual([["partial", {}]]);
  shown.write("2");
  clock.pass(PARTIAL_INTERVAL);
  shown.write("3");
  clock.pass(PARTIAL_INTERVAL - 1);
  expect(heard).toEqual([
    ["partial", {}],
    ["partial", { a: "12" }],
  ]);
  Object.assign(item, { state: "running", input: { a: "123" } });
  shown.changed(item);
  clock.pass(1_000);
  expect(heard.slice(2)).toEqual([["input", { a: "123" }]]);
  shown.close();
  Object.assign(item, { state: "done", result: { content: [] } });
  shown.changed(item);
  expect(heard).toHaveLength(3);
});

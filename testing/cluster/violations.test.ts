/** The checker finds each broken promise, and nothing else: every case breaks one fact of a run that is correct. */
import { describe, expect, it } from "vitest";
import type { ClientCall, RunFacts, SeenConversation } from "./facts.ts";
import { violations } from "./violations.ts";

const call = (key: string, by: ClientCall["by"], more: Partial<ClientCall> = {}): ClientCall => ({
  key,
  user: "ana",
  by,
  beganAt: 1000,
  endedAt: 1100,
  end: "ok",
  ...more,
});
const inConversation = (item: string) => ({ entry: { conversation: "talk", item } });

/** A correct run: each kind of call, each kind of end. */
const correct: RunFacts = {
  calls: [
    call("program-1", "program"),
    call("page-1", "page"),
    // It ran, and its answer was lost.
    call("lost-1", "page", { end: "indeterminate", mayHaveRun: true }),
    call("late-1", "program", { end: "timeout", mayHaveRun: true }),
    // It was refused, and did not run.
    call("refused-1", "page", { end: "stopping" }),
    call("person-1", "person", inConversation("i1")),
    call("model-1", "model", inConversation("i2")),
    // The message was stored; the gateway was killed before the model called.
    call("model-2", "model", inConversation("i4")),
  ],
  effects: ["program-1", "page-1", "lost-1", "late-1", "person-1", "model-1"].map((key) => ({
    key,
    at: 1050,
  })),
  entries: ["program-1", "page-1", "lost-1", "late-1", "person-1", "model-1"].map((key, n) => ({
    seq: n + 1,
    key,
    committedAt: 1050.9,
  })),
  outcomes: ["ok", "ok", "indeterminate", "failed", "ok", "indeterminate"].map((outcome, n) => ({
    of: n + 1,
    outcome,
  })),
  conversations: [
    {
      id: "talk",
      isRunning: false,
      items: [
        { id: "i1", kind: "call", state: "done", key: "person-1" },
        { id: "i2", kind: "user" },
        { id: "i3", kind: "call", state: "failed", isIndeterminate: true, key: "model-1" },
        { id: "i4", kind: "user" },
        { id: "i5", kind: "model", state: "stopped" },
      ],
    },
  ],
  verified: { ok: true },
  orphans: [],
};

const withCall = (key: string, change: Partial<ClientCall>): RunFacts => ({
  ...correct,
  calls: correct.calls.map((each) => (each.key === key ? { ...each, ...change } : each)),
});
const withConversation = (change: (talk: SeenConversation) => Partial<SeenConversation>): RunFacts => ({
  ...correct,
  conversations: correct.conversations.map((talk) => ({ ...talk, ...change(talk) })),
});
const without = <T>(items: readonly T[], isGone: (item: T) => boolean): T[] =>
  items.filter((item) => !isGone(item));

/** Cases: the broken promise, the facts, and the violations that the checker finds. */
const BROKEN: [string, RunFacts, string[]][] = [
  [
    "an acknowledged call without its effect",
    { ...correct, effects: without(correct.effects, ({ key }) => key === "page-1") },
    ["page-1 (page, ok) was acknowledged, and is lost"],
  ],
  [
    "a call that ran twice",
    { ...correct, effects: [...correct.effects, { key: "program-1", at: 2000 }] },
    ["program-1 (program, ok) ran 2 times"],
  ],
  [
    "a call of unknown outcome that ran twice",
    { ...correct, effects: [...correct.effects, { key: "lost-1", at: 2000 }] },
    ["lost-1 (page, indeterminate) ran 2 times"],
  ],
  [
    "an effect that nobody called for",
    {
      ...correct,
      effects: [...correct.effects, { key: "stray", at: 1050 }],
      entries: [...correct.entries, { seq: 9, key: "stray" }],
      outcomes: [...correct.outcomes, { of: 9, outcome: "ok" }],
    },
    ["stray ran, and nobody called it"],
  ],
  [
    "an effect without a row",
    {
      ...correct,
      entries: without(correct.entries, ({ key }) => key === "late-1"),
      outcomes: without(correct.outcomes, ({ of }) => of === 4),
    },
    ["late-1 (program, timeout) ran without an entry in the audit log"],
  ],
  [
    "an effect whose row was committed later",
    {
      ...correct,
      entries: correct.entries.map((each) => (each.key === "page-1" ? { ...each, committedAt: 1051 } : each)),
    },
    ["page-1 (page, ok) ran before its entry was in the audit log"],
  ],
  [
    "a call that never ended",
    withCall("refused-1", { end: undefined }),
    ["refused-1 (page, pending) has no outcome"],
  ],
  [
    "the answer to another call",
    withCall("page-1", { end: "wrong answer" }),
    ["page-1 (page, wrong answer) got the answer of another call"],
  ],
  [
    '"not done" for a call that ran',
    withCall("lost-1", { end: "stopping", mayHaveRun: false }),
    ["lost-1 (page, stopping) ended with stopping, as if it had not run, and ran"],
  ],
  [
    "an entry without an outcome",
    { ...correct, outcomes: without(correct.outcomes, ({ of }) => of === 2) },
    ["entry 2 of page-1 has 0 outcomes"],
  ],
  [
    "an entry with two outcomes",
    { ...correct, outcomes: [...correct.outcomes, { of: 3, outcome: "ok" }] },
    ["entry 3 of lost-1 has 2 outcomes"],
  ],
  [
    'the outcome "cancelled" of a call that ran',
    {
      ...correct,
      outcomes: correct.outcomes.map((each) => (each.of === 3 ? { ...each, outcome: "cancelled" } : each)),
    },
    ["lost-1 ran, and the audit log says that it did not"],
  ],
  [
    "a key that succeeded twice",
    {
      ...correct,
      entries: [...correct.entries, { seq: 9, key: "page-1", committedAt: 1200 }],
      outcomes: [...correct.outcomes, { of: 9, outcome: "ok" }],
    },
    ["page-1 succeeded 2 times, according to the audit log"],
  ],
  ["a broken chain", { ...correct, verified: { ok: false } }, ['the chain is broken: {"ok":false}']],
  ["no verification", { ...correct, verified: {} }, ["the chain is broken: {}"]],
  ["an orphan process", { ...correct, orphans: [4711] }, ["process 4711 is an orphan"]],
  [
    "an acknowledged message that is not in its conversation",
    withConversation(({ items }) => ({ items: without(items, ({ id }) => id === "i4") })),
    ["model-2 (model, ok) was acknowledged, and its entry is not in conversation talk"],
  ],
  [
    "an acknowledged call of a person that is not in its conversation",
    withConversation(({ items }) => ({ items: without(items, ({ id }) => id === "i1") })),
    [
      "person-1 (person, ok) was acknowledged, and its entry is not in conversation talk",
      "person-1 (person, ok) ran, and its conversation does not have it",
    ],
  ],
  [
    "a call of the model that ran and is not in its conversation",
    withConversation(({ items }) => ({ items: without(items, ({ id }) => id === "i3") })),
    ["model-1 (model, ok) ran, and its conversation does not have it"],
  ],
  [
    "a conversation that denies a call that ran",
    withConversation(({ items }) => ({
      items: items.map((item) => (item.id === "i3" ? { ...item, isIndeterminate: false } : item)),
    })),
    ["model-1 (model, ok) ran, and its conversation says that it did not"],
  ],
  [
    "a conversation that claims a call that did not run",
    withConversation(({ items }) => ({
      items: [...items, { id: "i6", kind: "call", state: "done", key: "model-2" }],
    })),
    ["model-2 is done according to conversation talk, and did not run"],
  ],
  [
    "a conversation with the same call twice",
    withConversation(({ items }) => ({
      items: [...items, { id: "i6", kind: "call", state: "done", key: "person-1" }],
    })),
    ["person-1 (person, ok) is in its conversation 2 times"],
  ],
  [
    "a call in a conversation that runs for ever",
    withConversation(({ items }) => ({
      items: [...items, { id: "i6", kind: "call", state: "running", key: "model-2" }],
    })),
    ["entry i6 of conversation talk is running for ever"],
  ],
  [
    "a conversation that runs for ever",
    withConversation(() => ({ isRunning: true })),
    ["conversation talk is running, and nothing happens in it"],
  ],
  [
    "a lost conversation",
    { ...correct, conversations: [] },
    [
      "person-1 (person, ok) was acknowledged, and its entry is not in conversation talk",
      "person-1 (person, ok) ran, and its conversation does not have it",
      "model-1 (model, ok) was acknowledged, and its entry is not in conversation talk",
      "model-1 (model, ok) ran, and its conversation does not have it",
      "model-2 (model, ok) was acknowledged, and its entry is not in conversation talk",
    ],
  ],
];

describe("the checker", () => {
  it("finds nothing in a correct run", () => expect(violations(correct)).toEqual([]));

  it.each(BROKEN)("finds %s", (_what, facts, found) => expect(violations(facts)).toEqual(found));
});

import { describe, expect, it } from "vitest";
import { askOnce, type ConsentAnswer, memoryConsents, type Question } from "./consent.js";
import * as examples from "./guard.examples.js";

/** Runs all pending microtasks and tasks. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

const question = (more: Partial<Question> = {}): Question => ({
  view: "v",
  server: "shop",
  method: "tools/call",
  subject: "pay",
  fingerprint: "1",
  title: "Pay",
  params: { name: "pay" },
  reason: "Because.",
  ...more,
});

function setUp(store = memoryConsents()) {
  const prompts: { question: Question; signal: AbortSignal; answer: (answer: ConsentAnswer) => void }[] = [];
  const isAllowed = askOnce(
    (question, signal) => new Promise((answer) => prompts.push({ question, signal, answer })),
    store,
  );
  const last = async (answer: ConsentAnswer) => {
    await settle();
    prompts.at(-1)?.answer(answer);
    await settle();
  };
  return { prompts, isAllowed, last, store };
}

describe("askOnce", () => {
  it("returns the user's answer", async () => {
    const { isAllowed, last } = setUp();
    const yes = isAllowed(question());
    await last({ answer: "allow" });
    expect(await yes).toBe(true);
    const no = isAllowed(question());
    await last({ answer: "deny" });
    expect(await no).toBe(false);
  });

  it.each(["session", "always"] as const)("remembers for the %s, by server and subject", async (remember) => {
    const { isAllowed, last, prompts } = setUp();
    const first = isAllowed(question());
    await last({ answer: "allow", remember });
    await first;
    expect(await isAllowed(question({ params: { other: 1 }, view: "w" }))).toBe(true);
    expect(prompts).toHaveLength(1);
    for (const other of [{ server: "bank" }, { subject: "refund" }, { method: "ui/open-link" }]) {
      isAllowed(question({ ...other, view: JSON.stringify(other) }));
    }
    await settle();
    expect(prompts).toHaveLength(4);
  });

  it("attack C21: does not ask about a call that was cancelled while the store was read", async () => {
    const kept = memoryConsents();
    let read = (): void => {};
    const store = {
      ...kept,
      get: async (about: Question) => {
        await new Promise<void>((resolve) => {
          read = resolve;
        });
        return kept.get(about);
      },
    };
    const { isAllowed, prompts } = setUp(store);
    const call = new AbortController();
    const asked = isAllowed(question(), call.signal);
    // Once before its turn, and once after.
    await settle();
    read();
    await settle();
    call.abort();
    read();
    await expect(asked).rejects.toThrow();
    await settle();
    expect(prompts).toEqual([]);
  });

  it("remembers a refusal", async () => {
    const { isAllowed, last, prompts } = setUp();
    const first = isAllowed(question());
    await last({ answer: "deny", remember: "always" });
    expect([await first, await isAllowed(question({ view: "w" }))]).toEqual([false, false]);
    expect(prompts).toHaveLength(1);
  });

  it("attack C23: an approved call is asked about again when its tool has changed", async () => {
    const { isAllowed, last, prompts } = setUp();
    const first = isAllowed(question());
    await last({ answer: "allow", remember: "always" });
    await first;
    const changed = isAllowed(question({ fingerprint: "2" }));
    await last({ answer: "deny", remember: "always" });
    expect(await changed).toBe(false);
    expect(prompts).toHaveLength(2);
    // The answer replaced the previous one.
    isAllowed(question());
    await settle();
    expect(prompts).toHaveLength(3);
  });

  it("concurrent identical questions are asked once, when the answer is for all of them", async () => {
    for (const answer of [{ answer: "deny" }, { answer: "allow", remember: "session" }] as const) {
      const { isAllowed, last, prompts } = setUp();
      const all = [1, 2, 3].map(() => isAllowed(question()));
      await last(answer);
      expect(await Promise.all(all)).toEqual(Array(3).fill(answer.answer === "allow"));
      expect(prompts).toHaveLength(1);
    }
  });

  it("attack C21: allow once is for one call, though many identical ones wait", async () => {
    const { isAllowed, last, prompts } = setUp();
    const ends: boolean[] = [];
    for (let n = 0; n < 3; n++) isAllowed(question()).then((end) => ends.push(end));
    await last({ answer: "allow" });
    expect(ends).toEqual([true]);
    expect(prompts).toHaveLength(2);
    await last({ answer: "deny" });
    expect(ends).toEqual([true, false, false]);
    expect(prompts).toHaveLength(2);
  });

  it("asks one question at a time for each view, and skips those that were answered meanwhile", async () => {
    const { isAllowed, last, prompts } = setUp();
    const first = isAllowed(question({ params: { n: 1 } }));
    const second = isAllowed(question({ params: { n: 2 } }));
    const third = isAllowed(question({ subject: "refund" }));
    isAllowed(question({ view: "w", subject: "x" }));
    await settle();
    expect(prompts.map(({ question }) => question.view)).toEqual(["v", "w"]);
    prompts[0]?.answer({ answer: "allow", remember: "session" });
    expect(await first).toBe(true);
    expect(await second).toBe(true);
    await last({ answer: "deny" });
    expect(await third).toBe(false);
    expect(prompts).toHaveLength(3);
  });

  it("attack C19: a view that closes withdraws its question, and the next one is asked", async () => {
    const { isAllowed, last, prompts } = setUp();
    const controller = new AbortController();
    const first = isAllowed(question(), controller.signal);
    const second = isAllowed(question({ params: { n: 2 } }));
    await settle();
    expect(prompts[0]?.signal.aborted).toBe(false);
    controller.abort();
    expect(prompts[0]?.signal.aborted).toBe(true);
    // Even if the prompt ignores it.
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    await last({ answer: "allow" });
    expect(await second).toBe(true);
    await expect(isAllowed(question({ params: { n: 3 } }), controller.signal)).rejects.toMatchObject({
      code: "aborted",
    });
    expect(prompts).toHaveLength(2);
  });

  it("a call that waits for another's answer is asked about when that question is withdrawn", async () => {
    const { isAllowed, last, prompts } = setUp();
    const controller = new AbortController();
    const first = isAllowed(question(), controller.signal);
    const second = isAllowed(question());
    await settle();
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    await last({ answer: "allow" });
    expect(await second).toBe(true);
    expect(prompts).toHaveLength(2);
  });

  it("attack C21: a view cannot pile up questions", async () => {
    const { isAllowed, prompts } = setUp();
    const ends = Array.from({ length: 100 }, (_, n) =>
      isAllowed(question({ params: { n } })).catch((error) => error.data),
    );
    await settle();
    expect(prompts).toHaveLength(1);
    expect(await ends[99]).toMatchObject({ code: "rate-limited" });
  });

  it("a prompt that fails, or answers nonsense, allows nothing", async () => {
    const failing = [
      () => {
        throw new Error("no screen");
      },
      () => Promise.reject(new Error("no screen")),
      () => undefined as unknown as ConsentAnswer,
    ];
    for (const ask of failing) await expect(askOnce(ask)(question())).rejects.toThrow();
    const odd = askOnce(() => ({ answer: "yes" }) as unknown as ConsentAnswer);
    expect(await odd(question())).toBe(false);
  });

  it("a store may be a database; one that fails allows nothing", async () => {
    const kept = new Map<string, ConsentAnswer["answer"]>();
    const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value)));
    const { isAllowed, last, prompts } = setUp({
      get: ({ subject, fingerprint }) => later(kept.get(subject + fingerprint)),
      set: async ({ subject, fingerprint }, answer) => {
        kept.set(subject + fingerprint, await later(answer));
      },
    });
    const first = isAllowed(question());
    await settle();
    await settle();
    await last({ answer: "allow", remember: "always" });
    expect(await first).toBe(true);
    expect(await isAllowed(question())).toBe(true);
    expect(prompts).toHaveLength(1);
    const broken = { get: () => Promise.reject(new Error("disk")), set: () => {} };
    await expect(askOnce(() => ({ answer: "allow" }), broken)(question())).rejects.toThrow("disk");
  });

  it("A06: serves other things that need consent", async () => {
    expect(await examples.askOnceExample(async () => ({ answer: "allow" }), "v", "shop")).toBe(true);
  });
});

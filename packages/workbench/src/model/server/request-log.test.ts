import { describe, expect, it } from "vitest";
import { KeptAboutServer, type TextStore } from "./kept-requests.js";
import { outputFit } from "./output-fit.js";
import { percentile, RequestLog } from "./request-log.js";

describe("requests", () => {
  const add = { kind: "tools/call", name: "add", input: { a: 1 } } as const;

  it("are recorded with their answer, its size and its time", async () => {
    const log = new RequestLog();
    const made = await log.make(add, async () => ({ content: [], structuredContent: { sum: 1 } }));
    expect(made.outcome).toMatchObject({ isError: false, size: 44 });
    expect(made.outcome?.duration).toBeGreaterThanOrEqual(0);
    expect(log.requests).toEqual([made]);
  });

  it("count as errors if they fail, or if their result says so", async () => {
    const log = new RequestLog();
    const failed = await log.make(add, () => Promise.reject(new Error("cut off")));
    expect(failed.outcome).toMatchObject({ problem: "cut off", isError: true });
    await log.make(add, async () => ({ content: [], isError: true }));
    await log.make(add, async () => ({ content: [] }));
    await log.make({ ...add, name: "other" }, async () => ({ content: [] }));
    expect(log.statistics).toMatchObject([
      { name: "add", count: 3, errors: 2, largest: 29 },
      { name: "other", count: 1, errors: 0 },
    ]);
  });

  it("are shown while they run, and are not counted yet", async () => {
    const log = new RequestLog();
    let end: (result: object) => void = () => {};
    const made = log.make(add, () => new Promise<object>((resolve) => (end = resolve)));
    expect(log.requests[0]?.outcome).toBeUndefined();
    expect(log.statistics).toEqual([]);
    log.clear();
    expect(log.requests).toHaveLength(1);
    end({});
    await made;
    log.clear();
    expect(log.requests).toEqual([]);
  });

  it("leave the log at its limit, the oldest first, unless they are pinned", async () => {
    const log = new RequestLog();
    const makeMany = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made++) await log.make(add, async () => ({}));
    };
    await makeMany(3);
    log.pin(2, true);
    await makeMany(500);
    const { requests } = log;
    expect(requests).toHaveLength(501);
    expect(requests.slice(0, 2)).toMatchObject([
      { n: 2, isPinned: true, outcome: { isError: false } },
      { n: 4 },
    ]);
    log.clear();
    expect(log.requests.map(({ n }) => n)).toEqual([2]);
    log.pin(2, false);
    await makeMany(500);
    expect(log.requests).toHaveLength(500);
    expect(log.requests[0]?.n).toBe(504);
  });

  it("come back with their pins, without answers, before new ones", async () => {
    const log = new RequestLog([
      { ...add, at: 5 },
      { ...add, at: 6 },
    ]);
    await log.make(add, async () => ({}));
    const earlier = { isPinned: true, isEarlier: true };
    expect(log.requests).toMatchObject([{ n: 1, at: 5, ...earlier }, { n: 2, at: 6, ...earlier }, { n: 3 }]);
    expect(log.requests[2]).not.toHaveProperty("isEarlier");
    expect(log.statistics).toMatchObject([{ count: 1 }]);
    log.pin(1, false);
    log.clear();
    expect(log.requests.map(({ n }) => n)).toEqual([2]);
  });

  it("have percentiles by nearest rank", () => {
    const values = [15, 20, 35, 40, 50];
    expect([5, 30, 40, 50, 100].map((percent) => percentile(values, percent))).toEqual([15, 20, 20, 35, 50]);
    expect(percentile([], 50)).toBe(0);
  });
});

describe("memory of the browser about a server", () => {
  const store = (): TextStore & { texts: Map<string, string> } => {
    const texts = new Map<string, string>();
    return {
      texts,
      getItem: (name) => texts.get(name) ?? null,
      setItem: (name, value) => void texts.set(name, value),
      removeItem: (name) => void texts.delete(name),
    };
  };
  const request = { title: "one and two", kind: "tools/call", name: "add", input: { a: 1, b: 2 } } as const;

  it("are saved requests, by their title, of this server only", () => {
    const texts = store();
    const kept = new KeptAboutServer(texts, "whole 1");
    kept.save(request);
    kept.save({ ...request, input: { a: 3 } });
    expect(new KeptAboutServer(texts, "whole 1").saved).toEqual([{ ...request, input: { a: 3 } }]);
    expect(new KeptAboutServer(texts, "whole 2").saved).toEqual([]);
    expect(kept.forget("one and two")).toEqual([]);
  });

  it("are pinned requests in the order of their time, once each, without answers, of this server only", () => {
    const texts = store();
    const kept = new KeptAboutServer(texts, "whole 1");
    const pin = { kind: "tools/call", name: "add", input: { a: 1 } } as const;
    const outcome = { duration: 1, size: 2, result: "secret", isError: false };
    const made = { ...pin, n: 7, at: 20, outcome };
    for (const each of [made, made, { ...pin, at: 10 }, { ...pin, at: 20, input: {} }]) kept.pin(each);
    expect(new KeptAboutServer(texts, "whole 1").pinned).toEqual([
      { ...pin, at: 10 },
      { ...pin, at: 20 },
      { ...pin, at: 20, input: {} },
    ]);
    expect([...texts.texts.values()].join()).not.toContain("secret");
    expect(new KeptAboutServer(texts, "whole 2").pinned).toEqual([]);
    kept.unpin({ ...pin, at: 20 });
    expect(kept.pinned.map(({ at, input }) => [at, input])).toEqual([
      [10, { a: 1 }],
      [20, {}],
    ]);
  });

  it("leaves out a pinned request that is too large, and keeps the others", () => {
    const texts = store();
    const kept = new KeptAboutServer(texts, "s");
    kept.pin({ kind: "prompts/get", name: "p", input: {}, at: 1 });
    kept.pin({ kind: "tools/call", name: "add", input: { a: "x".repeat(500_000) }, at: 2 });
    expect(kept.pinned.map(({ at }) => at)).toEqual([1]);
    for (const name of texts.texts.keys())
      texts.texts.set(name, '[{"kind":"prompts/get","name":"p","input":{}}]');
    expect(kept.pinned).toEqual([]);
    for (let at = 0; at < 120; at++) kept.pin({ kind: "prompts/get", name: "p", input: {}, at });
    expect(kept.pinned.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, n) => n + 20));
  });

  it("is nothing if the storage is damaged, full or forbidden", () => {
    const texts = store();
    const kept = new KeptAboutServer(texts, "s");
    kept.save(request);
    for (const name of texts.texts.keys()) texts.texts.set(name, '[{"kind":"rm"},null,');
    expect(kept.saved).toEqual([]);
    const forbidden = (): never => {
      throw new Error("forbidden");
    };
    const none = new KeptAboutServer({ getItem: forbidden, setItem: forbidden, removeItem: forbidden }, "s");
    expect(none.saved).toEqual([]);
    expect(none.save(request)).toEqual([request]);
  });

  it("is what the server offered when the user last looked", () => {
    const kept = new KeptAboutServer(store(), "s");
    expect(kept.seen).toBeUndefined();
    const lists = { tools: [], resources: [], templates: [], prompts: [{ name: "p" }] };
    kept.see(lists, 5);
    expect(kept.seen).toEqual({ at: 5, lists });
  });
});

describe("an output schema", () => {
  const outputSchema = { type: "object" };
  const wrong = () => [{ path: ["sum"], message: "must be a number" }];

  it("is fitted, or not", () => {
    const result = { content: [], structuredContent: {} };
    expect(outputFit({ outputSchema }, result, () => [])).toEqual({ fits: true, problems: [] });
    expect(outputFit({ outputSchema }, result, wrong)).toEqual({
      fits: false,
      problems: ["sum: must be a number"],
    });
    expect(outputFit({ outputSchema }, { content: [] }, () => [])).toMatchObject({ fits: false });
  });

  it("says nothing about failures, and about tools without one", () => {
    expect(outputFit({ outputSchema }, { content: [], isError: true }, wrong)).toBeUndefined();
    expect(outputFit({}, { content: [] }, wrong)).toBeUndefined();
  });
});

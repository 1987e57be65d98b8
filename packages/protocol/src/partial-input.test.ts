import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as examples from "./partial-input.examples.js";
import { followInput, PARTIAL_INTERVAL, PartialJson } from "./partial-input.js";
import { recordOf } from "./schema.js";

fc.configureGlobal({ seed: 20260126 });

/** Whether a value could be an incomplete state of another one. */
function isPrefix(part: unknown, whole: unknown): boolean {
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      part.every((item, index) => index < whole.length && isPrefix(item, whole[index]))
    );
  }
  if (typeof part === "object" && part !== null) {
    const inner = recordOf(whole);
    return Object.entries(part).every(
      ([key, value]) => Object.hasOwn(inner, key) && isPrefix(value, inner[key]),
    );
  }
  return Object.is(part, whole);
}

const objects = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }));
const texts = fc
  .tuple(objects, fc.constantFrom<[string | number | undefined]>([undefined], [1], ["\t"]), fc.boolean())
  .map(([value, [space], escaped]) => {
    const text = JSON.stringify(value, null, space);
    const unicode = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return escaped ? text.replace(/[^ -~\s]/g, unicode) : text;
  });

const read = (text: string) => {
  const json = new PartialJson();
  json.push(text);
  return json.value();
};

describe("closing incomplete JSON", () => {
  it("L05: every prefix of every object parses, and is a prefix of the whole; the last is the whole", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const whole: unknown = JSON.parse(text);
        const json = new PartialJson();
        for (const char of text.split("")) {
          json.push(char);
          const part = json.value();
          if (!part || !isPrefix(part, whole)) throw new Error(`${json.text} is ${JSON.stringify(part)}`);
        }
        expect(json.value()).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  it("L05: the chunk boundaries make no difference", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat({ max: 20 })), (text, cuts) => {
        const json = new PartialJson();
        let at = 0;
        for (const cut of cuts) {
          json.push(text.slice(at, at + cut));
          at = Math.min(text.length, at + cut);
        }
        expect(json.value()).toEqual(read(text.slice(0, at)));
      }),
    );
  });

  it.each([
    ['{"city":"Ro', { city: "Ro" }],
    ['{"city', {}],
    ['{"city"', {}],
    ['{"city":', {}],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":tru', {}],
    ['{"a":true ,"b', { a: true }],
    ['{"a":[1,2', { a: [1] }],
    ['{"a":[{"b":"c', { a: [{ b: "c" }] }],
    ['{"a":"x\\', { a: "x" }],
    ['{"a":"x\\u00e', { a: "x" }],
    ['{"a":"x\\n', { a: "x\n" }],
    ['{"a":"\\ud83d', { a: "" }],
    ['{"a":"\\ud83d\\ude00', { a: "😀" }],
    ['{"a":"\ud83d', { a: "" }],
    ['{"a":"\\\\ud83d!', { a: "\\ud83d!" }],
    ['{"a":"\\""', { a: '"' }],
    ['{"a":{"b":[]}', { a: { b: [] } }],
    ['{"__proto__":{"a":"', JSON.parse('{"__proto__":{"a":""}}')],
  ])("L05: %s", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each([
    "",
    "   ",
    "[1,",
    '"text',
    "12",
    "null",
    "nonsense",
    '{"a" 1}',
    '{"a":1}}',
    "}}}}",
    '{"a":\u0000,',
  ])("only objects are arguments, and nothing is repaired: %j", (text) => {
    expect(read(text)).toBeUndefined();
  });

  it("each character is read once, however long the text gets", () => {
    const json = new PartialJson();
    json.push('{"a":"');
    for (let chunk = 0; chunk < 2_000; chunk++) json.push("x".repeat(500));
    expect(json.value()).toEqual({ a: "x".repeat(1_000_000) });
  });

  it("matches its example", () => {
    expect(examples.partialJson()).toEqual([{ city: "Ro" }, { city: "Rome" }, { city: "Rome", days: 10 }]);
  });
});

describe("following the text of the arguments", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function* paced(chunks: string[], pause: number) {
    for (const chunk of chunks) {
      yield chunk;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  it("L05: partial input comes at most once per interval, the first immediately and the last in time", async () => {
    const heard: [number, unknown][] = [];
    const start = Date.now();
    const chunks = ['{"a":"', ..."abcdefghij", '"}'];
    const done = followInput(paced(chunks, 20), (part) => heard.push([Date.now() - start, part]));
    await vi.runAllTimersAsync();
    expect(await done).toEqual({ a: "abcdefghij" });
    expect(heard[0]).toEqual([0, { a: "" }]);
    const times = heard.map(([time]) => time);
    for (const [index, time] of times.entries()) {
      if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(PARTIAL_INTERVAL);
    }
    expect(heard.length).toBeGreaterThan(3);
    expect(heard.length).toBeLessThan(chunks.length);
  });

  it("D9: no partial input comes after the end, and no timer is left", async () => {
    const partial = vi.fn();
    const done = followInput(paced(['{"a":1,', '"b":2}'], 1), partial);
    await vi.advanceTimersByTimeAsync(2);
    expect(await done).toEqual({ a: 1, b: 2 });
    const calls = partial.mock.calls.length;
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(partial).toHaveBeenCalledTimes(calls);
  });

  it("empty text is a call without arguments", async () => {
    expect(await followInput(paced([], 0), vi.fn())).toEqual({});
  });

  it.each(['{"a":', "[]", "null", "oops"])(
    "a text that is not an object in the end is an error: %s",
    async (text) => {
      const done = expect(followInput(paced([text], 0), vi.fn())).rejects.toMatchObject({ code: "invalid" });
      await vi.runAllTimersAsync();
      await done;
    },
  );

  it("a failing source passes its error on, and leaves no timer", async () => {
    async function* broken() {
      yield '{"a":"b';
      throw new Error("the model stopped");
    }
    const partial = vi.fn();
    await expect(examples.follow(broken(), partial)).rejects.toThrow("the model stopped");
    expect(partial).toHaveBeenCalledWith({ a: "b" });
    expect(vi.getTimerCount()).toBe(0);
  });
});

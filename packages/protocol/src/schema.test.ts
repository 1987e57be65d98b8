import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeExample } from "./protocol.examples.js";
import {
  array,
  boolean,
  type Decoded,
  decode,
  integer,
  isObject,
  literal,
  number,
  object,
  open,
  record,
  type Shape,
  string,
  union,
  unknown,
} from "./schema.js";

fc.configureGlobal({ seed: 20260126 });

const boom = (): never => {
  throw new Error("no");
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (key: string): object => Object.defineProperty({}, key, { get: boom, enumerable: true });
const complaint = (decoded: Decoded<unknown>): string => (decoded.ok ? "accepted" : decoded.message);
const field = (decoded: Decoded<unknown>): string => (decoded.ok ? "accepted" : decoded.field);

/** Like the protocol's content blocks: kinds distinguished by `type`. */
const block = union(
  object({ type: literal("text"), text: string }),
  object({ type: literal("image"), data: string, mimeType: string }),
  object({ type: literal("link"), uri: string }),
);

describe("decode: each kind", () => {
  const cases: [name: string, schema: Shape, good: unknown[], bad: unknown[], wants: string][] = [
    ["string", string, ["", "x"], [1, null, undefined, {}, []], "a string"],
    ["boolean", boolean, [true, false], [0, "true", null], "a boolean"],
    [
      "number",
      number,
      [0, -0, 1.5, 1e308],
      [Number.NaN, Number.POSITIVE_INFINITY, "1", 1n, null],
      "a finite number",
    ],
    ["integer", integer, [0, -7, 2 ** 53 - 1], [1.5, 2 ** 53, Number.NaN, "1"], "a whole number"],
    ["literal", literal("a", 2, true), ["a", 2, true], ["b", 1, false, null], '"a" or 2 or true'],
    ["array", array(string), [[], ["a"]], [{}, "a", null, { length: 0 }], "an array"],
    ["record", record(number), [{}, { a: 1 }], [[], "a", null, 1], "an object"],
    ["object", object({}), [{}, { more: 1 }], [[], null, "a", undefined, () => {}], "an object"],
    ["open", open({}), [{}, { more: 1 }], [[], null], "an object"],
    ["union", union(string, integer), ["a", 1], [1.5, null, {}], "a string or a whole number"],
  ];
  for (const [name, schema, good, bad, wants] of cases) {
    it(`${name}: accepts fitting values and states what it expects otherwise`, () => {
      for (const value of good) expect(decode(schema, value)).toEqual({ ok: true, value });
      for (const value of bad)
        expect(complaint(decode(schema, value))).toContain(`value must be ${wants}, not`);
    });
  }

  it("unknown: accepts anything without checking its contents", () => {
    for (const value of [undefined, null, Symbol("x"), revoked(), throwing("a")]) {
      expect(decode(unknown, value).ok).toBe(true);
    }
  });

  it("returns the same value", () => {
    const value = { a: "x", more: { kept: true } };
    const decoded = decode(object({ a: string }), value);
    expect(decoded.ok && decoded.value).toBe(value);
  });

  it("distinguishes a missing field from a wrong one, and an optional one may be undefined", () => {
    const schema = object({ a: string }, { b: number });
    expect(complaint(decode(schema, {}))).toBe("value.a is missing");
    expect(complaint(decode(schema, { a: undefined }))).toBe("value.a must be a string, not undefined");
    expect(decode(schema, { a: "", b: undefined }).ok).toBe(true);
    expect(complaint(decode(schema, { a: "", b: null }))).toBe("value.b must be a finite number, not null");
  });

  it("holes in an array are wrong, like undefined", () => {
    const holes: unknown[] = ["a"];
    holes[3] = "b";
    expect(field(decode(array(string), holes))).toBe("value[1]");
  });
});

describe("decode: the path of the wrong field", () => {
  const schema = object({ list: array(object({ name: string })) }, { map: record(array(number)) });

  it.each([
    [{}, "params.list"],
    [{ list: {} }, "params.list"],
    [{ list: [{ name: "a" }, { name: 1 }] }, "params.list[1].name"],
    [{ list: [{}] }, "params.list[0].name"],
    [{ list: [], map: { a: [1], b: [1, "x"] } }, "params.map.b[1]"],
  ])("%j → %s", (value, path) => {
    const decoded = decode(schema, value, "params");
    expect(field(decoded)).toBe(path);
    expect(complaint(decoded)).toMatch(
      new RegExp(`^${path.replace(/[.[\]]/g, "\\$&")} (is missing|must be )`),
    );
  });

  it("is `value` by default", () => {
    expect(field(decode(string, 1))).toBe("value");
  });

  it("contains only its four documented fields: no external value (D22)", () => {
    const decoded = decode(union(string, number), { secret: "s3cret" });
    expect(Object.keys(decoded).sort()).toEqual(["code", "field", "message", "ok"]);
    expect(JSON.stringify(decoded)).not.toContain("s3cret");
  });
});

describe("decode: a union reports the most useful error", () => {
  it.each([
    ["the kind that was meant lacks a field", { type: "image", data: "x" }, "value.mimeType is missing"],
    [
      "the kind that was meant has a wrong field, no longer than `type`",
      { type: "image", data: 5, mimeType: "image/png" },
      "value.data must be a string, not number",
    ],
    ["the kind that was meant lacks a field with a short name", { type: "link" }, "value.uri is missing"],
    [
      "no kind was meant: all that it could be",
      { type: "video", data: "x" },
      'value.type must be "text" or "image" or "link", not string',
    ],
    ["the field that tells kinds apart is missing", { text: "x" }, "value.type is missing"],
    ["not an object at all", "text", "value must be an object, not string"],
  ])("%s", (_name, value, message) => {
    expect(complaint(decode(block, value))).toBe(message);
  });

  it("of options without a kind, the error of the one that matched furthest", () => {
    const schema = union(string, object({ a: object({ b: string }) }));
    expect(complaint(decode(schema, { a: { b: 1 } }))).toBe("value.a.b must be a string, not number");
  });

  it("one or many: the error is about the value that was sent", () => {
    const schema = union(block, array(block));
    expect(complaint(decode(schema, { type: "text" }))).toBe("value.text is missing");
    expect(complaint(decode(schema, [{ type: "text" }]))).toBe("value[0].text is missing");
    expect(complaint(decode(schema, 1))).toBe("value must be an object or an array, not number");
  });
});

describe("decode never throws", () => {
  const all = object({ s: string }, { n: number, list: array(block), map: record(string), one: block });

  it.each([
    ["a getter that throws, required field", throwing("s")],
    ["a getter that throws, optional field", Object.assign(throwing("n"), { s: "" })],
    ["a revoked proxy", revoked()],
    ["a revoked proxy inside", { s: "", list: revoked() }],
    ["a revoked proxy in a list", { s: "", list: [revoked()] }],
    ["a revoked proxy in a record", { s: "", map: { a: revoked() } }],
    ["a getter that throws in a union", { s: "", one: throwing("type") }],
    ["a proxy that refuses to be looked at", new Proxy({}, { getOwnPropertyDescriptor: boom })],
    ["a proxy that refuses to name its keys", { s: "", map: new Proxy({}, { ownKeys: boom }) }],
    ["an array whose length cannot be read", { s: "", list: new Proxy([], { get: boom }) }],
  ])("%s is invalid, not fatal", (_name, value) => {
    const decoded = decode(all, value, "params");
    expect(decoded.ok).toBe(false);
    expect(complaint(decoded)).toMatch(/^params/);
  });

  it("cycles: only the shape is followed, never the value", () => {
    const cycle: Record<string, unknown> = { s: "" };
    cycle.self = cycle;
    cycle.list = [cycle];
    expect(field(decode(all, cycle))).toBe("value.list[0].type");
    const map: Record<string, unknown> = {};
    map.self = map;
    expect(decode(record(unknown), map).ok).toBe(true);
  });

  it("a value 100,000 levels deep", () => {
    let deep: unknown = "end";
    for (let level = 0; level < 100_000; level++) deep = { deep };
    expect(decode(object({}, { deep: record(unknown) }), deep).ok).toBe(true);
    expect(decode(string, deep).ok).toBe(false);
  });

  it("a list of a million items, and a string of ten million characters", () => {
    expect(decode(array(number), new Array(1_000_000).fill(1)).ok).toBe(true);
    expect(decode(string, "x".repeat(10_000_000)).ok).toBe(true);
    expect(complaint(decode(number, "x".repeat(10_000_000)))).toHaveLength(
      "value must be a finite number, not string".length,
    );
  });

  it("`__proto__` is a key like any other: nothing is inherited, nothing is polluted", () => {
    const own: unknown = JSON.parse('{"__proto__": {"s": "inherited", "polluted": true}}');
    expect(complaint(decode(all, own))).toBe("value.s is missing");
    expect(complaint(decode(all, Object.create({ s: "inherited" })))).toBe("value.s is missing");
    expect(field(decode(record(string), own))).toBe("value.__proto__");
    expect(decode(object({}), own).ok).toBe(true);
    expect(decode(object({}, { b: number, constructor: string }), Object.create({ b: "inherited" })).ok).toBe(
      true,
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(complaint(decode(object({ constructor: string, toString: string }), {}))).toBe(
      "value.constructor is missing",
    );
  });

  it("whatever fast-check generates", () => {
    const schemas: Shape[] = [all, block, record(string), array(number), literal("a"), union(string, all)];
    const anything = fc.anything({
      withBigInt: true,
      withMap: true,
      withNullPrototype: true,
      withDate: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        for (const schema of schemas) {
          const decoded = decode(schema, value);
          expect(typeof decoded.ok).toBe("boolean");
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("isObject", () => {
  it("is a JSON object", () => {
    expect([{}, Object.create(null), new Map()].map(isObject)).toEqual([true, true, true]);
    expect([null, [], "a", 1, undefined, () => {}].map(isObject)).toEqual(new Array(6).fill(false));
  });
});

describe("examples", () => {
  it("decode: a value, and the error for one", () => {
    expect(decodeExample({ url: "https://example.com" })).toBe("https://example.com");
    expect(decodeExample({ url: 1 })).toBe("value.url must be a string, not number");
  });
});

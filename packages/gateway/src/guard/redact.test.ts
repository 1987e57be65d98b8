import { JsonText } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasField, redacted } from "./redact.js";

const fields = ["password", "Authorization"];

describe("redacted", () => {
  it("redacts them in strings that are JSON, and keeps other strings as they are", () => {
    const secret = { list: [{ password: "hunter2" }] };
    const inner = JSON.stringify(secret, null, 1);
    const value = { text: inner, twice: JSON.stringify({ inner }), plain: '{ "a":  1 }', none: "{password}" };
    const text = redacted(value, { fields });
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toMatchObject({
      text: '{"list":[{"password":"[redacted]"}]}',
      plain: value.plain,
      none: value.none,
    });
  });

  it("shows nothing of a string of JSON that it did not reach", () => {
    const numbers = Array.from({ length: 300 }, () => 1);
    const deep = JSON.parse(`${"[".repeat(60)}{"password":"hunter2"}${"]".repeat(60)}`) as unknown;
    for (const hidden of [[...numbers, { password: "hunter2" }], deep])
      expect(redacted({ text: JSON.stringify(hidden) }, { fields, limit: 1000 })).not.toContain("hunter2");
  });

  it("leaves out large strings of JSON, and broken ones, that name a field", () => {
    const long = "x".repeat(70_000);
    const large = JSON.stringify({ user: "ann", Password: "hunter2", long });
    const twice = JSON.stringify({ inner: JSON.stringify({ password: "hunter2" }), long });
    const broken = '{"password": "hunter2"}\n{"a": 1}';
    const text = redacted({ large, twice, broken, other: JSON.stringify({ user: "ann", long }) }, { fields });
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toMatchObject({
      large: "[left out]",
      broken: "[left out]",
      other: expect.stringContaining('{"user":"ann"'),
    });
  });

  it("redacts named fields at any depth, ignoring case", () => {
    const value = {
      user: "ann",
      PassWord: "hunter2",
      list: [{ deep: { AUTHORIZATION: { scheme: "Bearer", token: "hunter2" } } }],
      passwords: "kept",
    };
    const text = redacted(value, { fields });
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toEqual({
      user: "ann",
      PassWord: "[redacted]",
      passwords: "kept",
      list: [{ deep: { AUTHORIZATION: "[redacted]" } }],
    });
  });

  it("parses JSON text", () => {
    expect(redacted(new JsonText('{"password":"hunter2","a":1}'), { fields })).toBe(
      '{"password":"[redacted]","a":1}',
    );
    expect(redacted(new JsonText("{no json"), { fields })).toBe('"[left out]"');
  });

  it("keeps a field named __proto__ as a field, and changes no prototype", () => {
    const text = redacted(JSON.parse('{"__proto__":{"password":"hunter2"},"constructor":1}'), { fields });
    expect(text).toBe('{"__proto__":{"password":"[redacted]"},"constructor":1}');
    expect(({} as { password?: string }).password).toBeUndefined();
  });

  it("handles cycles, and values that throw when read", () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle["self"] = cycle;
    expect(JSON.parse(redacted(cycle, { fields }))).toEqual({ a: 1, self: "[left out]" });
    const nasty = {
      get trap() {
        throw new Error("no");
      },
    };
    expect(redacted(nasty, { fields })).toBe('"[left out]"');
    expect(redacted({ at: new Date(0), big: 1n, no: undefined }, { fields })).toBe(
      '{"at":{},"big":null,"no":null}',
    );
  });

  it("writes a repeated object twice if it is not a cycle", () => {
    const one = { a: 1 };
    expect(redacted([one, one], { fields })).toBe('[{"a":1},{"a":1}]');
  });

  it("is valid JSON without secrets, and not much longer than its limit, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 0, max: 500 }), (value, limit) => {
        const text = redacted({ value, nested: [{ password: "hunter2" }] }, { fields, limit });
        expect(() => JSON.parse(text)).not.toThrow();
        expect(text).not.toContain("hunter2");
        // A character may take six with escapes, and marks follow the cut parts.
        expect(text.length).toBeLessThan(limit * 6 + 2000);
      }),
    );
  });

  it("keeps at most its limit of a large value", () => {
    expect(redacted("x".repeat(1_000_000), { fields }).length).toBeLessThan(9_000);
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]));
    expect(redacted(wide, { fields }).length).toBeLessThan(66_000);
    expect(
      redacted(
        Array.from({ length: 100_000 }, () => ({})),
        { fields, limit: 100 },
      ).length,
    ).toBeLessThan(400);
    let deep: unknown = "hunter2";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(redacted(deep, { fields }).length).toBeLessThan(500);
  });
});

describe("hasField", () => {
  it.each([
    ["finds a name at any depth, ignoring case", '{"a":[{"b":{"PassWord":1}}],"c":1}', true],
    ["does not match parts of names, or values", '{"passwords":"password"}', false],
    ["returns true for text that is not JSON", "no json", true],
    // Whether it can be parsed depends on the remaining stack.
    ["does not throw at deep nesting", `${"[".repeat(8000)}${"]".repeat(8000)}`, expect.any(Boolean)],
  ])("%s", (_name, json, expected) => {
    expect(hasField(json, fields)).toEqual(expected);
  });
});

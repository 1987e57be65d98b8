import { JsonText } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasField, redacted } from "./redact.js";

const fields = ["password", "Authorization"];

describe("redacted", () => {
  it("leaves out named fields at any depth, whatever their case", () => {
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

  it("reads what is still text", () => {
    expect(redacted(new JsonText('{"password":"hunter2","a":1}'), { fields })).toBe(
      '{"password":"[redacted]","a":1}',
    );
    expect(redacted(new JsonText("{no json"), { fields })).toBe('"[left out]"');
  });

  it("keeps a field called __proto__ as one, and changes no prototype", () => {
    const text = redacted(JSON.parse('{"__proto__":{"password":"hunter2"},"constructor":1}'), { fields });
    expect(text).toBe('{"__proto__":{"password":"[redacted]"},"constructor":1}');
    expect(({} as { password?: string }).password).toBeUndefined();
  });

  it("ends for cycles, and for what throws when it is read", () => {
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

  it("writes the same object twice where it is no cycle", () => {
    const one = { a: 1 };
    expect(redacted([one, one], { fields })).toBe('[{"a":1},{"a":1}]');
  });

  it("is JSON, holds no secret, and is not much longer than its limit, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 0, max: 500 }), (value, limit) => {
        const text = redacted({ value, nested: [{ password: "hunter2" }] }, { fields, limit });
        expect(() => JSON.parse(text)).not.toThrow();
        expect(text).not.toContain("hunter2");
        // Escapes may make a character six, and marks follow what was cut.
        expect(text.length).toBeLessThan(limit * 6 + 2000);
      }),
    );
  });

  it("keeps no more than its limit of what is large", () => {
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
    ["finds a name at any depth, in any case", '{"a":[{"b":{"PassWord":1}}],"c":1}', true],
    ["finds no part of a name, and no value", '{"passwords":"password"}', false],
    ["takes text that is no JSON for one that may have it", "no json", true],
    // Whether it can be parsed depends on the stack that is left.
    ["does not throw at deep nesting", `${"[".repeat(8000)}${"]".repeat(8000)}`, expect.any(Boolean)],
  ])("%s", (_name, json, expected) => {
    expect(hasField(json, fields)).toEqual(expected);
  });
});

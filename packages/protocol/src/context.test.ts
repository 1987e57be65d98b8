import { transformSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as examples from "./context.examples.js";
import { diffHostContext, mergeHostContext } from "./context.js";
import type { HostContext } from "./hosts.js";

const context: HostContext = {
  theme: "light",
  locale: "en-GB",
  safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 },
};

/** An own property named `__proto__`, as `JSON.parse` creates it. */
const poisoned = JSON.parse('{"__proto__":{"x":1},"constructor":{"x":1},"prototype":{"x":1},"theme":"dark"}');

describe("mergeHostContext", () => {
  it("X02 replaces top-level keys as a whole and keeps the others", () => {
    expect(mergeHostContext({ ...context, styles: { css: { fonts: "a" } } }, { styles: {} })).toEqual({
      ...context,
      styles: {},
    });
  });

  it.each([null, undefined])("D11 removes a key whose value is %s", (gone) => {
    const next = mergeHostContext(context, { locale: gone });
    expect(Object.keys(next)).toEqual(["theme", "safeAreaInsets"]);
    expect(context.locale).toBe("en-GB");
  });

  it.each([undefined, null, 0, "text", true, [["theme", "dark"]], () => 1, Symbol("s"), 1n])(
    "ignores an update that is not an object: %s",
    (update) => {
      expect(mergeHostContext(context, update)).toBe(context);
    },
  );

  it("never assigns a name that reaches a prototype", () => {
    const next = mergeHostContext(context, poisoned);
    expect(next.theme).toBe("dark");
    expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });

  it("accepts any value without throwing or touching the context", () => {
    const before = structuredClone(context);
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (update) => {
        mergeHostContext(context, update);
        expect(context).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it("stays under 250 bytes minified, for the inline runtime", () => {
    // As in a bundle: under a short name.
    const source = mergeHostContext.toString().replace("mergeHostContext", "m");
    const { code } = transformSync(source, { minify: true, target: "es2022" });
    expect(code.trim().length).toBeLessThan(250);
  });
});

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const contexts = fc
  .dictionary(fc.oneof(fc.constantFrom("theme", "locale", "styles", "x"), fc.string()), json, {
    noNullPrototype: true,
  })
  .map((entries): HostContext => {
    const isPlain = (key: string) => !["__proto__", "constructor", "prototype"].includes(key);
    return Object.fromEntries(
      Object.entries(entries).filter(([key, value]) => isPlain(key) && value !== null),
    );
  });

describe("diffHostContext", () => {
  it("X02 has only the changed keys", () => {
    expect(diffHostContext(context, { ...context, theme: "dark" })).toEqual({ theme: "dark" });
  });

  it("X02 is undefined when nothing changed, copies included", () => {
    expect(diffHostContext(context, structuredClone(context))).toBeUndefined();
    expect(diffHostContext({}, { theme: undefined })).toBeUndefined();
  });

  it("D11 has undefined for a removed key if the transport can carry it", () => {
    expect(diffHostContext(context, { ...context, locale: null as never }, false)).toStrictEqual({
      locale: undefined,
    });
  });

  it("D11 has null for a removed key", () => {
    expect(diffHostContext(context, { theme: "light" })).toEqual({ locale: null, safeAreaInsets: null });
    expect(diffHostContext(context, { ...context, locale: undefined })).toEqual({ locale: null });
  });

  it.each([
    [{ x: [1, 2] }, { x: [2, 1] }],
    [{ x: [] }, { x: {} }],
    [{ x: { a: 1 } }, { x: { b: 1 } }],
    [{ x: { a: 1 } }, { x: { a: 1, b: 2 } }],
    [{ x: { a: null } }, { x: { a: undefined } }],
    [{ x: { toString: 1 } }, { x: { y: 1 } }],
  ])("X02 tells %j from %j", (before, after) => {
    expect(diffHostContext(before, after)).toEqual({ x: after.x });
  });

  it("ends on cycles", () => {
    const loop = (): HostContext => {
      const value: HostContext = {};
      value.x = { left: value, right: value };
      return value;
    };
    expect(Object.keys(diffHostContext(loop(), loop()) ?? {})).toEqual(["x"]);
  });

  it("X02 D11 merging the difference gives the second context, for any two", () => {
    fc.assert(
      fc.property(contexts, contexts, (before, after) => {
        expect(mergeHostContext(before, diffHostContext(before, after))).toStrictEqual(after);
        expect(diffHostContext(before, structuredClone(before))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("X02 D11 survives JSON serialization", () => {
    fc.assert(
      fc.property(contexts, contexts, (before, after) => {
        const update = JSON.parse(JSON.stringify(diffHostContext(before, after) ?? {}));
        expect(mergeHostContext(before, update)).toStrictEqual(after);
      }),
      { numRuns: 200 },
    );
  });
});

describe("examples", () => {
  it("behave as their comments say", () => {
    expect(examples.merge().after).toEqual({ theme: "dark" });
    expect(examples.diff()).toEqual({ theme: "dark", locale: null });
  });
});

import { describe, expect, it } from "vitest";
import { describeCall, describeLine } from "./describe.js";

/** A description never exceeds the size of a report. */
const LONGEST = 1500;

class Cake {
  layers = 2;
}

describe("a line of a console", () => {
  it.each<[string, unknown[], string]>([
    ["text", ["one", "two"], "one two"],
    [
      "values other than text",
      [1, true, null, undefined, 10n, Symbol("s")],
      "1 true null undefined 10n Symbol(s)",
    ],
    ["an object", [{ a: 1, b: ["x", { c: null }] }], '{a: 1, b: ["x", {c: null}]}'],
    ["an object of a class", [new Cake()], "Cake {layers: 2}"],
    ["an object without a prototype", [Object.create(null, { a: { value: 1, enumerable: true } })], "{a: 1}"],
    ["a map and a set", [new Map([["a", 1]]), new Set(["b"])], 'Map {"a" => 1} Set {"b"}'],
    ["bytes", [new Uint8Array([1, 2])], "[1, 2]"],
    ["a date", [new Date(0)], "1970-01-01T00:00:00.000Z"],
    ["a date that is none", [{ when: new Date(Number.NaN) }], "{when: Invalid Date}"],
    ["a function", [function bake() {}, { bake() {} }], "ƒ bake {bake: ƒ bake}"],
    ["a list with holes", [Object.assign([], { length: 2, 1: 1 })], "[undefined, 1]"],
    [
      "signs in the first text",
      ["%c%s has %d, %o (100%%) %s", "color:red", "Ana", 3, { a: 1 }],
      "Ana has 3, {a: 1} (100%) %s",
    ],
    ["more than the signs ask for", ["%s!", "a", "b"], "a! b"],
    ["nothing", [], ""],
  ])("%s", (_what, values, line) => {
    expect(describeLine(values)).toBe(line);
  });

  it("tells where an error was thrown, and its message", () => {
    expect(describeLine([new TypeError("no oven")])).toMatch(/^TypeError: no oven\n {4}at .*describe\.test/s);
    // As in browsers whose stacks have only locations.
    expect(describeLine([Object.assign(new Error("no oven"), { stack: "bake@app.js" })])).toBe(
      "Error: no oven at bake@app.js",
    );
  });
});

describe("a call of a console", () => {
  it.each<[string, string, unknown[], string]>([
    ["any other", "warn", ["%s!", "a"], "a!"],
    ["a trace", "trace", ["way %s", "home", { a: 1 }], "way home {a: 1} \n    at bake"],
    ["a trace without a message", "trace", [], "Trace \n    at bake"],
    ["an assertion", "assert", [false], "Assertion failed"],
    ["an assertion with a text", "assert", [0, "oven is %s", "cold", 3], "Assertion failed: oven is cold 3"],
    ["an assertion with a value", "assert", [null, { a: 1 }, "b"], "Assertion failed: {a: 1} b"],
    ["a table", "table", [[{ a: 1 }, { a: 2 }], ["a"]], "[{a: 1}, {a: 2}]"],
    ["a table that is none", "table", ["text"], "text"],
  ])("%s", (_what, method, values, text) => {
    expect(describeCall(method, values, "\n    at bake")).toBe(text);
  });

  it("a trace without a known location is its message", () => {
    expect(describeCall("trace", ["here"])).toBe("here");
  });

  it.each<[string, string, unknown[], string]>([
    ["a trace with a long stack", "trace", ["here"], "at bake\n".repeat(1000)],
    ["a trace with a long message", "trace", ["x".repeat(1e6)], "at bake"],
    ["an assertion with a long text", "assert", [false, "x".repeat(1e6)], ""],
    ["a large table", "table", [Array.from({ length: 1e5 }, (_, a) => ({ a }))], ""],
  ])("%s is cut", (_what, method, values, stack) => {
    expect(describeCall(method, values, stack).length).toBeLessThanOrEqual(LONGEST);
  });
});

describe("a hostile value", () => {
  const thrower = (): never => {
    throw new Error("caught you");
  };

  it("that holds itself is written once", () => {
    const cyclic: Record<string, unknown> = { a: 1 };
    cyclic["again"] = [cyclic];
    expect(describeLine([cyclic])).toBe("{a: 1, again: [(itself)]}");
    // Two siblings are not a cycle.
    const shared = {};
    expect(describeLine([[shared, shared]])).toBe("[{}, {}]");
  });

  it("runs none of its getters", () => {
    let runs = 0;
    const value = Object.defineProperty({}, "a", { enumerable: true, get: () => runs++ });
    expect(describeLine([value, [value]])).toBe("{a: (getter)} [{a: (getter)}]");
    expect(runs).toBe(0);
  });

  it.each<[string, unknown]>([
    ["a proxy that throws", new Proxy({}, { ownKeys: thrower, getPrototypeOf: thrower })],
    ["a proxy that is revoked", revoked()],
    ["an error whose stack throws", Object.defineProperty(new Error(), "stack", { get: thrower })],
    ["a date by its prototype alone", Object.create(Date.prototype)],
  ])("%s costs only its own place", (_what, value) => {
    expect(describeLine(["before", value, "after"])).toBe("before (cannot be shown) after");
  });

  it("does not affect other members", () => {
    const members = { one: revoked(), list: [revoked(), 2], map: new Map([[revoked(), 3]]), three: 3 };
    expect(describeLine([members])).toBe(
      "{one: (cannot be shown), list: [(cannot be shown), 2], map: Map {(cannot be shown) => 3}, three: 3}",
    );
    const list = new Proxy([1, 2], {
      getOwnPropertyDescriptor: (from, key) =>
        key === "0" ? thrower() : Reflect.getOwnPropertyDescriptor(from, key),
    });
    expect(describeLine([list])).toBe("[(cannot be shown), 2]");
  });

  it("is not copied when there is no room for it", () => {
    const line = describeLine([{ ["k".repeat(2000)]: "x".repeat(1e6) }]);
    expect(line.length).toBeLessThan(200);
  });

  it.each<[string, unknown[]]>([
    ["text without end", ["x".repeat(1e6)]],
    ["many texts", Array.from({ length: 1e5 }, () => "text")],
    [
      "signs for more than there is room",
      ["%s".repeat(1000), ...Array.from({ length: 1000 }, () => "y".repeat(1e4))],
    ],
    ["a long list", [Array.from({ length: 1e6 }, (_, index) => index)]],
    ["a list that only says that it is long", [Object.assign([], { length: 2 ** 32 - 1 })]],
    ["many keys", [Object.fromEntries(Array.from({ length: 1e4 }, (_, index) => [`key ${index}`, index]))]],
    ["long keys", [{ ["k".repeat(1e6)]: 1 }]],
    ["a large map", [new Map(Array.from({ length: 1e5 }, (_, index) => [index, index]))]],
    ["a wide tree", [wide(20)]],
    ["a deep one", [deep(1e5)]],
    ["control characters", ["\u0001".repeat(1e5)]],
    ["a large number", [10n ** 5000n]],
    ["a long name", [Object.defineProperty(() => {}, "name", { value: "n".repeat(1e6) })]],
  ])("%s is cut", (_what, values) => {
    const line = describeLine(values);
    expect(line.length).toBeLessThanOrEqual(LONGEST);
    expect(JSON.stringify({ code: "console", level: "debug", text: line }).length).toBeLessThan(9900);
  });
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const wide = (levels: number): unknown => {
  let value: unknown = "leaf";
  for (let level = 0; level < levels; level++) value = [value, value, value];
  return value;
};

const deep = (levels: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
};

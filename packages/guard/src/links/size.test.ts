import { JsonText } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import * as examples from "./guard.examples.js";
import type { ViewCall } from "./link.js";
import { limitSize, SIZE_LIMITS, sizeOf } from "./size.js";

const call = (method: ViewCall["method"], params: Record<string, unknown>): ViewCall => ({
  view: "v",
  server: "s",
  method,
  params,
});
const text = (length: number) => "x".repeat(length);
const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { value };
  return value;
};

describe("sizeOf", () => {
  it("is near the length of the JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const size = sizeOf(value, 1e9);
        const { length } = JSON.stringify(value);
        expect(size).toBeGreaterThanOrEqual(length / 8);
        expect(size).toBeLessThanOrEqual(length * 4 + 4);
      }),
    );
  });

  it("counts unparsed text by its length", () => {
    expect(sizeOf({ result: new JsonText(text(1000)) }, 1e9)).toBeGreaterThanOrEqual(1000);
  });

  it("ends for a cycle, a thicket of shared parts and a sparse array", () => {
    expect(examples.sizeOfExample()).toBe(true);
    let thicket: unknown = "x";
    for (let level = 0; level < 100; level++) thicket = [thicket, thicket];
    expect(sizeOf(thicket, 10_000)).toBeGreaterThan(10_000);
    expect(sizeOf(new Array(4_000_000_000), 10_000)).toBeGreaterThan(10_000);
  });

  it("refuses nesting that something behind it would not survive", () => {
    expect(sizeOf(nested(400), 1e6)).toBeLessThan(1e6);
    expect(sizeOf(nested(600), 1e6)).toBeGreaterThan(1e6);
    expect(sizeOf(nested(1_000_000), 1e9)).toBeGreaterThan(1e9);
  });

  it("refuses values that are not JSON, and would count as empty", () => {
    for (const value of [new ArrayBuffer(8), new Uint8Array(8), new Map(), new Set(), new Blob([])]) {
      expect(sizeOf({ value }, 1e6)).toBeGreaterThan(1e6);
    }
  });

  it("stops soon after the limit", () => {
    const looked = vi.fn(() => "x");
    const list = Array.from({ length: 1000 }, () =>
      Object.defineProperty({}, "a", { get: looked, enumerable: true }),
    );
    sizeOf(list, 100);
    expect(looked).not.toHaveBeenCalled();
  });
});

describe("limitSize", () => {
  const send = (method: ViewCall["method"], params: Record<string, unknown>, result: unknown = {}) =>
    limitSize()(call(method, params), async () => result);
  const tooLarge = { code: -32000, data: { code: "too-large" } };

  it.each([
    ["attack C15", "ui/message", { content: [{ type: "text", text: text(1_000_000) }] }],
    ["attack A43", "ui/update-model-context", { structuredContent: { a: text(1_000_001) } }],
    ["attack A44", "notifications/message", { level: "info", data: text(50_001) }],
    ["attack C14", "ui/open-link", { url: `https://a.example/${text(100_000)}` }],
    ["attack C15", "tools/call", { name: "t", arguments: { a: text(16_000_001) } }],
    ["attack D03", "resources/read", { uri: text(1_000_001) }],
  ] as const)("%s: %s over its limit is refused", async (_attack, method, params) => {
    await expect(send(method, params)).rejects.toMatchObject(tooLarge);
  });

  it("I05: messages with a picture, and arguments with a file, pass", async () => {
    const image = { type: "image", mimeType: "image/png", data: text(400_000) };
    await expect(send("ui/message", { role: "user", content: [image] })).resolves.toBeDefined();
    await expect(
      send("tools/call", { name: "save", arguments: { pdf: text(10_000_000) } }),
    ).resolves.toBeDefined();
  });

  it("attack C18: a result over its limit is refused, parsed or not", async () => {
    const link = limitSize({ result: 1000 });
    const results = [{ content: text(1001) }, new JsonText(text(1001))];
    for (const result of results) {
      await expect(link(call("tools/call", {}), async () => result)).rejects.toMatchObject(tooLarge);
    }
    await expect(link(call("tools/call", {}), async () => undefined)).resolves.toBeUndefined();
  });

  it.each(["toString", "constructor", "__proto__", "hasOwnProperty"])(
    "a method that is named like a member of every object has the limit of others: %s",
    async (method) => {
      let reads = 0;
      const cycle: unknown[] = [];
      const get = () => {
        if (++reads > 10_000) throw new Error("endless");
        return cycle;
      };
      // Each level has twice as many parts as the one above.
      Object.defineProperties(cycle, {
        0: { get, enumerable: true },
        1: { get, enumerable: true },
      });
      const link = limitSize({ params: { "*": 1000 } });
      const sent = link(call(method as "ping", { a: cycle }), async () => ({}));
      await expect(sent).rejects.toMatchObject(tooLarge);
      await expect(link(call(method as "ping", { a: 1 }), async () => "passed")).resolves.toBe("passed");
    },
  );

  it("changes only the limits that it is given", async () => {
    const link = examples.limitSizeExample();
    const message = (length: number) => link(call("ui/message", { a: text(length) }), async () => ({}));
    await expect(message(20_000)).rejects.toMatchObject(tooLarge);
    await expect(message(19_000)).resolves.toBeDefined();
    const context = { a: text(SIZE_LIMITS.params["ui/update-model-context"] ?? 0) };
    await expect(link(call("ui/update-model-context", context), async () => ({}))).rejects.toMatchObject(
      tooLarge,
    );
  });
});

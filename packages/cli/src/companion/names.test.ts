/** Names of tools: valid for every provider, stable, and unique. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf, readAddress } from "./addresses.js";
import { appToolName, isAppToolName, toolName } from "./names.js";

describe("names of tools", () => {
  it.each([
    ["weather", "forecast", "weather__forecast"],
    ["my-server", "get-time", "my-server__get-time"],
  ])("%s and %s are %s", (server, tool, name) => {
    expect(toolName(server, tool)).toBe(name);
  });

  it.each([
    ["my.server", "look"],
    ["shop", "café"],
    ["a__b", "c"],
    ["a", "_c"],
    ["a_", "c"],
    ["app_1", "look"],
    ["shop", "x".repeat(80)],
  ])("%s and %s get a hash", (server, tool) => {
    expect(toolName(server, tool)).toMatch(/^[\w-]{1,55}_[0-9a-f]{8}$/);
  });

  it("are unique for any servers and tools, fit, and are no app's", () => {
    const server = fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/);
    const tool = fc.oneof(fc.stringMatching(/^[A-Za-z0-9_.-]{1,70}$/), fc.string({ minLength: 1 }));
    const pairs = fc.uniqueArray(fc.tuple(server, tool), { selector: (pair) => pair.join("\n") });
    fc.assert(
      fc.property(pairs, (all) => {
        const names = all.map(([a, b]) => toolName(a, b));
        expect(new Set(names).size).toBe(all.length);
        for (const name of names) {
          expect(name).toMatch(/^[\w-]{1,64}$/);
          expect(isAppToolName(name) && /^app_\d+$/i.test(name.split("__")[0] ?? "")).toBe(false);
        }
      }),
    );
  });

  it("of apps begin with their number", () => {
    expect(appToolName(2, "add_item")).toBe("app_2__add_item");
    expect(isAppToolName("app_2__add_item")).toBe(true);
    expect(isAppToolName("app_context")).toBe(false);
  });
});

describe("addresses of resources", () => {
  it.each([
    ["shop", "ui://cart/app.html", "ui://shop/cart/app.html"],
    ["shop", "ui://cart/app.html?v=1#x", "ui://shop/cart/app.html?v=1#x"],
    ["my.shop", "note://1/ä b", "vitrine://servers/my.shop/note%3A%2F%2F1%2F%C3%A4%20b"],
  ])("of %s, %s is %s, and leads back", (server, uri, address) => {
    expect(addressOf(server, uri)).toBe(address);
    expect(readAddress(address)).toEqual({ server, uri });
  });

  it("of the web stay unchanged", () => {
    expect(addressOf("shop", "https://example.com/a")).toBe("https://example.com/a");
  });

  it.each(["ui://shop", "ui:///x", "note://1", "vitrine://servers/shop/%", "vitrine://apps/1", ""])(
    "%j belongs to no tool",
    (address) => expect(readAddress(address)).toBeUndefined(),
  );

  it("differ for any two resources of any servers", () => {
    const server = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
    const uri = fc.oneof(
      fc.stringMatching(/^ui:\/\/[\w/.-]{1,20}$/),
      fc.stringMatching(/^[a-g]{1,5}:\/\/[\w/%?&=#-]{1,20}$/),
    );
    fc.assert(
      fc.property(server, uri, (name, own) => {
        expect(readAddress(addressOf(name, own))).toEqual({ server: name, uri: own });
      }),
    );
  });
});

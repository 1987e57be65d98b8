import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Keys } from "./keys.js";

const keys = new Keys("a secret of sixteen bytes or more");
const anyText = fc.string({ unit: "binary" });

describe("S11: a label", () => {
  it("is the same for the same server and domain, with the same secret", async () => {
    const again = new Keys(new TextEncoder().encode("a secret of sixteen bytes or more"));
    expect(await again.label("a", "b")).toBe(await keys.label("a", "b"));
    expect(await keys.label("a", undefined)).toBe(await keys.label("a", undefined));
  });

  it("differs with another secret, so that it cannot be guessed", async () => {
    const others = new Keys("a secret of sixteen bytes or mors");
    expect(await others.label("a", "b")).not.toBe(await keys.label("a", "b"));
  });

  it("is never shared: two servers, or two domains, have two", async () => {
    const pair = fc.tuple(
      anyText,
      fc.option(
        anyText.filter((domain) => domain !== ""),
        { nil: undefined },
      ),
    );
    await fc.assert(
      fc.asyncProperty(pair, pair, async (one, two) => {
        const same = one[0] === two[0] && one[1] === two[1];
        expect((await keys.label(...one)) === (await keys.label(...two))).toBe(same);
      }),
    );
  });

  it.each([
    [
      ["a", "b,c"],
      ["a,b", "c"],
    ],
    [
      ['a","b', undefined],
      ["a", "b"],
    ],
    [
      ["a b", undefined],
      ["a", "b"],
    ],
    // UTF-8 has one replacement character for both.
    [
      ["\ud800", undefined],
      ["\ud801", undefined],
    ],
    [
      ["\ud800", undefined],
      ["\ufffd", undefined],
    ],
    [
      ["e\u0301", undefined],
      ["\u00e9", undefined],
    ],
  ] as const)("is never shared: %j and %j", async ([server, domain], [otherServer, otherDomain]) => {
    expect(await keys.label(server, domain)).not.toBe(await keys.label(otherServer, otherDomain));
  });

  it("is a valid DNS label, whatever the server is called", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (server, domain) => {
        expect(await keys.label(server, domain)).toMatch(/^[a-z2-7]{26}$/);
      }),
    );
  });
});

describe("a record's name", () => {
  it("is its content's: the same for the same, another for another", async () => {
    expect(await keys.name("l", "content")).toBe(await keys.name("l", "content"));
    expect(await keys.name("l", "content")).not.toBe(await keys.name("l", "Content"));
    expect(await keys.name("l", "content")).toMatch(/^[a-z2-7]{52}$/);
  });

  it("is ours under its own label, and under no other", async () => {
    const name = await keys.name("l", "content");
    expect(await keys.isOurs("l", name)).toBe(true);
    expect(await keys.isOurs("m", name)).toBe(false);
    expect(await keys.isOurs("l ", name)).toBe(false);
    expect(await new Keys("another secret of many bytes").isOurs("l", name)).toBe(false);
  });

  it("is refused with any character changed, added or taken away", async () => {
    const name = await keys.name("l", "content");
    for (let at = 0; at < name.length; at++) {
      const changed = name[at] === "a" ? "b" : "a";
      expect(await keys.isOurs("l", name.slice(0, at) + changed + name.slice(at + 1))).toBe(false);
      expect(await keys.isOurs("l", name.slice(0, at))).toBe(false);
    }
    expect(await keys.isOurs("l", `${name}a`)).toBe(false);
  });

  it("cannot be guessed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z2-7]{52}$/), async (name) => {
        expect(await keys.isOurs("l", name)).toBe(false);
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfPart, isChannel, PART, parseFrame, writeFrame } from "./frame.js";
import { readHandshake, writeHandshake } from "./handshake.js";

const channel = fc.oneof(fc.constant("."), fc.stringMatching(/^[\w-]{1,64}$/));
const text = fc.string({ unit: "binary" });

describe("a frame", () => {
  it("is parsed as it was written, whatever its text", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), channel, fc.boolean(), text, (seq, ack, name, more, body) => {
        const frame = { seq: seq + 1, ack, channel: name, more, text: more ? `x${body}` : body };
        expect(parseFrame(writeFrame(frame))).toEqual(frame);
      }),
    );
  });

  it("may be only an acknowledgement, a ping or a pong", () => {
    expect(["- 0", "- 9007199254740991", "?", "!"].map(parseFrame)).toEqual([
      { ack: 0 },
      { ack: Number.MAX_SAFE_INTEGER },
      "?",
      "!",
    ]);
  });

  it.each([
    ["nothing", ""],
    ["a word", "hello"],
    ["JSON alone", '{"jsonrpc":"2.0"}'],
    ["no channel", "1 0"],
    ["no text", "1 0 ."],
    ["the number 0", "0 0 . x"],
    ["a leading zero", "01 0 . x"],
    ["a sign", "+1 0 . x"],
    ["a negative number", "-1 0 . x"],
    ["a fraction", "1.5 0 . x"],
    ["hexadecimal digits", "0x1 0 . x"],
    ["an exponent", "1e3 0 . x"],
    ["a number beyond exactness", "9007199254740992 0 . x"],
    ["a very long number", `${"9".repeat(400)} 0 . x`],
    ["digits of another script", "١ 0 . x"],
    ["two spaces", "1  0 . x"],
    ["an empty channel", "1 0  x"],
    ["a channel with a dot", "1 0 a.b x"],
    ["a channel of another script", "1 0 ä x"],
    ["a line break in its channel", "1 0 a\n x"],
    ["a channel that is too long", `1 0 ${"a".repeat(65)} x`],
    ["only a plus for a channel", "1 0 + x"],
    ["an empty part", "1 0 .+ "],
    ["a text that is too long", `1 0 . ${"x".repeat(PART + 1)}`],
    ["an acknowledgement of nothing", "- "],
    ["more than an acknowledgement", "- 1 "],
    ["a question with more", "? "],
  ])("is refused with %s", (_what, frame) => {
    expect(() => parseFrame(frame)).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("is parsed or refused, whatever comes in", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.stringMatching(/^[-?!0-9. +a-z]{0,12}$/)), (frame) => {
        try {
          const read = parseFrame(frame);
          if (typeof read === "object" && "seq" in read) expect(writeFrame(read)).toBe(frame);
        } catch (error) {
          expect(error).toMatchObject({ code: "malformed" });
        }
      }),
    );
  });

  it("does not let a channel name contain anything that would change a frame", () => {
    expect(["", "a b", "a+", "..", "a\n", "."].map(isChannel)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe("parts", () => {
  it("never end inside a surrogate pair, and miss nothing", () => {
    for (const lead of ["", "x"]) {
      const whole = lead + "🙂".repeat(PART);
      const parts: string[] = [];
      for (let from = 0; from < whole.length; ) {
        const to = endOfPart(whole, from);
        parts.push(whole.slice(from, to));
        from = to;
      }
      expect(parts.join("")).toBe(whole);
      expect(
        parts.every((part) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(part) && part.length <= PART),
      ).toBe(true);
    }
  });

  it("of text with a lone surrogate work anyway", () => {
    const whole = "\ud800".repeat(PART + 5);
    expect(endOfPart(whole, 0)).toBe(PART);
  });
});

describe("the handshake", () => {
  it("is parsed as it was written", () => {
    const hello = { version: 1 as const, session: "s", key: "k", received: 3, fresh: true };
    expect(readHandshake("hello", writeHandshake("hello", hello))).toEqual(hello);
    expect(readHandshake("bye", "1 0 . bye {}")).toBeUndefined();
  });

  it.each([
    "hello ",
    "hello {",
    "hello []",
    "hello null",
    'hello {"version":2,"received":0}',
    'hello {"version":1}',
    'hello {"version":1,"received":"0"}',
    'hello {"version":1,"received":0,"session":{}}',
  ])("is refused: %s", (frame) => {
    expect(() => readHandshake("hello", frame)).toThrow(expect.objectContaining({ code: "malformed" }));
  });
});

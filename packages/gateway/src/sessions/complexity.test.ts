import { describe, expect, it } from "vitest";
import { headOf, isTooComplex } from "./complexity.js";

describe("a message", () => {
  it("with more than a million values is too complex", () => {
    expect(isTooComplex(`[${"[],".repeat(600_000)}0]`)).toBe(true);
    expect(isTooComplex(`[${"0,".repeat(1_100_000)}0]`)).toBe(true);
  });

  it.each([
    ["of a long string", JSON.stringify("a,b[{".repeat(1_000_000))],
    ["of a long string with escapes", JSON.stringify('\\",['.repeat(600_000))],
    ["that is small", "[[],[]]"],
    ["with an unterminated string", `"${"x".repeat(2_000_000)}`],
  ])("%s is not", (_name, text) => {
    expect(isTooComplex(text)).toBe(false);
  });

  it("has its id and method at its start, as Vitrine's pages write it", () => {
    expect(headOf('{"jsonrpc":"2.0","id":"n.1","method":"tools/call","params":{')).toEqual({
      id: "n.1",
      method: "tools/call",
    });
    expect(headOf('{"jsonrpc":"2.0","id":7,"method":"x"')).toEqual({ id: 7, method: "x" });
    expect(headOf('{"method":"x","id":7}')).toBeUndefined();
  });
});

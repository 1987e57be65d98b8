import { describe, expect, it } from "vitest";
import { costText, dollars, factsLine, tokens, usageTitle } from "./model-facts.js";

describe("words about models", () => {
  it.each([
    [512, "512"],
    [8_192, "8.19k"],
    [40_960, "41k"],
    [128_000, "128k"],
    [1_048_576, "1.05M"],
  ])("%i tokens are %s", (value, text) => {
    expect(tokens(value)).toBe(text);
  });

  it.each([
    [0, "$0"],
    [0.00001, "< $0.0001"],
    [0.0042, "$0.0042"],
    [0.123456, "$0.12"],
    [2, "$2"],
    [12.5, "$12.50"],
  ])("%d dollars are %s", (usd, text) => {
    expect(dollars(usd)).toBe(text);
  });

  it("leave out what is unknown", () => {
    expect(factsLine({})).toBe("");
    expect(factsLine({ context: 128_000 })).toBe("up to 128k tokens");
    const price = { input: 2, output: 10, asOf: "2026-07-01", source: "x" };
    expect(factsLine({ price, canCall: false })).toBe(
      "$2 in, $10 out per million tokens · cannot call tools",
    );
  });

  it("say that a cost is an estimate, with the day of the price", () => {
    const cost = { usd: 0.0042, asOf: "2026-07-01" };
    expect(costText(cost)).toBe("≈ $0.0042");
    expect(costText({ ...cost, isPartial: true })).toBe("at least $0.0042");
    expect(costText({ ...cost, usd: 0.000001 })).toBe("< $0.0001");
    expect(usageTitle({ input: 1_000, output: 2, cost })).toContain("prices of 2026-07-01");
    expect(usageTitle({ input: 1_000, output: 2 })).toBe("1,000 tokens in, 2 out");
  });
});

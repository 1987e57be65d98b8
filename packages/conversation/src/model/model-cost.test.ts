import { describe, expect, it } from "vitest";
import { addUsage, costOf } from "./model-cost.js";
import { PRICES_AS_OF, tableFacts } from "./price-table.js";

const price = { input: 2, output: 10, asOf: "2026-07-01", source: "test" };

describe("the cost of an answer", () => {
  it("is that of its tokens", () => {
    expect(costOf({ input: 1_000, output: 200 }, price)).toEqual({ usd: 0.004, asOf: "2026-07-01" });
  });

  it("has the higher price of long requests", () => {
    const long = { ...price, long: { above: 1_000, input: 4, output: 20 } };
    expect(costOf({ input: 1_000, output: 0 }, long).usd).toBeCloseTo(0.002);
    expect(costOf({ input: 1_001, output: 100 }, long).usd).toBeCloseTo(0.004004 + 0.002);
  });

  it("is added up, and says whether a price is missing", () => {
    const none = { input: 0, output: 0 };
    const priced = { input: 10, output: 1, cost: { usd: 1, asOf: "2026-07-02" } };
    const older = { input: 10, output: 1, cost: { usd: 2, asOf: "2026-07-01" } };
    const unpriced = { input: 5, output: 5 };
    expect(addUsage(none, unpriced)).toEqual(unpriced);
    expect(addUsage(addUsage(none, priced), older)).toEqual({
      input: 20,
      output: 2,
      cost: { usd: 3, asOf: "2026-07-01" },
    });
    const partial = addUsage(addUsage(none, unpriced), priced);
    expect(partial.cost).toEqual({ usd: 1, asOf: "2026-07-02", isPartial: true });
    expect(addUsage(partial, older).cost?.isPartial).toBe(true);
    expect(addUsage(priced, unpriced).cost?.isPartial).toBe(true);
  });
});

describe("the price table", () => {
  const openai = { type: "openai", url: "https://api.openai.com/v1" } as const;

  it("has a day and a source for each price", () => {
    expect(tableFacts(openai, "gpt-5.5")).toEqual({
      context: 1_050_000,
      price: {
        input: 5,
        output: 30,
        long: { above: 272_000, input: 10, output: 45 },
        asOf: PRICES_AS_OF,
        source: "models.dev",
      },
    });
  });

  it.each([
    ["unknown models", openai, "gpt-99"],
    ["names of Object.prototype", openai, "constructor"],
    ["another provider's models", openai, "claude-sonnet-5"],
    ["proxies of a provider", { ...openai, url: "https://proxy.example.com/v1" }, "gpt-5.5"],
    ["compatible providers", { ...openai, type: "compatible" as const }, "gpt-5.5"],
  ])("knows nothing about %s", (_, provider, name) => {
    expect(tableFacts(provider, name)).toEqual({});
  });
});

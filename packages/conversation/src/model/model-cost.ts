/**
 * The estimated cost of answers.
 *
 * @module
 */
import type { ModelCost, ModelPrice, ModelUsage } from "@vitrine/wire";

const MILLION = 1_000_000;

/** The cost of one request. Cached input counts in full, so it is an upper estimate. */
export function costOf({ input, output }: ModelUsage, price: ModelPrice): ModelCost {
  const rate = price.long && input > price.long.above ? price.long : price;
  return { usd: (input * rate.input + output * rate.output) / MILLION, asOf: price.asOf };
}

/** Adds usage. The sum of costs says whether it lacks a price. */
export function addUsage(before: ModelUsage, more: ModelUsage): ModelUsage {
  const { cost: first } = before;
  const { cost: second } = more;
  const tokens = { input: before.input + more.input, output: before.output + more.output };
  if (!first && !second) return tokens;
  const isPartial = isUnpriced(before) || isUnpriced(more);
  const [asOf = ""] = [first?.asOf, second?.asOf].filter((day) => day !== undefined).sort();
  return {
    ...tokens,
    cost: { usd: (first?.usd ?? 0) + (second?.usd ?? 0), asOf, ...(isPartial && { isPartial }) },
  };
}

const isUnpriced = ({ input, output, cost }: ModelUsage): boolean =>
  cost ? cost.isPartial === true : input + output > 0;

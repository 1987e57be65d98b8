/**
 * Words about models: context length, price and cost. Whatever is unknown is left out.
 *
 * @module
 */
import type { ModelCost, ModelFacts, ModelPrice, ModelUsage } from "@vitrine/wire";
import { count } from "../inspector/format.js";

/** A number of tokens, such as `128k` or `1M`. */
export function tokens(value: number): string {
  if (value < 1_000) return `${value}`;
  const [scaled, unit] = value < 1_000_000 ? [value / 1_000, "k"] : [value / 1_000_000, "M"];
  return `${Number(scaled.toPrecision(3))}${unit}`;
}

/** Dollars, with as many digits as a small amount needs. */
export const dollars = (usd: number): string =>
  usd === 0
    ? "$0"
    : usd < 0.0001
      ? "< $0.0001"
      : `$${usd < 1 ? Number(usd.toPrecision(2)) : usd.toFixed(2).replace(/\.00$/, "")}`;

/** Context, price and tools on one line; empty if nothing is known. */
export function factsLine({ context, price, canCall }: ModelFacts): string {
  return [
    context !== undefined && `up to ${tokens(context)} tokens`,
    price && `${dollars(price.input)} in, ${dollars(price.output)} out per million tokens`,
    canCall === false && "cannot call tools",
  ]
    .filter((each) => typeof each === "string")
    .join(" · ");
}

/** The origin of a price. */
export const priceOrigin = ({ asOf, source }: Pick<ModelPrice, "asOf" | "source">): string =>
  `Price of ${asOf}, from ${source}`;

/** A cost, such as `≈ $0.0042`. */
export const costText = ({ usd, isPartial }: ModelCost): string =>
  `${isPartial ? "at least" : "≈"} ${dollars(usd)}`.replace("≈ <", "<");

/** Explains usage and cost. */
export function usageTitle({ input, output, cost }: ModelUsage): string {
  const used = `${count(input)} tokens in, ${count(output)} out`;
  if (!cost) return used;
  const missing = cost.isPartial ? "; some answers have no known price" : "";
  return `${used}. Estimated with prices of ${cost.asOf}, without discounts for cached input${missing}`;
}

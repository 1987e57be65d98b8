/**
 * Tokens and cost of an answer, or of the whole conversation.
 *
 * @module
 */
import type { ModelUsage } from "@vitrine/wire";
import { count } from "../inspector/format.js";
import { costText, usageTitle } from "../models/model-facts.js";

/** Small, with the details in its title. */
export function Usage({ usage, isTotal = false }: { usage: ModelUsage; isTotal?: boolean }) {
  const { input, output, cost } = usage;
  return (
    <span className="usage small soft" title={usageTitle(usage)}>
      {isTotal ? `${count(input + output)} tokens` : `${count(input)} tokens in, ${count(output)} out`}
      {cost && ` · ${costText(cost)}`}
    </span>
  );
}

/**
 * Limits the tables of a text. The parser fills short rows with empty cells, so a small text could become millions of them.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { MarkdownIt } from "markdown-it";

/** Maximum tokens of all tables of a text; about three for each cell. Later tables are shown as their source. */
const MAX_TOKENS = 60_000;

type BlockRule = Parameters<MarkdownIt["block"]["ruler"]["at"]>[1];

/** Stops reading tables in texts that have too many cells. */
export function limitTables({ block: { ruler } }: MarkdownIt): void {
  const { __rules__: rules } = recordOf(ruler);
  const known = (Array.isArray(rules) ? rules : []).map(recordOf).find(({ name }) => name === "table");
  if (typeof known?.["fn"] !== "function") throw new TypeError("the parser has no rule for tables");
  const read = known["fn"] as BlockRule;
  const limited: BlockRule = (state, from, to, silent) => {
    const env = state.env as { tableTokens?: number };
    const used = env.tableTokens ?? 0;
    if (used > MAX_TOKENS) return false;
    const before = state.tokens.length;
    const isRead = read(state, from, to, silent);
    env.tableTokens = used + state.tokens.length - before;
    return isRead;
  };
  ruler.at("table", limited, { alt: ["paragraph", "reference"] });
}

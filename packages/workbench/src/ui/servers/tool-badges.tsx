/**
 * Badges of a tool.
 *
 * @module
 */
import type { ToolFacts } from "./tool-facts.js";

/** The badges of a tool. */
export function ToolBadges({ facts }: { facts: ToolFacts }) {
  const { tool, hasUi, uiProblem, isCallable, isForApps } = facts;
  const { destructiveHint, readOnlyHint } = tool.annotations ?? {};
  return (
    <span className="badges">
      {hasUi && <span className={uiProblem === undefined ? "badge accent" : "badge bad"}>UI</span>}
      {!isCallable && isForApps && <span className="badge warn">app only</span>}
      {isCallable && !isForApps && <span className="badge">model only</span>}
      {!isCallable && !isForApps && <span className="badge warn">hidden</span>}
      {destructiveHint && !readOnlyHint && <span className="badge warn">destructive</span>}
    </span>
  );
}

/**
 * Shows the differences of two texts, side by side or unified.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { compare, stretchesOf } from "./comparison.js";

/** Configuration of {@link diffViewer}. */
export interface DiffViewerConfig {
  readonly title?: string | undefined;
  /** Initial mode; users can switch. Split by default, if there is room. */
  readonly viewMode?: "split" | "unified" | undefined;
  /** Whether lines are numbered; true by default. */
  readonly showLineNumbers?: boolean | undefined;
  /** Whether code is highlighted; true by default. */
  readonly syntaxHighlight?: boolean | undefined;
  /** Title of the left text; "Original" by default. */
  readonly leftTitle?: string | undefined;
  /** Title of the right text; "Modified" by default. */
  readonly rightTitle?: string | undefined;
}

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Diff Viewer" },
    viewMode: { type: "string", enum: ["split", "unified"], default: "split" },
    showLineNumbers: { type: "boolean", default: true },
    syntaxHighlight: { type: "boolean", default: true },
    leftTitle: { type: "string", default: "Original" },
    rightTitle: { type: "string", default: "Modified" },
  },
  additionalProperties: false,
};

/**
 * Shows the differences of two texts. Accepts `{ left, right }` or `{ original, modified }`, or a known list
 * of `changes`.
 *
 * @example
 * ```ts source="../../server.examples.ts#diffViewer"
 * const changes = view({
 *   name: "changes",
 *   template: diffViewer,
 *   config: { title: "Changes", leftTitle: "Before", rightTitle: "After" },
 * });
 *
 * ```
 */
export const diffViewer: Template<DiffViewerConfig> = builtIn({
  name: "diff-viewer",
  title: "Diff Viewer",
  schema,
  text: textOfDiff,
});

/** Maximum lines in the text; the rest is only counted. */
const MAX_LINES = 400;

function textOfDiff(data: unknown, config: DiffViewerConfig): string {
  const { leftTitle = "Original", rightTitle = "Modified" } = config;
  const { lines, added, removed, nothing } = compare(data);
  if (nothing) return nothing;
  const written = stretchesOf(lines).flatMap((stretch) =>
    stretch.isFolded
      ? [`@@ ${stretch.lines.length} unchanged lines @@`]
      : stretch.lines.map(({ sign, text }) => sign + text),
  );
  const rest = written.length - MAX_LINES;
  const body = written.slice(0, MAX_LINES).join("\n");
  // A fence that is longer than any in the text.
  const fence = "`".repeat(Math.max(3, ...[...body.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const head = `${leftTitle} → ${rightTitle}: ${added} added, ${removed} removed`;
  return `${head}\n\n${fence}diff\n${body}\n${fence}${rest > 0 ? `\n\n… and ${rest} more lines` : ""}`;
}

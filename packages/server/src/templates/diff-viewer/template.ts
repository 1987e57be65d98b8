/**
 * Two texts, and what differs: beside each other or one under the other.
 *
 * @module
 */
import { builtIn } from "../built-in.js";
import type { JsonSchema } from "../check-config.js";
import type { Template } from "../template.js";
import { compare, stretchesOf } from "./comparison.js";

/** Configuration of {@link diffViewer}. */
export interface DiffViewerConfig {
  readonly title?: string | undefined;
  /** How it begins; people can turn to the other. Beside each other by default, where there is room for it. */
  readonly viewMode?: "split" | "unified" | undefined;
  /** Whether lines have numbers; they have by default. */
  readonly showLineNumbers?: boolean | undefined;
  /** Whether texts, numbers, comments and common words of code have colours; they have by default. */
  readonly syntaxHighlight?: boolean | undefined;
  /** What the left text is called; "Original" by default. */
  readonly leftTitle?: string | undefined;
  /** What the right text is called; "Modified" by default. */
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
 * Shows what differs between two texts. Takes `{ left, right }` or `{ original, modified }`, or `changes` that are known already.
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

/** Lines that are written; a model is told how many more there are. */
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
  // A fence that nothing in the text can end.
  const fence = "`".repeat(Math.max(3, ...[...body.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const head = `${leftTitle} → ${rightTitle}: ${added} added, ${removed} removed`;
  return `${head}\n\n${fence}diff\n${body}\n${fence}${rest > 0 ? `\n\n… and ${rest} more lines` : ""}`;
}

/**
 * Checks whether a tool's result fits the output schema that the tool declares.
 *
 * @module
 */
import type { CallToolResult, Tool } from "@vitrine/protocol";

/** The outcome of a check. */
export interface OutputFit {
  readonly fits: boolean;
  /** A sentence for each problem. */
  readonly problems: readonly string[];
}

/** Finds the problems of a value under a schema. */
export type CheckSchema = (
  schema: Record<string, unknown>,
  value: unknown,
) => readonly { readonly path: readonly (string | number)[]; readonly message: string }[];

/** Undefined if the tool declares no schema. A result that reports a failure needs no structured content. */
export function outputFit(
  { outputSchema }: Pick<Tool, "outputSchema">,
  { structuredContent, isError }: CallToolResult,
  check: CheckSchema,
): OutputFit | undefined {
  if (!outputSchema || isError) return undefined;
  if (structuredContent === undefined)
    return {
      fits: false,
      problems: ["The tool declares an output schema, and the result has no structuredContent."],
    };
  const problems = check(outputSchema, structuredContent).map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return { fits: problems.length === 0, problems };
}

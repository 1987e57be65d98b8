/**
 * A view that its server cannot read. The server offers the tool without the view, and explains why to
 * clients on the same machine.
 *
 * @module
 */
import { isObject } from "./schema.js";

/** The key in a tool's `_meta` that explains why its view is missing. */
export const VIEW_PROBLEM_KEY = "vitrine/view-problem";

/** Maximum length of the explanation. */
const MOST = 2000;

/**
 * Returns the server's explanation why a tool's view cannot be read; undefined if there is no such problem.
 *
 * @example
 * ```ts source="./protocol.examples.ts#readViewProblem"
 * const tool = {
 *   name: "cart",
 *   _meta: { [VIEW_PROBLEM_KEY]: "there is no file ui/cart.html (view-missing)" },
 * };
 * const why = readViewProblem(tool);
 * // "there is no file ui/cart.html (view-missing)"
 * ```
 */
export function readViewProblem(tool: unknown): string | undefined {
  const meta: unknown = isObject(tool) ? tool["_meta"] : undefined;
  const problem: unknown = isObject(meta) ? meta[VIEW_PROBLEM_KEY] : undefined;
  return typeof problem === "string" && problem ? problem.slice(0, MOST) : undefined;
}

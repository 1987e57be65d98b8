/**
 * A view that its server cannot read: the server offers the tool without it, and says why to clients on the same machine.
 *
 * @module
 */
import { isObject } from "./schema.js";

/** The key in a tool's `_meta` that says why its view is missing. */
export const VIEW_PROBLEM_KEY = "vitrine/view-problem";

/** Characters of the server's words. */
const MOST = 2000;

/**
 * Why a tool's view cannot be read, in its server's words; undefined if the tool has none, or one that can be read.
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

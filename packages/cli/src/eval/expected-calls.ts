/**
 * Expectations about tool calls.
 *
 * @module
 */
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import type { Expectations, ExpectedCall } from "./eval-schema.js";
import type { MadeCall } from "./evidence.js";
import { argumentDifference, shortJson } from "./match-arguments.js";
import { isMeant, nameOf } from "./tool-names.js";

/** Maximum number of calls in a sentence. */
const MOST_LISTED = 5;

/** Reasons why the calls are not as expected. */
export function callReasons(
  { calls = [], "in-order": isOrdered = false, "no-calls": forbidden = [] }: Expectations,
  made: readonly MadeCall[],
): string[] {
  const missing = isOrdered ? missingInOrder(calls, made) : missingCalls(calls, made);
  const unwanted = made.filter((call) => forbidden.some((pattern) => isMeant(pattern, call)));
  return [...missing, ...unwanted.map((call) => `${callText(call)} was called, and no-calls forbids it`)];
}

/** Why a call is not the expected one; undefined if it is. */
function difference({ tool, arguments: wanted, schema }: ExpectedCall, call: MadeCall): string | undefined {
  if (nameOf(call) !== tool) return `it is ${nameOf(call)}`;
  const differs = wanted && argumentDifference(wanted, call.input);
  if (differs !== undefined) return differs;
  if (!schema) return undefined;
  const result = new AjvJsonSchemaValidator().getValidator(schema)(call.input);
  return result.valid ? undefined : `the arguments do not fit the schema: ${result.errorMessage}`;
}

/** Expected calls without a call of their own. Each call counts for one expectation, whichever needs it. */
function missingCalls(expected: readonly ExpectedCall[], made: readonly MadeCall[]): string[] {
  const owners = new Map<number, number>();
  const place = (at: number, seen: Set<number>): boolean => {
    const wanted = expected[at];
    return made.some((call, index) => {
      if (!wanted || seen.has(index) || difference(wanted, call) !== undefined) return false;
      seen.add(index);
      const owner = owners.get(index);
      if (owner !== undefined && !place(owner, seen)) return false;
      owners.set(index, at);
      return true;
    });
  };
  return expected.flatMap((wanted, at) => (place(at, new Set()) ? [] : [missingText(wanted, made)]));
}

function missingInOrder(expected: readonly ExpectedCall[], made: readonly MadeCall[]): string[] {
  let from = 0;
  let before: ExpectedCall | undefined;
  for (const wanted of expected) {
    const found = made.findIndex((call, at) => at >= from && difference(wanted, call) === undefined);
    if (found < 0) {
      const isEarlier = made.some((call) => difference(wanted, call) === undefined);
      return isEarlier && before
        ? [`${wanted.tool} was not called after ${before.tool}; the calls were ${listText(made)}`]
        : [missingText(wanted, made)];
    }
    from = found + 1;
    before = wanted;
  }
  return [];
}

function missingText(wanted: ExpectedCall, made: readonly MadeCall[]): string {
  const same = made.filter((call) => nameOf(call) === wanted.tool);
  const [near] = same;
  if (!near) return `${wanted.tool} was not called; ${listText(made)}`;
  const differs = difference(wanted, near);
  return differs === undefined
    ? `${wanted.tool} was called ${same.length} times, and more such calls are expected`
    : `${wanted.tool} was called with other arguments: ${differs}`;
}

const callText = (call: MadeCall): string => `${nameOf(call)} ${shortJson(call.input)}`;

function listText(made: readonly MadeCall[]): string {
  if (made.length === 0) return "no tool was called";
  const more = made.length > MOST_LISTED ? `, and ${made.length - MOST_LISTED} more` : "";
  return `${made.slice(0, MOST_LISTED).map(callText).join(", ")}${more}`;
}

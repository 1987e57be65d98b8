/**
 * Problems with a tool's input, by argument, so that a form can show them at its fields and a model can read
 * them.
 *
 * @module
 */
/** The key of the problems by argument in a result's `_meta`; template pages read it. */
export const PROBLEMS_KEY = "vitrine/problems";

/**
 * Throw this in a tool that rejects its input.
 *
 * @example
 * ```ts source="./server.examples.ts#InputError"
 * export const order = tool({
 *   name: "order",
 *   input: z.object({ city: z.string(), count: z.number().int() }),
 *   run: ({ city, count }) => {
 *     if (count > 10) throw new InputError({ count: "There are 10 left." });
 *     return `${count} for ${city}`;
 *   },
 * });
 * ```
 */
export class InputError extends Error {
  override readonly name = "InputError";
  /** Messages by argument name; nested ones with dots: `address.city`. */
  readonly problems: Readonly<Record<string, string>>;

  constructor(problems: Readonly<Record<string, string>>, message = sentenceOf(problems)) {
    super(message);
    this.problems = problems;
  }
}

/** A validation issue, from a schema of any library. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** Converts the issues of a schema to an input error. */
export function inputErrorOf(issues: readonly Issue[]): InputError {
  const problems: Record<string, string> = {};
  for (const issue of issues) problems[placeOf(issue)] ??= issue.message;
  return new InputError(problems);
}

/** The path of an issue, such as `address.city`; empty for the whole input. */
export const placeOf = ({ path = [] }: Issue): string => path.map(keyOf).join(".");

/** A path segment: the key, or an object that contains it. */
const keyOf = (step: unknown): string =>
  String(typeof step === "object" && step !== null && "key" in step ? step.key : step);

const sentenceOf = (problems: Readonly<Record<string, string>>): string =>
  `The input is wrong. ${Object.entries(problems)
    .map(([name, problem]) => (name === "" ? problem : `${name}: ${problem}`))
    .join("; ")}`;

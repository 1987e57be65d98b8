/**
 * What is wrong with a tool's input, argument by argument: a form shows it at its fields, a model reads it.
 *
 * @module
 */
/** Where a result has what is wrong with single arguments; the pages of templates look there. */
export const PROBLEMS_KEY = "vitrine/problems";

/**
 * Thrown by a tool that cannot do anything with its input.
 *
 * @example
 * ```ts source="./server.examples.ts#InputError"
 * run: ({ city, count }) => {
 *   if (count > 10) throw new InputError({ count: "There are 10 left." });
 *   return `${count} for ${city}`;
 * },
 * ```
 */
export class InputError extends Error {
  override readonly name = "InputError";
  /** By the names of arguments; of members of members with dots: `address.city`. */
  readonly problems: Readonly<Record<string, string>>;

  constructor(problems: Readonly<Record<string, string>>, message = sentenceOf(problems)) {
    super(message);
    this.problems = problems;
  }
}

/** What a schema of any library says is wrong. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** What a schema said, as an error of the input. */
export function inputErrorOf(issues: readonly Issue[]): InputError {
  const problems: Record<string, string> = {};
  for (const issue of issues) problems[placeOf(issue)] ??= issue.message;
  return new InputError(problems);
}

/** Where something is wrong: `address.city`; empty where it is all of it. */
export const placeOf = ({ path = [] }: Issue): string => path.map(keyOf).join(".");

/** A step of a path: the key itself, or an object that has it. */
const keyOf = (step: unknown): string =>
  String(typeof step === "object" && step !== null && "key" in step ? step.key : step);

const sentenceOf = (problems: Readonly<Record<string, string>>): string =>
  `The input is wrong. ${Object.entries(problems)
    .map(([name, problem]) => (name === "" ? problem : `${name}: ${problem}`))
    .join("; ")}`;

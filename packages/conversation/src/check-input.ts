/**
 * Checks the arguments that a model wrote against the tool's schema.
 *
 * @module
 */
import { createContext, Script } from "node:vm";
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { sizeOf } from "@vitrine/guard";
import { withoutSecrets } from "@vitrine/protocol";

/** The arguments, or a sentence for the model that says what is wrong. */
export type ReadInput =
  | { readonly input: Record<string, unknown>; readonly problem?: string | undefined }
  | { readonly input?: undefined; readonly problem: string };

const MAX_PROBLEMS = 5;
/** Maximum length of arguments in characters. */
const MAX_INPUT = 16_000_000;
/** Milliseconds: checking against a server's schema could take forever. */
const LONGEST = 200;

/** Parses arguments as a model wrote them. Some models write nothing for a tool without arguments. */
export function readInput(text: string): ReadInput {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() || "{}");
  } catch (error) {
    // The text is not quoted, because it may contain secrets.
    const where = /position \d+/.exec(error instanceof Error ? error.message : "")?.[0];
    const at = where ? ` (wrong or cut off at ${where})` : "";
    return {
      problem: `The model wrote arguments that are not valid JSON${at}, so the tool was not called. Write them again, as one JSON object.`,
    };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return {
      problem:
        "The model wrote arguments that are not a JSON object, so the tool was not called. Write them again, as one.",
    };
  // A value that is nested too deeply could be neither serialized nor compared.
  if (sizeOf(value, MAX_INPUT) > MAX_INPUT)
    return {
      problem:
        "The model wrote arguments that are too large, or nested too deep, so the tool was not called. Write less.",
    };
  return { input: value as Record<string, unknown> };
}

/** Describes how arguments violate their tool's schema, by field; undefined if they are valid. */
export function inputProblem(schema: unknown, input: Record<string, unknown>): string | undefined {
  const errors = errorsOf(schema, input).filter(({ keyword }) => !OUTER.has(keyword));
  if (errors.length === 0) return undefined;
  const shown = withoutSecrets(schema, input);
  const lines = errors
    .slice(0, MAX_PROBLEMS)
    .map(
      ({ instanceLocation, error }) =>
        `- ${fieldOf(instanceLocation)}: ${sayable(instanceLocation, error, shown)}`,
    );
  if (errors.length > MAX_PROBLEMS) lines.push(`- and ${errors.length - MAX_PROBLEMS} more`);
  return `The arguments do not fit the tool's schema; it was not called. Correct them:\n${lines.join("\n")}`;
}

/** Keywords that only report an error nested inside of them. */
const OUTER = new Set([
  ...["properties", "patternProperties", "items", "prefixItems", "additionalItems", "additionalProperties"],
  ...["unevaluatedProperties", "unevaluatedItems", "dependentSchemas", "allOf", "$ref", "if"],
]);

/** The library has no time limit, and patterns and references in a schema can take arbitrarily long. */
const sandbox = createContext(Object.create(null) as { work?: () => void });
const script = new Script("work()");

function errorsOf(schema: unknown, input: unknown): OutputUnit[] {
  if (typeof schema !== "object" || schema === null) return [];
  let errors: OutputUnit[] = [];
  sandbox["work"] = () => {
    // A copy, because the library modifies its input.
    const validator = new Validator(structuredClone(schema) as Schema, draftOf(schema), false);
    const result = validator.validate(input);
    errors = result.valid ? [] : result.errors;
  };
  try {
    script.runInContext(sandbox, { timeout: LONGEST });
  } catch {
    // An unusable schema is left to the server, which checks its input itself.
    return [];
  } finally {
    delete sandbox["work"];
  }
  return errors;
}

/** The dialect of a schema; the newest if it declares none. */
function draftOf({ $schema }: { $schema?: unknown }): "4" | "7" | "2019-09" | "2020-12" {
  const dialect = typeof $schema === "string" ? $schema : "";
  if (/draft-0[67]/.test(dialect)) return "7";
  if (/draft-04/.test(dialect)) return "4";
  return /2019-09/.test(dialect) ? "2019-09" : "2020-12";
}

/** Converts `#/days/0` to `days.0`. */
const fieldOf = (pointer: string): string =>
  pointer.split("/").slice(1).map(plain).join(".") || "(the arguments)";

/** The library quotes values in its messages, and a value may be a secret. */
function sayable(pointer: string, error: string, shown: Record<string, unknown>): string {
  let at: unknown = shown;
  for (const name of pointer.split("/").slice(1).map(plain))
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  return at === undefined ? "does not match the schema." : error.slice(0, 500);
}

function plain(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return name;
  }
}

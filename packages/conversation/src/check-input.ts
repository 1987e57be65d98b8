/**
 * Whether what a model wrote is what a tool takes.
 *
 * @module
 */
import { createContext, Script } from "node:vm";
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { sizeOf } from "@vitrine/guard";
import { withoutSecrets } from "@vitrine/protocol";

/** The arguments, or what is wrong with them: a sentence for the model. */
export type ReadInput =
  | { readonly input: Record<string, unknown>; readonly problem?: string | undefined }
  | { readonly input?: undefined; readonly problem: string };

const MAX_PROBLEMS = 5;
/** Characters of arguments. */
const MAX_INPUT = 16_000_000;
/** Milliseconds: a server's schema may take for ever to try. */
const LONGEST = 200;

/** Reads arguments as a model wrote them. Some models write nothing at all for a tool without arguments. */
export function readInput(text: string): ReadInput {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() || "{}");
  } catch (error) {
    // What was written is not repeated: there may be secrets in it.
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
  // What is nested too deep could be neither written again nor compared.
  if (sizeOf(value, MAX_INPUT) > MAX_INPUT)
    return {
      problem:
        "The model wrote arguments that are too large, or nested too deep, so the tool was not called. Write less.",
    };
  return { input: value as Record<string, unknown> };
}

/** What is wrong with arguments, by their tool's schema, naming the fields; undefined if nothing is. */
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

/** Keywords that only say that something inside of them is wrong. */
const OUTER = new Set([
  ...["properties", "patternProperties", "items", "prefixItems", "additionalItems", "additionalProperties"],
  ...["unevaluatedProperties", "unevaluatedItems", "dependentSchemas", "allOf", "$ref", "if"],
]);

/** The library has no time limit, and expressions and references in a schema can make it need one. */
const place = createContext(Object.create(null) as { work?: () => void });
const script = new Script("work()");

function errorsOf(schema: unknown, input: unknown): OutputUnit[] {
  if (typeof schema !== "object" || schema === null) return [];
  let errors: OutputUnit[] = [];
  place["work"] = () => {
    // A copy: the library writes into what it is given.
    const validator = new Validator(structuredClone(schema) as Schema, draftOf(schema), false);
    const result = validator.validate(input);
    errors = result.valid ? [] : result.errors;
  };
  try {
    script.runInContext(place, { timeout: LONGEST });
  } catch {
    // A schema that cannot be worked with is the server's own affair: it checks what it is sent.
    return [];
  } finally {
    delete place["work"];
  }
  return errors;
}

/** The dialect that a schema is written in; the newest if it does not say. */
function draftOf({ $schema }: { $schema?: unknown }): "4" | "7" | "2019-09" | "2020-12" {
  const dialect = typeof $schema === "string" ? $schema : "";
  if (/draft-0[67]/.test(dialect)) return "7";
  if (/draft-04/.test(dialect)) return "4";
  return /2019-09/.test(dialect) ? "2019-09" : "2020-12";
}

/** `#/days/0` as `days.0`. */
const fieldOf = (pointer: string): string =>
  pointer.split("/").slice(1).map(plain).join(".") || "(the arguments)";

/** The library says values in its sentences, and one may be a secret. */
function sayable(pointer: string, error: string, shown: Record<string, unknown>): string {
  let at: unknown = shown;
  for (const name of pointer.split("/").slice(1).map(plain))
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  return at === undefined ? "is not what the schema asks for." : error.slice(0, 500);
}

function plain(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return name;
  }
}

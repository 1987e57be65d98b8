/**
 * Validation errors for users, by field.
 *
 * @module
 */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";

/** A schema, as the form knows it. */
type JsonSchema = object & { $schema?: string | undefined };

/** An error. */
export interface SchemaError {
  /** Path of names and indexes from the root. */
  readonly path: readonly string[];
  readonly keyword: string;
  readonly message: string;
}

/** Keywords whose errors only point to inner ones. */
const OUTER = new Set([
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "dependentSchemas",
  "allOf",
  "$ref",
  "if",
]);

/** The dialect of a schema; the newest by default. */
function draftOf($schema = ""): "4" | "7" | "2019-09" | "2020-12" {
  if (/draft-0[67]/.test($schema)) return "7";
  if (/draft-04/.test($schema)) return "4";
  return /2019-09/.test($schema) ? "2019-09" : "2020-12";
}

/** A validator of a schema. It works without `eval`, which the page's policy forbids. */
export const validatorOf = (schema: JsonSchema): Validator =>
  // A copy, because the library modifies its input.
  new Validator(schemaCopy(schema), draftOf(schema.$schema), false);

/** A schema in the validator library's type. The two libraries' types differ for `not: true`. */
export const schemaCopy = (schema: JsonSchema): Schema => structuredClone(schema) as Schema;

/** The errors, most relevant first; for unions, only those of the intended kind. */
export function readErrors(errors: readonly OutputUnit[]): SchemaError[] {
  return withoutOtherKinds(errors)
    .filter(({ keyword }) => !OUTER.has(keyword))
    .map(toError);
}

/** Of the branches of `anyOf` and `oneOf`, keeps the best match, if one has at least the right type. */
function withoutOtherKinds(errors: readonly OutputUnit[]): OutputUnit[] {
  let kept = [...errors];
  for (const union of errors) {
    if (union.keyword !== "anyOf" && union.keyword !== "oneOf") continue;
    const inside = kept.filter((each) => each.keywordLocation.startsWith(`${union.keywordLocation}/`));
    const branches = new Set(inside.map((each) => branchOf(each, union)));
    const best = [...branches]
      .map((branch) => inside.filter((each) => branchOf(each, union) === branch))
      .filter((branch) => !branch.some((each) => isOtherKind(each, union)))
      .sort((a, b) => a.length - b.length)[0];
    const dropped = new Set(inside.filter((each) => !best?.includes(each)));
    if (best) dropped.add(union);
    kept = kept.filter((each) => !dropped.has(each));
  }
  return kept;
}

const branchOf = (each: OutputUnit, union: OutputUnit): string =>
  each.keywordLocation.slice(union.keywordLocation.length + 1).split("/", 1)[0] ?? "";

/** Whether another kind was intended: the type, or the discriminating constant, differs. */
const isOtherKind = (each: OutputUnit, union: OutputUnit): boolean =>
  (each.keyword === "type" && each.instanceLocation === union.instanceLocation) || each.keyword === "const";

function toError({ keyword, error, instanceLocation }: OutputUnit): SchemaError {
  const path = pathOf(instanceLocation);
  if (keyword === "required" || keyword === "dependentRequired") {
    const name = /property "(.*)"/s.exec(error)?.[1];
    return { path: name === undefined ? path : [...path, name], keyword, message: "This is required." };
  }
  const expected = /Expected (.*)\.$/.exec(error)?.[1]?.replaceAll('"', "");
  const message =
    keyword === "type" && expected
      ? `This must be of type ${expected}.`
      : keyword === "false"
        ? "The tool has no such property."
        : keyword === "anyOf" || keyword === "oneOf"
          ? "This matches none of the types that the tool accepts, or more than one."
          : error.replace(/^Instance /, "This ");
  return { path, keyword, message };
}

/** Splits `#/a~1b/0` into names. */
function pathOf(pointer: string): string[] {
  const [, ...names] = pointer.split("/");
  return names.map((name) => decode(name).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

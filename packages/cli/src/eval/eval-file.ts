/**
 * Reads an eval file. All mistakes are reported at once, each with its line and key.
 *
 * @module
 */
import { basename } from "node:path";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { closest } from "@vitrine/servers/support";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { CliError } from "../exit.js";
import { EVAL_SCHEMA, type Expectations } from "./eval-schema.js";

/** A sentence of the user, with what is expected of its answer. */
export interface EvalTurn {
  readonly say: string;
  readonly expect?: Expectations | undefined;
}

/** A case: a conversation, and what is expected of it. */
export interface EvalCase {
  readonly name: string;
  readonly turns: readonly EvalTurn[];
  /** About the whole conversation. */
  readonly expect?: Expectations | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
}

/** A valid file. */
export interface EvalFile {
  readonly models: readonly string[];
  readonly runs?: number | undefined;
  readonly minRate?: number | undefined;
  /** Milliseconds of a case. */
  readonly timeout?: number | undefined;
  /** The rule for consents: everything else that would be asked is denied. */
  readonly allow: readonly string[];
  readonly apps: boolean;
  readonly cases: readonly EvalCase[];
}

type Path = readonly (string | number)[];
type Issue = z.core.$ZodIssue;
/** The place of a mistake, the sentence, and the key if it is about that. */
type Mistake = readonly [path: Path, message: string, key?: string | undefined];

const LONGEST = 2_000_000;

/**
 * Reads the text of a file.
 *
 * @throws {CliError} `eval-invalid`
 */
export function readEvalFile(text: string, file: string): EvalFile {
  const name = basename(file);
  if (text.length > LONGEST) throw invalid([`${name}: the file has more than ${LONGEST} characters`]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  if (document.errors.length > 0)
    throw invalid(document.errors.map(({ message, pos }) => `${name}:${lineAt(pos[0])}: ${message}`));
  const problems = (mistakes: readonly Mistake[]): CliError => {
    const placed = mistakes.map(([path, message, key]) => ({
      line: lineAt(offsetOf(document, path, key)),
      text: `${pathText(key === undefined ? path : [...path, key])}${message}`,
    }));
    placed.sort((one, other) => one.line - other.line);
    return invalid(placed.map(({ line, text: sentence }) => `${name}:${line}: ${sentence}`));
  };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw invalid([`${name}: ${Object(error).message}`]);
  }
  const read = EVAL_SCHEMA.safeParse(value ?? {});
  if (!read.success) throw problems(read.error.issues.flatMap((issue) => mistakesOf(issue, document)));
  const { cases, models = [], allow = [], apps = false, runs, timeout, "min-rate": minRate } = read.data;
  const wrong = [...twins(cases), ...wrongSchemas(cases)];
  if (wrong.length > 0) throw problems(wrong);
  return {
    models,
    runs,
    minRate,
    timeout,
    allow,
    apps,
    cases: cases.map(({ name: called, say, turns, expect, timeout: own }) => ({
      name: called,
      turns: turns ?? [{ say: say ?? "" }],
      expect,
      timeout: own,
    })),
  };
}

const invalid = (lines: readonly string[]): CliError => new CliError("eval-invalid", lines.join("\n"));

type RawCases = z.output<typeof EVAL_SCHEMA>["cases"];

/** Two cases of one name would be one row of the table. */
function twins(cases: RawCases): Mistake[] {
  return cases.flatMap(({ name }, at): Mistake[] =>
    cases.findIndex((each) => each.name === name) < at
      ? [[["cases", at, "name"], "another case has this name already"]]
      : [],
  );
}

/** A schema that cannot be used would fail every run. */
function wrongSchemas(cases: RawCases): Mistake[] {
  const validator = new AjvJsonSchemaValidator();
  const check = (expect: Expectations | undefined, at: Path): Mistake[] =>
    (expect?.calls ?? []).flatMap(({ schema }, index): Mistake[] => {
      if (schema === undefined) return [];
      try {
        validator.getValidator(schema);
        return [];
      } catch (error) {
        return [
          [[...at, "expect", "calls", index, "schema"], `is not a JSON Schema: ${Object(error).message}`],
        ];
      }
    });
  return cases.flatMap(({ expect, turns = [] }, at) => [
    ...check(expect, ["cases", at]),
    ...turns.flatMap((turn, index) => check(turn.expect, ["cases", at, "turns", index])),
  ]);
}

const WORDS: Readonly<Record<string, string>> = {
  string: "a text; put it in quotes if it looks like something else",
  array: "a list",
  object: "a mapping of keys to values",
  record: "a mapping of keys to values",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** The mistakes of an issue. */
function mistakesOf(issue: Issue, document: Document): Mistake[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => [path, `unknown key${closest(key, keysAt(path))}`, key]);
    case "invalid_type": {
      const isThere = document.hasIn(path) || path.length === 0;
      const wanted = WORDS[issue.expected] ?? issue.expected;
      return [[path, isThere ? `must be ${wanted}` : "is missing"]];
    }
    default:
      return [[path, issue.message]];
  }
}

/** The keys that a mapping may have. */
function keysAt(path: Path): string[] {
  let schema: unknown = EVAL_SCHEMA;
  for (const part of ["", ...path]) {
    if (typeof part === "number") schema = Object(unwrapped(schema)).element;
    else if (part !== "") schema = Object(Object(unwrapped(schema)).shape)[part];
  }
  return Object.keys(Object(Object(unwrapped(schema)).shape));
}

/** The schema inside of optional values and preprocessing. */
function unwrapped(schema: unknown): unknown {
  const { innerType, out } = Object(Object(Object(schema).def));
  const inside: unknown = innerType ?? out;
  return inside === undefined ? schema : unwrapped(inside);
}

/** The offset of a value's key, or of the nearest thing around it. */
function offsetOf(document: Document, path: Path, key?: string): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const part of key === undefined ? path : [...path, key]) {
    const pair = isMap(node)
      ? node.items.find((each) => isScalar(each.key) && `${each.key.value}` === `${part}`)
      : undefined;
    const next: unknown = pair
      ? pair.value
      : isSeq(node) && typeof part === "number"
        ? node.items[part]
        : undefined;
    const place = pair ? pair.key : next;
    if (!isNode(place)) return offset;
    offset = place.range?.[0] ?? offset;
    node = next;
  }
  return offset;
}

const pathText = (path: Path): string =>
  path.length === 0
    ? ""
    : `${path.map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${part}`)).join("")}: `;

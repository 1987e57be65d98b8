/**
 * The form of an eval file: its keys, and the values that they take. docs/eval.md describes it.
 *
 * @module
 */
import { z } from "zod";
import { duration } from "../options.js";

/** Methods of apps that `allow` may name, beside tools. */
export const APP_METHODS = ["ui/message", "ui/open-link", "ui/download-file", "ui/permission"] as const;

/** A single value is a list of one. */
const list = <T extends z.ZodType>(each: T) =>
  z.preprocess(
    (value) => (value === undefined || value === null || Array.isArray(value) ? value : [value]),
    z.array(each).min(1, "must not be empty"),
  );

/** A text in place of a mapping is the value of this key. */
const orText = <T extends z.ZodType>(key: string, mapping: T) =>
  z.preprocess((value) => (typeof value === "string" ? { [key]: value } : value), mapping);

const text = z.string().trim().min(1, "must not be empty");
const count = (least: number, most: number) =>
  z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`);
const anyKeys = z.record(z.string(), z.unknown());

const time = z.string().transform((written, context) => {
  try {
    return duration(written);
  } catch {
    context.addIssue("must be a time such as 30s, 500ms or 2m");
    return z.NEVER;
  }
});

const pattern = z.string().transform((written, context) => {
  try {
    return new RegExp(written, "iu");
  } catch (error) {
    context.addIssue(`must be a regular expression: ${Object(error).message}`);
    return z.NEVER;
  }
});

const tool = z.string().regex(/^[^/\s*]+\/[^\s*]+$/, "must be server/tool, such as weather/forecast");
const toolPattern = z
  .string()
  .regex(
    /^([^/\s*]+\/([^\s*]+|\*)|\*)$/,
    'must be server/tool, "server/*" for all tools of a server, or "*"',
  );
const allowed = z
  .string()
  .regex(
    new RegExp(`^(${APP_METHODS.join("|")}|(?!ui/)[^/\\s*]+/([^\\s*]+|\\*))$`),
    `must be server/tool, "server/*", or one of ${APP_METHODS.join(", ")}`,
  );

const call = z.strictObject({
  tool,
  /** Each given value must be equal; others may be there. */
  arguments: anyKeys.optional(),
  /** A JSON Schema of the arguments. */
  schema: anyKeys.optional(),
});

const answer = z
  .strictObject({
    contains: list(text).optional(),
    lacks: list(text).optional(),
    matches: list(pattern).optional(),
  })
  .refine((value) => Object.keys(value).length > 0, "must have contains, lacks or matches");

const app = z
  .strictObject({
    /** The tool of the app; any app by default. */
    tool: tool.optional(),
    text: list(text).optional(),
    "no-text": list(text).optional(),
    /** An ARIA role, such as `button`. */
    role: z
      .string()
      .regex(/^[a-z]+$/, "must be an ARIA role, such as button")
      .optional(),
    /** The accessible name of the element with the role. */
    name: text.optional(),
  })
  .refine(({ name, role }) => name === undefined || role !== undefined, {
    path: ["name"],
    message: "needs a role: the name is that of an element with this role",
  });

const atMost = z
  .strictObject({
    calls: count(0, 10_000).optional(),
    tokens: count(1, 1_000_000_000).optional(),
    /** US dollars. */
    cost: z.number().min(0, "must be a number of US dollars").optional(),
    time: time.optional(),
  })
  .refine((value) => Object.keys(value).length > 0, "must have calls, tokens, cost or time");

const expectations = z
  .strictObject({
    calls: list(orText("tool", call)).optional(),
    "in-order": z.boolean().optional(),
    "no-calls": list(toolPattern).optional(),
    answer: orText("contains", answer).optional(),
    app: list(orText("text", app)).optional(),
    "at-most": atMost.optional(),
  })
  .refine((value) => Object.keys(value).some((key) => key !== "in-order"), "must expect something")
  .refine((value) => value["in-order"] === undefined || value.calls !== undefined, {
    path: ["in-order"],
    message: "needs calls: it is about their order",
  });

const turn = z.strictObject({ say: text, expect: expectations.optional() });

const evalCase = z
  .strictObject({
    name: text.max(200, "must have at most 200 characters"),
    say: text.optional(),
    turns: list(orText("say", turn)).optional(),
    expect: expectations.optional(),
    timeout: time.optional(),
  })
  .refine(
    ({ say, turns }) => (say === undefined) !== (turns === undefined),
    "must have either say, or turns for several sentences",
  )
  .refine(
    ({ expect, turns }) => expect !== undefined || turns?.some((each) => each.expect !== undefined),
    "must expect something: add expect",
  );

/** The whole file. */
export const EVAL_SCHEMA = z.strictObject({
  models: list(
    z.string().regex(/^[^/\s]+\/\S+$/, "must be provider/model, such as openai/gpt-5.4-mini"),
  ).optional(),
  runs: count(1, 1_000).optional(),
  "min-rate": z.number().min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").optional(),
  timeout: time.optional(),
  allow: list(allowed).optional(),
  /** Shows apps in every case, and not only where something is expected of one. */
  apps: z.boolean().optional(),
  cases: list(evalCase),
});

/** Expectations of a case or a turn. */
export type Expectations = z.output<typeof expectations>;
/** An expected call. */
export type ExpectedCall = z.output<typeof call>;
/** Something that an app must show. */
export type ExpectedApp = z.output<typeof app>;

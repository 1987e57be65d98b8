/**
 * What was done with an app from outside: `--click` and `--wait` of `vitrine render`. A page cannot see or do it, as it
 * happens inside of a frame of another origin; the command can.
 *
 * @module
 */
import { REDACTED } from "../redaction/redacted.js";

/** A press on what has a text or is meant by a selector; a text that came to be shown; or a pause in milliseconds. */
export type Act = { readonly click: string } | { readonly wait: string | number };

/** Milliseconds of the longest pause that is repeated. */
const LONGEST_PAUSE = 3_600_000;

/** The act that a value is; undefined when it is none. */
export function readAct(value: Readonly<Record<string, unknown>>): Act | undefined {
  const { click, wait } = value;
  if (typeof click === "string" && click.trim() !== "") return { click };
  if (typeof wait === "string" && wait.trim() !== "") return { wait };
  return typeof wait === "number" && wait >= 0 && wait <= LONGEST_PAUSE ? { wait } : undefined;
}

/** What was done, such as `pressed “Refresh”`. */
export function sayAct(act: Act): string {
  if ("click" in act) return `pressed “${act.click}”`;
  return typeof act.wait === "number" ? `waited ${act.wait} ms` : `waited for “${act.wait}”`;
}

/** Whether nobody can tell any more what was pressed or waited for. */
export const isActTakenOut = (act: Act): boolean =>
  `${"click" in act ? act.click : act.wait}`.includes(REDACTED);

/**
 * Actions on an app from outside: `--click` and `--wait` of `vitrine render`. A page can neither see nor
 * perform them, because they happen in a frame of another origin; the command can.
 *
 * @module
 */
import { REDACTED } from "../redaction/redacted.js";

/** A click on a text or selector; a text that appeared; or a pause in milliseconds. */
export type Act = { readonly click: string } | { readonly wait: string | number };

/** Milliseconds of the longest repeated pause. */
const LONGEST_PAUSE = 3_600_000;

/** Parses an action; undefined if it is invalid. */
export function readAct(value: Readonly<Record<string, unknown>>): Act | undefined {
  const { click, wait } = value;
  if (typeof click === "string" && click.trim() !== "") return { click };
  if (typeof wait === "string" && wait.trim() !== "") return { wait };
  return typeof wait === "number" && wait >= 0 && wait <= LONGEST_PAUSE ? { wait } : undefined;
}

/** An action as text, such as `pressed “Refresh”`. */
export function sayAct(act: Act): string {
  if ("click" in act) return `pressed “${act.click}”`;
  return typeof act.wait === "number" ? `waited ${act.wait} ms` : `waited for “${act.wait}”`;
}

/** Whether the target was redacted. */
export const isActTakenOut = (act: Act): boolean =>
  `${"click" in act ? act.click : act.wait}`.includes(REDACTED);

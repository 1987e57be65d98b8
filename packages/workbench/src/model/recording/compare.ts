/**
 * Compares an app's behaviour with its recording.
 *
 * @module
 */

import { isRecord } from "@vitrine/protocol";
import { jsonIn } from "../redaction/json-in.js";
import { REDACTED } from "../redaction/redacted.js";
import { aloneUntil, isAction, type RunMessage, runOf, sinceLastStart } from "./recorded-run.js";
import { isStep, type RecordedEvent } from "./recording.js";

/** Result of {@link compare}. */
export interface Comparison {
  readonly isSame: boolean;
  /** A sentence per difference. */
  readonly differences: readonly string[];
  /** Number of compared actions. */
  readonly compared: number;
  /** Actions after the user's first input that were not compared, because nobody repeated the input. */
  readonly untested: number;
}

/** Options of {@link compare}. */
export interface CompareOptions {
  /** The position up to which it was replayed; later actions are not missed. */
  readonly until?: number | undefined;
  /** Whether the user's actions were repeated, so that their consequences are expected. */
  readonly isRepeated?: boolean | undefined;
}

/** Maximum number of sentences. */
const MOST = 50;
/** Maximum distance of two actions that count as the same in another order. */
const WINDOW = 30;

/**
 * Compares what an app did by itself, each time since its last start: its requests and notifications with
 * their params, in order; whether it became ready; its script errors and policy violations. Ignored are ids,
 * times, sizes, log lines, pings, progress, the app's own version, and repetitions of its last action. A
 * redacted value equals any value.
 */
export function compare(
  recorded: readonly RecordedEvent[],
  now: readonly RecordedEvent[],
  { until = Number.POSITIVE_INFINITY, isRepeated = false }: CompareOptions = {},
): Comparison {
  const all = runOf(recorded).filter(isAction);
  const done = runOf(now).filter(isAction);
  const isAlone = !isRepeated && !done.some(({ person }) => person);
  const alone = isAlone ? aloneUntil(recorded) : Number.POSITIVE_INFINITY;
  const then = all.filter(({ n }) => n < alone);
  const differences = [
    ...stateDifferences(recorded, now, until),
    ...deedDifferences(then, done, until),
    ...newTroubles(recorded, now),
  ];
  return {
    isSame: differences.length === 0,
    differences: differences.slice(0, MOST),
    compared: then.length,
    untested: all.length - then.length,
  };
}

function deedDifferences(then: readonly RunMessage[], now: readonly RunMessage[], until: number): string[] {
  const differences: string[] = [];
  let [i, j] = [0, 0];
  while (i < then.length || j < now.length) {
    const before = then[i];
    const after = now[j];
    if (!before) {
      // Repeated actions after the recording's end, such as polling, do not count.
      if (after && !then.some((action) => isSameAction(action, after)))
        differences.push(`The app now ${sayOf(after)}, which it did not.`);
      j++;
    } else if (!after) {
      if (before.n < until) differences.push(`The app no longer ${sayOf(before)} (message ${before.n + 1}).`);
      i++;
    } else if (isSameAction(before, after)) {
      i++;
      j++;
    } else {
      const later = ahead(now, j, (action) => isSameAction(before, action));
      const earlier = ahead(then, i, (action) => isSameAction(action, after));
      const isAlike = before.method === after.method && nameOf(before) === nameOf(after);
      if (isAlike && later === undefined && earlier === undefined) {
        const where = changeBetween(before.params, after.params);
        differences.push(`The app ${sayOf(before)} with other params (message ${before.n + 1}): ${where}.`);
        i++;
        j++;
      } else if (later !== undefined && (earlier === undefined || later <= earlier)) {
        differences.push(`The app now ${sayOf(after)}, which it did not at this point.`);
        j++;
      } else {
        differences.push(`The app no longer ${sayOf(before)} at this point (message ${before.n + 1}).`);
        i++;
      }
    }
  }
  return differences;
}

/** The distance to the next equal action, if it is near. */
function ahead(
  list: readonly RunMessage[],
  from: number,
  isIt: (action: RunMessage) => boolean,
): number | undefined {
  const found = list.slice(from + 1, from + 1 + WINDOW).findIndex(isIt);
  return found < 0 ? undefined : found;
}

function isSameAction(then: RunMessage, now: RunMessage): boolean {
  if (then.method !== now.method || then.kind !== now.kind) return false;
  return changeBetween(comparable(then), comparable(now)) === undefined;
}

/** Ignores the app's version, which changes with every release, and `_meta`. */
function comparable({ method, params }: RunMessage): unknown {
  const { _meta, ...rest } = params;
  if (method !== "ui/initialize" || !isRecord(rest["appInfo"])) return rest;
  const { version: _version, ...info } = rest["appInfo"];
  return { ...rest, appInfo: info };
}

/** The first difference of two values as text; undefined if they are equal. */
export function changeBetween(then: unknown, now: unknown, path = ""): string | undefined {
  if (isTakenOut(then)) return undefined;
  if (typeof then === "string" && typeof now === "string" && then.includes(REDACTED)) {
    if (fits(then, now)) return undefined;
    // Redacted JSON text was serialized again, so JSON is compared by value.
    const [before, after] = [jsonIn(then), jsonIn(now)];
    if (before !== undefined && after !== undefined) return changeBetween(before, after, path);
  } else if (Array.isArray(then) && Array.isArray(now)) {
    if (then.length !== now.length)
      return `${path || "the list"} had ${then.length} entries and has ${now.length}`;
    return firstOf(then.map((item, at) => changeBetween(item, now[at], `${path}[${at}]`)));
  } else if (isRecord(then) && isRecord(now)) {
    const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
    keys.delete("_meta");
    return firstOf([...keys].map((key) => changeBetween(then[key], now[key], path ? `${path}.${key}` : key)));
  } else if (Object.is(then, now)) return undefined;
  return `${path || "the value"} was ${show(then)} and is ${show(now)}`;
}

const isTakenOut = (value: unknown): boolean =>
  value === REDACTED || (isRecord(value) && value[REDACTED] === true);

/** Whether a text matches one with redacted parts. */
function fits(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split(REDACTED);
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const [at, part] of rest.entries()) {
    if (at === rest.length - 1) return text.length - part.length >= from && text.endsWith(part);
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return true;
}

const firstOf = (found: readonly (string | undefined)[]): string | undefined =>
  found.find((each) => each !== undefined);

function show(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

const nameOf = ({ params: { name, uri } }: RunMessage): string => {
  const subject = name ?? uri;
  return typeof subject === "string" ? subject : "";
};

/** An action as text, such as `requests tools/call "get-time"`. */
function sayOf(action: RunMessage): string {
  const name = nameOf(action);
  return `${action.kind === "request" ? "requests" : "sends"} ${action.method}${name && ` ${JSON.stringify(name)}`}`;
}

/** Differences in readiness and failures. */
function stateDifferences(
  recorded: readonly RecordedEvent[],
  now: readonly RecordedEvent[],
  until: number,
): string[] {
  const then = endOf(recorded);
  const after = endOf(now);
  if (after.failure !== undefined && then.failure === undefined)
    return [`The app now fails: ${after.failure}.`];
  if (then.isReady && !after.isReady && until === Number.POSITIVE_INFINITY)
    return ["The app no longer becomes ready."];
  if (then.failure !== undefined && after.isReady) return ["The app now becomes ready, which it did not."];
  return [];
}

function endOf(events: readonly RecordedEvent[]): { isReady: boolean; failure: string | undefined } {
  const steps = sinceLastStart(events).filter(isStep);
  const failed = steps.findLast(({ step }) => step === "failed");
  return {
    isReady: steps.some(({ step }) => step === "ready"),
    failure: failed && (failed.detail ?? "no cause"),
  };
}

/** New script errors and policy violations. */
function newTroubles(recorded: readonly RecordedEvent[], now: readonly RecordedEvent[]): string[] {
  const known = new Set(troublesOf(recorded));
  return [...new Set(troublesOf(now))].filter((trouble) => !known.has(trouble));
}

const troublesOf = (events: readonly RecordedEvent[]): string[] =>
  sinceLastStart(events).flatMap((event) => {
    if ("line" in event && event.line.from === "script" && event.line.level === "error")
      return [`The app's script now throws: ${event.line.text}.`];
    if (!("violation" in event)) return [];
    const { directive, blocked } = event.violation;
    return [`The app's policy now blocks ${blocked} (${directive}).`];
  });

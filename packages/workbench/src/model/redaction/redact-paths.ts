/**
 * Redacts values of messages by path.
 *
 * @module
 */

import { isRecord } from "@vitrine/protocol";
import { plainOf } from "../messages/message-json.js";
import { isMessage, type RecordedEvent } from "../recording/recording.js";
import { jsonIn } from "./json-in.js";
import { REDACTED } from "./redacted.js";

/** Sends the app the result of its own tool as `params`, in the form of an answer's `result`. */
const TOLD_RESULT = "ui/notifications/tool-result";

/**
 * Redacts the values at a path; `count` is called for each. Only objects on the path are copied. A path that
 * starts with `result` also applies to the result of the app's own tool.
 */
export function withoutPath(
  events: readonly RecordedEvent[],
  path: string,
  count: (value: unknown) => void,
): RecordedEvent[] {
  const parts = path.split(".");
  const [first, ...rest] = parts;
  const inTold = first === "result" ? ["params", ...rest] : parts;
  return events.map((event) => {
    if (!isMessage(event)) return event;
    const m = without(event.m, event.m["method"] === TOLD_RESULT ? inTold : parts, count);
    return m === event.m ? event : { ...event, m: m as typeof event.m };
  });
}

/** Number of values at a path in these events. */
export function countAt(events: readonly RecordedEvent[], path: string): number {
  let found = 0;
  withoutPath(events, path, () => found++);
  return found;
}

function without(
  value: unknown,
  [part, ...rest]: readonly string[],
  count: (value: unknown) => void,
): unknown {
  if (value === REDACTED) return value;
  if (part === undefined) {
    count(plainOf(value));
    return REDACTED;
  }
  const plain = plainOf(value);
  if (part === "") {
    const inner = jsonIn(plain);
    const clean = without(inner, rest, count);
    return clean === inner ? value : JSON.stringify(clean);
  }
  const isMeant = (key: string): boolean => part === "*" || part === key;
  let isChanged = false;
  const next = (item: unknown, key: string): unknown => {
    const clean = isMeant(key) ? without(item, rest, count) : item;
    isChanged ||= clean !== item;
    return clean;
  };
  const copy = Array.isArray(plain)
    ? plain.map((item, at) => next(item, `${at}`))
    : isRecord(plain)
      ? Object.fromEntries(Object.entries(plain).map(([key, item]) => [key, next(item, key)]))
      : plain;
  return isChanged ? copy : value;
}

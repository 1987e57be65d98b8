/**
 * The log of all messages between an app and this page, for the inspector, recordings and `vitrine render`.
 *
 * @module
 */

import { sizeOf, type Traffic } from "@vitrine/guard";
import type { ProxyReport } from "@vitrine/host";
import type { RequestId } from "@vitrine/protocol";
import { isRequestId, recordOf } from "@vitrine/protocol";
import { Observable } from "../observable.js";
import type { Act } from "../recording/recorded-act.js";

/** A message. */
export interface LoggedMessage {
  /** Its number, from 1. */
  readonly n: number;
  /** Milliseconds since the app was opened. */
  readonly at: number;
  /** `in`: from the app; `out`: to it. */
  readonly direction: Traffic["direction"];
  readonly kind: "request" | "result" | "error" | "notification";
  /** For an answer: the method of the request. */
  readonly method: string;
  readonly id: RequestId | undefined;
  /** Its size as JSON, in characters. */
  readonly size: number;
  /** For an answer: milliseconds since the request. */
  readonly duration: number | undefined;
  /**
   * Whether the user was interacting with the app when it arrived: a replay does not repeat that by itself.
   */
  person: boolean;
  /** The other end, if that is not the app: such as `the server weather`. */
  readonly party?: string | undefined;
  readonly message: unknown;
}

/** A step in the lifecycle of an app. */
export interface LoggedStep {
  readonly at: number;
  readonly step: string;
  readonly detail?: string | undefined;
}

/** A line that the app wrote, or about it. */
export interface LoggedLine {
  readonly at: number;
  readonly level: string;
  /**
   * `log`: the app's `notifications/message`; `console`: console output of its scripts; `script`: errors of
   * its scripts; `host`: noticed by this page.
   */
  readonly from: "log" | "console" | "script" | "host";
  readonly text: string;
  /**
   * For a script error: `file:line:column`, if the browser reports it. `document` is the app's own document.
   */
  readonly place?: string | undefined;
  readonly data?: unknown;
}

/** A request that the app's policy blocked. */
export interface LoggedViolation {
  readonly at: number;
  readonly directive: string;
  readonly blocked: string;
  readonly report: ProxyReport;
}

/** An action on the app from outside. */
export interface LoggedAct {
  readonly at: number;
  readonly act: Act;
}

/** Messages that show the progress of an app's start. */
const MILESTONES = new Set([
  "ui/initialize",
  "ui/notifications/initialized",
  "ui/notifications/tool-input",
  "ui/notifications/tool-result",
  "ui/notifications/tool-cancelled",
  "ui/notifications/size-changed",
  "ui/notifications/request-teardown",
  "ui/resource-teardown",
]);
const MOST_MILESTONES = 1000;

/** Console methods as log levels. */
const LEVELS = new Map<unknown, string>([
  ["debug", "debug"],
  ["log", "log"],
  ["info", "info"],
  ["warn", "warning"],
  ["error", "error"],
]);

/** The step at which an app first painted. */
export const PAINTED = "first paint";

/**
 * Browsers report this as an uncaught error, although no script failed: observers are called again in the
 * next frame.
 */
const HARMLESS = /^ResizeObserver loop/;

/** Maximum number of kept messages; the oldest are dropped first. */
const MOST = 200_000;
/** Maximum characters of all kept messages; the newest is always kept. */
const MOST_CHARACTERS = 200_000_000;
const MOST_LINES = 10_000;
/** Divisor of the characters for milestones, and for lines. */
const SHARE = 10;
/** Maximum number of pending requests, and length of a method name. */
const MOST_ASKED = 10_000;
const LONGEST_NAME = 1000;
/** Maximum measured size of a message. */
const MEASURED = 1_000_000_000;
/** Milliseconds between notifications of listeners, so that many messages cause few renderings. */
const PAUSE = 50;

/** The part of a request that is kept until its answer, even if the message is dropped. */
type Asked = Pick<LoggedMessage, "method" | "at">;

/** The log of one app. */
export class AppLog extends Observable {
  readonly messages: LoggedMessage[] = [];
  /**
   * Messages that show the progress of the app's start. They are kept when others are dropped; of sizes, only
   * the first.
   */
  readonly milestones: LoggedMessage[] = [];
  /** The last context change that was sent to the app. */
  contextChange: LoggedMessage | undefined;
  readonly steps: LoggedStep[] = [];
  readonly lines: LoggedLine[] = [];
  readonly violations: LoggedViolation[] = [];
  readonly acts: LoggedAct[] = [];
  /** Number of dropped messages. */
  dropped = 0;
  /** Number of messages from the app and to it. */
  readonly counts = { in: 0, out: 0 };
  readonly #clock: () => number;
  readonly #start: number;
  readonly #asked = { in: new Map<RequestId, Asked>(), out: new Map<RequestId, Asked>() };
  readonly #most: number;
  /** Characters of the messages, milestones and lines. */
  readonly #sizes = { messages: 0, milestones: 0, lines: 0 };
  #last = 0;

  constructor(clock: () => number = () => performance.now(), mostCharacters = MOST_CHARACTERS) {
    super();
    this.#most = mostCharacters;
    this.#clock = clock;
    this.#start = clock();
  }

  /** Milliseconds since the app was opened. */
  get now(): number {
    return this.#clock() - this.#start;
  }

  /** Logs a message; `person` means that the user was interacting with the app. */
  add({ direction, message }: Traffic, person = false): LoggedMessage {
    const { id: given, method, error } = recordOf(message);
    const id = isRequestId(given) ? given : undefined;
    const other = direction === "in" ? "out" : "in";
    const isAnswer = typeof method !== "string";
    const asked = isAnswer && id !== undefined ? this.#asked[other].get(id) : undefined;
    if (asked && id !== undefined) this.#asked[other].delete(id);
    const at = this.now;
    const entry: LoggedMessage = {
      n: ++this.#last,
      at,
      direction,
      kind: !isAnswer
        ? id === undefined
          ? "notification"
          : "request"
        : error === undefined
          ? "result"
          : "error",
      method: isAnswer ? (asked?.method ?? "") : method,
      id,
      size: sizeOf(message, MEASURED),
      duration: asked && at - asked.at,
      person,
      message,
    };
    if (entry.kind === "request") this.#ask(entry);
    this.counts[direction]++;
    this.#note(entry);
    this.messages.push(entry);
    this.#sizes.messages += entry.size;
    const gone = forget(this.messages, ({ size }) => size, this.#sizes.messages, MOST, this.#most);
    this.dropped += gone.count;
    this.#sizes.messages -= gone.size;
    this.changed();
    return entry;
  }

  #ask({ direction, id, method, at }: LoggedMessage): void {
    if (id === undefined || `${id}`.length > LONGEST_NAME || method.length > LONGEST_NAME) return;
    const asked = this.#asked[direction];
    asked.set(id, { method, at });
    const [oldest] = asked.keys();
    if (asked.size > MOST_ASKED && oldest !== undefined) asked.delete(oldest);
  }

  #note(entry: LoggedMessage): void {
    const { method, kind, direction } = entry;
    if (direction === "out" && method === "ui/notifications/host-context-changed") this.contextChange = entry;
    if (!MILESTONES.has(method) || kind === "result" || this.milestones.length >= MOST_MILESTONES) return;
    const isAgain =
      method === "ui/notifications/size-changed" &&
      this.milestones.findLast((each) => !each.method.includes("/tool-"))?.method === method;
    if (isAgain) return;
    const isLarge = this.#sizes.milestones + entry.size > this.#most / SHARE;
    // A large milestone is kept without its contents.
    this.milestones.push(isLarge ? { ...entry, message: undefined } : entry);
    if (!isLarge) this.#sizes.milestones += entry.size;
  }

  step(step: string, detail?: string): void {
    this.steps.push({ at: this.now, step, detail });
    this.changed();
  }

  act(act: Act): void {
    this.acts.push({ at: this.now, act });
    this.changed();
  }

  line(line: Omit<LoggedLine, "at">): void {
    this.lines.push({ at: this.now, ...line });
    this.#sizes.lines += line.text.length;
    const most = this.#most / SHARE;
    const { size } = forget(this.lines, ({ text }) => text.length, this.#sizes.lines, MOST_LINES, most);
    this.#sizes.lines -= size;
    this.changed();
  }

  /** Logs a report of the sandbox. Its details come from the app. */
  report(report: ProxyReport): void {
    const { code, directive, blocked } = report;
    if (code === "csp-violation") {
      if (this.violations.length < MOST_LINES)
        this.violations.push({ at: this.now, directive: words(directive), blocked: words(blocked), report });
    } else if (code === "script-error") this.#thrown(report);
    else if (code === "console") this.#console(report);
    else if (code === "loaded") this.step("document loaded");
    else if (code === "painted") this.#painted();
    else this.line({ level: "warning", from: "host", text: code, data: report });
    this.changed();
  }

  /** A browser may report several first paints; one is enough. */
  #painted(): void {
    const last = this.steps.findLast(({ step }) => step === "loading" || step === PAINTED);
    if (last?.step !== PAINTED) this.step(PAINTED);
  }

  #thrown({ message, place }: ProxyReport): void {
    const text = words(message);
    this.line({
      level: HARMLESS.test(text) ? "warning" : "error",
      from: "script",
      text,
      ...(typeof place === "string" && place && { place }),
    });
  }

  #console({ level, text, missed }: ProxyReport): void {
    const isMissing = Number.isSafeInteger(missed);
    this.line({
      level: LEVELS.get(level) ?? "info",
      from: "console",
      text: isMissing ? `${missed} lines came too fast and were dropped` : words(text),
    });
  }

  /** Drops all messages. */
  clear(): void {
    this.dropped += this.messages.length;
    this.messages.length = 0;
    this.#sizes.messages = 0;
    this.changed();
  }

  protected override schedule(tell: () => void): void {
    setTimeout(tell, PAUSE);
  }
}

/** Text from the app, which may be any value. */
const words = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");

/**
 * Drops the oldest entries, except the last one, if they are too many or too large; returns their number and
 * size.
 */
function forget<T>(
  list: T[],
  measure: (entry: T) => number,
  total: number,
  most: number,
  mostSize: number,
): { count: number; size: number } {
  // Drops many at once, because removing from the front of a long array is slow.
  const leastCount = list.length > most ? most / 10 : 0;
  const leastSize = total > mostSize ? total - mostSize * 0.9 : 0;
  let count = 0;
  let size = 0;
  for (const entry of list) {
    if ((count >= leastCount && size >= leastSize) || count === list.length - 1) break;
    count++;
    size += measure(entry);
  }
  if (count > 0) list.splice(0, count);
  return { count, size };
}

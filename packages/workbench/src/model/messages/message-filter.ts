/**
 * Filters a log's messages. It works in small steps, so that a page with a hundred thousand of them stays
 * responsive.
 *
 * @module
 */
import type { AppLog, LoggedMessage } from "../app/app-log.js";
import { Observable } from "../observable.js";
import { jsonOf } from "./message-json.js";

/** A list of messages that grows, with numbers without gaps. */
export type MessageSource = Pick<AppLog, "messages" | "subscribe">;

/** Filter criteria; empty ones are ignored. */
export interface MessageCriteria {
  readonly direction?: LoggedMessage["direction"] | undefined;
  readonly kind?: LoggedMessage["kind"] | undefined;
  /** A part of the method. */
  readonly method?: string | undefined;
  /** A part of the message as JSON, case-insensitive. */
  readonly text?: string | undefined;
}

/** Milliseconds of work at a time: well under a frame. */
const PORTION = 6;

/** The messages of a log that match the criteria, updated while connected. */
export class MessageFilter extends Observable {
  readonly #log: MessageSource;
  #criteria: MessageCriteria = {};
  #matches: (message: LoggedMessage) => boolean = () => true;
  #found: LoggedMessage[] = [];
  /** The number of the last checked message. */
  #seen = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The messages, in order; a new list after every change. */
  shown: readonly LoggedMessage[] = [];

  constructor(log: MessageSource) {
    super();
    this.#log = log;
  }

  /** Follows the log; returns a function that stops. */
  connect(): () => void {
    const unsubscribe = this.#log.subscribe(() => this.#work());
    this.#work();
    return () => {
      unsubscribe();
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  get criteria(): MessageCriteria {
    return this.#criteria;
  }
  set criteria(criteria: MessageCriteria) {
    this.#criteria = criteria;
    this.#matches = matcher(criteria);
    this.#found = [];
    this.#seen = 0;
    this.#work();
  }

  /** Whether the search is still running. */
  get isSearching(): boolean {
    return this.#timer !== undefined;
  }

  /** The checked fraction of the log, from 0 to 1. */
  get progress(): number {
    const { messages } = this.#log;
    const last = messages.at(-1)?.n ?? 0;
    const left = Math.min(last - this.#seen, messages.length);
    return messages.length > 0 ? 1 - left / messages.length : 1;
  }

  #work(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { messages } = this.#log;
    const first = messages[0]?.n ?? Number.POSITIVE_INFINITY;
    // The log drops its oldest messages.
    const kept = this.#found.findIndex(({ n }) => n >= first);
    if (kept !== 0) this.#found = kept < 0 ? [] : this.#found.slice(kept);
    const end = performance.now() + PORTION;
    // Message numbers have no gaps.
    for (let index = Math.max(0, this.#seen + 1 - first); index < messages.length; index++) {
      const message = messages[index] as LoggedMessage;
      if (this.#matches(message)) this.#found.push(message);
      this.#seen = message.n;
      if (performance.now() > end && index + 1 < messages.length) {
        this.#timer = setTimeout(() => this.#work());
        break;
      }
    }
    this.shown = [...this.#found];
    this.changed();
  }
}

function matcher({ direction, kind, method, text }: MessageCriteria): (message: LoggedMessage) => boolean {
  const part = method?.toLowerCase();
  const pattern = text ? new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "i") : undefined;
  return (message) =>
    (!direction || message.direction === direction) &&
    (!kind || message.kind === kind) &&
    (!part || message.method.toLowerCase().includes(part)) &&
    (!pattern || pattern.test(jsonOf(message.message)));
}

/** The answer to a request, or the request of an answer: the nearest one. */
export function partnerOf(
  messages: readonly LoggedMessage[],
  message: LoggedMessage,
): LoggedMessage | undefined {
  const { id, kind, direction } = message;
  if (id === undefined || kind === "notification") return undefined;
  const isRequest = kind === "request";
  const step = isRequest ? 1 : -1;
  const start = message.n - (messages[0]?.n ?? 0);
  for (let index = start + step; index >= 0 && index < messages.length; index += step) {
    const other = messages[index];
    if (!other || other.id !== id) continue;
    // After a remount an app restarts its ids: then there was no answer.
    if (other.kind === "request" && other.direction === direction && isRequest) return undefined;
    if (other.direction !== direction && (other.kind === "request") !== isRequest) return other;
  }
  return undefined;
}

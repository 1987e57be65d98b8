/**
 * An app's messages since its last start, with requests and answers paired.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { Act } from "./recorded-act.js";
import { isAct, isMessage, isStep, type RecordedEvent, type RecordedMessage } from "./recording.js";

/** A message with its position. */
export interface RunMessage extends RecordedMessage {
  /** Its position in the run, from 0. */
  readonly n: number;
  readonly kind: "request" | "notification" | "answer";
  /** For an answer: the method of the request. */
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** For a request: its answer, once there is one. */
  answer?: RunMessage | undefined;
}

/** Everything since the last start: a retried app starts over. */
export function sinceLastStart(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const start = events.findLastIndex((event) => isStep(event) && event.step === "loading");
  return start < 0 ? events : events.slice(start);
}

/** The messages of an app since its last start. */
export function runOf(events: readonly RecordedEvent[]): RunMessage[] {
  const asked = { in: new Map<unknown, RunMessage>(), out: new Map<unknown, RunMessage>() };
  return sinceLastStart(events)
    .filter(isMessage)
    .map((event, n) => {
      const { d, m } = event;
      const { id, method, params } = m;
      const isAnswer = typeof method !== "string";
      const other = d === "in" ? "out" : "in";
      const question = isAnswer ? asked[other].get(id) : undefined;
      const message: RunMessage = {
        ...event,
        n,
        kind: isAnswer ? "answer" : id === undefined ? "notification" : "request",
        method: isAnswer ? (question?.method ?? "") : method,
        params: recordOf(params),
      };
      if (question) {
        question.answer = message;
        asked[other].delete(id);
      } else if (message.kind === "request") asked[d].set(id, message);
      return message;
    });
}

/** An action from outside, and the number of messages before it. */
export interface PlacedAct {
  readonly place: number;
  readonly act: Act;
}

/** The actions since the last start. */
export function actsOf(events: readonly RecordedEvent[]): PlacedAct[] {
  let place = 0;
  return sinceLastStart(events).flatMap((event) => {
    if (isMessage(event)) place++;
    return isAct(event) ? [{ place, act: event.did }] : [];
  });
}

/** Number of messages before the first user action: those come by themselves. */
export function aloneUntil(events: readonly RecordedEvent[]): number {
  const messages = sinceLastStart(events).filter(isMessage);
  const first = messages.findIndex(({ person }) => person);
  // Waiting changes nothing.
  const pressed = actsOf(events).find(({ act }) => "click" in act);
  return Math.min(first < 0 ? messages.length : first, pressed?.place ?? messages.length);
}

/** Messages that depend on size and timing more than on the app: they are optional. */
const LENIENT = /^(ui\/notifications\/size-changed|notifications\/(message|progress|cancelled)|ping)$/;

/** Whether a message is an action that the app repeats by itself in a replay. */
export const isAction = ({ d, kind, method }: { d: string; kind: string; method: string }): boolean =>
  d === "in" && /^(request|notification)$/.test(kind) && !LENIENT.test(method);

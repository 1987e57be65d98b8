/**
 * What an app did since it was last opened, with questions and answers found for each other.
 *
 * @module
 */
import type { Act } from "./recorded-act.js";
import { isAct, isMessage, isStep, type RecordedEvent, type RecordedMessage, record } from "./recording.js";

/** A message in its place. */
export interface RunMessage extends RecordedMessage {
  /** Its place in the run, from 0 on. */
  readonly n: number;
  readonly kind: "request" | "notification" | "answer";
  /** Of an answer: what was asked. */
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Of a question: the answer's place, once there is one. */
  answer?: RunMessage | undefined;
}

/** Everything since the app was last opened: one that failed and was tried again begins anew. */
export function sinceLastStart(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const start = events.findLastIndex((event) => isStep(event) && event.step === "loading");
  return start < 0 ? events : events.slice(start);
}

/** The messages of an app since it was last opened. */
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
        params: record(params),
      };
      if (question) {
        question.answer = message;
        asked[other].delete(id);
      } else if (message.kind === "request") asked[d].set(id, message);
      return message;
    });
}

/** Something that was done with the app from outside, and how many messages of the run came before it. */
export interface PlacedAct {
  readonly place: number;
  readonly act: Act;
}

/** What was done with the app since it was last opened. */
export function actsOf(events: readonly RecordedEvent[]): PlacedAct[] {
  let place = 0;
  return sinceLastStart(events).flatMap((event) => {
    if (isMessage(event)) place++;
    return isAct(event) ? [{ place, act: event.did }] : [];
  });
}

/** How many messages came before anybody did something with the app: those come by themselves. */
export function aloneUntil(events: readonly RecordedEvent[]): number {
  const messages = sinceLastStart(events).filter(isMessage);
  const first = messages.findIndex(({ person }) => person);
  // Waiting changes nothing.
  const pressed = actsOf(events).find(({ act }) => "click" in act);
  return Math.min(first < 0 ? messages.length : first, pressed?.place ?? messages.length);
}

/** What depends on the place and the time more than on the app: it may come or not. */
const LENIENT = /^(ui\/notifications\/size-changed|notifications\/(message|progress|cancelled)|ping)$/;

/** Whether a message is something that the app does by itself, and does again when it is replayed. */
export const isDeed = ({ d, kind, method }: { d: string; kind: string; method: string }): boolean =>
  d === "in" && /^(request|notification)$/.test(kind) && !LENIENT.test(method);

/**
 * Calls that take several rounds: from revision 2026-07-28 on a server asks by its result, and the call is made again with
 * the answers.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { isRecord, VitrineError } from "@vitrine/protocol";

/** A result that asks for more. */
export class InputRequired {
  readonly requests: readonly (readonly [string, Record<string, unknown>])[];
  /** The server's own notes, which it gets back as they are. */
  readonly state: string | undefined;

  constructor(requests: InputRequired["requests"], state: string | undefined) {
    this.requests = requests;
    this.state = state;
  }
}

/** Of one call; and of one round. */
const MAX_ROUNDS = 10;
const MAX_REQUESTS = 10;
/** Characters of a server's notes. */
const MAX_STATE = 1_000_000;
/** Milliseconds before a server is asked again that wanted nothing but to be asked again. */
const PAUSE = 250;

/** Methods whose results may ask. */
const MAY_ASK = /^(tools\/call|prompts\/get|resources\/read)$/;

/** Reads such a result, or says what is wrong with it. */
export function readInputRequired(
  method: string,
  result: Record<string, unknown>,
): InputRequired | VitrineError {
  const { inputRequests = {}, requestState } = result;
  if (!MAY_ASK.test(method)) return wrong(method, "nothing can be asked in answer to it");
  if (!isRecord(inputRequests)) return wrong(method, "its inputRequests are no object");
  if (requestState !== undefined && (typeof requestState !== "string" || requestState.length > MAX_STATE)) {
    return wrong(method, `its requestState is no text of at most ${MAX_STATE} characters`);
  }
  const requests: (readonly [string, Record<string, unknown>])[] = [];
  for (const [key, request] of Object.entries(inputRequests)) {
    if (!isRecord(request)) return wrong(method, "one of its inputRequests is no object");
    requests.push([key, request]);
  }
  if (requests.length > MAX_REQUESTS)
    return wrong(method, `it asks more than ${MAX_REQUESTS} things at once`);
  if (requests.length === 0 && requestState === undefined) return wrong(method, "it asks for nothing");
  return new InputRequired(requests, requestState);
}

/**
 * The params without what would answer a server's questions: those are for a person, and a view that names them has
 * answered in their place.
 */
export function withoutAnswers<P extends object>(params: P): P {
  if (!("inputResponses" in params || "requestState" in params)) return params;
  const { inputResponses, requestState, ...rest } = params as P & Record<string, unknown>;
  return rest as P;
}

/** What the rounds of one call need. */
export interface RoundsOptions {
  readonly method: string;
  readonly params: object;
  readonly signal: AbortSignal;
  /** Answers one question. */
  answer(request: { method: unknown; params?: unknown }, signal: AbortSignal): Promise<object>;
  /** Makes the call again. */
  again(params: object): Promise<unknown>;
}

/**
 * Answers what a server asks, one after the other, and makes the call again until it is complete. The first question
 * without an answer ends it: there is no way to tell the server of that.
 *
 * @throws {VitrineError} why it did not come to an end
 */
export async function inputRounds(first: InputRequired, options: RoundsOptions): Promise<unknown> {
  const { method, params, signal, answer, again } = options;
  let result: unknown = first;
  for (let round = 1; result instanceof InputRequired; round++) {
    if (round > MAX_ROUNDS) throw wrong(method, `it still asks after ${MAX_ROUNDS} rounds`);
    const { requests, state } = result;
    const answers: [string, object][] = [];
    for (const [key, { method: asked, params: about }] of requests) {
      answers.push([key, await answer({ method: asked, params: about }, signal)]);
    }
    if (answers.length === 0) await wait(PAUSE, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) throw new VitrineError("aborted", `${method}: aborted`);
    result = await again({
      ...params,
      ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
      ...(state !== undefined && { requestState: state }),
    });
  }
  return result;
}

const wrong = (method: string, message: string): VitrineError =>
  new VitrineError("unsupported", `${method}: the server's result asks for more, but ${message}`);

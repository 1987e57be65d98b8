/**
 * Calls with several rounds: from revision 2026-07-28 on, a server asks for input in its result, and the
 * client repeats the call with the answers.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { isRecord, VitrineError } from "@vitrine/protocol";

/** A result that asks for input. */
export class InputRequired {
  readonly requests: readonly (readonly [string, Record<string, unknown>])[];
  /** The server's opaque state, sent back unchanged. */
  readonly state: string | undefined;

  constructor(requests: InputRequired["requests"], state: string | undefined) {
    this.requests = requests;
    this.state = state;
  }
}

/** Limits: rounds of one call, and requests in one round. */
const MAX_ROUNDS = 10;
const MAX_REQUESTS = 10;
/** Maximum length of the server's state. */
const MAX_STATE = 1_000_000;
/** Milliseconds before repeating a call whose result only asks to be called again. */
const PAUSE = 250;

/** Methods whose results may ask for input. */
const MAY_ASK = /^(tools\/call|prompts\/get|resources\/read)$/;

/** Reads an `input_required` result, or returns an error that says what is wrong with it. */
export function readInputRequired(
  method: string,
  result: Record<string, unknown>,
): InputRequired | VitrineError {
  const { inputRequests = {}, requestState } = result;
  if (!MAY_ASK.test(method)) return wrong(method, "this method does not support it");
  if (!isRecord(inputRequests)) return wrong(method, "its inputRequests is not an object");
  if (requestState !== undefined && (typeof requestState !== "string" || requestState.length > MAX_STATE)) {
    return wrong(method, `its requestState is not a string of at most ${MAX_STATE} characters`);
  }
  const requests: (readonly [string, Record<string, unknown>])[] = [];
  for (const [key, request] of Object.entries(inputRequests)) {
    if (!isRecord(request)) return wrong(method, "one of its inputRequests is not an object");
    requests.push([key, request]);
  }
  if (requests.length > MAX_REQUESTS) return wrong(method, `it has more than ${MAX_REQUESTS} requests`);
  if (requests.length === 0 && requestState === undefined) return wrong(method, "it requests nothing");
  return new InputRequired(requests, requestState);
}

/**
 * Removes answers to a server's questions from the params. Only the user may answer them, so a view must not.
 */
export function withoutAnswers<P extends object>(params: P): P {
  if (!("inputResponses" in params || "requestState" in params)) return params;
  const { inputResponses, requestState, ...rest } = params as P & Record<string, unknown>;
  return rest as P;
}

/** Options of {@link inputRounds}. */
export interface RoundsOptions {
  readonly method: string;
  readonly params: object;
  readonly signal: AbortSignal;
  /** Answers one question. */
  answer(request: { method: unknown; params?: unknown }, signal: AbortSignal): Promise<object>;
  /** Repeats the call. */
  again(params: object): Promise<unknown>;
}

/**
 * Answers a server's questions in order, and repeats the call until it is complete. The first question
 * without an answer ends the call, because the protocol has no way to tell the server.
 *
 * @throws {VitrineError} if the call could not be completed
 */
export async function inputRounds(first: InputRequired, options: RoundsOptions): Promise<unknown> {
  const { method, params, signal, answer, again } = options;
  let result: unknown = first;
  for (let round = 1; result instanceof InputRequired; round++) {
    if (round > MAX_ROUNDS) throw wrong(method, `it still asks for input after ${MAX_ROUNDS} rounds`);
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
  new VitrineError("unsupported", `${method}: the server's result asks for input, but ${message}`);

/**
 * Sends requests to a server without the official client, which costs more than the pipe itself.
 *
 * @module
 */
import type { UpstreamRequestOptions } from "@vitrine/guard";
import { INVALID_REQUEST, isRecord, JsonText, type Progress, VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { membersOf } from "./answer-text.js";
import { isUnsent, UnfinishedCall } from "./cut-off.js";
import {
  InputRequired,
  inputRounds,
  type RoundsOptions,
  readInputRequired,
  withoutAnswers,
} from "./input-rounds.js";
import type { RequestTimeouts } from "./request-timeouts.js";
import { type AnswerTaker, MOST_PARSED } from "./stdio-transport.js";

/** Options of {@link DirectRequests}. */
export interface DirectRequestsOptions {
  /** Sends a message. Throws if it cannot. */
  send: (text: string) => void;
  /** Ends requests that get no answer in time. */
  timeouts: RequestTimeouts;
  /** The `_meta` members of each request, from revision 2026-07-28 on. */
  envelope?: ((withTasks: boolean) => Readonly<Record<string, unknown>>) | undefined;
  /** Answers the requests inside an `input_required` result. Without it, such a result is an error. */
  answer?: RoundsOptions["answer"] | undefined;
}

/** Options of one request. */
export interface DirectRequestOptions extends UpstreamRequestOptions {
  /** Declares that the answer may be a task, from revision 2026-07-28 on. */
  withTasks?: boolean | undefined;
}

interface Pending {
  method: string;
  withTasks: boolean;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  onprogress: ((progress: Progress) => void) | undefined;
  timer: NodeJS.Timeout;
}

/**
 * Sends requests with ids of its own (`v1`, `v2`, …), which never equal the client's numeric ids, and matches
 * answers to requests. The id is also the progress token. Answers to unknown requests are dropped.
 */
export class DirectRequests implements AnswerTaker {
  readonly #options: DirectRequestsOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #over = new AbortController();
  #last = 0;
  #closed: unknown;

  constructor(options: DirectRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pending.size;
  }

  request(method: string, params: object, options: DirectRequestOptions = {}): Promise<unknown> {
    const { envelope, answer } = this.#options;
    if (!envelope) return this.#request(method, params, options);
    // Only the gateway sends this method, with the answers of the user.
    const own = method === "tasks/update" ? params : withoutAnswers(params);
    const first = this.#request(method, own, options);
    return answer ? first.then((result) => this.#goOn(result, method, own, options, answer)) : first;
  }

  /**
   * Answers `input_required` results until the call is complete. The server has received the first round by
   * then, so a question without an answer, or a round that cannot be sent, leaves the call unfinished.
   */
  async #goOn(
    first: unknown,
    method: string,
    params: object,
    options: DirectRequestOptions,
    answer: RoundsOptions["answer"],
  ): Promise<unknown> {
    if (!(first instanceof InputRequired)) return first;
    const { signal: over } = this.#over;
    const signal = options.signal ? AbortSignal.any([options.signal, over]) : over;
    const again = (more: object): Promise<unknown> => this.#request(method, more, options);
    const answerOne: typeof answer = async (request, given) => {
      try {
        return await answer(request, given);
      } catch (error) {
        throw options.signal?.aborted ? error : new UnfinishedCall(error);
      }
    };
    try {
      return await inputRounds(first, { method, params, answer: answerOne, signal, again });
    } catch (error) {
      const why = this.#closed ?? error;
      throw isUnsent(why) ? new UnfinishedCall(why) : why;
    }
  }

  #request(method: string, params: object, options: DirectRequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal, onprogress, withTasks = false } = options;
      if (signal?.aborted) return reject(aborted(method));
      if (this.#closed) return reject(this.#closed);
      const id = `v${++this.#last}`;
      const end = (): void => {
        this.#options.timeouts.stop(pending.timer);
        signal?.removeEventListener("abort", onabort);
      };
      const giveUp = (reason: string, error: VitrineError): void => {
        if (!this.#pending.delete(id)) return;
        pending.reject(error);
        try {
          this.#send({ method: "notifications/cancelled", params: { requestId: id, reason } });
        } catch {
          // The server cannot be reached, so it is not waiting either.
        }
      };
      const onabort = (): void => giveUp("aborted", aborted(method));
      const ontimeout = (): void =>
        giveUp("timeout", new VitrineError("timeout", `${method}: the server did not answer in time`));
      const pending: Pending = {
        method,
        withTasks,
        resolve: (result) => {
          end();
          resolve(result);
        },
        reject: (error) => {
          end();
          reject(error);
        },
        onprogress,
        timer: this.#options.timeouts.start(ontimeout),
      };
      this.#pending.set(id, pending);
      signal?.addEventListener("abort", onabort, { once: true });
      try {
        // Calls request progress even without a listener: progress extends their timeout.
        this.#send({ id, method, params }, onprogress || method === "tools/call" ? id : undefined, withTasks);
      } catch (error) {
        this.#pending.delete(id);
        pending.reject(error);
      }
    });
  }

  /** Rejects a request that could not be sent. */
  fail(id: string, error: unknown): void {
    this.#settle(id)?.reject(error);
  }

  /** Rejects all pending and future requests. */
  close(error: unknown): void {
    this.#closed = error;
    this.#rejectAll(error);
    this.#over.abort(error);
  }

  refuse(id: string | number | undefined, error: GatewayError): boolean {
    if (id === undefined) this.#rejectAll(error);
    else if (isOurs(id)) this.#settle(id)?.reject(error);
    else return false;
    return true;
  }

  take(message: Readonly<Record<string, unknown>>, line = ""): boolean {
    const { id, method } = message;
    if (method === "notifications/progress") return this.#progress(message["params"]);
    if (method !== undefined || !isOurs(id)) return false;
    const pending = this.#settle(id);
    if (!pending) return true;
    const { result, error } = message;
    if (isRecord(error)) {
      const code = Number.isInteger(error["code"]) ? Number(error["code"]) : -32603;
      const said = error["message"];
      const text = typeof said === "string" ? said : "the server gave no message";
      pending.reject(new VitrineError(code, text, { data: error["data"] }));
    } else if (!isRecord(result)) {
      pending.reject(new VitrineError("invalid", `${pending.method}: the answer has no result`));
    } else {
      const problem = this.#unfinished(pending, result["resultType"], () => result);
      if (problem) settle(pending, problem);
      else pending.resolve(PASSED_ON.test(pending.method) ? asText(line, result) : result);
    }
    return true;
  }

  takeText(line: string): boolean {
    const members = membersOf(line);
    const idAt = members?.get("id");
    const resultAt = members?.get("result");
    if (members && idAt && members.has("method") && line.length > MOST_PARSED)
      return this.#tooLarge(line.slice(...idAt));
    // Errors and unusual messages take the slow path.
    if (!members || !idAt || !resultAt || members.has("method") || members.has("error")) return false;
    const id = /^"(v\d+)"$/.exec(line.slice(...idAt))?.[1];
    const result = membersOf(line, ...resultAt);
    if (id === undefined || !result) return false;
    const pending = this.#settle(id);
    if (!pending) return true;
    const [from, to] = resultAt;
    if (!PASSED_ON.test(pending.method) && to - from > MOST_PARSED) {
      const message = `${pending.method}: the answer is larger than ${MOST_PARSED} characters`;
      pending.reject(new GatewayError("server-too-large", message));
      return true;
    }
    const typeAt = result.get("resultType");
    const type = typeAt && line.slice(typeAt[0] + 1, typeAt[1] - 1);
    const problem = this.#unfinished(pending, type, () => parsed(line.slice(from, to)));
    if (problem) settle(pending, problem);
    else pending.resolve(new JsonText(line.slice(...resultAt)));
    return true;
  }

  /** Rejects a server request that is too large to parse, because the server would wait in vain. */
  #tooLarge(id: string): boolean {
    const message = `a request must not be larger than ${MOST_PARSED} characters`;
    try {
      this.#options.send(
        `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: INVALID_REQUEST, message })}}`,
      );
    } catch {
      // The server cannot be reached, so it is not waiting either.
    }
    return true;
  }

  #rejectAll(error: unknown): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(error);
  }

  #settle(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #progress(params: unknown): boolean {
    const token = isRecord(params) ? params["progressToken"] : undefined;
    if (!isRecord(params) || !isOurs(token)) return false;
    const { progress, total, message } = params;
    const pending = this.#pending.get(token);
    if (!pending || typeof progress !== "number") return true;
    pending.timer.refresh();
    try {
      pending.onprogress?.({
        progress,
        ...(typeof total === "number" && { total }),
        ...(typeof message === "string" && { message }),
      });
    } catch (error) {
      // Only this caller fails; the other requests continue.
      this.#pending.delete(token);
      pending.reject(error);
    }
    return true;
  }

  /**
   * From revision 2026-07-28 on, a result declares its type. `input_required` is accepted only if something
   * can answer it.
   */
  #unfinished(
    { method, withTasks }: Pending,
    type: unknown,
    result: () => Record<string, unknown> | undefined,
  ): InputRequired | VitrineError | undefined {
    if (!this.#options.envelope || type === "complete") return undefined;
    if (type === "task" && withTasks && method === "tools/call") return undefined;
    const asking = type === "input_required" && this.#options.answer ? result() : undefined;
    if (asking) return readInputRequired(method, asking);
    const said = typeof type === "string" ? `"${type}"` : "no word";
    return new VitrineError(
      "unsupported",
      `${method}: the server answered with ${said}, expected "complete"`,
    );
  }

  #send(
    message: { id?: string; method: string; params: object },
    progressToken?: string,
    withTasks = false,
  ): void {
    const { id, method, params } = message;
    const envelope = this.#options.envelope?.(withTasks);
    const { _meta: said } = params as { _meta?: unknown };
    // Tokens and the envelope belong to the gateway and replace values from the view.
    const meta =
      envelope || progressToken || isRecord(said)
        ? { ...(isRecord(said) ? said : undefined), ...envelope, progressToken }
        : undefined;
    this.#options.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }));
  }
}

/** Results passed to the page unchanged: their text is hashed and forwarded without serializing it again. */
const PASSED_ON = /^(tools\/call|resources\/read)$/;

function asText(line: string, result: Record<string, unknown>): Record<string, unknown> | JsonText {
  const at = membersOf(line)?.get("result");
  return at ? new JsonText(line.slice(...at)) : result;
}

/** Parses a text that is JSON, unless it is too large. */
function parsed(text: string): Record<string, unknown> | undefined {
  if (text.length > MOST_PARSED) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function settle({ resolve, reject }: Pending, ending: InputRequired | VitrineError): void {
  if (ending instanceof InputRequired) resolve(ending);
  else reject(ending);
}

const isOurs = (id: unknown): id is string => typeof id === "string" && /^v\d+$/.test(id);

const aborted = (method: string): VitrineError => new VitrineError("aborted", `${method}: aborted`);

/**
 * Handles elicitation: a server asks the user with a form, or sends them to a web page.
 *
 * @module
 */
import { type Decision, Refusal } from "@vitrine/guard";
import { recordOf, VitrineError } from "@vitrine/protocol";
import { type ElicitationAnswer, type ElicitationQuestion, GatewayError } from "@vitrine/wire";
import type { CallRecord } from "../guard/call-record.js";
import { Buckets } from "../http/buckets.js";
import { unusable } from "./ask-error.js";
import { type Asker, AskRecords, type AskRecordsOptions } from "./ask-records.js";
import { type ElicitationRequest, readElicitationRequest } from "./elicitation-request.js";
import { type FormAnswer, readFormAnswer } from "./form-answer.js";
import { inTime } from "./in-time.js";
import { ELICITATION_LIMITS, type ElicitationLimits } from "./limits.js";
import { QuestionQueues } from "./question-queues.js";

export const ELICITATION_METHOD = "elicitation/create";

/** The answer to a server. */
export type Elicited = { action: ElicitationAnswer["action"]; content?: FormAnswer };

type WithoutId<Question> = Question extends unknown ? Omit<Question, "id"> : never;

/** A question for the user; the page's session assigns its id. */
export type ElicitationAsk = WithoutId<ElicitationQuestion>;

/** A web page that a user was sent to; the id is the server's. */
export interface SentAway {
  readonly url: string;
  readonly message: string;
  readonly elicitationId: string;
}

/** Options of {@link ElicitationService}. */
export interface ElicitationServiceOptions extends AskRecordsOptions {
  /**
   * Shows the question to the user; the page's answer is validated here. Throws if no page is open, and when
   * the signal aborts.
   */
  readonly ask: (user: string, question: ElicitationAsk, signal: AbortSignal) => Promise<unknown>;
  /** Returns `deny` if the operator forbids a server to ask users. */
  readonly decide?: ((server: string) => Decision | undefined) | undefined;
  /** Called when a server reports that a web page is completed. */
  readonly oncompleted?: ((asker: Asker, sent: SentAway) => void) | undefined;
  readonly limits?: Partial<ElicitationLimits> | undefined;
}

/** Maximum number of web pages per server that are not completed yet. */
const MAX_SENT = 100;

/**
 * Handles requests of servers: asks the user, and answers according to MCP.
 *
 * @example
 * ```ts source="./asks.examples.ts#elicitationService"
 * const service = new ElicitationService({
 *   ask: (user, question, signal) =>
 *     page(user).request("gateway/elicit", (id) => ({ ...question, id }), signal),
 *   audit: store.audit,
 *   settings,
 * });
 * const requestedSchema = {
 *   type: "object",
 *   properties: { city: { type: "string" } },
 *   required: ["city"],
 * };
 * const params = { message: "Which city?", requestedSchema };
 * const asker = { user: "ana", server: "weather" };
 * const { action, content } = await service.fromServer(asker, params, signal);
 * ```
 */
export class ElicitationService {
  readonly #options: ElicitationServiceOptions;
  readonly #limits: ElicitationLimits;
  readonly #records: AskRecords;
  readonly #queues: QuestionQueues;
  readonly #rates: Buckets;
  readonly #sent = new Map<string, Map<string, SentAway>>();
  /** Unanswered requests, by requester and the server's id. */
  readonly #unanswered = new Map<string, AbortController>();

  constructor(options: ElicitationServiceOptions) {
    const { clock = () => performance.now(), limits } = options;
    this.#options = options;
    this.#limits = { ...ELICITATION_LIMITS, ...limits };
    const { perMinute, waiting } = this.#limits;
    this.#records = new AskRecords(options);
    this.#queues = new QuestionQueues(waiting);
    this.#rates = new Buckets({ burst: perMinute, perSecond: perMinute / 60 }, clock);
  }

  /** Whether a server may ask. */
  isOpen(server: string): boolean {
    return this.#options.decide?.(server) !== "deny";
  }

  /**
   * Answers a server. No answer in time counts as cancelled.
   *
   * @throws {VitrineError} −32602 for a malformed request
   * @throws {GatewayError} `elicitation-unavailable` if no page is open, `audit-failed`
   * @throws {Refusal} `rate-limited`, `too-large`, `link-invalid`, `not-allowed`
   */
  async fromServer(asker: Asker, params: unknown, signal: AbortSignal): Promise<Elicited> {
    const record = this.#records.open(asker, ELICITATION_METHOD, params, signal);
    const queueName = queueNameOf(asker);
    const done = new AbortController();
    let name: string | undefined;
    try {
      const request = this.#admit(queueName, asker, params);
      name = nameOf(queueName, request);
      if (name !== undefined) this.#unanswered.set(name, done);
      const over = AbortSignal.any([signal, done.signal]);
      return await this.#queues.run(queueName, over, () => this.#put(asker, request, record, over));
    } catch (error) {
      if (!done.signal.aborted || record.hasStarted) return await this.#failed(record, error);
      await record.refused(new VitrineError("aborted", "the server completed it before the user answered"));
      return { action: "cancel" };
    } finally {
      if (name !== undefined && this.#unanswered.get(name) === done) this.#unanswered.delete(name);
    }
  }

  /**
   * Handles a server's report that a web page is completed. An unanswered question is withdrawn. Unknown ids
   * are ignored.
   */
  completed(asker: Asker, elicitationId: string): void {
    const queueName = queueNameOf(asker);
    this.#unanswered.get(`${queueName} ${elicitationId}`)?.abort();
    const sent = this.#sent.get(queueName);
    const known = sent?.get(elicitationId);
    if (!sent || !known) return;
    sent.delete(elicitationId);
    if (sent.size === 0) this.#sent.delete(queueName);
    this.#options.oncompleted?.(asker, known);
  }

  /** Writes the summaries of refusals. */
  close(): Promise<void> {
    return this.#records.flush();
  }

  /** Checks a request before the user is asked. */
  #admit(queueName: string, { server }: Asker, params: unknown): ElicitationRequest {
    if (!this.isOpen(server)) throw new Refusal("not-allowed", "the operator does not allow this");
    const wait = this.#rates.take(queueName);
    if (wait > 0) {
      const message = `a server may ask the user ${this.#limits.perMinute} times a minute: try again in ${wait} ms`;
      throw new Refusal("rate-limited", message, { retryAfter: wait });
    }
    return readElicitationRequest(params, this.#limits);
  }

  async #put(
    asker: Asker,
    request: ElicitationRequest,
    record: CallRecord,
    signal: AbortSignal,
  ): Promise<Elicited> {
    const answer = await this.#show(asker, request, signal);
    const action = answer?.action;
    const name = nameOf(queueNameOf(asker), request);
    if (name !== undefined) this.#unanswered.delete(name);
    if (action !== "accept") {
      // Nothing was revealed, so nothing happened; the reason is recorded.
      const why = action === "decline" ? new Refusal("denied", "the user declined") : nothingSaid(action);
      await record.refused(why);
      return { action: action ?? "cancel" };
    }
    const elicited: Elicited =
      request.mode === "form"
        ? { action, content: readFormAnswer(request.schema, answer?.content) }
        : { action };
    record.reason = "asked";
    // From now on the server may report that it is completed.
    if (request.mode === "url") this.#note(asker, request);
    await record.begin();
    if (signal.aborted) throw new VitrineError("aborted", "the request was cancelled");
    record.ended(elicited);
    return elicited;
  }

  /** The page's answer; undefined after the timeout. */
  async #show(
    { user, server }: Asker,
    request: ElicitationRequest,
    signal: AbortSignal,
  ): Promise<{ action: ElicitationAnswer["action"]; content?: unknown } | undefined> {
    const { userTimeout } = this.#limits;
    let answer: unknown;
    try {
      answer = await inTime(signal, userTimeout, "the user did not answer", (given) =>
        this.#options.ask(user, questionOf(server, request), given),
      );
    } catch (cause) {
      const { code } = recordOf(cause);
      if (cause instanceof VitrineError && code === "timeout") return undefined;
      if (cause instanceof VitrineError && code === "aborted") throw cause;
      const message = "no page is open to ask the user: open the gateway in a browser";
      throw new GatewayError("elicitation-unavailable", message, { cause });
    }
    const { action, content } = recordOf(answer);
    if (action === "accept" || action === "decline" || action === "cancel") return { action, content };
    throw unusable("it must accept, decline or cancel");
  }

  #note(asker: Asker, { url, message, elicitationId }: Extract<ElicitationRequest, { mode: "url" }>): void {
    if (elicitationId === undefined) return;
    const queueName = queueNameOf(asker);
    const sent = this.#sent.get(queueName) ?? new Map<string, SentAway>();
    this.#sent.set(queueName, sent.set(elicitationId, { url, message, elicitationId }));
    for (const oldest of sent.keys()) {
      if (sent.size <= MAX_SENT) break;
      sent.delete(oldest);
    }
  }

  async #failed(record: CallRecord, error: unknown): Promise<never> {
    const isKnown = error instanceof VitrineError;
    if (!isKnown) this.#options.onerror?.(error);
    const reported = isKnown
      ? error
      : new GatewayError("elicitation-unavailable", "the user could not be asked");
    if (record.hasStarted) record.failed(reported);
    else await record.refused(reported);
    throw reported;
  }
}

const queueNameOf = ({ user, server, identity = "" }: Asker): string => `${user} ${server} ${identity}`;

/** The key of a request that the server may report as completed. */
const nameOf = (queueName: string, request: ElicitationRequest): string | undefined =>
  request.mode === "url" && request.elicitationId !== undefined
    ? `${queueName} ${request.elicitationId}`
    : undefined;

const questionOf = (server: string, request: ElicitationRequest): ElicitationAsk => {
  const { message } = request;
  if (request.mode === "form") return { server, message, mode: "form", schema: { ...request.schema } };
  const { url, elicitationId } = request;
  return { server, message, mode: "url", url, ...(elicitationId !== undefined && { elicitationId }) };
};

const nothingSaid = (action: "cancel" | undefined): VitrineError =>
  action === "cancel"
    ? new VitrineError("aborted", "the user cancelled the question")
    : new VitrineError("timeout", "the user did not answer in time");

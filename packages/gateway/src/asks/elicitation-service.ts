/**
 * Handles elicitation: a server asks the user with a form, or sends them to a web page.
 *
 * @module
 */
import { isRefusal, Refusal } from "@vitrine/guard";
import { recordOf, VitrineError } from "@vitrine/protocol";
import { type ElicitationAnswer, type ElicitationQuestion, GatewayError } from "@vitrine/wire";
import { ELICITATION_METHOD } from "../config/policy-key.js";
import { Buckets } from "../http/buckets.js";
import { unusable } from "./ask-error.js";
import { type AskingGuard, serverCall, serverQuestion } from "./asking-guard.js";
import { type ElicitationRequest, readElicitationRequest } from "./elicitation-request.js";
import { type FormAnswer, readFormAnswer } from "./form-answer.js";
import { inTime } from "./in-time.js";
import { ELICITATION_LIMITS, type ElicitationLimits } from "./limits.js";
import { QuestionQueues } from "./question-queues.js";

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
export interface ElicitationServiceOptions {
  /**
   * Shows the question to the user; the page's answer is validated here. Throws if no page is open, and when
   * the signal aborts.
   */
  readonly ask: (user: string, question: ElicitationAsk, signal: AbortSignal) => Promise<unknown>;
  /** Called when a server reports that a web page is completed. */
  readonly oncompleted?: ((asker: Asker, sent: SentAway) => void) | undefined;
  readonly limits?: Partial<ElicitationLimits> | undefined;
  /** A monotonic clock in milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/** The server that asks, and its user. */
export type Asker = Pick<AskingGuard, "user" | "server">;

/** Maximum number of web pages per server that are not completed yet. */
const MAX_SENT = 100;

/**
 * Handles requests of servers: asks the user, and answers according to MCP. Every request passes the guard.
 *
 * @example
 * ```ts source="./asks.examples.ts#elicitationService"
 * const service = new ElicitationService({
 *   ask: (user, question, signal) =>
 *     page(user).request("gateway/elicit", (id) => ({ ...question, id }), signal),
 * });
 * const requestedSchema = {
 *   type: "object",
 *   properties: { city: { type: "string" } },
 *   required: ["city"],
 * };
 * const params = { message: "Which city?", requestedSchema };
 * const { action, content } = await service.fromServer(guard, params, signal);
 * ```
 */
export class ElicitationService {
  readonly #options: ElicitationServiceOptions;
  readonly #limits: ElicitationLimits;
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
    this.#queues = new QuestionQueues(waiting);
    this.#rates = new Buckets({ burst: perMinute, perSecond: perMinute / 60 }, clock);
  }

  /**
   * Answers a server. No answer in time counts as cancelled.
   *
   * @throws {VitrineError} −32602 for a malformed request
   * @throws {GatewayError} `elicitation-unavailable` if no page is open, `audit-failed`
   * @throws {Refusal} `rate-limited`, `too-large`, `link-invalid`, `not-allowed`
   */
  async fromServer(guard: AskingGuard, params: unknown, signal: AbortSignal): Promise<Elicited> {
    const queueName = queueNameOf(guard);
    const done = new AbortController();
    const over = AbortSignal.any([signal, done.signal]);
    const call = serverCall(guard, ELICITATION_METHOD, params, over);
    let leave = (): void => {};
    let request: ElicitationRequest | undefined;
    let name: string | undefined;
    let elicited: Elicited | undefined;
    const accept = async (): Promise<Elicited> => {
      if (elicited?.action !== "accept") throw new Error("a question was accepted without an answer");
      // From now on the server may report that it is completed.
      if (request?.mode === "url") this.#note(guard, request);
      return elicited;
    };
    try {
      const accepted = await guard.pass(call, accept, {
        question: serverQuestion(call),
        check: async () => {
          request = this.#admit(queueName, call.params);
          name = nameOf(queueName, request);
          if (name !== undefined) this.#unanswered.set(name, done);
          leave = await this.#queues.enter(queueName, over);
        },
        ask: async (given) => {
          if (!request) return false;
          elicited = await this.#show(guard, request, given);
          if (name !== undefined) this.#unanswered.delete(name);
          if (elicited.action === "cancel")
            throw new VitrineError("aborted", "the user cancelled the question");
          return elicited.action === "accept";
        },
      });
      return accepted as Elicited;
    } catch (error) {
      // Nothing was revealed, so nothing happened.
      if (elicited?.action === "cancel" || (isRefusal(error) && error.data.code === "denied"))
        return { action: elicited?.action ?? "decline" };
      const isTimeout = error instanceof VitrineError && error.code === "timeout";
      // Completed before the user answered, or never answered.
      if (!elicited && (done.signal.aborted || isTimeout)) return { action: "cancel" };
      throw error;
    } finally {
      leave();
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

  /** Checks a request before the user is asked. */
  #admit(queueName: string, params: unknown): ElicitationRequest {
    const wait = this.#rates.take(queueName);
    if (wait > 0) {
      const message = `a server may ask the user ${this.#limits.perMinute} times a minute: try again in ${wait} ms`;
      throw new Refusal("rate-limited", message, { retryAfter: wait });
    }
    return readElicitationRequest(params, this.#limits);
  }

  /** The user's answer, checked against the form. */
  async #show({ user, server }: Asker, request: ElicitationRequest, signal: AbortSignal): Promise<Elicited> {
    const { userTimeout } = this.#limits;
    const question = questionOf(server.name, request);
    const answer = await inTime(signal, userTimeout, "the user did not answer", (given) =>
      this.#options.ask(user, question, given),
    ).catch((cause: unknown) => {
      if (cause instanceof VitrineError && /^(aborted|timeout)$/.test(`${cause.code}`)) throw cause;
      const message = "no page is open to ask the user: open the gateway in a browser";
      throw new GatewayError("elicitation-unavailable", message, { cause });
    });
    const { action, content } = recordOf(answer);
    if (action === "decline" || action === "cancel") return { action };
    if (action !== "accept") throw unusable("it must accept, decline or cancel");
    return request.mode === "form"
      ? { action, content: readFormAnswer(request.schema, content) }
      : { action };
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
}

const queueNameOf = ({ user, server: { name, identity } }: Asker): string => `${user} ${name} ${identity}`;

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

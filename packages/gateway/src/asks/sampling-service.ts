/**
 * Handles sampling: a server or app asks the user's model. The user first sees the request, and may change
 * it.
 *
 * @module
 */

import type { Model } from "@vitrine/conversation";
import { isRefusal, Refusal } from "@vitrine/guard";
import { type Result, VitrineError } from "@vitrine/protocol";
import { GatewayError, type ModelUsage, type SamplingQuestion } from "@vitrine/wire";
import { SAMPLING_METHOD } from "../config/policy-key.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import { Buckets } from "../http/buckets.js";
import { rejected } from "./ask-error.js";
import { type AskingGuard, serverCall, serverQuestion } from "./asking-guard.js";
import { inTime } from "./in-time.js";
import { SAMPLING_LIMITS, type SamplingLimits } from "./limits.js";
import { QuestionQueues } from "./question-queues.js";
import {
  answeredRequest,
  modelRequestOf,
  readSamplingRequest,
  type SamplingRequest,
  shownOf,
  tokensOf,
  tokensToRead,
} from "./sampling-request.js";
import { TokenBudget } from "./token-budget.js";

/** The model's answer in the format of MCP. */
export type Sampled = Result<typeof SAMPLING_METHOD>;

/** The user and the name of the server that asks. */
type Asker = Pick<GuardedCall, "user" | "server">;

/** A question for the user; the page's session assigns its id. */
export type SamplingAsk = Omit<SamplingQuestion, "id">;

/** Options of {@link SamplingService}. */
export interface SamplingServiceOptions {
  /** Returns the selected model. */
  readonly model: () => Model | undefined;
  /**
   * Shows the question to the user, in the page of the view if a view asks; the page's answer is validated
   * here. Throws if no page is open, and when the signal aborts.
   */
  readonly ask: (
    user: string,
    question: SamplingAsk,
    signal: AbortSignal,
    view?: string | undefined,
  ) => Promise<unknown>;
  readonly limits?: Partial<SamplingLimits> | undefined;
  /** Called with unexpected errors of the model. */
  readonly onerror?: ((error: unknown) => void) | undefined;
  /** A monotonic clock in milliseconds. */
  readonly clock?: (() => number) | undefined;
}

/** Maximum characters of an answer, for providers that ignore the token limit. */
const MAX_ANSWER = 1_000_000;

/**
 * Handles requests of servers and apps: asks the user, then the model, and answers according to MCP. Every
 * request passes the guard, which decides, asks and records.
 *
 * @example
 * ```ts source="./asks.examples.ts#samplingService"
 * const service = new SamplingService({
 *   model: () => models.current,
 *   ask: (user, question, signal) =>
 *     page(user).request("gateway/sample", (id) => ({ ...question, id }), signal),
 * });
 * const params = {
 *   messages: [{ role: "user", content: { type: "text", text: "Say hello" } }],
 *   maxTokens: 50,
 * };
 * const { content, stopReason } = await service.fromServer(guard, params, signal);
 * ```
 */
export class SamplingService {
  readonly #options: SamplingServiceOptions;
  readonly #limits: SamplingLimits;
  readonly #queues: QuestionQueues;
  readonly #rates: Buckets;
  readonly #budget: TokenBudget;

  constructor(options: SamplingServiceOptions) {
    const { clock = () => performance.now(), limits } = options;
    this.#options = options;
    this.#limits = { ...SAMPLING_LIMITS, ...limits };
    const { perMinute, waiting, tokensPerHour } = this.#limits;
    this.#queues = new QuestionQueues(waiting);
    this.#rates = new Buckets({ burst: perMinute, perSecond: perMinute / 60 }, clock);
    this.#budget = new TokenBudget(tokensPerHour, clock);
  }

  get hasModel(): boolean {
    return this.#options.model() !== undefined;
  }

  /**
   * Answers a server.
   *
   * @throws {VitrineError} −1 if the user declined, −32602 for a malformed request
   * @throws {GatewayError} `sampling-unavailable`, `audit-failed`
   * @throws {Refusal} `rate-limited`, `too-large`, `not-allowed`
   * @throws {ModelError} the model's error
   */
  fromServer(guard: AskingGuard, params: unknown, signal: AbortSignal): Promise<Sampled> {
    return this.#answer(guard, serverCall(guard, SAMPLING_METHOD, params, signal));
  }

  /** Answers a view, whose call also passes the guard's links; throws like {@link fromServer}. */
  fromView(guard: Pick<AskingGuard, "pass">, call: GuardedCall): Promise<Sampled> {
    return this.#answer(guard, call);
  }

  async #answer(guard: Pick<AskingGuard, "pass">, call: GuardedCall): Promise<Sampled> {
    const signal = call.signal ?? new AbortController().signal;
    const queueName = `${call.actor} ${call.user} ${call.server} ${call.view}`;
    let leave = (): void => {};
    let request: SamplingRequest | undefined;
    const sample = async (): Promise<Sampled> => {
      if (!request) throw new Error("a request came to the model without a check");
      return this.#sample(call, request, signal).catch((cause: unknown) => {
        if (cause instanceof VitrineError) throw cause;
        this.#options.onerror?.(cause);
        throw new GatewayError("sampling-unavailable", "the model could not be asked", { cause });
      });
    };
    try {
      const sampled = await guard.pass(call, sample, {
        question: call.actor === "server" ? serverQuestion(call) : undefined,
        check: async ({ params }) => {
          request = this.#admit(queueName, call, params);
          leave = await this.#queues.enter(queueName, signal);
        },
        ask: async (given) => {
          // The user may change it.
          request = request && (await this.#show(call, request, given));
          return request !== undefined;
        },
      });
      return sampled as Sampled;
    } catch (error) {
      throw isRefusal(error) && error.data.code === "denied" ? rejected(error) : error;
    } finally {
      leave();
    }
  }

  /** Checks a request before the user is asked. */
  #admit(queueName: string, asker: Asker, params: unknown): SamplingRequest {
    // The rate limit comes first, so that it also limits refusals.
    const wait = this.#rates.take(queueName);
    if (wait > 0) {
      const message = `the model can be asked ${this.#limits.perMinute} times a minute: try again in ${wait} ms`;
      throw new Refusal("rate-limited", message, { retryAfter: wait });
    }
    const request = readSamplingRequest(params, this.#limits);
    this.#mustModel();
    this.#mustAfford(asker, request);
    return request;
  }

  #mustModel(): Model {
    const model = this.#options.model();
    if (model) return model;
    throw new GatewayError("sampling-unavailable", "no model is selected: choose one first");
  }

  /** The maximum number of tokens of the answer. */
  #mustAfford(asker: Asker, request: SamplingRequest): number {
    const purse = purseOf(asker);
    const left = this.#budget.left(purse) - tokensToRead(request);
    if (left > 0) return Math.min(left, request.maxTokens);
    const { tokensPerHour } = this.#limits;
    const message = `${asker.server} may use ${tokensPerHour} tokens an hour, and this request exceeds that`;
    throw new Refusal("rate-limited", message, { retryAfter: this.#budget.wait(purse) });
  }

  /** The request as the user approved it; undefined if they declined. */
  async #show(
    { actor, user, server, view }: GuardedCall,
    request: SamplingRequest,
    signal: AbortSignal,
  ): Promise<SamplingRequest | undefined> {
    const { userTimeout } = this.#limits;
    const question = { server, model: this.#mustModel().label, ...shownOf(request) };
    const answer = await inTime(signal, userTimeout, "the user did not answer", (given) =>
      this.#options.ask(user, question, given, actor === "view" ? view : undefined),
    ).catch((cause: unknown) => {
      if (cause instanceof VitrineError && /^(aborted|timeout)$/.test(`${cause.code}`)) throw cause;
      const message = "no page is open to ask the user: open the gateway in a browser";
      throw new GatewayError("sampling-unavailable", message, { cause });
    });
    return answeredRequest(request, answer, this.#limits);
  }

  async #sample(asker: Asker, request: SamplingRequest, signal: AbortSignal): Promise<Sampled> {
    // Checked again, because the user may have taken long: the model or the budget may have changed.
    const model = this.#mustModel();
    const maxTokens = this.#mustAfford(asker, request);
    // Reserves the maximum until the actual usage is known, because requests run concurrently.
    const settle = this.#budget.spend(purseOf(asker), tokensToRead(request) + maxTokens);
    const said = { text: "", reason: "length", usage: undefined as ModelUsage | undefined };
    try {
      await inTime(signal, this.#limits.time, "the model did not answer", async (given) => {
        for await (const delta of model.stream(modelRequestOf({ ...request, maxTokens }), given)) {
          if (delta.kind === "text") said.text += delta.text;
          else if (delta.kind === "usage") said.usage = delta.usage;
          else if (delta.kind === "end") said.reason = delta.reason;
          if (said.text.length > MAX_ANSWER) break;
        }
      });
    } finally {
      // A started request counts, however it ended.
      const { input = tokensToRead(request), output = tokensOf(said.text) } = said.usage ?? {};
      settle(input + output);
    }
    return {
      role: "assistant",
      content: { type: "text", text: said.text.slice(0, MAX_ANSWER) },
      model: model.id,
      stopReason: STOP_REASONS[said.reason] ?? said.reason,
    };
  }
}

/** MCP's stop reasons. */
const STOP_REASONS: Readonly<Record<string, string>> = { stop: "endTurn", length: "maxTokens" };

/** Views share the budget of their server. */
const purseOf = ({ user, server }: Asker): string => `${user} ${server}`;

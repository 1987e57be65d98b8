/**
 * Handles sampling: a server or app asks the user's model. The user first sees the request, and may change
 * it.
 *
 * @module
 */

import type { Model } from "@vitrine/conversation";
import { type Answer, type Decision, Refusal } from "@vitrine/guard";
import { type Result, VitrineError } from "@vitrine/protocol";
import { GatewayError, type ModelUsage, type SamplingQuestion, type SpeakingApp } from "@vitrine/wire";
import type { CallRecord } from "../guard/call-record.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import { Buckets } from "../http/buckets.js";
import { rejected } from "./ask-error.js";
import { type Asker, AskRecords, type AskRecordsOptions } from "./ask-records.js";
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

export const SAMPLING_METHOD = "sampling/createMessage";

/** The model's answer in the format of MCP. */
export type Sampled = Result<typeof SAMPLING_METHOD>;

/** A question for the user; the page's session assigns its id. */
export type SamplingAsk = Omit<SamplingQuestion, "id">;

/** Options of {@link SamplingService}. */
export interface SamplingServiceOptions extends AskRecordsOptions {
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
  /**
   * The operator's decision for a server; by default the user is asked. Requests of apps pass their guard
   * instead.
   */
  readonly decide?: ((server: string) => Decision | undefined) | undefined;
  readonly limits?: Partial<SamplingLimits> | undefined;
}

/** A view's request, from the guard's question. */
export interface ViewAsks extends Asker {
  readonly view: string;
  readonly params: Record<string, unknown>;
  /** The app as the user knows it. */
  readonly app?: SpeakingApp | undefined;
}

/** Maximum characters of an answer, for providers that ignore the token limit. */
const MAX_ANSWER = 1_000_000;

/**
 * Handles requests of servers and apps: asks the user, then the model, and answers according to MCP.
 *
 * @example
 * ```ts source="./asks.examples.ts#samplingService"
 * const service = new SamplingService({
 *   model: () => models.current,
 *   ask: (user, question, signal) =>
 *     page(user).request("gateway/sample", (id) => ({ ...question, id }), signal),
 *   audit: store.audit,
 *   settings,
 * });
 * const params = {
 *   messages: [{ role: "user", content: { type: "text", text: "Say hello" } }],
 *   maxTokens: 50,
 * };
 * const { content, stopReason } = await service.fromServer({ user: "ana", server: "notes" }, params, signal);
 * ```
 */
export class SamplingService {
  readonly #options: SamplingServiceOptions;
  readonly #limits: SamplingLimits;
  readonly #records: AskRecords;
  readonly #queues: QuestionQueues;
  readonly #rates: Buckets;
  readonly #budget: TokenBudget;
  /** Approved requests, by the params of the question: the guard passes the same object on. */
  readonly #agreed = new WeakMap<object, SamplingRequest>();

  constructor(options: SamplingServiceOptions) {
    const { clock = () => performance.now(), limits } = options;
    this.#options = options;
    this.#limits = { ...SAMPLING_LIMITS, ...limits };
    const { perMinute, waiting, tokensPerHour } = this.#limits;
    this.#records = new AskRecords(options);
    this.#queues = new QuestionQueues(waiting);
    this.#rates = new Buckets({ burst: perMinute, perSecond: perMinute / 60 }, clock);
    this.#budget = new TokenBudget(tokensPerHour, clock);
  }

  /** Whether a request of a server could be answered now. */
  isOpen(server: string): boolean {
    return this.#options.decide?.(server) !== "deny" && this.#options.model() !== undefined;
  }

  /**
   * Answers a server.
   *
   * @throws {VitrineError} −1 if the user declined, −32602 for a malformed request
   * @throws {GatewayError} `sampling-unavailable`, `audit-failed`
   * @throws {Refusal} `rate-limited`, `too-large`, `not-allowed`
   * @throws {ModelError} the model's error
   */
  async fromServer(asker: Asker, params: unknown, signal: AbortSignal): Promise<Sampled> {
    const record = this.#records.open(asker, SAMPLING_METHOD, params, signal);
    const queueName = `server ${asker.user} ${asker.server}`;
    try {
      const decision = this.#options.decide?.(asker.server) ?? "ask";
      if (decision === "deny") throw new Refusal("not-allowed", "the operator does not allow this");
      const request = this.#admit(queueName, asker, params);
      return await this.#queues.run(queueName, signal, async () => {
        const agreed = decision === "allow" ? request : await this.#show(asker, request, signal);
        if (!agreed) throw new Refusal("denied", "the user declined");
        record.reason = decision === "allow" ? "policy" : "asked";
        await record.begin();
        const sampled = await this.#sample(asker, agreed, signal);
        record.ended(sampled);
        return sampled;
      });
    } catch (error) {
      return await this.#failed(record, error);
    }
  }

  /**
   * Replaces the guard's own question, so that the user can change the request. The approved request is kept
   * for {@link forView}, which gets the same params.
   *
   * @throws {GatewayError} `sampling-unavailable`
   * @throws {Refusal} `rate-limited`, `too-large`
   */
  async askFor(asks: ViewAsks, signal: AbortSignal): Promise<Answer> {
    const { params } = asks;
    const queueName = queueNameOf(asks);
    const request = this.#admit(queueName, asks, params);
    const agreed = await this.#queues.run(queueName, signal, () => this.#show(asks, request, signal));
    if (agreed) this.#agreed.set(params, agreed);
    return { answer: agreed ? "allow" : "deny", remember: "once" };
  }

  /** Answers a view whose call has passed the guard, and is recorded there; see {@link askFor}. */
  async forView(call: GuardedCall): Promise<Sampled> {
    const { params } = call;
    const signal = call.signal ?? new AbortController().signal;
    const queueName = queueNameOf(call);
    // Without a question, because a policy or a remembered approval allowed it, the request is first checked
    // here.
    const request = this.#agreed.get(params) ?? this.#admit(queueName, call, params);
    this.#agreed.delete(params);
    return this.#queues.run(queueName, signal, () => this.#sample(call, request, signal));
  }

  /** Writes the summaries of refusals. */
  close(): Promise<void> {
    return this.#records.flush();
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
    { user, server, view, app }: Asker & Partial<ViewAsks>,
    request: SamplingRequest,
    signal: AbortSignal,
  ): Promise<SamplingRequest | undefined> {
    const { userTimeout } = this.#limits;
    const question = { server, ...(app && { app }), model: this.#mustModel().label, ...shownOf(request) };
    const answer = await inTime(signal, userTimeout, "the user did not answer", (given) =>
      this.#options.ask(user, question, given, view),
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

  async #failed(record: CallRecord, error: unknown): Promise<never> {
    const isKnown = error instanceof VitrineError;
    if (!isKnown) this.#options.onerror?.(error);
    const reported = isKnown
      ? error
      : new GatewayError("sampling-unavailable", "the model could not be asked");
    if (record.hasStarted) record.failed(reported);
    else await record.refused(reported);
    throw reported instanceof Refusal && reported.data.code === "denied" ? rejected(reported) : reported;
  }
}

/** MCP's stop reasons. */
const STOP_REASONS: Readonly<Record<string, string>> = { stop: "endTurn", length: "maxTokens" };

const queueNameOf = ({ user, server, view }: Asker & { view: string }): string =>
  `view ${user} ${server} ${view}`;

/** Views share the budget of their server. */
const purseOf = ({ user, server }: Asker): string => `${user} ${server}`;

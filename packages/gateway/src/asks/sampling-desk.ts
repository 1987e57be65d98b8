/**
 * The one place where servers and apps have a person's model asked: the person sees what is asked first, and may change
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
import { Turns } from "./turns.js";

/** The method's name. */
export const SAMPLING_METHOD = "sampling/createMessage";

/** What a model said, in MCP's words. */
export type Sampled = Result<typeof SAMPLING_METHOD>;

/** What the person is asked; the page's session gives it its name. */
export type SamplingAsk = Omit<SamplingQuestion, "id">;

/** Options of {@link SamplingDesk}. */
export interface SamplingDeskOptions extends AskRecordsOptions {
  /** The one that answers now. */
  readonly model: () => Model | undefined;
  /**
   * Shows the question to the user, where the view is shown if one asks; what the page answers is checked here. Throws
   * when there is nobody, and when the signal says that it matters no more.
   */
  readonly ask: (
    user: string,
    question: SamplingAsk,
    signal: AbortSignal,
    view?: string | undefined,
  ) => Promise<unknown>;
  /** What the operator decided for a server; people are asked by default. What apps ask passes their guard instead. */
  readonly decide?: ((server: string) => Decision | undefined) | undefined;
  readonly limits?: Partial<SamplingLimits> | undefined;
}

/** What a view wants, as the guard's question has it. */
export interface ViewAsks extends Asker {
  readonly view: string;
  readonly params: Record<string, unknown>;
  /** How the person knows it. */
  readonly app?: SpeakingApp | undefined;
}

/** Characters of an answer: a provider that heeds no limit does not fill the memory. */
const MAX_ANSWER = 1_000_000;

/**
 * Takes what servers and apps ask, asks the person, then the model, and answers as MCP has it.
 *
 * @example
 * ```ts source="./asks.examples.ts#samplingDesk"
 * const desk = new SamplingDesk({
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
 * const { content, stopReason } = await desk.fromServer({ user: "ana", server: "notes" }, params, signal);
 * ```
 */
export class SamplingDesk {
  readonly #options: SamplingDeskOptions;
  readonly #limits: SamplingLimits;
  readonly #records: AskRecords;
  readonly #turns: Turns;
  readonly #rates: Buckets;
  readonly #budget: TokenBudget;
  /** What people agreed to, by the params that they were asked about: the guard hands those on. */
  readonly #agreed = new WeakMap<object, SamplingRequest>();

  constructor(options: SamplingDeskOptions) {
    const { clock = () => performance.now(), limits } = options;
    this.#options = options;
    this.#limits = { ...SAMPLING_LIMITS, ...limits };
    const { perMinute, waiting, tokensPerHour } = this.#limits;
    this.#records = new AskRecords(options);
    this.#turns = new Turns(waiting);
    this.#rates = new Buckets({ burst: perMinute, perSecond: perMinute / 60 }, clock);
    this.#budget = new TokenBudget(tokensPerHour, clock);
  }

  /** Whether a server's question could be answered now. */
  isOpen(server: string): boolean {
    return this.#options.decide?.(server) !== "deny" && this.#options.model() !== undefined;
  }

  /**
   * Answers a server.
   *
   * @throws {VitrineError} −1 when the person said no, −32602 for what is no such request
   * @throws {GatewayError} `sampling-unavailable`, `audit-failed`
   * @throws {Refusal} `rate-limited`, `too-large`, `not-allowed`
   * @throws {ModelError} what the model failed with
   */
  async fromServer(asker: Asker, params: unknown, signal: AbortSignal): Promise<Sampled> {
    const record = this.#records.open(asker, SAMPLING_METHOD, params, signal);
    const lane = `server ${asker.user} ${asker.server}`;
    try {
      const decision = this.#options.decide?.(asker.server) ?? "ask";
      if (decision === "deny") throw new Refusal("not-allowed", "the operator does not allow this");
      const request = this.#admit(lane, asker, params);
      return await this.#turns.run(lane, signal, async () => {
        const agreed = decision === "allow" ? request : await this.#show(asker, request, signal);
        if (!agreed) throw new Refusal("denied", "the person said no");
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
   * Asks in place of the guard's own question, so that what is asked can be changed. The answer is kept for
   * {@link forView}, which gets the same params.
   *
   * @throws {GatewayError} `sampling-unavailable`
   * @throws {Refusal} `rate-limited`, `too-large`
   */
  async askFor(asks: ViewAsks, signal: AbortSignal): Promise<Answer> {
    const { params } = asks;
    const lane = laneOf(asks);
    const request = this.#admit(lane, asks, params);
    const agreed = await this.#turns.run(lane, signal, () => this.#show(asks, request, signal));
    if (agreed) this.#agreed.set(params, agreed);
    return { answer: agreed ? "allow" : "deny", remember: "once" };
  }

  /** Answers a view whose call has passed the guard, and is on record there; see {@link askFor}. */
  async forView(call: GuardedCall): Promise<Sampled> {
    const { params } = call;
    const signal = call.signal ?? new AbortController().signal;
    const lane = laneOf(call);
    // A policy let it through, or an answer that is remembered: then it comes here first.
    const request = this.#agreed.get(params) ?? this.#admit(lane, call, params);
    this.#agreed.delete(params);
    return this.#turns.run(lane, signal, () => this.#sample(call, request, signal));
  }

  /** Writes what was only counted. */
  close(): Promise<void> {
    return this.#records.flush();
  }

  /** What must be so before a person is bothered. */
  #admit(lane: string, asker: Asker, params: unknown): SamplingRequest {
    // First, so that even refusals are no more than so many.
    const wait = this.#rates.take(lane);
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
    throw new GatewayError("sampling-unavailable", "there is no model that could be asked: choose one first");
  }

  /** Tokens that the answer may have. */
  #mustAfford(asker: Asker, request: SamplingRequest): number {
    const purse = purseOf(asker);
    const left = this.#budget.left(purse) - tokensToRead(request);
    if (left > 0) return Math.min(left, request.maxTokens);
    const { tokensPerHour } = this.#limits;
    const message = `${asker.server} may use ${tokensPerHour} tokens an hour, and this would be more`;
    throw new Refusal("rate-limited", message, { retryAfter: this.#budget.wait(purse) });
  }

  /** What the person lets it be; undefined when they said no. */
  async #show(
    { user, server, view, app }: Asker & Partial<ViewAsks>,
    request: SamplingRequest,
    signal: AbortSignal,
  ): Promise<SamplingRequest | undefined> {
    const { patience } = this.#limits;
    const question = { server, ...(app && { app }), model: this.#mustModel().label, ...shownOf(request) };
    const answer = await inTime(signal, patience, "the person did not answer", (given) =>
      this.#options.ask(user, question, given, view),
    ).catch((cause: unknown) => {
      if (cause instanceof VitrineError && /^(aborted|timeout)$/.test(`${cause.code}`)) throw cause;
      const message = "nobody can be asked: open the gateway in a browser";
      throw new GatewayError("sampling-unavailable", message, { cause });
    });
    return answeredRequest(request, answer, this.#limits);
  }

  async #sample(asker: Asker, request: SamplingRequest, signal: AbortSignal): Promise<Sampled> {
    // The person took their time: it may be another model, or none, and others may have used it.
    const model = this.#mustModel();
    const maxTokens = this.#mustAfford(asker, request);
    // All that it may come to, until it is known: others ask at the same time.
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
      // What was begun is paid for, however it ended.
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
    const told = isKnown ? error : new GatewayError("sampling-unavailable", "it could not be asked");
    if (record.hasBegun) record.failed(told);
    else await record.refused(told);
    throw told instanceof Refusal && told.data.code === "denied" ? rejected(told) : told;
  }
}

/** MCP's words for how a model ended. */
const STOP_REASONS: Readonly<Record<string, string>> = { stop: "endTurn", length: "maxTokens" };

const laneOf = ({ user, server, view }: Asker & { view: string }): string => `view ${user} ${server} ${view}`;

/** Views use what their server may. */
const purseOf = ({ user, server }: Asker): string => `${user} ${server}`;

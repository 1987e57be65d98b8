/**
 * What every call passes before anything happens, in the one place that a browser cannot skip.
 *
 * @module
 */
import {
  fingerprint,
  type Question,
  Refusal,
  ResourceDirectory,
  ToolDirectory,
  type ViewCall,
} from "@vitrine/guard";
import { INTERNAL_ERROR, isVisibleTo, type Permission, VitrineError } from "@vitrine/protocol";
import { GatewayError, type GatewayPermit, MAY_HAVE_RUN } from "@vitrine/wire";
import { PERMISSION_METHOD } from "../config/policy-key.js";
import { allowedMethod, isRepeatable, needsServer, onlyReads } from "./allow-list.js";
import { Asking } from "./asking.js";
import { CallRecord, type RecordPlace } from "./call-record.js";
import { type GuardChains, guardChains } from "./guard-chains.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import { asViewCall, type GuardedCall } from "./guarded-call.js";
import { Idempotency } from "./idempotency.js";
import { keyedCall } from "./keyed-call.js";
import { type PermitOutcome, Permits } from "./permits.js";
import { RefusalLog } from "./refusal-log.js";

/** Does what was asked, with the params that passed. */
export type Effect = (call: GuardedCall) => Promise<unknown>;

/** A call on its way through the links, with its record. */
interface RecordedCall extends ViewCall {
  readonly record: CallRecord;
}

const NOTHING = (): void => {};

/**
 * The guard of one user at one server. A call passes, in this order: known view → method → visibility → server
 * boundary → sizes, rates, how much is under way → policy, with consent → its turn → the record, on disk → the effect.
 * What fails on the way, in a link or in what a link stands on, is a refusal: nothing goes through by accident.
 */
export class GatewayGuard {
  readonly tools: ToolDirectory;
  readonly resources: ResourceDirectory;
  readonly #options: GatewayGuardOptions;
  readonly #asking: Asking;
  readonly #idempotency: Idempotency;
  readonly #permits: Permits;
  readonly #place: RecordPlace;
  readonly #chains: GuardChains;
  /** Errors that the record has: what is told to those who came with the same key is not recorded again. */
  readonly #recorded = new WeakSet<Error>();
  readonly #waiting = new Set<CallRecord>();
  readonly #stop: () => void;

  constructor(options: GatewayGuardOptions) {
    const { server, store, settings, metrics = {} } = options;
    const { audit } = store;
    const clock = options.clock ?? (() => performance.now());
    const onerror = (error: unknown) => options.onerror?.(error);
    this.#options = options;
    this.tools = new ToolDirectory(server.upstream);
    this.resources = new ResourceDirectory(server.upstream, this.tools);
    this.#asking = new Asking(options, this.tools);
    this.#idempotency = options.idempotency ?? new Idempotency({ audit, results: store.results, clock });
    this.#permits = new Permits((seq, outcome) => audit.end(seq, outcome), clock);
    const refusals = new RefusalLog({ write: async (entry) => audit.begin(entry), onerror });
    const { name, identity } = server.settings;
    const { results } = store;
    this.#place = { server: name, identity, audit, results, settings, refusals, metrics, clock, onerror };
    this.#chains = guardChains({
      server,
      settings,
      views: options.views,
      tools: this.tools,
      resources: this.resources,
      clock,
      asking: this.#asking,
      decided: (call, reason, question) => this.#decided(call, reason, question),
    });
    // A server that was started again may be another one.
    let starts = server.status.starts;
    this.#stop = server.onStatus((status) => {
      if (status.starts !== starts) this.#refresh();
      starts = status.starts;
    });
  }

  /** Calls that wait for their server, a person, their turn or the record; for metrics. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Passes a call, and does it.
   *
   * @throws {Refusal} what the guard did not allow
   * @throws {GatewayError} `view-unknown`, `audit-failed`, `conflict`, `indeterminate`; or what the server failed with
   */
  pass(call: GuardedCall, effect: Effect): Promise<unknown> {
    return this.#enter(call, effect);
  }

  /** Passes what the page does itself: the answer says that it may, with which params. Tell the {@link outcome}. */
  permit(call: GuardedCall): Promise<GatewayPermit> {
    return this.#enter(call, undefined) as Promise<GatewayPermit>;
  }

  /** The page says how something ended. Each permit ends once, and only for the view that got it. */
  outcome(view: string, permit: number, outcome: PermitOutcome): boolean {
    return this.#permits.take(view, permit, outcome);
  }

  /**
   * Whether a view may have a browser permission: by the operator's settings, or by asking. `fingerprint` is the hash
   * of its UI: another UI is asked about again.
   */
  async permission(
    view: string,
    permission: Permission,
    signal?: AbortSignal,
    fingerprint = "",
  ): Promise<boolean> {
    const { server, user } = this.#options;
    const { name } = server.settings;
    const params = { name: permission };
    const call: GuardedCall = { actor: "view", user, view, server: name, method: PERMISSION_METHOD, params };
    const record = new CallRecord(call, this.#place);
    try {
      record.reason = await this.#asking.permission(view, permission, fingerprint, signal);
      await record.begin();
      record.ended({});
      return true;
    } catch (error) {
      await record.refused(this.#denial(error));
      return false;
    }
  }

  /** Whether a view still has a browser permission that it got: {@link permission} without asking. */
  isGranted(view: string, permission: Permission, fingerprint = ""): Promise<boolean> {
    return this.#asking.isGranted(view, permission, fingerprint);
  }

  /** Records what was refused before it came here: a message that is none, or that nobody here answers. */
  refused(call: GuardedCall, error: VitrineError): Promise<void> {
    return new CallRecord(call, this.#place).refused(error);
  }

  /** Notes the resources in a result that did not come through here. */
  learn(result: unknown): void {
    this.resources.learn(result);
  }

  /** The view is gone: what it was permitted and never told of ends as indeterminate. */
  closeView(view: string): void {
    this.#permits.close(view);
    this.#asking.closeView(view);
    void this.#place.refusals.flush(view);
  }

  /** The browser session is over, and with it what was allowed for it. */
  endSession(session: string): void {
    this.#asking.consents.endSession(session);
  }

  /** An answer of this user was taken back. */
  consentsRevoked(): void {
    this.#asking.revoked();
  }

  /** Ends what is open, and hears the server no more. */
  async close(): Promise<void> {
    this.#stop();
    this.tools.close();
    this.resources.close();
    this.#permits.closeAll();
    await this.#place.refusals.flush();
  }

  /** Notes why a call may go on. Without its record it may not. */
  #decided(call: ViewCall, reason: string, question?: Question): void {
    const { record } = call as Partial<RecordedCall>;
    if (!record) throw new Error("a call lost its record");
    record.reason = reason;
    record.question = question;
  }

  /**
   * Sees to it that nothing is done twice, and that what is not done is on record. The key is looked up first, before the
   * view, the tool or the server: whatever became of them, a call that may have run is not answered with a refusal.
   */
  async #enter(call: GuardedCall, effect: Effect | undefined): Promise<unknown> {
    const record = new CallRecord(call, this.#place);
    try {
      this.#checkUser(call);
      const keyed = keyedCall(call, {
        identity: this.#options.server.settings.identity,
        paramsHash: () => record.hash.paramsHash,
        isReplayable: () => this.#isReplayable(call),
      });
      if (!keyed) return await this.#run(call, record, effect, NOTHING);
      return await this.#idempotency.run(keyed, (begun) => this.#run(call, record, effect, begun));
    } catch (error) {
      if (error instanceof Error && this.#recorded.has(error)) throw error;
      const denial = this.#denial(error);
      await record.refused(denial);
      throw denial;
    }
  }

  /** Passes the links, and does it. What it throws is on record. */
  async #run(
    call: GuardedCall,
    record: CallRecord,
    effect: Effect | undefined,
    begun: () => void,
  ): Promise<unknown> {
    let permit: number | undefined;
    let hasRun = false;
    this.#waiting.add(record);
    try {
      this.#checkView(call);
      const method = allowedMethod(call, effect === undefined);
      const viewCall: RecordedCall = { ...asViewCall(call, method), record };
      const starting = this.#ready(method);
      if (starting) await starting;
      const { forPage, forModel, forViews } = this.#chains;
      const link = call.actor === "host" ? forPage : call.actor === "model" ? forModel : forViews;
      const result = await link(viewCall, async ({ params }) => {
        await this.#checkAgain(call, record);
        const passed = params === call.params ? call : { ...call, params };
        if (effect && onlyReads(call.method, record.question?.tool)) {
          const answer = await this.#read(passed, record, effect, begun);
          hasRun = true;
          return answer;
        }
        const seq = await record.begin();
        this.#waiting.delete(record);
        begun();
        // While the disk was busy it may have been taken back.
        this.#checkView(call);
        if (!effect) {
          permit = seq;
          return { permit: seq, params } satisfies GatewayPermit;
        }
        record.mayHaveHappened = true;
        const answer = await effect(passed);
        hasRun = true;
        return answer;
      });
      if (permit === undefined) record.ended(result);
      else this.#permits.give(call.view, permit);
      return result;
    } catch (error) {
      this.#waiting.delete(record);
      const told = hasRun
        ? await this.#unusable(call, error)
        : record.hasBegun
          ? asError(error)
          : this.#denial(error);
      this.#recorded.add(told);
      if (record.hasBegun) record.failed(told);
      else await record.refused(told as VitrineError);
      throw told;
    }
  }

  /**
   * What only reads has no effect that could come before its record: the server is asked while the entry is written, and
   * nobody hears the answer before the entry is on disk.
   */
  async #read(call: GuardedCall, record: CallRecord, effect: Effect, begun: () => void): Promise<unknown> {
    this.#waiting.delete(record);
    const recorded = record.begin();
    // A log that is known to fail refuses: the server is not even asked.
    if (!this.#place.audit.healthy) await recorded;
    const answer = effect(call);
    // If the entry cannot be written, nobody wants to know how this went.
    answer.catch(() => {});
    await recorded;
    begun();
    this.#checkView(call);
    return answer;
  }

  /** The error of a call that ran, and whose result the guard cannot pass on. */
  async #unusable(call: GuardedCall, cause: unknown): Promise<VitrineError> {
    const indeterminate = !(await this.#isReplayable(call));
    const isKnown = cause instanceof VitrineError;
    if (isKnown && !indeterminate) return cause;
    const why = `the result cannot be passed on: ${isKnown ? cause.message : "it is no JSON"}`;
    const message = indeterminate ? `${why}; ${MAY_HAVE_RUN}` : why;
    const options = { cause, data: { indeterminate } };
    return isKnown
      ? new GatewayError("server-too-large", message, options)
      : new VitrineError("invalid", message, options);
  }

  #checkUser({ user }: GuardedCall): void {
    if (user !== this.#options.user) throw new Refusal("not-allowed", "this is another user's");
  }

  #checkView({ actor, view, signal }: GuardedCall): void {
    if (signal?.aborted) throw new VitrineError("aborted", "the request was taken back");
    if (actor === "view" && !this.#options.views(view)) {
      throw new GatewayError("view-unknown", "there is no such view any more: open it again");
    }
  }

  /** A person or a turn may have been waited for: the tool must still be the one that they agreed to (attack C23). */
  async #checkAgain(call: GuardedCall, { question }: CallRecord): Promise<void> {
    this.#checkView(call);
    const then = question?.tool;
    if (!then) return;
    const now = await this.tools.find(then.name);
    const who = call.actor === "model" ? "model" : "app";
    if (now === then || (now && isVisibleTo(now, who) && fingerprint(now) === fingerprint(then))) return;
    throw new Refusal("not-allowed", `the tool "${then.name}" changed meanwhile: call it again`);
  }

  /** What a server offers is known when it runs: before, everything would be unknown, and stay so. */
  #ready(method: string): Promise<void> | undefined {
    const { server } = this.#options;
    return needsServer(method) && server.status.state !== "ready" ? server.ready() : undefined;
  }

  /** A tool whose server does not say what it does counts as one that must not run twice. */
  async #isReplayable({ method, params }: GuardedCall): Promise<boolean> {
    if (method !== "tools/call") return isRepeatable(method);
    const name = String(params["name"]);
    if (this.#options.server.settings.idempotent.includes(name)) return true;
    try {
      await this.#ready(method);
      const { readOnlyHint, idempotentHint } = (await this.tools.find(name))?.annotations ?? {};
      return readOnlyHint === true || idempotentHint === true;
    } catch {
      // The server does not run. What the caller needs to know is that the call may have run before.
      return false;
    }
  }

  /** What the caller is told of a call that was not done. What the guard itself failed with is the operator's alone. */
  #denial(error: unknown): VitrineError {
    if (error instanceof VitrineError) return error;
    this.#place.onerror(error);
    return new Refusal(
      "not-allowed",
      "this could not be checked, so it was not done; the gateway's log says why",
    );
  }

  #refresh(): void {
    this.tools.refresh();
    this.resources.refresh();
  }
}

/**
 * Makes the guard of one user at one server.
 *
 * @example
 * ```ts source="./guard.examples.ts#gatewayGuard"
 * const guard = gatewayGuard({
 *   server,
 *   user: "ann",
 *   settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
 *   store,
 *   ask,
 *   views: (view) => (view === "v1" ? { session: "s1", tool: "show" } : undefined),
 * });
 * const call = { ...asked, actor: "view", user: "ann", key: "nonce.1" } as const;
 * const result = await guard.pass(call, ({ method, params }) =>
 *   server.upstream.request(method as UpstreamMethod, params as Params<UpstreamMethod>),
 * );
 * ```
 */
export const gatewayGuard = (options: GatewayGuardOptions): GatewayGuard => new GatewayGuard(options);

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new VitrineError(INTERNAL_ERROR, "the call failed", { cause: error });

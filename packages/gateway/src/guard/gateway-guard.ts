/**
 * The checks that every call must pass before it runs. They run in the gateway, where a browser cannot skip
 * them.
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

/** Performs the call, with the checked params. */
export type Effect = (call: GuardedCall) => Promise<unknown>;

/** A call on its way through the links, with its record. */
interface RecordedCall extends ViewCall {
  readonly record: CallRecord;
}

const NOTHING = (): void => {};

/**
 * The guard of a user at a server. A call passes, in this order: known view → method → visibility → server
 * boundary → sizes, rates, concurrency → policy, with approval → its turn → the record, on disk → the effect.
 * Any error on the way is a refusal, so nothing passes by accident.
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
  /** Errors that are recorded already, so that callers with the same key do not record them again. */
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
    // A restarted server may be a different version.
    let starts = server.status.starts;
    this.#stop = server.onStatus((status) => {
      if (status.starts !== starts) this.#refresh();
      starts = status.starts;
    });
  }

  /** Calls that wait for their server, the user, their turn or the record; for metrics. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Checks a call, and performs it.
   *
   * @throws {Refusal} if the guard does not allow it
   * @throws {GatewayError} `view-unknown`, `audit-failed`, `conflict`, `indeterminate`; or the server's error
   */
  pass(call: GuardedCall, effect: Effect): Promise<unknown> {
    return this.#enter(call, effect);
  }

  /**
   * Checks a call that the page performs itself, and returns a permit with the checked params. Report its
   * {@link outcome} afterwards.
   */
  permit(call: GuardedCall): Promise<GatewayPermit> {
    return this.#enter(call, undefined) as Promise<GatewayPermit>;
  }

  /** Records how a permitted action ended. Each permit ends once, and only for the view that got it. */
  outcome(view: string, permit: number, outcome: PermitOutcome): boolean {
    return this.#permits.take(view, permit, outcome);
  }

  /**
   * Whether a view may have a browser permission, by the operator's settings or by asking the user.
   * `fingerprint` is the hash of its UI: a changed UI is asked about again.
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

  /** Whether a view still has a browser permission, like {@link permission} but without asking the user. */
  isGranted(view: string, permission: Permission, fingerprint = ""): Promise<boolean> {
    return this.#asking.isGranted(view, permission, fingerprint);
  }

  /** Records a refusal that happened before the guard: an invalid message, or an unsupported method. */
  refused(call: GuardedCall, error: VitrineError): Promise<void> {
    return new CallRecord(call, this.#place).refused(error);
  }

  /** Learns the resources in a result that did not pass through here. */
  learn(result: unknown): void {
    this.resources.learn(result);
  }

  /** Closes a view: its open permits end as indeterminate. */
  closeView(view: string): void {
    this.#permits.close(view);
    this.#asking.closeView(view);
    void this.#place.refusals.flush(view);
  }

  /** Ends a browser session, and revokes the approvals for it. */
  endSession(session: string): void {
    this.#asking.consents.endSession(session);
  }

  /** Reports that an approval of this user was revoked. */
  consentsRevoked(): void {
    this.#asking.revoked();
  }

  /** Ends open permits, and stops listening to the server. */
  async close(): Promise<void> {
    this.#stop();
    this.tools.close();
    this.resources.close();
    this.#permits.closeAll();
    await this.#place.refusals.flush();
  }

  /** Records why a call is allowed. A call without a record fails. */
  #decided(call: ViewCall, reason: string, question?: Question): void {
    const { record } = call as Partial<RecordedCall>;
    if (!record) throw new Error("a call lost its record");
    record.reason = reason;
    record.question = question;
  }

  /**
   * Ensures that nothing runs twice, and that refusals are recorded. The key is looked up first, before the
   * view, the tool or the server: whatever happened to them, a call that may have run is not answered with a
   * refusal.
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
      return await this.#idempotency.run(keyed, (started) => this.#run(call, record, effect, started));
    } catch (error) {
      if (error instanceof Error && this.#recorded.has(error)) throw error;
      const denial = this.#denial(error);
      await record.refused(denial);
      throw denial;
    }
  }

  /** Passes the links, and performs the call. Errors that it throws are recorded. */
  async #run(
    call: GuardedCall,
    record: CallRecord,
    effect: Effect | undefined,
    started: () => void,
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
          const answer = await this.#read(passed, record, effect, started);
          hasRun = true;
          return answer;
        }
        const seq = await record.begin();
        this.#waiting.delete(record);
        started();
        // The call may have been cancelled while the record was written.
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
      const reported = hasRun
        ? await this.#unusable(call, error)
        : record.hasStarted
          ? asError(error)
          : this.#denial(error);
      this.#recorded.add(reported);
      if (record.hasStarted) record.failed(reported);
      else await record.refused(reported as VitrineError);
      throw reported;
    }
  }

  /**
   * A read-only call has no effect that its record must precede: the server is called while the entry is
   * being written, but the answer is not returned before the entry is on disk.
   */
  async #read(call: GuardedCall, record: CallRecord, effect: Effect, started: () => void): Promise<unknown> {
    this.#waiting.delete(record);
    const recorded = record.begin();
    // If the log is known to fail, the server is not called at all.
    if (!this.#place.audit.healthy) await recorded;
    const answer = effect(call);
    // If the entry cannot be written, the answer is discarded.
    answer.catch(() => {});
    await recorded;
    started();
    this.#checkView(call);
    return answer;
  }

  /** The error of a call that ran, but whose result cannot be passed on. */
  async #unusable(call: GuardedCall, cause: unknown): Promise<VitrineError> {
    const indeterminate = !(await this.#isReplayable(call));
    const isKnown = cause instanceof VitrineError;
    if (isKnown && !indeterminate) return cause;
    const why = `the result cannot be passed on: ${isKnown ? cause.message : "it is not valid JSON"}`;
    const message = indeterminate ? `${why}; ${MAY_HAVE_RUN}` : why;
    const options = { cause, data: { indeterminate } };
    return isKnown
      ? new GatewayError("server-too-large", message, options)
      : new VitrineError("invalid", message, options);
  }

  #checkUser({ user }: GuardedCall): void {
    if (user !== this.#options.user) throw new Refusal("not-allowed", "this belongs to another user");
  }

  #checkView({ actor, view, signal }: GuardedCall): void {
    if (signal?.aborted) throw new VitrineError("aborted", "the request was cancelled");
    if (actor === "view" && !this.#options.views(view)) {
      throw new GatewayError("view-unknown", "this view no longer exists: open it again");
    }
  }

  /** After waiting for the user or a turn, the tool must still be the one that was approved. */
  async #checkAgain(call: GuardedCall, { question }: CallRecord): Promise<void> {
    this.#checkView(call);
    const then = question?.tool;
    if (!then) return;
    const now = await this.tools.find(then.name);
    const who = call.actor === "model" ? "model" : "app";
    if (now === then || (now && isVisibleTo(now, who) && fingerprint(now) === fingerprint(then))) return;
    throw new Refusal("not-allowed", `the tool "${then.name}" changed meanwhile: call it again`);
  }

  /** The server's tools and capabilities are known only while it runs, so it must be started first. */
  #ready(method: string): Promise<void> | undefined {
    const { server } = this.#options;
    return needsServer(method) && server.status.state !== "ready" ? server.ready() : undefined;
  }

  /** A tool without hints counts as one that must not run twice. */
  async #isReplayable({ method, params }: GuardedCall): Promise<boolean> {
    if (method !== "tools/call") return isRepeatable(method);
    const name = String(params["name"]);
    if (this.#options.server.settings.idempotent.includes(name)) return true;
    try {
      await this.#ready(method);
      const { readOnlyHint, idempotentHint } = (await this.tools.find(name))?.annotations ?? {};
      return readOnlyHint === true || idempotentHint === true;
    } catch {
      // The server does not run. What matters to the caller is that the call may have run before.
      return false;
    }
  }

  /**
   * The error for the caller of a call that was not made. Internal errors of the guard are shown in the log
   * only.
   */
  #denial(error: unknown): VitrineError {
    if (error instanceof VitrineError) return error;
    this.#place.onerror(error);
    return new Refusal(
      "not-allowed",
      "the call could not be checked, so it was not made; see the gateway's log",
    );
  }

  #refresh(): void {
    this.tools.refresh();
    this.resources.refresh();
  }
}

/**
 * Creates the guard of a user at a server.
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

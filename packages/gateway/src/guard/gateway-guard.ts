/**
 * The checks that every call must pass before it runs. They run in the gateway, where a browser cannot skip
 * them.
 *
 * @module
 */
import {
  type AskLevel,
  fingerprint,
  type Question,
  Refusal,
  ResourceDirectory,
  ToolDirectory,
  type ViewCall,
} from "@vitrine/guard";
import { INTERNAL_ERROR, isVisibleTo, type Permission, VitrineError } from "@vitrine/protocol";
import { GatewayError, type GatewayPermit, MAY_HAVE_RUN } from "@vitrine/wire";
import { ANY_REQUEST, PERMISSION_METHOD } from "../config/policy-key.js";
import type { ServerKey } from "../store/known-servers.js";
import type { SessionConsent } from "../store/store.js";
import { allowedMethod, isRepeatable, isSentOut, needsServer, onlyReads } from "./allow-list.js";
import { Approvals, notAllowed } from "./approvals.js";
import { type Begun, nothingBegun } from "./begun-calls.js";
import { CallRecord, type RecordPlace, refusalKeyOf } from "./call-record.js";
import { sha256 } from "./digest.js";
import { type GuardChains, guardChains } from "./guard-chains.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import { asViewCall, type GuardedCall } from "./guarded-call.js";
import { Idempotency } from "./idempotency.js";
import { keyedCall } from "./keyed-call.js";
import type { OwnChecks } from "./own-checks.js";
import { type PermitOutcome, Permits } from "./permits.js";
import { RefusalLog } from "./refusal-log.js";
import { traced, traceparentIn } from "./trace.js";

/** Performs the call, with the checked params. */
export type Effect = (call: GuardedCall) => Promise<unknown>;

/** A call on its way through the links, with its record and its own checks. */
interface RecordedCall extends ViewCall {
  readonly record: CallRecord;
  readonly own?: OwnChecks | undefined;
}

/** Continues a call that is allowed, with the checked params. */
type Proceed = (call: Pick<GuardedCall, "params">) => Promise<unknown>;

/** A call that has a trace. */
type TracedCall = GuardedCall & { readonly trace: string };

const withTrace = (call: GuardedCall): TracedCall => ({
  ...call,
  trace: call.trace ?? traceparentIn(call.params),
});

/** The maker of a call: an app by its view, the user, the model, a program, or the server itself. */
export interface CallOrigin {
  readonly actor: GuardedCall["actor"];
  readonly view?: string;
}

/** Calls whose origin is remembered. */
const MOST_ORIGINS = 1000;

const NOTHING = (): void => {};

/**
 * The guard of a user at a server. A call passes, in this order: known view → method → visibility → server
 * boundary → sizes, rates, concurrency → policy, with approval → its turn → the record, on disk → the effect.
 * Tools of apps, requests of the server and browser permissions have {@link OwnChecks} instead of the first
 * steps. Any error on the way is a refusal, so nothing passes by accident.
 */
export class GatewayGuard {
  readonly tools: ToolDirectory;
  readonly resources: ResourceDirectory;
  readonly #options: GatewayGuardOptions;
  readonly #approvals: Approvals;
  readonly #idempotency: Idempotency;
  readonly #permits: Permits;
  readonly #place: RecordPlace;
  readonly #chains: GuardChains;
  /** Errors that are recorded already, so that callers with the same key do not record them again. */
  readonly #recorded = new WeakSet<Error>();
  readonly #waiting = new Set<CallRecord>();
  #underWay = 0;
  readonly #begun: Begun;
  /** The makers of the last calls, by `traceparent`: its parent id is the gateway's, so no caller can choose it. */
  readonly #origins = new Map<string, CallOrigin>();
  readonly #stop: () => void;

  constructor(options: GatewayGuardOptions) {
    const { server, store, settings, metrics = {} } = options;
    const { audit } = store;
    const clock = options.clock ?? (() => performance.now());
    const onerror = (error: unknown) => options.onerror?.(error);
    this.#options = options;
    this.#begun = options.begun ?? nothingBegun();
    this.tools = new ToolDirectory(server.upstream);
    this.resources = new ResourceDirectory(server.upstream, this.tools);
    this.#approvals = new Approvals(options, this.tools);
    this.#idempotency = options.idempotency ?? new Idempotency({ audit, results: store.results, clock });
    this.#permits = new Permits((seq, outcome) => audit.end(seq, outcome), clock);
    const refusals = new RefusalLog({ write: async (entry) => audit.begin(entry), onerror });
    const { name, identity } = server.settings;
    const { results } = store;
    this.#place = { server: name, identity, audit, results, settings, refusals, metrics, clock, onerror };
    this.#chains = guardChains({
      server,
      tools: this.tools,
      resources: this.resources,
      turns: options.turns,
      clock,
      approvals: this.#approvals,
      decided: (call, reason, question) => this.#decided(call, reason, question),
      ownChecks: (call: RecordedCall) => call.own,
    });
    // A restarted server may be a different version.
    let starts = server.status.starts;
    this.#stop = server.onStatus((status) => {
      if (status.starts !== starts) this.#refresh();
      starts = status.starts;
    });
  }

  get user(): string {
    return this.#options.user;
  }

  /** The server's name and identity. */
  get server(): ServerKey {
    return this.#options.server.settings;
  }

  /** Calls that wait for their server, the user, their turn or the record; for metrics. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls that are allowed and have not ended: a restart of the server would cut them off. */
  get underWay(): number {
    return this.#underWay;
  }

  /**
   * Checks a call, and performs it.
   *
   * @param own the checks of an action that is more than a call to the server
   * @throws {Refusal} if the guard does not allow it
   * @throws {GatewayError} `view-unknown`, `audit-failed`, `conflict`, `indeterminate`; or the server's error
   */
  pass(call: GuardedCall, effect: Effect, own?: OwnChecks): Promise<unknown> {
    return this.#enter(withTrace(call), effect, own);
  }

  /**
   * Checks a call that the page performs itself, and returns a permit with the checked params. Report its
   * {@link outcome} afterwards.
   */
  permit(call: GuardedCall): Promise<GatewayPermit> {
    return this.#enter(withTrace(call), undefined) as Promise<GatewayPermit>;
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
    const { user, server } = this;
    const question = this.#permissionQuestion(view, permission, fingerprint);
    const { method, params } = question;
    const call: GuardedCall = { actor: "view", user, view, server: server.name, method, params, signal };
    return this.pass(call, async () => ({}), { question }).then(
      () => true,
      // The refusal is recorded.
      () => false,
    );
  }

  /** Whether a view still has a browser permission, like {@link permission} but without asking the user. */
  isGranted(view: string, permission: Permission, fingerprint = ""): Promise<boolean> {
    return this.#approvals.isApproved(this.#permissionQuestion(view, permission, fingerprint));
  }

  /** Whether the operator denies a method to the server and its views. */
  isDenied(method: string): boolean {
    return this.#approvals.isDenied({ method, subject: "", params: {} });
  }

  /** Records a refusal that happened before the guard: an invalid message, or an unsupported method. */
  refused(call: GuardedCall, error: VitrineError): Promise<void> {
    return new CallRecord(withTrace(call), this.#place).refused(error);
  }

  /** The maker of this user's call that was sent with this `traceparent`; undefined for calls of others, and for old ones. */
  originOf(traceparent: string): CallOrigin | undefined {
    return this.#origins.get(traceparent);
  }

  #remember({ trace, actor, view }: TracedCall): void {
    const isView = actor === "view" || (actor === "host" && view !== "");
    this.#origins.set(trace, isView ? { actor, view } : { actor });
    const [oldest] = this.#origins.keys();
    if (this.#origins.size > MOST_ORIGINS && oldest !== undefined) this.#origins.delete(oldest);
  }

  /** Learns the resources in a result that did not pass through here. */
  learn(result: unknown): void {
    this.resources.learn(result);
  }

  /** Closes a view: its open permits end as indeterminate. */
  closeView(view: string): void {
    this.#permits.close(view);
    this.#approvals.closeView(view);
    void this.#place.refusals.flush(refusalKeyOf({ user: this.user, actor: "view", view }));
  }

  /** Ends a browser session, and revokes the approvals for it. */
  endSession(session: string): void {
    this.#approvals.consents.endSession(session);
  }

  /** The user's answers that end with a session or a view. */
  sessionConsents(): SessionConsent[] {
    return this.#approvals.consents.sessionAnswers();
  }

  /** Sets how often the user is asked about the apps of this server. */
  setAskLevel(level: AskLevel): Promise<void> {
    return this.#approvals.level.set(level, "requested by a page");
  }

  /** Reports that an approval of this user was revoked. */
  consentsRevoked(): void {
    this.#approvals.consents.revoked();
    this.#approvals.level.forget();
  }

  /** Withdraws open questions, ends open permits, and stops listening to the server. */
  async close(): Promise<void> {
    this.#stop();
    this.#approvals.close();
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
  async #enter(call: TracedCall, effect: Effect | undefined, own?: OwnChecks): Promise<unknown> {
    if (this.#begun.isMoving)
      throw new GatewayError("stopping", "your sessions are moving to another node: try again in a moment");
    this.#begun.entered++;
    const record = new CallRecord(call, this.#place);
    try {
      this.#checkUser(call);
      const keyed = keyedCall(call, {
        identity: this.#options.server.settings.identity,
        paramsHash: () => record.hash.paramsHash,
        isReplayable: () => this.#isReplayable(call),
      });
      if (!keyed) return await this.#run(call, record, effect, NOTHING, own);
      return await this.#idempotency.run(keyed, (started) => this.#run(call, record, effect, started, own));
    } catch (error) {
      if (error instanceof Error && this.#recorded.has(error)) throw error;
      const denial = this.#denial(error);
      await record.refused(denial);
      throw denial;
    } finally {
      this.#begun.entered--;
    }
  }

  /** Passes the links, and performs the call. Errors that it throws are recorded. */
  async #run(
    call: TracedCall,
    record: CallRecord,
    effect: Effect | undefined,
    started: () => void,
    own: OwnChecks | undefined,
  ): Promise<unknown> {
    let permit: number | undefined;
    let hasRun = false;
    let isBegun = false;
    this.#waiting.add(record);
    try {
      this.#checkView(call);
      const proceed: Proceed = async ({ params }) => {
        await this.#checkAgain(call, record, own);
        this.#begun.count++;
        this.#remember(call);
        isBegun = true;
        const passed = { ...call, params: own ? params : traced(params, call.trace) };
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
        record.mayHaveHappened = isSentOut(call);
        const answer = await effect(passed);
        hasRun = true;
        return answer;
      };
      const result = await this.#approve(call, record, own, effect === undefined, async (checked) => {
        this.#underWay++;
        return proceed(checked).finally(() => this.#underWay--);
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
    } finally {
      if (isBegun) this.#begun.count--;
    }
  }

  /** Passes the call on if it is allowed: by the links, or by its own checks. */
  async #approve(
    call: GuardedCall,
    record: CallRecord,
    own: OwnChecks | undefined,
    isPermit: boolean,
    proceed: Proceed,
  ): Promise<unknown> {
    if (own?.question) {
      record.question = own.question;
      record.reason = await this.#approvals.approve(own.question, own, call.signal);
      return proceed(call);
    }
    const method = allowedMethod(call, isPermit);
    if (call.asWritten) this.#checkWritten(call);
    const viewCall: RecordedCall = { ...asViewCall(call, method), record, own };
    const starting = this.#ready(method);
    if (starting) await starting;
    const { forPage, forInspection, forModel, forViews } = this.#chains;
    const forUser = method === "tools/call" ? forPage : forInspection;
    const link = call.actor === "host" ? forUser : call.actor === "model" ? forModel : forViews;
    return link(viewCall, proceed);
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

  /** The operator may deny requests that users write, all of them or one method. */
  #checkWritten({ method }: GuardedCall): void {
    const subject = { method: ANY_REQUEST, subject: method, params: {} };
    if (this.#approvals.isDenied(subject)) throw notAllowed(subject);
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
  async #checkAgain(call: GuardedCall, { question }: CallRecord, own: OwnChecks | undefined): Promise<void> {
    this.#checkView(call);
    own?.checkAgain?.();
    if (own?.question) return;
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

  /** A changed UI, or another one, is asked about separately. */
  #permissionQuestion(view: string, permission: Permission, fingerprint: string): Question {
    const { tool, uri } = this.#options.views(view) ?? {};
    const app = tool ?? uri;
    return {
      view,
      server: this.server.name,
      method: PERMISSION_METHOD,
      subject: permission,
      fingerprint: sha256(JSON.stringify([uri, fingerprint])),
      title: permission,
      params: { name: permission },
      reason: `The app${app === undefined ? "" : ` of ${JSON.stringify(app)}`} wants to use a feature of this browser: ${permission}.`,
    };
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

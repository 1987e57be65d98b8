/**
 * Calls of tools that apps offer: the user is asked, the call is recorded, and the page that shows the app
 * makes it.
 *
 * @module
 */

import type { AppCall, AppPort } from "@vitrine/conversation";
import { type Decision, fingerprint, type Question, Refusal, sizeOf } from "@vitrine/guard";
import { type CallToolResult, callToolResultSchema, decode, isRecord, VitrineError } from "@vitrine/protocol";
import { replacedServer } from "@vitrine/servers";
import { MAY_HAVE_RUN } from "@vitrine/wire";
import { APP_TOOL_METHOD } from "../config/policy-key.js";
import { CallRecord, type RecordPlace } from "../guard/call-record.js";
import { operatorDecision, type PolicySources } from "../guard/policy.js";
import type { ServerKey } from "../store/store.js";
import type { KnownViews, ViewOwner } from "./known-views.js";
import { unknownView } from "./view-channel.js";

/** Limits: characters of a result, and milliseconds for the page, slightly more than it gives the app. */
const MAX_RESULT = 10_000_000;
const LIMIT = 35_000;

/** Options of {@link AppCalls}. */
export interface AppCallsOptions {
  readonly views: KnownViews;
  /** Where calls are recorded, for the server of an app. */
  place(server: Pick<ViewOwner, "server" | "identity">): RecordPlace;
  /** The operator's policy for the server of this name, and that server's current identity. */
  policy(user: string, server: string): PolicySources & { readonly server: Pick<ServerKey, "identity"> };
}

/** Calls tools of open apps. */
export class AppCalls implements AppPort {
  readonly #options: AppCallsOptions;
  /** Approvals until the app is closed: its view, and the tool's definition at that time. */
  readonly #allowed = new Map<string, Set<string>>();

  constructor(options: AppCallsOptions) {
    this.#options = options;
  }

  /** Forgets the approvals of a closed view. */
  closed(view: string): void {
    this.#allowed.delete(view);
  }

  /** The user revoked approvals. */
  revoked(user: string): void {
    for (const view of this.#allowed.keys())
      if (this.#options.views.of(view, user)) this.#allowed.delete(view);
  }

  async call(user: string, call: AppCall, signal: AbortSignal): Promise<CallToolResult> {
    const { view, tool, arguments: input } = call;
    const owner = this.#options.views.of(view, user);
    if (!owner) throw unknownView(view);
    const params = { name: tool.name, arguments: input };
    const guarded = {
      actor: "model" as const,
      user,
      view,
      server: owner.server,
      method: APP_TOOL_METHOD,
      params,
    };
    const record = new CallRecord(guarded, this.#options.place(owner));
    try {
      record.reason = await this.#consent(owner, call, signal);
      await record.begin();
      record.mayHaveHappened = true;
    } catch (error) {
      if (error instanceof VitrineError) await record.refused(error);
      throw error;
    }
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), LIMIT);
    const limited = AbortSignal.any([signal, late.signal]);
    try {
      const answer = await owner.page.request("conversation/app-tool", () => ({ view, ...params }), limited);
      const result = readResult(answer);
      record.ended(result);
      return result;
    } catch (error) {
      const isLate = late.signal.aborted && !signal.aborted;
      const reported = asLostAnswer(tool, isLate ? LATE : error);
      record.failed(reported);
      throw reported;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Why the call is allowed. @throws {Refusal} if the operator or the user declines */
  async #consent(owner: ViewOwner, call: AppCall, signal: AbortSignal): Promise<string> {
    const { view, tool, arguments: input, agent } = call;
    const { server } = owner;
    const said = this.#check(owner, call);
    if (said === "allow" || (!said && tool.annotations?.readOnlyHint === true)) return "policy";
    const mark = `${tool.name} ${fingerprint(tool)}`;
    if (this.#allowed.get(view)?.has(mark)) return "remembered";
    const isDestructive = tool.annotations?.destructiveHint === true;
    const question: Question = {
      view,
      server,
      method: "tools/call",
      subject: tool.name,
      tool,
      title: tool.title ?? tool.annotations?.title ?? tool.name,
      fingerprint: fingerprint(tool),
      params: { name: tool.name, arguments: input },
      // The agent chooses its own name, so it is quoted: none can pass for "You" or "The app".
      reason: `${agent === undefined ? "The model" : `The agent ${JSON.stringify(agent)}`} wants to use a tool of this app that ${effectOf(tool)}.`,
      scope: `the tool ${tool.name} of this app`,
    };
    const { answer, remember } = await owner.page.ask(question, isDestructive ? [] : ["session"], signal);
    if (answer !== "allow")
      throw new Refusal("denied", `${tool.name}: the user declined, or could not be asked`);
    this.#check(owner, call);
    if (remember === "session" && !isDestructive)
      this.#allowed.set(view, (this.#allowed.get(view) ?? new Set()).add(mark));
    return "asked";
  }

  /**
   * The operator's decision. Called before and after the question, because everything can change while the user thinks.
   *
   * @throws {VitrineError} if the app is closed, its server was replaced, the tool changed, or the operator denies it
   */
  #check(owner: ViewOwner, { view, tool, current }: AppCall): Decision | undefined {
    const { user, server, page, identity } = owner;
    if (this.#options.views.of(view, user)?.page !== page) throw unknownView(view);
    const policy = this.#options.policy(user, server);
    // The app of a server that was replaced does nothing until that server is back (attack E01).
    if (policy.server.identity !== identity) throw replacedServer(server);
    const subject = { method: APP_TOOL_METHOD, subject: tool.name, params: {} };
    const said = operatorDecision(policy, subject, owner);
    if (said === "deny")
      throw new Refusal("not-allowed", `${APP_TOOL_METHOD} ${tool.name}: the operator does not allow this`);
    const now = current();
    if (!now || fingerprint(now) !== fingerprint(tool))
      throw new Refusal("not-allowed", `the tool "${tool.name}" changed meanwhile: call it again`);
    return said;
  }
}

/** The effect of the tool, according to the app. */
function effectOf({ annotations }: AppCall["tool"]): string {
  if (annotations?.destructiveHint === true) return "may delete or overwrite something";
  return annotations?.readOnlyHint === true ? "declares itself read-only" : "may change something";
}

const LATE = new VitrineError("timeout", "the app did not answer in time");

/**
 * The error of a call that the app may have made, although its answer is missing or invalid. Other errors
 * come from the app, and pass unchanged; so does an invalid answer of a read-only tool.
 */
function asLostAnswer({ name, annotations }: AppCall["tool"], error: unknown): unknown {
  if (!(error instanceof VitrineError)) return error;
  const said = typeof error.code === "string" || !isRecord(error.data) ? error.code : error.data["code"];
  const code = LOST.get(said);
  if (!code || (code !== "timeout" && annotations?.readOnlyHint === true)) return error;
  const message = `${name}: ${error.message}; ${MAY_HAVE_RUN}`;
  return new VitrineError(code, message, { cause: error, data: { indeterminate: true } });
}

/** Codes after which it is unknown whether the app ran the tool. */
const LOST = new Map<unknown, "timeout" | "closed" | "invalid">([
  ["timeout", "timeout"],
  ["closed", "closed"],
  ["invalid", "invalid"],
  ["too-large", "invalid"],
]);

/** Validates an app's answer, as reported by the page. */
function readResult(answer: unknown): CallToolResult {
  const decoded = decode(callToolResultSchema, answer, "result");
  if (!decoded.ok)
    throw new VitrineError("invalid", `the app's answer is not a valid result: ${decoded.message}`);
  if (sizeOf(decoded.value, MAX_RESULT) > MAX_RESULT)
    throw new Refusal("too-large", "the app's answer is larger than 10 MB");
  return decoded.value as CallToolResult;
}

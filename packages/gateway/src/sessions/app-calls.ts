/**
 * Calls of tools that apps offer: the user is asked, the call is recorded, and the page that shows the app
 * makes it.
 *
 * @module
 */

import type { AppCall, AppPort } from "@vitrine/conversation";
import { fingerprint, type Question, Refusal, sizeOf } from "@vitrine/guard";
import { type CallToolResult, callToolResultSchema, decode, isRecord, VitrineError } from "@vitrine/protocol";
import { MAY_HAVE_RUN } from "@vitrine/wire";
import { APP_TOOL_METHOD } from "../config/policy-key.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServers } from "../guard/guarded-servers.js";
import type { KnownViews, ViewOwner } from "./known-views.js";
import type { PageOptions } from "./page-session.js";
import { unknownView } from "./view-channel.js";

/** Limits: characters of a result, and milliseconds for the page, slightly more than it gives the app. */
const MAX_RESULT = 10_000_000;
const LIMIT = 35_000;

/** Options of {@link AppCalls}. */
export interface AppCallsOptions {
  readonly views: KnownViews;
  readonly servers: Pick<GuardedServers, "getSame" | "checkSame">;
  /** Records a call that reached no guard. */
  readonly refused: PageOptions["refused"];
}

/** Calls tools of open apps, through the guard of the app's server. */
export class AppCalls implements AppPort {
  readonly #options: AppCallsOptions;

  constructor(options: AppCallsOptions) {
    this.#options = options;
  }

  async call(user: string, call: AppCall, signal: AbortSignal): Promise<CallToolResult> {
    const { view, tool, arguments: input } = call;
    const owner = this.#options.views.of(view, user);
    if (!owner) throw unknownView(view);
    const { server, identity } = owner;
    const params = { name: tool.name, arguments: input };
    const method = APP_TOOL_METHOD;
    const guarded: GuardedCall = { actor: "model", user, view, server, identity, method, params, signal };
    try {
      this.#check(owner, call);
    } catch (error) {
      if (error instanceof VitrineError) await this.#options.refused(guarded, error, identity);
      throw error;
    }
    const { guard } = this.#options.servers.getSame(user, { name: server, identity });
    const result = await guard.pass(guarded, () => callPage(owner, call, signal), {
      question: questionOf(owner, call),
      // Everything can change while the user thinks.
      checkAgain: () => this.#check(owner, call),
    });
    return result as CallToolResult;
  }

  /** @throws {VitrineError} if the app is closed, its server was replaced, or the tool changed */
  #check({ user, server, identity, page }: ViewOwner, { view, tool, current }: AppCall): void {
    if (this.#options.views.of(view, user)?.page !== page) throw unknownView(view);
    // The app of a server that was replaced does nothing until that server is back (attack E01).
    this.#options.servers.checkSame({ name: server, identity });
    const now = current();
    if (!now || fingerprint(now) !== fingerprint(tool))
      throw new Refusal("not-allowed", `the tool "${tool.name}" changed meanwhile: call it again`);
  }
}

/** The question about a call. */
function questionOf({ server }: ViewOwner, { view, tool, arguments: input, agent }: AppCall): Question {
  // The agent chooses its own name, so it is quoted: none can pass for "You" or "The app".
  const who = agent === undefined ? "The model" : `The agent ${JSON.stringify(agent)}`;
  return {
    view,
    server,
    method: APP_TOOL_METHOD,
    subject: tool.name,
    tool,
    title: tool.title ?? tool.annotations?.title ?? tool.name,
    fingerprint: fingerprint(tool),
    params: { name: tool.name, arguments: input },
    reason: `${who} wants to use a tool of this app that ${effectOf(tool)}.`,
    asker: agent === undefined ? "model" : "agent",
    agent,
    covers: "own-tool",
  };
}

/** Lets the page make the call. */
async function callPage({ page }: ViewOwner, call: AppCall, signal: AbortSignal): Promise<CallToolResult> {
  const { view, tool, arguments: input } = call;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), LIMIT);
  const limited = AbortSignal.any([signal, late.signal]);
  const params = { view, name: tool.name, arguments: input };
  try {
    return readResult(await page.request("conversation/app-tool", () => params, limited));
  } catch (error) {
    throw asLostAnswer(tool, late.signal.aborted && !signal.aborted ? LATE : error);
  } finally {
    clearTimeout(timer);
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

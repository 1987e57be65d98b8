/**
 * The chains of the guard's links.
 *
 * @module
 */
import {
  applyPolicy,
  CONCURRENCY_LIMITS,
  chain,
  type Link,
  limitConcurrency,
  limitRate,
  limitSize,
  onlyVisibleTools,
  ownServerOnly,
  type Question,
  Refusal,
  type ResourceDirectory,
  type ToolDirectory,
  type ViewCall,
} from "@vitrine/guard";
import type { Asking } from "./asking.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import { askerOf } from "./guarded-call.js";
import { onlyForModel } from "./model-visibility.js";
import { defaultPolicy, operatorDecision } from "./policy.js";
import { limitUnderWay } from "./under-way.js";

/** Dependencies of the links. */
export interface ChainParts extends Pick<GatewayGuardOptions, "server" | "settings" | "views"> {
  readonly tools: ToolDirectory;
  readonly resources: ResourceDirectory;
  readonly asking: Asking;
  readonly clock: () => number;
  /**
   * Called with the reason why a call is allowed: `policy`, `remembered` or `asked`. An error stops the call.
   */
  decided(call: ViewCall, reason: string, question?: Question): void;
}

/** Separate chains for views and programs, for the person, and for the model. */
export interface GuardChains {
  readonly forViews: Link;
  readonly forPage: Link;
  readonly forModel: Link;
}

/** Queued calls of the page: its model may make many at once. */
const PAGE_WAITING = 1000;

/**
 * Creates the chains. The concurrency limit comes after the policy, so that a call that waits for the user
 * does not block others.
 */
export function guardChains(parts: ChainParts): GuardChains {
  const { server, settings, views, tools, resources, asking, clock, decided } = parts;
  const { limits, name } = server.settings;
  const concurrency = { ...CONCURRENCY_LIMITS, ...limits.concurrency };
  const boundary = ownServerOnly(name, resources);
  const size = limitSize(limits.sizes);
  const sources = { server: server.settings, settings };

  // A user who names a server on the command line trusts its apps with its tools, but not the model, which
  // may have read anything.
  const distrusting = { ...sources, server: { ...server.settings, trusted: false } };
  const policy = applyPolicy(tools, {
    policy: (question) =>
      operatorDecision(sources, question, views(question.view)) ??
      defaultPolicy(askerOf(question.view) === "model" ? distrusting : sources, question),
    ask: asking.ask,
    consents: asking.consents,
    onallowed: (call, question, decision) => {
      const asked = asking.wasAsked(question) ? "asked" : "remembered";
      decided(call, decision === "allow" ? "policy" : asked, question);
    },
  });
  /** Does not ask, because the person makes the call. */
  const notDenied: Link = async (call, next) => {
    const { method, params } = call;
    const subject = String(params["name"]);
    if (operatorDecision(sources, { method, params, subject }) === "deny") {
      throw new Refusal("not-allowed", `${method} ${subject}: the operator does not allow this`);
    }
    decided(call, "policy");
    return next(call);
  };

  const turns = limitConcurrency({ ...concurrency, perView: concurrency.total, waiting: PAGE_WAITING });
  return {
    forViews: chain(
      onlyVisibleTools(tools),
      boundary,
      size,
      limitRate(limits.rates, clock),
      limitUnderWay(concurrency.perView + concurrency.waiting),
      policy,
      limitConcurrency(concurrency),
    ),
    forPage: chain(onlyForModel(tools), boundary, size, notDenied, turns),
    // The model needs the same approvals as a view.
    forModel: chain(onlyForModel(tools), boundary, size, policy, turns),
  };
}

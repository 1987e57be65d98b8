/**
 * The chains of the guard's links.
 *
 * @module
 */
import {
  CONCURRENCY_LIMITS,
  chain,
  type Link,
  limitConcurrency,
  limitRate,
  limitSize,
  onlyVisibleTools,
  ownServerOnly,
  type Question,
  questionOf,
  type ResourceDirectory,
  type ToolDirectory,
  type ViewCall,
} from "@vitrine/guard";
import { type Approvals, notAllowed } from "./approvals.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import { onlyForModel } from "./model-visibility.js";
import type { OwnChecks } from "./own-checks.js";
import { subjectOf } from "./policy.js";
import { limitUnderWay } from "./under-way.js";

/** Dependencies of the links. */
export interface ChainParts extends Pick<GatewayGuardOptions, "server"> {
  readonly tools: ToolDirectory;
  readonly resources: ResourceDirectory;
  readonly approvals: Approvals;
  /** The user's turns at a server that all users share. */
  readonly turns?: Link | undefined;
  readonly clock: () => number;
  /**
   * Called with the reason why a call is allowed: `policy`, `remembered` or `asked`. An error stops the call.
   */
  decided(call: ViewCall, reason: string, question?: Question): void;
  /** The call's own checks. */
  ownChecks(call: ViewCall): OwnChecks | undefined;
}

/** Separate chains for views and programs, for the user's calls and other requests, and for the model. */
export interface GuardChains {
  readonly forViews: Link;
  readonly forPage: Link;
  readonly forInspection: Link;
  readonly forModel: Link;
}

/** Queued calls of the page: its model may make many at once. */
const PAGE_WAITING = 1000;

/**
 * Creates the chains. The concurrency limit comes after the policy, so that a call that waits for the user
 * does not block others.
 */
export function guardChains(parts: ChainParts): GuardChains {
  const { server, tools, resources, approvals, clock, decided, ownChecks } = parts;
  const shared = parts.turns ? [parts.turns] : [];
  const { limits, name } = server.settings;
  const concurrency = { ...CONCURRENCY_LIMITS, ...limits.concurrency };
  const boundary = ownServerOnly(name, resources);
  const size = limitSize(limits.sizes);

  const policy: Link = async (call, next) => {
    const question = await questionOf(call, tools);
    decided(call, await approvals.approve(question, ownChecks(call), call.signal), question);
    // A link is opened in the form that was shown.
    return next(question.params === call.params ? call : { ...call, params: question.params });
  };
  /** Does not ask, because the user makes the call. */
  const notDenied: Link = async (call, next) => {
    const { method, params } = call;
    const subject = { method, params, subject: subjectOf(method, params) };
    if (approvals.isDenied(subject)) throw notAllowed(subject);
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
      ...shared,
    ),
    forPage: chain(onlyForModel(tools), boundary, size, notDenied, turns, ...shared),
    // The user may read whatever the server answers; the boundary protects from apps.
    forInspection: chain(size, notDenied, turns, ...shared),
    // The model needs the same approvals as a view.
    forModel: chain(onlyForModel(tools), boundary, size, policy, turns, ...shared),
  };
}

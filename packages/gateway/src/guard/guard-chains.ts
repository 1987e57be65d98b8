/**
 * The links of the guard, in their order.
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
import { onlyForModel } from "./model-visibility.js";
import { defaultPolicy, operatorDecision } from "./policy.js";
import { limitUnderWay } from "./under-way.js";

/** What the links stand on. */
export interface ChainParts extends Pick<GatewayGuardOptions, "server" | "settings" | "views"> {
  readonly tools: ToolDirectory;
  readonly resources: ResourceDirectory;
  readonly asking: Asking;
  readonly clock: () => number;
  /** Hears why a call may go on: `policy`, `remembered` or `asked`; what it throws stops the call. */
  decided(call: ViewCall, reason: string, question?: Question): void;
}

/** One chain for views and programs, one for the person, and one for the model. */
export interface GuardChains {
  readonly forViews: Link;
  readonly forPage: Link;
  readonly forModel: Link;
}

/** Calls of the page that may wait for their turn: its model may want much at once. */
const PAGE_WAITING = 1000;

/** Makes the chains. Turns are taken behind the policy: a call that waits for a person keeps no other waiting (D05). */
export function guardChains(parts: ChainParts): GuardChains {
  const { server, settings, views, tools, resources, asking, clock, decided } = parts;
  const { limits, name } = server.settings;
  const concurrency = { ...CONCURRENCY_LIMITS, ...limits.concurrency };
  const boundary = ownServerOnly(name, resources);
  const size = limitSize(limits.sizes);
  const sources = { server: server.settings, settings };

  // Who names a server on the command line trusts its apps with its tools, and not whatever a model has read.
  const distrusting = { ...sources, server: { ...server.settings, trusted: false } };
  const policy = applyPolicy(tools, {
    policy: (question) =>
      operatorDecision(sources, question, views(question.view)) ??
      defaultPolicy(question.view.startsWith("model:") ? distrusting : sources, question),
    ask: asking.ask,
    consents: asking.consents,
    onallowed: (call, question, decision) => {
      const asked = asking.wasAsked(question) ? "asked" : "remembered";
      decided(call, decision === "allow" ? "policy" : asked, question);
    },
  });
  /** Nobody is asked: the person has decided. */
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
    // What a view is asked about, the model is asked about.
    forModel: chain(onlyForModel(tools), boundary, size, policy, turns),
  };
}

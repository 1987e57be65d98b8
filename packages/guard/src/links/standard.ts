/**
 * The default guard of views.
 *
 * @module
 */
import type { Upstream } from "../upstream/upstream.js";
import { type AuditOptions, writeAudit } from "./audit.js";
import { type ConcurrencyLimits, limitConcurrency } from "./concurrency.js";
import { chain, type Link } from "./link.js";
import { applyPolicy, type PolicyOptions } from "./policy.js";
import { limitRate, type RateLimits } from "./rate.js";
import { ResourceDirectory } from "./resource-directory.js";
import { type BoundaryOptions, ownServerOnly } from "./server-boundary.js";
import { limitSize, type SizeLimits } from "./size.js";
import { ToolDirectory } from "./tool-directory.js";
import { onlyVisibleTools } from "./visibility.js";

/** Options of {@link standardGuard}. All have safe defaults. */
export interface GuardOptions extends PolicyOptions, BoundaryOptions {
  audit?: AuditOptions | undefined;
  sizes?: Partial<SizeLimits> | undefined;
  rates?: Partial<RateLimits> | undefined;
  concurrency?: Partial<ConcurrencyLimits> | undefined;
  /** The current time in milliseconds. */
  now?: (() => number) | undefined;
}

/** A guard: a link, with its knowledge about its server. */
export type Guard = Link & {
  readonly tools: ToolDirectory;
  readonly resources: ResourceDirectory;
  learn(result: unknown): void;
  /** Stops listening to the server. */
  close(): void;
};

/**
 * The guard of one server, for all of its views: cheap refusals first, checks that need the server or the
 * user last, and everything audited.
 *
 * @example
 * ```ts source="./guard.examples.ts#standardGuard"
 * const guard = standardGuard(upstream, {
 *   ask: show, // (question, signal) => { answer: "allow", remember: "session" }
 *   audit: { sink: save },
 * });
 * // A guard for every bridge of this server.
 * ```
 */
export function standardGuard(upstream: Upstream, options: GuardOptions = {}): Guard {
  const { audit, now } = options;
  const tools = new ToolDirectory(upstream);
  const resources = new ResourceDirectory(upstream, tools);
  const link = chain(
    ...(audit ? [writeAudit(audit, now)] : []),
    limitRate(options.rates, now),
    limitSize(options.sizes),
    ownServerOnly(upstream.server, resources, options),
    onlyVisibleTools(tools),
    applyPolicy(tools, options),
    limitConcurrency(options.concurrency),
  );
  const close = () => {
    tools.close();
    resources.close();
  };
  return Object.assign(link, {
    tools,
    resources,
    close,
    learn: (result: unknown) => resources.learn(result),
  });
}

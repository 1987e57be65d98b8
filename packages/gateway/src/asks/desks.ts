/**
 * What servers may ask, put together for one server of one user.
 *
 * @module
 */
import type { ServerAsks } from "@vitrine/servers";
import type { Asker } from "./ask-records.js";
import type { ElicitationDesk } from "./elicitation-desk.js";
import type { SamplingDesk } from "./sampling-desk.js";

/** Who answers; without a desk that is not offered to servers. */
export interface Desks {
  readonly sampling?: SamplingDesk | undefined;
  readonly elicitation?: ElicitationDesk | undefined;
}

/**
 * Gives a user's server the desks, as a connection needs them. `sampling` is offered while there is a model, and without
 * tools.
 *
 * @example
 * ```ts source="./asks.examples.ts#asksOf"
 * const pool = new ServerPool({
 *   launch,
 *   // What all users share has nobody of its own who could be asked.
 *   asks: (user, { name }) => (user === undefined ? undefined : asksOf({ user, server: name }, desks)),
 * });
 * ```
 */
export function asksOf(asker: Asker, { sampling, elicitation }: Desks): ServerAsks {
  const { server } = asker;
  return {
    capabilities: () => ({
      ...(sampling?.isOpen(server) && { sampling: {} }),
      ...(elicitation?.isOpen(server) && { elicitation: { form: {}, url: {} } }),
    }),
    sample: sampling && ((params, signal) => sampling.fromServer(asker, params, signal)),
    elicit: elicitation && ((params, signal) => elicitation.fromServer(asker, params, signal)),
    completed: (elicitationId) => elicitation?.completed(asker, elicitationId),
  };
}

/**
 * Combines the services for a server of a user.
 *
 * @module
 */
import type { ServerAsks } from "@vitrine/servers";
import type { Asker } from "./ask-records.js";
import type { ElicitationService } from "./elicitation-service.js";
import type { SamplingService } from "./sampling-service.js";

/** The services that answer requests. A missing service is not declared to servers. */
export interface AskServices {
  readonly sampling?: SamplingService | undefined;
  readonly elicitation?: ElicitationService | undefined;
}

/**
 * Provides a user's server with the services. `sampling` is declared while there is a model, and without
 * tools.
 *
 * @example
 * ```ts source="./asks.examples.ts#asksOf"
 * const pool = new ServerPool({
 *   launch,
 *   // A server that all users share has no user to ask.
 *   asks: (user, { name }) => (user === undefined ? undefined : asksOf({ user, server: name }, services)),
 * });
 * ```
 */
export function asksOf(asker: Asker, { sampling, elicitation }: AskServices): ServerAsks {
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

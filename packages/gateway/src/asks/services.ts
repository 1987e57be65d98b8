/**
 * Combines the services for a server of a user.
 *
 * @module
 */
import type { Root, ServerAsks } from "@vitrine/servers";
import { ELICITATION_METHOD, SAMPLING_METHOD } from "../config/policy-key.js";
import type { AskingGuard } from "./asking-guard.js";
import type { ElicitationService } from "./elicitation-service.js";
import type { SamplingService } from "./sampling-service.js";

/** The services that answer requests. A missing service is not declared to servers. */
export interface AskServices {
  readonly sampling?: SamplingService | undefined;
  readonly elicitation?: ElicitationService | undefined;
  /** The roots of the guard's server. Without any, roots are not declared. */
  readonly roots?: ((guard: AskingGuard) => readonly Root[]) | undefined;
}

/**
 * Provides a user's server with the services, through the guard of that user. `sampling` is declared while
 * there is a model, and without tools. A service that the operator denies is not declared.
 *
 * @example
 * ```ts source="./asks.examples.ts#asksOf"
 * const pool = new ServerPool({
 *   launch,
 *   // A server that all users share has no user to ask.
 *   asks: (user, _settings, server) =>
 *     user === undefined ? undefined : asksOf(() => servers.guardOf(user, server()), services),
 * });
 * ```
 */
export function asksOf(guard: () => AskingGuard, { sampling, elicitation, roots }: AskServices): ServerAsks {
  return {
    capabilities: () => ({
      ...(sampling?.hasModel && !guard().isDenied(SAMPLING_METHOD) && { sampling: {} }),
      ...(elicitation && !guard().isDenied(ELICITATION_METHOD) && { elicitation: { form: {}, url: {} } }),
      ...(roots && roots(guard()).length > 0 && { roots: { listChanged: true } }),
    }),
    sample: sampling && ((params, signal) => sampling.fromServer(guard(), params, signal)),
    elicit: elicitation && ((params, signal) => elicitation.fromServer(guard(), params, signal)),
    roots: roots && (() => roots(guard())),
    completed: (elicitationId) => elicitation?.completed(guard(), elicitationId),
  };
}

/**
 * Creates the services whose questions are shown in users' pages.
 *
 * @module
 */
import type { Decision } from "@vitrine/guard";
import { type ConversationAsks, GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "../config/config.js";
import { operatorDecision } from "../guard/policy.js";
import type { AskRecordsOptions } from "./ask-records.js";
import {
  ELICITATION_METHOD,
  ElicitationService,
  type ElicitationServiceOptions,
} from "./elicitation-service.js";
import { SAMPLING_METHOD, SamplingService, type SamplingServiceOptions } from "./sampling-service.js";
import type { AskServices } from "./services.js";

/** A page that can show a question, such as a `PageSession`. */
export interface AskedPage {
  request<M extends "gateway/sample" | "gateway/elicit">(
    method: M,
    params: (id: string) => ConversationAsks[M]["params"],
    signal: AbortSignal,
  ): Promise<unknown>;
}

/** Options of {@link pageServices}. */
export interface PageServicesOptions
  extends Omit<AskRecordsOptions, "settings">,
    Pick<SamplingServiceOptions, "model">,
    Pick<ElicitationServiceOptions, "oncompleted"> {
  /** The current settings. */
  readonly settings: () => Pick<GatewaySettings, "servers" | "policy" | "strict" | "audit">;
  /** The page that shows a question: the one with the view, or any open page of the user. */
  readonly page: (user: string, view: string | undefined) => AskedPage | undefined;
}

/**
 * Creates both services for a gateway. The operator's policy for `sampling/createMessage` applies to servers
 * as well as to their views.
 *
 * @example
 * ```ts source="./asks.examples.ts#pageServices"
 * const services = pageServices({
 *   model: () => models.current,
 *   page: (user, view) => pageOf(user, view),
 *   settings: () => settings,
 *   audit: store.audit,
 * });
 * const asks = asksOf({ user: "ana", server: "notes" }, services);
 * ```
 */
export function pageServices(options: PageServicesOptions): Required<AskServices> & {
  readonly sampling: SamplingService;
  readonly elicitation: ElicitationService;
} {
  const { settings, page, model, oncompleted, ...shared } = options;
  const records: AskRecordsOptions = {
    ...shared,
    settings: {
      get audit() {
        return settings().audit;
      },
    },
  };
  const must = (user: string, view?: string): AskedPage => {
    const found = page(user, view);
    if (found) return found;
    throw new GatewayError("elicitation-unavailable", `${user} has no open page`);
  };
  const decide =
    (method: string) =>
    (name: string): Decision | undefined => {
      const { servers, policy, strict } = settings();
      const server = servers.get(name);
      return (
        server &&
        operatorDecision({ server, settings: { policy, strict } }, { method, subject: "", params: {} })
      );
    };
  return {
    sampling: new SamplingService({
      ...records,
      model,
      decide: decide(SAMPLING_METHOD),
      ask: async (user, question, signal, view) =>
        must(user, view).request("gateway/sample", (id) => ({ ...question, id }), signal),
    }),
    elicitation: new ElicitationService({
      ...records,
      oncompleted,
      decide: decide(ELICITATION_METHOD),
      ask: async (user, question, signal) =>
        must(user).request("gateway/elicit", (id) => ({ ...question, id }), signal),
    }),
  };
}

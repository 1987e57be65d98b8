/**
 * Creates the services whose questions are shown in users' pages.
 *
 * @module
 */
import { type ConversationAsks, GatewayError, type SpeakingApp } from "@vitrine/wire";
import { ElicitationService, type ElicitationServiceOptions } from "./elicitation-service.js";
import { SamplingService, type SamplingServiceOptions } from "./sampling-service.js";
import type { AskServices } from "./services.js";

/** A page that can show a question, such as a `PageSession`. */
export interface AskedPage {
  request<M extends "gateway/sample" | "gateway/elicit">(
    method: M,
    params: (id: string) => ConversationAsks[M]["params"],
    signal: AbortSignal,
  ): Promise<unknown>;
  /** The app of a view, as the user knows it. */
  speaker(view: string): SpeakingApp | undefined;
}

/** Options of {@link pageServices}. */
export interface PageServicesOptions
  extends Pick<SamplingServiceOptions, "model" | "onerror">,
    Pick<ElicitationServiceOptions, "oncompleted"> {
  /** The page that shows a question: the one with the view, or any open page of the user. */
  readonly page: (user: string, view: string | undefined) => AskedPage | undefined;
}

/**
 * Creates both services for a gateway.
 *
 * @example
 * ```ts source="./asks.examples.ts#pageServices"
 * const services = pageServices({
 *   model: () => models.current,
 *   page: (user, view) => pageOf(user, view),
 * });
 * const asks = asksOf(() => guard, services);
 * ```
 */
export function pageServices({ page, model, onerror, oncompleted }: PageServicesOptions): Required<
  Pick<AskServices, "sampling" | "elicitation">
> & {
  readonly sampling: SamplingService;
  readonly elicitation: ElicitationService;
} {
  const must = (user: string, view?: string): AskedPage => {
    const found = page(user, view);
    if (found) return found;
    throw new GatewayError("elicitation-unavailable", `${user} has no open page`);
  };
  return {
    sampling: new SamplingService({
      model,
      onerror,
      ask: async (user, question, signal, view) => {
        const asked = must(user, view);
        const app = view === undefined ? undefined : asked.speaker(view);
        const shown = { ...question, ...(app && { app }) };
        return asked.request("gateway/sample", (id) => ({ ...shown, id }), signal);
      },
    }),
    elicitation: new ElicitationService({
      oncompleted,
      ask: async (user, question, signal) =>
        must(user).request("gateway/elicit", (id) => ({ ...question, id }), signal),
    }),
  };
}

/**
 * Requests of the page about its conversation, which report their failures.
 *
 * @module
 */
import type { GatewayRequests } from "@vitrine/wire";
import type { CallAppsOptions } from "../app/call-apps.js";
import { messageOf } from "../messages/messages.js";
import { isUnknown, UNKNOWN } from "./conversation-follower.js";

/** Options of {@link ReportedRequests}. */
export interface ReportedRequestsOptions extends Pick<CallAppsOptions, "gateway"> {
  /** The problem changed. */
  onchange(): void;
}

/** Sends requests to the gateway. */
export class ReportedRequests {
  readonly #options: ReportedRequestsOptions;
  #problem: string | undefined;

  constructor(options: ReportedRequestsOptions) {
    this.#options = options;
  }

  /** The last failure. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Forgets the last failure. */
  reset(): void {
    this.#problem = undefined;
  }

  /** @throws what the gateway answers */
  async send<M extends keyof GatewayRequests>(
    method: M,
    params: GatewayRequests[M]["params"],
  ): Promise<GatewayRequests[M]["result"]> {
    try {
      const result = await this.#options.gateway.request(method, params);
      // Clears an earlier problem.
      if (this.#problem !== undefined) this.#fail(undefined);
      return result;
    } catch (error) {
      if (isUnknown(error)) this.#fail(UNKNOWN);
      throw error;
    }
  }

  /** Returns whether it worked; a failure becomes the {@link problem}. */
  async attempt(failed: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (!isUnknown(error)) this.#fail(`${failed}: ${messageOf(error)}`);
      return false;
    }
  }

  #fail(problem: string | undefined): void {
    this.#problem = problem;
    this.#options.onchange();
  }
}

/**
 * Forwards HTTP requests to the node that has the caller's state.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { GatewayError, MAY_HAVE_RUN } from "@vitrine/wire";
import { signalOf } from "../../http/answer.js";
import type { Elsewhere, ForwardedRequest } from "../../http/elsewhere.js";
import type { NodeRef, UserRouting } from "../routing.js";
import { forwardedHeaders, passAnswer } from "./forwarded-answer.js";
import type { ForwardCounts } from "./node-links.js";
import { LostRequest, type NodePeer, type NodeRequest } from "./node-peer.js";
import { callersError, cannotReach } from "./refusal.js";
import { tryOwners } from "./try-owners.js";

/** Milliseconds between checks whether the browser of an open stream is still signed in. */
const MEET = 15_000;

/** Options of {@link RequestForwarder}. */
export interface RequestForwarderOptions {
  readonly routing: UserRouting;
  readonly peerOf: (node: NodeRef) => NodePeer;
  readonly counts: Pick<ForwardCounts, "forwardedRequests" | "forwardFailures">;
}

/** Lets other nodes answer requests. */
export class RequestForwarder implements Elsewhere {
  readonly #routing: UserRouting;
  readonly #peerOf: (node: NodeRef) => NodePeer;
  readonly #counts: RequestForwarderOptions["counts"];

  constructor({ routing, peerOf, counts }: RequestForwarderOptions) {
    this.#routing = routing;
    this.#counts = counts;
    this.#peerOf = peerOf;
  }

  holds(user: string): boolean {
    return this.#routing.holds(user);
  }

  async answer(request: ForwardedRequest): Promise<boolean> {
    const { outgoing, admitted } = request;
    const { user, meet } = admitted.caller;
    // Aborts the request to the other node when the caller disconnects.
    const stop = new AbortController();
    const gone = signalOf(outgoing);
    gone.addEventListener("abort", () => stop.abort(), { once: true });
    const asked = nodeRequest(request, stop.signal);
    let answer: IncomingMessage | undefined;
    const isThere = await tryOwners(this.#routing, user, async (node) => {
      try {
        answer = await this.#peerOf(node).request(asked);
      } catch (error) {
        throw error instanceof LostRequest ? lost(error, request, node) : error;
      }
    }).catch((error: unknown) => {
      const shown = error instanceof GatewayError ? callersError(error) : error;
      this.#counts.forwardFailures.add({
        code: shown instanceof GatewayError ? shown.data.code : "internal",
      });
      throw shown;
    });
    if (!isThere || !answer) return false;
    this.#counts.forwardedRequests.add();
    if (request.route.endless && meet) {
      const timer = setInterval(() => meet(false), MEET).unref();
      outgoing.once("close", () => clearInterval(timer));
    }
    passAnswer(answer, outgoing, () => stop.abort());
    return true;
  }
}

function nodeRequest(
  { incoming, bytes, origin, from, admitted }: ForwardedRequest,
  signal: AbortSignal,
): NodeRequest {
  const { method = "GET", url = "/", headers } = incoming;
  const caller = { user: admitted.caller.user, browser: admitted.browser, origin, address: from };
  return { caller, method, url, headers: forwardedHeaders(headers), bytes, signal };
}

/** Never says that nothing was done about a request that may have run. */
function lost(error: LostRequest, { route }: ForwardedRequest, node: NodeRef): GatewayError {
  if (!error.mayHaveRun || !route.changes || route.repeatable) {
    return cannotReach(node, error.cause);
  }
  return new GatewayError(
    "indeterminate",
    `the connection to node ${node.id} was lost before its answer; ${MAY_HAVE_RUN}`,
    { cause: error, data: { indeterminate: true } },
  );
}

/**
 * Forwards HTTP requests to the node that has the caller's state.
 *
 * @module
 */
import { GatewayError, MAY_HAVE_RUN } from "@vitrine/wire";
import type { Elsewhere, ForwardedRequest } from "../../http/elsewhere.js";
import type { NodeRef, UserRouting } from "../routing.js";
import { forwardedHeaders, type NodeAnswer, passAnswer } from "./forwarded-answer.js";
import { LostRequest } from "./lost-request.js";
import type { ForwardCounts } from "./node-links.js";
import type { NodePeer } from "./node-peer.js";
import type { NodeRequest } from "./node-request.js";
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
    const asked = nodeRequest(request);
    let answer: NodeAnswer | undefined;
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
    passAnswer(answer, outgoing);
    return true;
  }
}

function nodeRequest({
  route,
  incoming,
  outgoing,
  bytes,
  origin,
  from,
  admitted,
}: ForwardedRequest): NodeRequest {
  const { method = "GET", url = "/", headers } = incoming;
  const caller = { user: admitted.caller.user, browser: admitted.browser, origin, address: from };
  const onleave = (listener: () => void): void => {
    if (outgoing.destroyed) listener();
    else outgoing.once("close", () => void (outgoing.writableFinished || listener()));
  };
  const isEndless = route.endless ?? false;
  return { caller, method, url, headers: forwardedHeaders(headers), bytes, isEndless, onleave };
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

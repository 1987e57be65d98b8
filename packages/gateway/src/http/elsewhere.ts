/**
 * The interface between the routes and the path to other nodes.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Admitted } from "./auth.js";
import type { Route } from "./route.js";

/** A request that passed the checks of its head. */
export interface Admission {
  /** The gateway's origin that the request was sent to. */
  readonly origin: string;
  /** The address of the client. */
  readonly from: string;
  readonly admitted: Admitted | undefined;
  /** Checks the body, if another node has signed it. */
  readonly checkBody?: ((bytes: Buffer) => void) | undefined;
}

/** A request whose caller's state may be on another node. */
export interface ForwardedRequest {
  readonly route: Route;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly bytes: Buffer;
  readonly origin: string;
  readonly from: string;
  readonly admitted: Admitted;
}

/** Reaches the state of users that is on other nodes. */
export interface Elsewhere {
  /** Whether this node may act for the user now. */
  holds(user: string): boolean;
  /**
   * Lets the node that has the user's state answer the request. Resolves when the answer has started; with
   * false if this node has the state.
   *
   * @throws {GatewayError} `node-unreachable`, `clock-skew`, or `indeterminate` if the request may have run
   */
  answer(request: ForwardedRequest): Promise<boolean>;
}

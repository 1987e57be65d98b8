/**
 * Routes of the transports of browser sessions: a WebSocket, or POST and an event stream. All have the same
 * address, so that a page without WebSockets needs no other.
 *
 * @module
 */
import { CLOSED, setClosed } from "./headers.js";
import type { GuardedRoute } from "./route.js";

const path = "/api/session";

const EVENTS: GuardedRoute = {
  method: "GET",
  path,
  id: "receiveFrames",
  summary: "The WebSocket of a browser session; or frames to a page as an event stream, without a WebSocket.",
  auth: "required",
  changes: false,
  at: "users-node",
  endless: true,
  whileStopping: "sessions",
  replies: {
    101: { description: "Switches to a WebSocket. `Origin` is required." },
    200: { description: "An event stream.", type: "text/event-stream" },
  },
  handle: (asked, { transports }, caller) => {
    setClosed(asked.outgoing);
    return transports.events(asked, asked.outgoing, caller);
  },
};

/** The requirements of an upgrade: it gives a page full access, so `Origin` is required. */
export const SOCKET: GuardedRoute = { ...EVENTS, changes: true };

export const SESSION_ROUTES: readonly GuardedRoute[] = [
  {
    method: "POST",
    path,
    id: "sendFrames",
    summary: "Frames of a page, without a WebSocket.",
    auth: "required",
    changes: true,
    at: "users-node",
    repeatable: true,
    accepts: "application/json",
    limit: 1_048_576,
    whileStopping: "sessions",
    replies: {
      200: { description: "The answer to a hello: the transport's id, and the welcome." },
      204: { description: "The frames were accepted." },
    },
    handle: async (asked, { transports }, caller) => {
      const answer = await transports.frames(asked, caller);
      return { ...answer, headers: { ...CLOSED, ...answer.headers } };
    },
  },
  EVENTS,
];

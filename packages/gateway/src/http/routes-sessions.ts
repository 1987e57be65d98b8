/**
 * What carries browser sessions: a WebSocket, or POST and an event stream. All are at one address: a page that cannot
 * open a WebSocket needs no other.
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
  summary: "The WebSocket of a browser session; or frames to a page as an event stream, where there is none.",
  auth: "required",
  changes: false,
  endless: true,
  replies: {
    101: { description: "It is a WebSocket from now on. `Origin` must be there." },
    200: { description: "An event stream.", type: "text/event-stream" },
  },
  handle: (asked, { carriers }, caller) => {
    setClosed(asked.outgoing);
    return carriers.events(asked, asked.outgoing, caller);
  },
};

/** What an upgrade must pass: a page can do everything through it, so `Origin` must be there. */
export const SOCKET: GuardedRoute = { ...EVENTS, changes: true };

/** Routes of browser sessions. */
export const SESSION_ROUTES: readonly GuardedRoute[] = [
  {
    method: "POST",
    path,
    id: "sendFrames",
    summary: "Frames of a page, where there is no WebSocket.",
    auth: "required",
    changes: true,
    accepts: "application/json",
    limit: 1_048_576,
    replies: {
      200: { description: "The answer to a hello: the carrier's name, and the welcome." },
      204: { description: "They were taken." },
    },
    handle: async (asked, { carriers }, caller) => {
      const answer = await carriers.frames(asked, caller);
      return { ...answer, headers: { ...CLOSED, ...answer.headers } };
    },
  },
  EVENTS,
];

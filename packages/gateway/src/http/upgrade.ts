/**
 * Handles WebSocket upgrades, with the same checks and authentication as every route.
 *
 * @module
 */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { CLOSED, JSON_HEADERS } from "./headers.js";
import { failureOf, failureText, HttpError, type HttpErrorBody } from "./http-error.js";
import type { Route } from "./route.js";
import { admit, type HttpServeOptions } from "./serve.js";

/** Handles the `upgrade` event of a server. */
export async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  route: Route,
  serving: HttpServeOptions,
  began: (socket: Duplex, browser: string | undefined) => void,
): Promise<void> {
  // Closes on errors; `ws` handles its own.
  socket.on("error", () => socket.destroy());
  const { counts, services } = serving;
  const logged = { method: route.method, route: route.path };
  try {
    const { admitted } = await admit(request, route, serving);
    if (!admitted) throw new HttpError("unauthenticated", "no user is signed in");
    serving.stopping.check(route, admitted.caller.user);
    const path = request.url?.split("?", 1)[0];
    if (path !== route.path || request.method !== route.method) {
      throw new HttpError("not-found", "there is no WebSocket at this address");
    }
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      throw new HttpError("bad-request", "only WebSocket upgrades are supported here");
    }
    began(socket, admitted.browser);
    services.transports.upgrade(request, socket, head, admitted.caller);
    counts.httpRequests.add({ ...logged, status: "101" });
    serving.access.upgraded({ ...logged, status: 101, user: admitted.caller.user });
    services.log.debug({ ...logged, status: 101, user: admitted.caller.user }, "served");
  } catch (error) {
    const failure = failureOf(error);
    refuseSocket(socket, failure);
    const { status, code } = failure;
    counts.httpRequests.add({ ...logged, status: String(status) });
    serving.access.upgraded({ ...logged, status, user: undefined });
    if (status >= 500 && code !== "stopping") {
      services.log.error({ ...logged, status, code, err: error }, "failed");
    } else {
      counts.denials.add({ code });
      services.log.info({ ...logged, status, code }, "refused");
    }
  }
}

/** Writes a complete answer to a connection without a response object, and closes it. */
function refuseSocket(socket: Duplex, failure: HttpErrorBody): void {
  if (!socket.writable) return void socket.destroy();
  const body = failureText(failure);
  const headers = {
    ...JSON_HEADERS,
    ...failure.headers,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  socket.end(`${headText(failure.status, headers)}${body}`, () => socket.destroy());
}

/** Answers connections whose data is not HTTP, too long, or too slow. */
export function refuseGarbage(error: unknown, socket: Socket): void {
  const code = Object(error).code;
  // After an answer, further data would be taken for a part of it.
  if (socket.bytesWritten > 0) return void socket.destroy();
  // Browsers open connections before they have a request. An answer would be taken for the one to their first
  // request.
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" || code === "ECONNRESET" || !socket.writable) {
    return void socket.destroy();
  }
  const status = code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  socket.end(headText(status, { ...CLOSED, "content-length": "0", connection: "close" }), () =>
    socket.destroy(),
  );
}

const headText = (status: number, headers: Record<string, string>): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

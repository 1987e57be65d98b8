/**
 * What is looked at before anything else, on every route and on upgrade: does this request come from a page or a
 * program that means the gateway? A page of another site can make a browser send requests here, with cookies; it
 * cannot take away what the browser says about them.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { crossSite, HttpError } from "./http-error.js";
import type { Places } from "./places.js";

/** What a route says about who may come. */
export interface Door {
  readonly method: string;
  /** Something changes: `Origin` must be there. */
  readonly changes: boolean;
  /** A page elsewhere may lead the person here: the way back from an authorization server, and some links to sign in. */
  readonly arrival?: boolean | undefined;
  /** The media type of the body; no body is taken if there is none. */
  readonly accepts?: string | undefined;
}

/** Limits of what comes before the body. */
export interface HeadLimits {
  /** Characters of the path and query. */
  address: number;
  /** Number of headers. */
  headers: number;
}

/**
 * Refuses what does not come from us. Returns the origin under which it came.
 *
 * @throws {HttpError}
 */
export function checkHead(request: IncomingMessage, door: Door, places: Places, limits: HeadLimits): string {
  const { headers, rawHeaders, url = "" } = request;
  // OPTIONS and HEAD, too: nobody elsewhere is told what they may ask.
  if (request.method !== door.method) {
    throw new HttpError("method-not-allowed", "that method is not served here");
  }
  if (rawHeaders.length > limits.headers * 2) {
    throw new HttpError("headers-too-large", `no more than ${limits.headers} headers, please`);
  }
  if (url.length > limits.address) {
    throw new HttpError("address-too-long", `no more than ${limits.address} characters of address, please`);
  }
  // `GET http://elsewhere/ HTTP/1.1` names another host than its header, and two headers name two.
  if (!url.startsWith("/")) {
    throw new HttpError("bad-request", "the request must be for a path of this gateway");
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    throw new HttpError("bad-request", "only 100-continue can be expected here");
  }
  if (countHosts(rawHeaders) !== 1) throw new HttpError("bad-request", "there must be one Host header");
  const origin = places.hosts.get(headers.host ?? "");
  if (origin === undefined) {
    throw new HttpError(
      "host-forbidden",
      "this gateway does not answer to that Host: use its own address, or set its origin",
    );
  }
  checkOrigin(headers.origin, origin, door);
  checkSite(headers, door);
  checkBody(headers, door);
  return origin;
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

/** A page served under one of our names speaks to that very name. Programs say the same: no browser sends it for others. */
function checkOrigin(sent: string | undefined, ours: string, door: Door): void {
  if (sent === undefined) {
    if (!door.changes) return;
    throw new HttpError(
      "origin-missing",
      `send the header "Origin: ${ours}": this request changes something`,
    );
  }
  if (sent !== ours) throw new HttpError("origin-forbidden", "pages of another origin have no business here");
}

function checkSite(headers: IncomingMessage["headers"], door: Door): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  const isNavigation = door.method === "GET" && headers["sec-fetch-mode"] === "navigate";
  // A person typed it, or opened it from another program.
  if (site === "none" && isNavigation) return;
  if (door.arrival && isNavigation && headers["sec-fetch-dest"] === "document") return;
  throw crossSite();
}

function checkBody(headers: IncomingMessage["headers"], door: Door): void {
  const { "content-type": type = "", "content-length": length, "transfer-encoding": encoding } = headers;
  if (door.accepts === undefined) {
    const hasBody = encoding !== undefined || (length !== undefined && length !== "0");
    if (hasBody) throw new HttpError("bad-request", "this request must have no body");
    return;
  }
  // What a page of another site can send without asking first has another type.
  if (type !== door.accepts && type.split(";", 1)[0]?.trim().toLowerCase() !== door.accepts) {
    throw new HttpError("media-type", `send the header "Content-Type: ${door.accepts}"`);
  }
  if (headers["content-encoding"] !== undefined) {
    throw new HttpError("media-type", "the body must not be compressed");
  }
}

/**
 * The first checks of every route and upgrade: does this request come from a page or program that intends to
 * talk to the gateway? A page of another site can make a browser send requests here, with cookies; but it
 * cannot change what the browser says about them.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import type { HostNames } from "./host-names.js";
import { crossSite, HttpError } from "./http-error.js";

/** The requirements of a route. */
export interface AccessRules {
  readonly method: string;
  /** Whether the request changes something: then `Origin` is required. */
  readonly changes: boolean;
  /**
   * Whether another site may lead the user here: the redirect of an authorization server, and some sign-in
   * links.
   */
  readonly arrival?: boolean | undefined;
  /** The media type of the body; undefined if no body is accepted. */
  readonly accepts?: string | undefined;
}

/** Limits of the request head. */
export interface HeadLimits {
  /** Maximum characters of the path and query. */
  address: number;
  /** Maximum number of headers. */
  headers: number;
}

/**
 * Rejects requests from other sites. Returns the gateway's origin that the request was sent to.
 *
 * @throws {HttpError}
 */
export function checkHead(
  request: IncomingMessage,
  rules: AccessRules,
  hostNames: HostNames,
  limits: HeadLimits,
): string {
  const { headers, rawHeaders, url = "" } = request;
  // Also for OPTIONS and HEAD: other sites get no information about allowed requests.
  if (request.method !== rules.method) {
    throw new HttpError("method-not-allowed", "this method is not allowed here");
  }
  if (rawHeaders.length > limits.headers * 2) {
    throw new HttpError("headers-too-large", `a request must not have more than ${limits.headers} headers`);
  }
  if (url.length > limits.address) {
    throw new HttpError(
      "address-too-long",
      `an address must not have more than ${limits.address} characters`,
    );
  }
  // `GET http://elsewhere/ HTTP/1.1` names another host than its header, and so do two headers.
  if (!url.startsWith("/")) {
    throw new HttpError("bad-request", "the request must be for a path of this gateway");
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    throw new HttpError("bad-request", "only the expectation 100-continue is supported");
  }
  if (countHosts(rawHeaders) !== 1)
    throw new HttpError("bad-request", "there must be exactly one Host header");
  const origin = hostNames.hosts.get(headers.host ?? "");
  if (origin === undefined) {
    throw new HttpError(
      "host-forbidden",
      "this gateway is not available under that Host: use its own address, or set its origin",
    );
  }
  checkOrigin(headers.origin, origin, rules);
  checkSite(headers, rules);
  checkBody(headers, rules);
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

/**
 * A page must talk to the same name that it was served from. Programs send the same header: no browser sends
 * it for another site.
 */
function checkOrigin(sent: string | undefined, ours: string, rules: AccessRules): void {
  if (sent === undefined) {
    if (!rules.changes) return;
    throw new HttpError("origin-missing", `send the header "Origin: ${ours}": this route requires it`);
  }
  if (sent !== ours) throw new HttpError("origin-forbidden", "requests from other origins are not allowed");
}

function checkSite(headers: IncomingMessage["headers"], rules: AccessRules): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  const isNavigation = rules.method === "GET" && headers["sec-fetch-mode"] === "navigate";
  // The user typed the address, or opened it from another program.
  if (site === "none" && isNavigation) return;
  if (rules.arrival && isNavigation && headers["sec-fetch-dest"] === "document") return;
  throw crossSite();
}

function checkBody(headers: IncomingMessage["headers"], rules: AccessRules): void {
  const { "content-type": type = "", "content-length": length, "transfer-encoding": encoding } = headers;
  if (rules.accepts === undefined) {
    const hasBody = encoding !== undefined || (length !== undefined && length !== "0");
    if (hasBody) throw new HttpError("bad-request", "this request must not have a body");
    return;
  }
  // Requests that another site can send without a preflight have other types.
  if (type !== rules.accepts && type.split(";", 1)[0]?.trim().toLowerCase() !== rules.accepts) {
    throw new HttpError("media-type", `send the header "Content-Type: ${rules.accepts}"`);
  }
  if (headers["content-encoding"] !== undefined) {
    throw new HttpError("media-type", "the body must not be compressed");
  }
}

/**
 * HTTP errors: one format, `{error: {code, message, data}}`, and a status for each code.
 *
 * @module
 */
import { isRefusal, type Refusal } from "@vitrine/guard";
import { INVALID_PARAMS, INVALID_REQUEST, isRecord, METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";
import { GatewayError, type GatewayErrorCode } from "@vitrine/wire";

/** Codes of the listener's own errors. The meaning of a code never changes. */
export type HttpErrorCode =
  /** The request is malformed; the message says how. */
  | "bad-request"
  /** `Host` is not one of the gateway's: another site's name points to this address (DNS rebinding). */
  | "host-forbidden"
  /** `Origin` is not the gateway's. */
  | "origin-forbidden"
  /** The request changes something, but has no `Origin`. */
  | "origin-missing"
  /** A page of another site made the browser send the request. */
  | "cross-site"
  /** No credential, or a wrong one. */
  | "unauthenticated"
  /** Too many wrong credentials from this address; `retryAfter` says when to retry. */
  | "too-many-attempts"
  | "not-found"
  | "method-not-allowed"
  | "media-type"
  | "body-too-large"
  | "headers-too-large"
  | "address-too-long"
  /** Too many requests of this caller; `retryAfter` says when to retry. */
  | "rate-limited";

const HTTP_STATUS: Record<HttpErrorCode, number> = {
  "bad-request": 400,
  "host-forbidden": 403,
  "origin-forbidden": 403,
  "origin-missing": 403,
  "cross-site": 403,
  unauthenticated: 401,
  "too-many-attempts": 429,
  "not-found": 404,
  "method-not-allowed": 405,
  "media-type": 415,
  "body-too-large": 413,
  "headers-too-large": 431,
  "address-too-long": 414,
  "rate-limited": 429,
};

const REFUSAL_STATUS: Record<Refusal["data"]["code"], number> = {
  "tool-not-visible": 403,
  "tool-unknown": 403,
  "other-server": 403,
  "resource-unknown": 403,
  "method-unknown": 404,
  "too-large": 413,
  "rate-limited": 429,
  "link-invalid": 403,
  "not-allowed": 403,
  denied: 403,
};

/**
 * A missing sign-in to a *server* is not a 401, which would mean that the caller's own credential is wrong.
 */
const GATEWAY_STATUS: Record<GatewayErrorCode, number> = {
  "config-invalid": 500,
  "settings-unwritable": 500,
  "settings-changed": 409,
  "admin-required": 403,
  "server-exists": 409,
  "isolation-unavailable": 503,
  "server-unknown": 404,
  "server-replaced": 409,
  "server-in-use": 409,
  "server-shared": 409,
  "capability-missing": 409,
  "server-failed": 502,
  "server-exited": 502,
  "server-unauthorized": 424,
  "server-too-large": 502,
  "address-forbidden": 502,
  "view-unknown": 404,
  "session-unknown": 404,
  "conversation-unknown": 404,
  "conversation-too-large": 413,
  "item-unknown": 404,
  "sampling-unavailable": 503,
  "elicitation-unavailable": 503,
  indeterminate: 409,
  conflict: 409,
  "audit-failed": 503,
  overloaded: 503,
  stopping: 503,
  "node-unreachable": 503,
  "not-owner": 421,
  "clock-skew": 503,
  "operation-invalid": 403,
  "operation-replayed": 409,
};

/** The status of each code. */
export const STATUSES: Readonly<Record<string, number>> = {
  ...HTTP_STATUS,
  ...REFUSAL_STATUS,
  ...GATEWAY_STATUS,
};

/** The listener refused the request: nothing was done. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: HttpErrorCode;
  /** Milliseconds. */
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: HttpErrorCode,
    message: string,
    options: { retryAfter?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
  }
}

/** A page of another site led the browser here, which is not allowed. */
export const crossSite = (): HttpError =>
  new HttpError("cross-site", "another site caused this request: open the address yourself");

/** An error in the format of HTTP. */
export interface HttpErrorBody {
  status: number;
  code: string;
  message: string;
  data?: unknown;
  headers: Record<string, string>;
}

/**
 * Converts an error for the caller. An unexpected error may contain anything, even secrets, so only the fact
 * is reported.
 */
export function failureOf(error: unknown): HttpErrorBody {
  if (error instanceof HttpError) {
    const { code, message, retryAfter, headers } = error;
    return failure(HTTP_STATUS[code], code, message, retryAfter === undefined ? undefined : { retryAfter }, {
      ...headers,
      ...retryHeader(retryAfter),
    });
  }
  if (isRefusal(error)) {
    const { code, ...more } = error.data;
    const data = Object.keys(more).length > 0 ? more : undefined;
    return failure(REFUSAL_STATUS[code], code, error.message, data, retryHeader(more.retryAfter));
  }
  if (error instanceof GatewayError) {
    const { code, ...more } = error.data;
    const status = GATEWAY_STATUS[code];
    const data = Object.keys(more).length > 0 ? more : undefined;
    const { retryAfter } = more;
    // Seconds, unlike those of refusals: servers elsewhere say seconds.
    const later = retryHeader(typeof retryAfter === "number" ? retryAfter * 1000 : 1000);
    return failure(status, code, error.message, data, status === 503 ? later : {});
  }
  if (error instanceof VitrineError) return failureOfVitrine(error);
  return failure(500, "internal", "internal error; see the gateway's log", undefined, {});
}

function failureOfVitrine({ code, message, data }: VitrineError): HttpErrorBody {
  if (typeof code === "number") {
    // The server itself answered with an error. For an invalid request, the caller must fix it.
    const isCallers = code === INVALID_PARAMS || code === INVALID_REQUEST || code === METHOD_NOT_FOUND;
    const { indeterminate } = isRecord(data) ? data : {};
    const told = { code, data, ...(indeterminate === true && { indeterminate }) };
    return failure(isCallers ? 422 : 502, "server-error", message, told, {});
  }
  const status = code === "timeout" ? 504 : code === "invalid" ? 502 : code === "unsupported" ? 501 : 503;
  return failure(status, code, message, data, {});
}

const failure = (
  status: number,
  code: string,
  message: string,
  data: unknown,
  headers: Record<string, string>,
): HttpErrorBody => ({ status, code, message, data, headers });

const retryHeader = (milliseconds: number | undefined): Record<string, string> =>
  milliseconds === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(milliseconds / 1000))) };

/** The body of an error response. */
export function failureText({ code, message, data }: HttpErrorBody): string {
  try {
    return JSON.stringify({ error: { code, message, data } });
  } catch {
    // Data of a server's error may not be serializable.
    return JSON.stringify({ error: { code, message } });
  }
}

/**
 * Describes one request of a sign-in and its answer.
 *
 * @module
 */
import { isRecord, recordOf } from "@vitrine/protocol";
import { GatewayError, type SignInExchange, type SignInStep } from "@vitrine/wire";
import { messageOf } from "../support/message-of.js";
import type { SignInMask } from "./sign-in-mask.js";
import { formOf } from "./sign-in-step.js";
import { claimsOf } from "./token-claims.js";

/** Describes a request that is about to be sent. Calls of the server itself are described without their bodies. */
export function exchangeOf(
  step: SignInStep,
  url: string | URL,
  init: RequestInit | undefined,
  mask: SignInMask,
  at: number,
): SignInExchange {
  const headers = new Headers(init?.headers);
  const form = formOf(init?.body);
  const isCall = step === "call" || step === "challenge";
  const type = form ? "application/x-www-form-urlencoded" : headers.get("content-type");
  const text = isCall ? undefined : (form?.toString() ?? (typeof init?.body === "string" ? init.body : ""));
  // The body first: its secrets may occur elsewhere.
  const body = text === undefined ? undefined : mask.body(text, type);
  const token = form?.get("assertion") ?? (isCall ? bearerOf(headers) : undefined);
  const claims = claimsOf(token, mask);
  return {
    kind: "exchange",
    step,
    at,
    request: {
      method: (init?.method ?? "GET").toUpperCase(),
      url: mask.url(url),
      headers: mask.headers(headers),
      ...(body && { body }),
    },
    ...(claims && { claims }),
  };
}

/** Adds the answer. The response can still be read. */
export async function readAnswer(
  event: SignInExchange,
  response: Response,
  mask: SignInMask,
  duration: number,
): Promise<void> {
  event.response = {
    status: response.status,
    headers: mask.headers(response.headers),
    duration: Math.round(duration),
  };
  // A body that cannot be read fails for its reader too, which reports it.
  const text = await response
    .clone()
    .text()
    .catch(() => "");
  const body = mask.body(text, response.headers.get("content-type"));
  if (body) event.response.body = body;
  const claims = claimsOf(issuedToken(text), mask);
  if (claims) event.claims = claims;
}

/** Adds the reason why there is no answer. */
export function fail(event: SignInExchange, error: unknown, mask: SignInMask): void {
  event.failure = { code: codeOf(error), message: mask.text(messageOf(error), 500) };
}

/** The code of an error, or of its cause. */
export function codeOf(error: unknown): string {
  if (error instanceof GatewayError) return error.data.code;
  const { code, cause, name } = recordOf(error);
  if (typeof code === "string") return code;
  const inner = recordOf(cause)["code"];
  if (typeof inner === "string") return inner;
  return typeof name === "string" ? name : "Error";
}

const bearerOf = (headers: Headers): string | undefined =>
  /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];

/** The token in the answer of a token endpoint. */
function issuedToken(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const token = isRecord(answer) ? answer["access_token"] : undefined;
    return typeof token === "string" ? token : undefined;
  } catch {
    return undefined;
  }
}

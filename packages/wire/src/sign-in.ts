/**
 * Messages about the sign-in of a user at a server: each request that was really made, with secrets masked.
 *
 * @module
 */
import type { ServerReference } from "./inspection.js";

/**
 * Steps of a sign-in, in their order.
 *
 * - `challenge`: the server answers that a sign-in is needed
 * - `resource-metadata`: which authorization server it trusts (RFC 9728)
 * - `server-metadata`: what that authorization server supports (RFC 8414, OpenID Connect Discovery)
 * - `registration`: which client the gateway is there
 * - `authorization`: the user agrees in a browser
 * - `identity`: an identity provider issues an ID-JAG (RFC 8693), instead of `authorization`
 * - `token`: a code, or an ID-JAG (RFC 7523), is exchanged for tokens
 * - `call`: a request to the server with the token
 * - `refresh`: new tokens for a refresh token
 * - `sign-out`: the tokens are revoked (RFC 7009) and forgotten
 */
export type SignInStep =
  | "challenge"
  | "resource-metadata"
  | "server-metadata"
  | "registration"
  | "authorization"
  | "identity"
  | "token"
  | "call"
  | "refresh"
  | "sign-out";

/** Headers of a message, in the order of their names. */
export type SignInHeaders = [name: string, value: string][];

/** The body of a message, with secrets masked. */
export interface SignInBody {
  /** A form is shown as the JSON of its fields. Text that is neither is not shown, except for plain text. */
  kind: "json" | "form" | "text" | "hidden";
  text: string;
}

/** Fields of a JSON Web Token that say for whom and until when it is valid. Its signature is not checked. */
export type TokenClaims = Record<string, string | number | string[]>;

/** A request and its answer. */
export interface SignInExchange {
  kind: "exchange";
  step: SignInStep;
  /** Milliseconds since 1970, by the clock of the gateway. */
  at: number;
  request: { method: string; url: string; headers: SignInHeaders; body?: SignInBody | undefined };
  response?:
    | { status: number; headers: SignInHeaders; body?: SignInBody | undefined; duration: number }
    | undefined;
  /** Why there was no answer: a code of Node.js such as `ECONNREFUSED`, or of the gateway, and a message. */
  failure?: { code: string; message: string } | undefined;
  /** The token that was sent or received, or the ID-JAG, if it is a JSON Web Token. */
  claims?: TokenClaims | undefined;
}

/** Kinds of {@link SignInNote}. */
export type SignInNoteCode =
  | "client-settings"
  | "client-document"
  | "client-known"
  | "redirect"
  | "returned"
  | "subject-token"
  | "forgotten"
  | "failed";

/** A part of a step that is no request of the gateway. */
export interface SignInNote {
  kind: "note";
  step: SignInStep;
  at: number;
  code: SignInNoteCode;
  /** Details, with secrets masked: `client_id`, `url`, `error`, `message`. */
  facts: Record<string, string>;
  claims?: TokenClaims | undefined;
}

export type SignInEvent = SignInExchange | SignInNote;

/** A sign-in, a refresh or a sign-out, from its first request on. */
export interface SignInAttempt {
  /** Consecutive numbers. */
  id: number;
  at: number;
  /** `replaced`: another sign-in was completed instead. `expired`: the user did not return in time. */
  outcome:
    | "running"
    | "waiting"
    | "signed-in"
    | "refreshed"
    | "failed"
    | "forgotten"
    | "replaced"
    | "expired";
  /** In the order of time. */
  events: SignInEvent[];
  /** Events that were left out because there were too many. */
  dropped: number;
  /** How many more calls ran into the same sign-in while it waited for the user. */
  repeated: number;
}

/** The sign-in of a user at a server. */
export interface SignInState {
  /**
   * - `user`: the user signs in, in a browser
   * - `enterprise`: an identity provider of the user's organization decides (ID-JAG)
   * - `settings`: the settings hold an `authorization` header
   * - `off`: the settings turn OAuth off
   * - `program`: the server is a program on this machine
   */
  way: "user" | "enterprise" | "settings" | "off" | "program";
  /** The server's address, with secrets masked. */
  url?: string | undefined;
  /** The address that an authorization server must allow. */
  redirectUrl?: string | undefined;
  /** The clock of the gateway, in milliseconds since 1970. */
  now: number;
  /** Undefined if the user is not signed in. */
  tokens?:
    | {
        issuer?: string | undefined;
        scope?: string | undefined;
        /** Milliseconds since 1970; undefined if the authorization server gave none. */
        expiresAt?: number | undefined;
        canRefresh: boolean;
        claims?: TokenClaims | undefined;
      }
    | undefined;
  /** The address where the user signs in, while a sign-in waits. */
  authorizeUrl?: string | undefined;
  /** The newest last. They are kept in memory, for this user and server only. */
  attempts: SignInAttempt[];
}

/** Requests of a page about a sign-in, on channel `.`. The answers are about the page's own user only. */
export interface SignInRequests {
  "gateway/sign-in": { params: ServerReference; result: SignInState };
  /** Starts a new sign-in, also if the user is signed in. The user completes it at `authorizeUrl`. */
  "gateway/sign-in-start": { params: ServerReference; result: SignInState };
  /** Refreshes the tokens now, whether or not they have expired. */
  "gateway/sign-in-refresh": { params: ServerReference; result: SignInState };
  /** Revokes the tokens if the authorization server can, and forgets them and the registered client. */
  "gateway/sign-in-forget": { params: ServerReference; result: SignInState };
}

/** Notifications about sign-ins. */
export interface SignInNotices {
  /** There is something new in the user's sign-in at a server. */
  "gateway/sign-in-changed": { server: string };
}

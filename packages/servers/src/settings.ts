/**
 * How a server is reached, and what it may do: one entry of `mcpServers` after it was read.
 *
 * @module
 */
import type { ConcurrencyLimits, Decision, RateLimits, SizeLimits } from "@vitrine/guard";
import type { Permission, Relaxation } from "@vitrine/protocol";
import type { Isolation } from "./isolation/isolation.js";
import type { ServerIdentity } from "./server-identity.js";

/** A program on this machine. */
export interface StdioSettings {
  type: "stdio";
  command: string;
  args: readonly string[];
  /** All that the server gets, references resolved. */
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  /** Where it starts if `cwd` is not set and it is not sandboxed: the folder of the settings file. */
  folder: string;
  isolation: Isolation;
}

/** A server elsewhere. */
export interface RemoteSettings {
  /** Streamable HTTP, or its forerunner with event streams. */
  type: "http" | "sse";
  url: string;
  /** References resolved. */
  headers: Readonly<Record<string, string>>;
  /** Sign in with OAuth when the server asks for it; on by default. */
  oauth: boolean;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  scope?: string | undefined;
  /** The only authorization server that is used; the one of the first sign-in, by default. */
  issuer?: string | undefined;
  /** May it be on a loopback or private address, or redirect to one? Only if its own `url` is one, by default. */
  privateNetwork: boolean;
}

/** One server. */
export interface ServerSettings {
  /** Its name: letters, digits, `.`, `_` and `-`. */
  name: string;
  /** Which server it is, whatever its name: a hash of how it is reached. See `identityOf`. */
  identity: ServerIdentity;
  transport: StdioSettings | RemoteSettings;
  /** Start with the gateway, or with the first call. */
  start: "eager" | "lazy";
  /** One connection may serve all users. */
  stateless: boolean;
  /** The person named it on the command line: its own tools need no consent, unless they are destructive. */
  trusted: boolean;
  /** Decisions by method, or by method and subject: `"tools/call:delete": "deny"`. */
  policy: Readonly<Record<string, Decision>>;
  /** Tools that may be called again when nobody knows whether they ran: beside those with `idempotentHint`. */
  idempotent: readonly string[];
  /** What its views get beyond the specification. */
  relax: readonly Relaxation[];
  /** Browser permissions: asked unless they are here. */
  permissions: Readonly<Partial<Record<Permission, Decision>>>;
  /** Schemes of UI links in place of `ui` (T09). */
  schemes: readonly string[];
  limits: {
    sizes: Partial<SizeLimits>;
    rates: Partial<RateLimits>;
    concurrency: Partial<ConcurrencyLimits>;
    /** Milliseconds without an answer or progress after which a call is given up. */
    timeout: number;
    /** Milliseconds until it must have answered the handshake. */
    startTimeout: number;
    /** Milliseconds without use after which a server that was started by a call is stopped. */
    idle: number;
    /** Bytes of one message from the server. */
    message: number;
  };
}

/**
 * A parsed entry of `mcpServers`: how a server is reached, and what it may do.
 *
 * @module
 */
import type { ConcurrencyLimits, Decision, RateLimits, SizeLimits } from "@vitrine/guard";
import type { Permission, Relaxation } from "@vitrine/protocol";
import type { Isolation } from "./isolation/isolation.js";
import type { Root } from "./server-asks.js";
import type { ServerIdentity } from "./server-identity.js";

/** A program on this machine. */
export interface StdioSettings {
  type: "stdio";
  command: string;
  args: readonly string[];
  /** The complete environment of the server, with references resolved. */
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  /**
   * Working directory if `cwd` is not set and the server is not sandboxed: the folder of the settings file.
   */
  folder: string;
  isolation: Isolation;
}

/**
 * Authorization that the user's organization manages: its identity provider issues an identity assertion (ID-JAG) for
 * a user's ID token, and the server's authorization server issues tokens for that assertion.
 */
export interface EnterpriseSettings {
  /** The token endpoint of the identity provider. */
  tokenEndpoint: string;
  /** The client that is registered at the identity provider. */
  clientId: string;
  clientSecret?: string | undefined;
  /** The ID token of the only user. */
  idToken?: string | undefined;
  /** A file with the ID token, which another program keeps fresh. `{user}` in its path is the user's name. */
  idTokenFile?: string | undefined;
}

/** A remote server. */
export interface RemoteSettings {
  /** Streamable HTTP, or its predecessor SSE. */
  type: "http" | "sse";
  url: string;
  /** Request headers, with references resolved. */
  headers: Readonly<Record<string, string>>;
  /** Sign in with OAuth when the server asks for it; on by default. */
  oauth: boolean;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  scope?: string | undefined;
  /** The only authorization server to use; by default the one of the first sign-in. */
  issuer?: string | undefined;
  /** The address of a client metadata document, which authorization servers may accept instead of a registration. */
  clientMetadataUrl?: string | undefined;
  /** Requires `clientId` and `issuer`. */
  enterprise?: EnterpriseSettings | undefined;
  /** Whether the address contains a secret: it is never shown then. */
  hasSecretUrl?: boolean | undefined;
  /**
   * Whether it may be on, or redirect to, a loopback or private address. By default only if its own `url` is
   * one.
   */
  privateNetwork: boolean;
}

/** The settings of a server. */
export interface ServerSettings {
  /** Letters, digits, `.`, `_` and `-`. */
  name: string;
  /** A hash of how it is reached, independent of its name. See `identityOf`. */
  identity: ServerIdentity;
  transport: StdioSettings | RemoteSettings;
  /** Start with the gateway, or at the first call. */
  start: "eager" | "lazy";
  /** Whether one connection may serve all users. */
  stateless: boolean;
  /**
   * Whether the user named it on the command line: its tools need no approval, unless they are destructive.
   */
  trusted: boolean;
  /** Decisions by method, or by method and subject: `"tools/call:delete": "deny"`. */
  policy: Readonly<Record<string, Decision>>;
  /**
   * Tools that may be repeated when it is unknown whether they ran, in addition to those with
   * `idempotentHint`.
   */
  idempotent: readonly string[];
  /** Relaxations for its views beyond the specification. */
  relax: readonly Relaxation[];
  /** Browser permissions. The user is asked for those that are not listed. */
  permissions: Readonly<Partial<Record<Permission, Decision>>>;
  /** Folders and addresses that it is told it may work in (`roots/list`). */
  roots?: readonly Root[] | undefined;
  /** Schemes of UI links to accept instead of `ui`. */
  schemes: readonly string[];
  limits: {
    sizes: Partial<SizeLimits>;
    rates: Partial<RateLimits>;
    concurrency: Partial<ConcurrencyLimits>;
    /** Milliseconds without an answer or progress after which a call times out. */
    timeout: number;
    /** Milliseconds until the handshake must be complete. */
    startTimeout: number;
    /** Milliseconds without use after which a lazily started server is stopped. */
    idle: number;
    /** Maximum size in bytes of a message from the server. */
    message: number;
  };
}

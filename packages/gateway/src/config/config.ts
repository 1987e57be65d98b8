/**
 * The gateway's settings after parsing, with all defaults: the usual `mcpServers` file, and Vitrine's own
 * keys.
 *
 * @module
 */

import type { ModelSettings } from "@vitrine/conversation";
import type { Decision } from "@vitrine/guard";
import type { ServerSettings } from "@vitrine/servers";

/** A user: a name, and the SHA-256 of a token in hexadecimal digits. */
export interface UserSettings {
  name: string;
  tokenHash: string;
}

/** Where the gateway listens, and for whom. */
export interface ListenSettings {
  /** A local address; loopback unless the operator sets another one *and* configures users. */
  host: string;
  port: number;
  /** The origin that browsers see; derived from host and port by default. Required behind a reverse proxy. */
  origin?: string | undefined;
  /** Whether the operator allows remote access. */
  allowRemote?: boolean | undefined;
  users: readonly UserSettings[];
}

/** The sandbox of apps; see `SandboxOptions` of `@vitrine/sandbox`. */
export interface SandboxSettings {
  /** Port of the sandbox's own listener; 0 for any free port. */
  port: number;
  /** The pattern of app origins, `http://{role}.{label}.localhost:PORT` by default. */
  origin?: string | undefined;
  publicSuffix: boolean;
  /** Whether apps report their console output, for app developers. */
  console: boolean;
}

/** The contents and retention of the audit log. */
export interface AuditSettings {
  /**
   * Which payloads are written to the database beside their hashes. `retries`, the default: none in the log; small results
   * of calls with an idempotency key, for one hour, to answer a repeated key after a restart. `arguments` and `all` also
   * write them to the log.
   */
  payloads: "none" | "retries" | "arguments" | "all";
  /** Names of fields whose values are never stored, at any depth, ignoring case. */
  redact: readonly string[];
  /** Days after which rows may be removed; undefined to keep them forever. */
  retentionDays?: number | undefined;
}

/** All settings. */
export interface GatewaySettings {
  servers: ReadonlyMap<string, ServerSettings>;
  listen: ListenSettings;
  sandbox: SandboxSettings;
  /** Decisions for all servers. Those of a server take precedence. */
  policy: Readonly<Record<string, Decision>>;
  /** Whether servers on the command line are not trusted. */
  strict: boolean;
  audit: AuditSettings;
  model: ModelSettings;
  /** `sqlite:/path/to/file` or `postgres://…`. */
  database: string;
  /** Folder for the gateway's own files: secrets, tokens, the database. */
  dataFolder: string;
  session: {
    /** Milliseconds that a browser session survives without a connection. */
    grace: number;
    /** Maximum concurrent browser sessions of a user. */
    perUser: number;
  };
}

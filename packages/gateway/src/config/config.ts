/**
 * What an operator can say: the usual `mcpServers` file, and our keys. These are the settings after they were read,
 * with every default filled in.
 *
 * @module
 */

import type { ModelSettings } from "@vitrine/conversation";
import type { Decision } from "@vitrine/guard";
import type { ServerSettings } from "@vitrine/servers";

/** Who may come in: a name, and the SHA-256 of a token, in hexadecimal digits. */
export interface UserSettings {
  name: string;
  tokenHash: string;
}

/** Where the gateway listens, and who may talk to it. */
export interface ListenSettings {
  /** An address of this machine; loopback unless the operator says another *and* gives users. */
  host: string;
  port: number;
  /** The origin that browsers see; from host and port by default. Needed behind a reverse proxy. */
  origin?: string | undefined;
  /** The operator said that others may reach it. */
  allowRemote?: boolean | undefined;
  users: readonly UserSettings[];
}

/** Where apps run; see `SandboxOptions` of `@vitrine/sandbox`. */
export interface SandboxSettings {
  /** Port of the sandbox's own listener; 0 takes a free one. */
  port: number;
  /** The pattern of app origins, `http://{role}.{label}.localhost:PORT` by default. */
  origin?: string | undefined;
  publicSuffix: boolean;
  /** Apps report what they write to their console; for the developers of apps. */
  console: boolean;
}

/** What is recorded, and for how long. */
export interface AuditSettings {
  /**
   * Which payloads are written to the database beside their hashes. `retries`, the default: none in the log; small results
   * of calls with an idempotency key, for one hour, to answer a repeated key after a restart. `arguments` and `all` also
   * write them to the log.
   */
  payloads: "none" | "retries" | "arguments" | "all";
  /** Names of fields whose values are never kept, at any depth, whatever their case. */
  redact: readonly string[];
  /** Days after which rows may be removed; undefined keeps them for ever. */
  retentionDays?: number | undefined;
}

/** Everything. */
export interface GatewaySettings {
  servers: ReadonlyMap<string, ServerSettings>;
  listen: ListenSettings;
  sandbox: SandboxSettings;
  /** Decisions for all servers; those of a server come first. */
  policy: Readonly<Record<string, Decision>>;
  /** Named servers are not trusted. */
  strict: boolean;
  audit: AuditSettings;
  model: ModelSettings;
  /** `sqlite:/path/to/file` or `postgres://…`. */
  database: string;
  /** Folder for the gateway's own files: secrets, tokens, the database. */
  dataFolder: string;
  session: {
    /** Milliseconds that a browser session lives without a connection. */
    grace: number;
    /** Browser sessions of one user at a time. */
    perUser: number;
  };
}

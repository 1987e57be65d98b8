/**
 * The gateway's settings after parsing, with all defaults: the usual `mcpServers` file, and Vitrine's own
 * keys.
 *
 * @module
 */

import type { ModelSettings } from "@vitrine/conversation";
import type { Decision } from "@vitrine/guard";
import type { ViewDialect } from "@vitrine/protocol";
import type { ProgramLimits, ServerSettings } from "@vitrine/servers";
import type { NodeSettings } from "./node-settings.js";

export type { NodeSettings };

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
  /** Address of the sandbox's own listener; loopback by default. Any other one needs `listen.allowRemote`. */
  host?: string | undefined;
  /** Port of the sandbox's own listener; 0 for any free port. */
  port: number;
  /**
   * The pattern of app origins, `http://{role}.{label}.localhost:PORT` by default; or one host for all apps, which have
   * no origins then.
   */
  origin?: string | undefined;
  publicSuffix: boolean;
  /** Whether apps report their console output, for app developers. */
  console: boolean;
  /** Dialects that are translated for apps; all by default. */
  dialects?: readonly ViewDialect[] | undefined;
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
  /** Days after which rows are removed: 400 by default; undefined to keep them forever. */
  retentionDays?: number | undefined;
  /** The folder that gets the rows before they are removed. */
  archive?: string | undefined;
}

/** The retention of conversations. */
export interface ConversationSettings {
  /** Days after its last change when a conversation is removed; undefined to keep them forever. */
  retentionDays?: number | undefined;
}

/** How the gateway stops after a signal. */
export interface DrainSettings {
  /** Milliseconds that calls which have begun get to end. */
  time: number;
  /** Milliseconds in which the gateway reports that it is not ready, and still accepts everything. */
  delay: number;
}

/** Contents of the log. */
export interface LogSettings {
  level: "debug" | "info" | "warn" | "error" | "silent";
  /** Whether every request is logged, with a line of its own. */
  access: boolean;
}

/** All settings. */
export interface GatewaySettings {
  servers: ReadonlyMap<string, ServerSettings>;
  listen: ListenSettings;
  /** Names of users who may change the settings file from a page; without users, the only one may. */
  admins: readonly string[];
  drain: DrainSettings;
  log: LogSettings;
  metrics: {
    /** The SHA-256 of a token that can read the metrics, and nothing else. */
    tokenHash?: string | undefined;
  };
  sandbox: SandboxSettings;
  /** Decisions for all servers. Those of a server take precedence. */
  policy: Readonly<Record<string, Decision>>;
  /** Whether servers on the command line are not trusted. */
  strict: boolean;
  audit: AuditSettings;
  conversations: ConversationSettings;
  model: ModelSettings;
  /** Limits of the programs that run as servers. */
  limits: ProgramLimits;
  /** `sqlite:/path/to/file` or `postgres://…`. */
  database: string;
  /** Folder for the gateway's own files: secrets, tokens, the database. */
  dataFolder: string;
  session: {
    /** Milliseconds that a browser session survives without a connection. */
    grace: number;
    /** Maximum concurrent browser sessions of a user. */
    perUser: number;
    /** Maximum concurrent browser sessions of all users; by default as many as fit into the process. */
    total?: number | undefined;
  };
  /** Makes this gateway a node: it shares the users of its database with others. */
  nodes?: NodeSettings | undefined;
}

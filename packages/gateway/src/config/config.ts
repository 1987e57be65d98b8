/**
 * What an operator can say: the usual `mcpServers` file, and our keys. These are the settings after they were read,
 * with every default filled in.
 *
 * @module
 */
import type { ConcurrencyLimits, Decision, RateLimits, SizeLimits } from "@vitrine/guard";
import type { Permission, Relaxation } from "@vitrine/protocol";
import type { Isolation } from "../isolation/isolation.js";
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

/** Whose models can be asked, and how. */
export interface ModelProviderSettings {
  /** Its name here: the first part of `provider/model`. */
  name: string;
  /** What it speaks. `compatible` is OpenAI's chat completions, as Ollama, llama.cpp, vLLM and LM Studio have it. */
  type: "openai" | "anthropic" | "google" | "compatible";
  /** The base URL. */
  url: string;
  /** Resolved. Never log it. */
  key?: string | undefined;
  /** Why it cannot be used, and what to do: there is no key. */
  problem?: string | undefined;
  /** Names of models that can be chosen; undefined: the provider is asked. */
  models?: readonly string[] | undefined;
}

/** The model that answers, and how far it may go. */
export interface ModelSettings {
  /** `provider/model`: the one that answers until a person chooses another; none by default. */
  use?: string | undefined;
  providers: ReadonlyMap<string, ModelProviderSettings>;
  limits: {
    /** Answers of the model in one turn. */
    rounds: number;
    /** Tokens of one turn, what it reads and what it writes. */
    tokens: number;
    /** Milliseconds of one turn. */
    time: number;
    /** Characters of one tool's result that it is shown. */
    result: number;
    /** Characters of a conversation that the model is sent: of what is longer, what is newest. */
    context: number;
  };
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

/**
 * A server as the rest of the gateway sees it. The object stays valid whatever its process or connection
 * does.
 *
 * @module
 */
import type { ServerCapabilities, ToolView, Upstream } from "@vitrine/guard";
import type {
  Implementation,
  LoggingLevel,
  Prompt,
  Resource,
  ResourceTemplate,
  Tool,
  UiDocument,
} from "@vitrine/protocol";
import type { ServerFault } from "./exit-cause.js";
import type { WireExchange } from "./http-tap.js";
import type { DriverName } from "./isolation/isolation.js";
import type { AskServer, ServerNotice } from "./server-requests.js";
import type { ServerSettings } from "./settings.js";
import type { WireMessage } from "./wire-tap.js";

/**
 * - `idle`: not started yet, or stopped because it was unused
 * - `starting`, `ready`
 * - `waiting`: it failed and will be restarted; `retryAt` says when
 * - `unauthorized`: a user must sign in at `authorizeUrl`
 * - `stopped`: permanently
 */
export type ServerState = "idle" | "starting" | "ready" | "waiting" | "unauthorized" | "stopped";

/** The state of a server. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  /** The last problem, with the end of the server's stderr. */
  readonly problem?: { code: string; message: string; stderr?: string; fault?: ServerFault } | undefined;
  /**
   * The last unexpected exit of its process (`at` in milliseconds since 1970). Cleared by a restart on
   * request, and after ten minutes of running time.
   */
  readonly crash?: { at: number; message: string; stderr?: string } | undefined;
  readonly retryAt?: number | undefined;
  readonly authorizeUrl?: string | undefined;
  readonly info?: Implementation | undefined;
  /** How to use the server, in its own words, for a model. */
  readonly instructions?: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** The negotiated revision, such as `2025-11-25`. */
  readonly protocolVersion?: string | undefined;
  readonly driver?: DriverName | undefined;
  readonly pid?: number | undefined;
  /** Lines on stdout that are not messages, since the last start: their number, and the first of them. */
  readonly garbage?: { count: number; first: readonly string[] } | undefined;
  /** How many times it was started. */
  readonly starts: number;
}

/** Everything that a server offers, from all pages. */
export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Tools with a UI; `hash` is the SHA-256 of the document and its metadata, in hexadecimal digits. */
  readonly views: readonly (ToolView & { hash?: string | undefined })[];
  /** A sentence for each list (except tools) that the server did not deliver completely: which, and why. */
  readonly missing?: readonly string[] | undefined;
}

/** A tool description or UI that changed. Hashes are SHA-256, in hexadecimal digits. */
export interface CatalogueChange {
  readonly kind: "tool" | "view";
  /** The tool's name, or the UI's URI. */
  readonly name: string;
  /** Undefined if it is new. */
  readonly before?: string | undefined;
  /** Undefined if it was removed. */
  readonly after?: string | undefined;
}

/**
 * A server for one user, or for all users if it is stateless. `upstream` stays the same object across
 * restarts; a request starts the server if necessary.
 */
export interface Server {
  readonly settings: ServerSettings;
  readonly upstream: Upstream;
  readonly status: ServerStatus;
  /** Sends a request of a user who inspects the server; like one of `upstream`, it starts the server. */
  readonly ask: AskServer;
  /** Sets the least level of the server's log lines, also for connections that follow. */
  setLogLevel(level: LoggingLevel): Promise<void>;
  /** Reports to a running server that the client's roots have changed. */
  rootsChanged(): Promise<void>;
  /** Starts it if it is not ready. Resolves when it is ready, and throws the error if it fails. */
  start(): Promise<void>;
  /** Like a request: waits for a server that is being restarted, and fails if nobody has signed in to it. */
  ready(): Promise<void>;
  catalogue(): Promise<Catalogue>;
  /**
   * The UIs of its tools, independent of its other lists. The same array until the server reports a change.
   */
  views(): Promise<Catalogue["views"]>;
  /** The UI document at a URI, or why it cannot be read. Cached until the server reports a change. */
  document(uri: string): Promise<UiDocument>;
  /** Reports changed tools and UIs. Returns a function that removes the listener. */
  onChange(listener: (changes: readonly CatalogueChange[]) => void): () => void;
  /** Reports log lines, and the states of tasks. Returns a function that removes the listener. */
  onNotice(listener: (method: ServerNotice, params: Record<string, unknown>) => void): () => void;
  /**
   * Shows every message to and from the server, and the HTTP requests of a remote one, from now on. Returns a function that removes the listener.
   * Without listeners, messages cost nothing.
   */
  onWire(listener: (message: WireMessage) => void, onhttp?: (exchange: WireExchange) => void): () => void;
  /** Reports every change of {@link status}. Returns a function that removes the listener. */
  onStatus(listener: (status: ServerStatus) => void): () => void;
  /**
   * Waits for pending calls, at most `grace` milliseconds, then ends the server and its child processes. `Infinity`
   * waits for all of them. A second call can shorten the wait.
   */
  stop(grace?: number): Promise<void>;
}

/**
 * A server as the rest of the gateway sees it: always there, whatever its process or connection does.
 *
 * @module
 */
import type { ServerCapabilities, ToolView, Upstream } from "@vitrine/guard";
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool, UiDocument } from "@vitrine/protocol";
import type { ServerFault } from "./exit-cause.js";
import type { DriverName } from "./isolation/isolation.js";
import type { ServerSettings } from "./settings.js";

/**
 * - `idle`: not started yet, or stopped because nobody used it
 * - `starting`, `ready`
 * - `waiting`: it failed, and will be started again; `retryAt` says when
 * - `unauthorized`: a person must sign in; `authorizeUrl` says where
 * - `stopped`: for good
 */
export type ServerState = "idle" | "starting" | "ready" | "waiting" | "unauthorized" | "stopped";

/** How a server is. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  /** What went wrong last, with the end of what the server wrote to stderr. */
  readonly problem?: { code: string; message: string; stderr?: string; fault?: ServerFault } | undefined;
  /**
   * How its process ended last without being told to, `at` in milliseconds since 1970: until it is restarted on purpose or has run
   * for ten minutes since.
   */
  readonly crash?: { at: number; message: string; stderr?: string } | undefined;
  readonly retryAt?: number | undefined;
  readonly authorizeUrl?: string | undefined;
  readonly info?: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** The revision that was negotiated, such as `2025-11-25`. */
  readonly protocolVersion?: string | undefined;
  readonly driver?: DriverName | undefined;
  readonly pid?: number | undefined;
  /** Lines on its stdout that were no messages since it was started last: how many, and the first of them. */
  readonly garbage?: { count: number; first: readonly string[] } | undefined;
  /** How often it was started. */
  readonly starts: number;
}

/** What a server offers, all pages of it. */
export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Tools with a UI; `hash` is the SHA-256 of the document and its metadata, in hexadecimal digits. */
  readonly views: readonly (ToolView & { hash?: string | undefined })[];
  /** A sentence for each list, but that of its tools, of which the server did not hand over all: what, and why. */
  readonly missing?: readonly string[] | undefined;
}

/** A tool's description, or a UI, that is not what it was. Hashes are SHA-256, in hexadecimal digits. */
export interface CatalogueChange {
  readonly kind: "tool" | "view";
  /** The tool's name, or the UI's address. */
  readonly name: string;
  /** Undefined for what is new. */
  readonly before?: string | undefined;
  /** Undefined for what is gone. */
  readonly after?: string | undefined;
}

/**
 * One connection to one server, for one user, or for all if the server is stateless. `upstream` stays the same object
 * whatever happens behind it: a request starts the server if it must.
 */
export interface Server {
  readonly settings: ServerSettings;
  readonly upstream: Upstream;
  readonly status: ServerStatus;
  /** Starts it, if it is not ready; resolves when it is, and throws what went wrong. */
  start(): Promise<void>;
  /** As a request would: waits for one that failed, and gives up on one that nobody signed in to. */
  ready(): Promise<void>;
  catalogue(): Promise<Catalogue>;
  /** The UIs of its tools, whatever its other lists are like: the same array until the server says that they changed. */
  views(): Promise<Catalogue["views"]>;
  /** The UI document at an address, or why there is none: the last one, until the server says that it changed. */
  document(uri: string): Promise<UiDocument>;
  /** Hears which tools and UIs are not what they were; returns how to stop. */
  onChange(listener: (changes: readonly CatalogueChange[]) => void): () => void;
  /** Hears every change of {@link status}; returns how to stop. */
  onStatus(listener: (status: ServerStatus) => void): () => void;
  /** Waits for calls under way, `grace` milliseconds at most, and ends it and all that it started. */
  stop(grace?: number): Promise<void>;
}

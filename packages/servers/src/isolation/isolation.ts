/**
 * Isolation of stdio servers from the machine.
 *
 * @module
 */
import type { Readable, Writable } from "node:stream";

/** A way to run a server, from the weakest to the strongest. */
export type DriverName = "process" | "bubblewrap" | "container";

/**
 * Whether a driver works on this machine: how well, or what must be installed or configured. `isBroken` says
 * that its programs are installed but fail.
 */
export type DriverReport =
  | { readonly works: true; readonly detail: string }
  | { readonly works: false; readonly reason: string; readonly isBroken?: boolean };

/**
 * Permissions and limits of a server. Everything is denied unless granted here; the driver `process` denies
 * nothing.
 */
export interface Isolation {
  /** `auto` selects the strongest sandbox that works on this machine, and reports it. It never selects `process`. */
  driver: DriverName | "auto";
  /**
   * Whether it may use the network. Without a container that is the whole network, including services on this
   * machine.
   */
  network: boolean;
  /** Folders and files it may read, as absolute paths. */
  read: readonly string[];
  /** Folders it may write to, as absolute paths. */
  write: readonly string[];
  /** Maximum memory in bytes of all its processes together. Reserved but unused memory does not count. */
  memory: number;
  /** Maximum number of processes and threads; not limited by `process`. Node alone has about ten threads. */
  processes: number;
  /** Seconds of processor time per process; undefined for no limit. */
  cpuSeconds?: number | undefined;
  /** Size in bytes of its private `/tmp`. */
  tmp: number;
  /** The image, for `container`. */
  image?: string | undefined;
  /** The container engine; by default the first of `podman` and `docker` that works. */
  engine?: "podman" | "docker" | undefined;
}

/** The program to run. `env` is its complete environment: nothing is inherited. */
export interface LaunchSpec {
  /** The server's name, for messages. */
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  /** The working directory without `cwd`, unless sandboxed; the gateway's own by default. */
  folder?: string | undefined;
  isolation: Isolation;
}

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether it exceeded {@link Isolation.memory}. */
  outOfMemory?: true;
  /** The limit of all programs together because of which it was ended. */
  exceeded?: string;
}

/** A running server. */
export interface Launched {
  readonly driver: DriverName;
  /** The process that was started here; for logs. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process that was started here has exited. */
  readonly exited: Promise<Exit>;
  /**
   * Ends the server and its child processes: closes stdin, sends SIGTERM after `grace` milliseconds (1,000 by
   * default), and SIGKILL after the same time again. Resolves when all have ended. May be called repeatedly.
   */
  stop(grace?: number): Promise<void>;
}

/** Starts a server. */
export type Launch = (spec: LaunchSpec) => Promise<Launched>;

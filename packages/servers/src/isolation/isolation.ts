/**
 * How a stdio server is kept apart from the machine it runs on.
 *
 * @module
 */
import type { Readable, Writable } from "node:stream";

/** A way to run a server; from the weakest to the strongest. */
export type DriverName = "process" | "bubblewrap" | "container";

/**
 * Whether a driver works on this machine: how well, or what must be installed or set. `isBroken` says that what it needs
 * is here and fails.
 */
export type DriverReport =
  | { readonly works: true; readonly detail: string }
  | { readonly works: false; readonly reason: string; readonly isBroken?: boolean };

/** What a server may have. Everything is closed unless it is opened here; only `process` cannot close anything. */
export interface Isolation {
  /** `auto` takes the strongest that works on this machine, and says which. */
  driver: DriverName | "auto";
  /** May it reach the network? Without a container that means all of it, services of this machine included. */
  network: boolean;
  /** Folders and files it may read, as absolute paths. */
  read: readonly string[];
  /** Folders it may write to, as absolute paths. */
  write: readonly string[];
  /** Bytes of memory that all its processes may use together: what they only reserve does not count. */
  memory: number;
  /** Processes and threads at a time; `process` cannot limit them. Node alone has about ten. */
  processes: number;
  /** Seconds of processor time for each process; undefined for any number. */
  cpuSeconds?: number | undefined;
  /** Bytes of its private `/tmp`. */
  tmp: number;
  /** The image, for `container`. */
  image?: string | undefined;
  /** The program of the container engine; the first of `podman` and `docker` that works, by default. */
  engine?: "podman" | "docker" | undefined;
}

/** What to run. The environment is all that the server gets: nothing is inherited. */
export interface LaunchSpec {
  /** The server's name, for messages. */
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  /** Where it starts without a `cwd`, unless it is sandboxed; the gateway's own folder by default. */
  folder?: string | undefined;
  isolation: Isolation;
}

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** It used more than {@link Isolation.memory}. */
  outOfMemory?: true;
}

/** A server that runs. */
export interface Launched {
  /** What it runs in. */
  readonly driver: DriverName;
  /** Of the process that was started here; for logs. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process that was started here has ended. */
  readonly exited: Promise<Exit>;
  /**
   * Ends it and everything that it started: stdin is closed, then SIGTERM after `grace` milliseconds (1,000 by
   * default), then SIGKILL after as many again. Resolves when nothing is left. May be called again.
   */
  stop(grace?: number): Promise<void>;
}

/** Starts a server. */
export type Launch = (spec: LaunchSpec) => Promise<Launched>;

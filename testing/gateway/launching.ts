/**
 * Misbehaving servers, started through the gateway's isolation.
 *
 * @module
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Isolation, Launched, LaunchSpec } from "../../packages/servers/src/isolation/isolation.js";

const SERVER = fileURLToPath(new URL("misbehaving.mjs", import.meta.url));

/** Nothing is granted, and the limits suffice for a well-behaved server. */
export const CLOSED: Isolation = {
  driver: "bubblewrap",
  network: false,
  read: [],
  write: [],
  memory: 256 * 2 ** 20,
  processes: 64,
  tmp: 4 * 2 ** 20,
};

/** A server that performs one action. */
export const misbehaving = (isolation: Partial<Isolation>, deed: string, ...args: unknown[]): LaunchSpec => ({
  name: "misbehaving",
  command: "node",
  args: [SERVER, deed, ...args.map(String)],
  env: {},
  isolation: { ...CLOSED, ...isolation },
});

/** The first line of a server's output, as JSON; undefined if it ended without one. */
export async function firstLine(launched: Launched): Promise<Record<string, unknown> | undefined> {
  launched.stderr.resume();
  for await (const line of createInterface({ input: launched.stdout })) return JSON.parse(line);
  return undefined;
}

/**
 * A text that no other process has in its command line. It has only digits, so that `sleep 300.<token>` is
 * valid.
 */
export const newToken = (): string => String(randomInt(1e11, 1e12));

/** The processes of this machine that have a text in their command line. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "latin1").includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The gateway's isolation, bundled into one JavaScript file, for gateways in other processes. */
export async function bundleIsolation(folder: string): Promise<string> {
  const outfile = join(folder, "isolation.mjs");
  await build({
    stdin: {
      contents: `export { launch } from "./launch.js"; export { GATEWAY } from "./instance.js";`,
      resolveDir: fileURLToPath(new URL("../../packages/servers/src/isolation", import.meta.url)),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
  });
  return outfile;
}

/** Reports of a gateway process about a server that it started. */
export interface Started {
  driver: string;
  pid: number;
  line?: Record<string, unknown>;
  problem?: string;
}

/** A gateway in its own process, which starts servers and waits. */
export class SmallGateway {
  readonly child: ChildProcess;

  constructor(
    bundle: string,
    specs: readonly LaunchSpec[],
    options: SpawnOptions = {},
    /** A file that it inherits open, as number 40: Node itself closes those up to 15 in its children. */
    inherited?: number,
  ) {
    const script = fileURLToPath(new URL("small-gateway.mjs", import.meta.url));
    this.child = spawn(process.execPath, [script, bundle], {
      cwd: "/",
      ...options,
      stdio: ["pipe", "pipe", "inherit", ...(inherited ? [...Array(37).fill("ignore"), inherited] : [])],
    });
    // Sent on stdin, not as an argument: the gateway's own command line must not contain the servers'
    // arguments.
    this.child.stdin?.write(`${JSON.stringify(specs)}\n`);
  }

  /** Its next report; undefined when it has ended. */
  async next(): Promise<Started[] | undefined> {
    const { stdout } = this.child;
    if (!stdout) return undefined;
    for await (const line of createInterface({ input: stdout })) return JSON.parse(line);
    return undefined;
  }

  /** Kills it. */
  async kill(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }

  /** Stops it properly. */
  async stop(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.stdin?.end();
    await ended;
  }
}

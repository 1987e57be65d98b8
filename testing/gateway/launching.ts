/**
 * Servers that misbehave, started through the gateway's isolation.
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

/** Nothing is granted, and there is enough for a server that behaves. */
export const CLOSED: Isolation = {
  driver: "bubblewrap",
  network: false,
  read: [],
  write: [],
  memory: 256 * 2 ** 20,
  processes: 64,
  tmp: 4 * 2 ** 20,
};

/** A server that does one deed. */
export const misbehaving = (isolation: Partial<Isolation>, deed: string, ...args: unknown[]): LaunchSpec => ({
  name: "misbehaving",
  command: "node",
  args: [SERVER, deed, ...args.map(String)],
  env: {},
  isolation: { ...CLOSED, ...isolation },
});

/** The first line that a server says, as JSON; undefined when it ended without one. */
export async function firstLine(launched: Launched): Promise<Record<string, unknown> | undefined> {
  launched.stderr.resume();
  for await (const line of createInterface({ input: launched.stdout })) return JSON.parse(line);
  return undefined;
}

/** A text that no other process has in its command line; of digits, so that `sleep 300.<token>` is a time. */
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

/** The gateway's isolation as one file of JavaScript, for gateways that run in processes of their own. */
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

/** What a gateway in a process of its own says about a server that it started. */
export interface Started {
  driver: string;
  pid: number;
  line?: Record<string, unknown>;
  problem?: string;
}

/** A gateway in a process of its own, which starts servers and waits. */
export class SmallGateway {
  readonly child: ChildProcess;

  constructor(
    bundle: string,
    specs: readonly LaunchSpec[],
    options: SpawnOptions = {},
    /** A file that it is given open, as number 40: Node itself closes those up to 15 to its children. */
    inherited?: number,
  ) {
    const script = fileURLToPath(new URL("small-gateway.mjs", import.meta.url));
    this.child = spawn(process.execPath, [script, bundle], {
      cwd: "/",
      ...options,
      stdio: ["pipe", "pipe", "inherit", ...(inherited ? [...Array(37).fill("ignore"), inherited] : [])],
    });
    // On stdin and not as an argument: the gateway's own command line must not have the servers' arguments.
    this.child.stdin?.write(`${JSON.stringify(specs)}\n`);
  }

  /** What it says next; undefined when it has ended. */
  async next(): Promise<Started[] | undefined> {
    const { stdout } = this.child;
    if (!stdout) return undefined;
    for await (const line of createInterface({ input: stdout })) return JSON.parse(line);
    return undefined;
  }

  /** Ends it as nobody should. */
  async kill(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }

  /** Ends it well. */
  async stop(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.stdin?.end();
    await ended;
  }
}

/** A gateway in a process of its own, and the processes that belong to a stage. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../packages/gateway/dist/main.js", import.meta.url));

/** Marks the environment of a stage's gateways and of their servers. */
export const MARK = "CLUSTER_STAGE";

/** Most characters of a log that are kept. */
const LOG = 2_000_000;

/** A process that starts, ends, and starts again. */
export class GatewayProcess {
  child: ChildProcess | undefined;
  log = "";
  /** Ends that nobody asked for. */
  readonly crashes: string[] = [];
  readonly #file: string;
  readonly #mark: string;
  #isEnding = false;

  /**
   * @param file where its settings are
   * @param mark marks its processes
   */
  constructor(file: string, mark: string) {
    this.#file = file;
    this.#mark = mark;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  /** Starts it, and resolves when it listens. */
  async start(settings: object): Promise<void> {
    writeFileSync(this.#file, JSON.stringify(settings));
    const child = spawn(process.execPath, [MAIN, "--config", this.#file], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, VITRINE_KEY: "cd".repeat(32), [MARK]: this.#mark },
    });
    this.child = child;
    this.#isEnding = false;
    child.once("exit", (code, signal) => {
      if (!this.#isEnding)
        this.crashes.push(`a gateway ended by itself with ${signal ?? code}: ${this.log.slice(-2000)}`);
      if (this.child === child) this.child = undefined;
    });
    child.stderr.on("data", (data) => {
      this.log = (this.log + data).slice(-LOG);
    });
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}: ${this.log}`)));
      child.stdout.on("data", (data) => `${data}`.includes("→") && resolve());
    });
  }

  /** Ends it with a signal, and waits until it has ended. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.#isEnding = true;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

/** Processes with a mark: gateways, servers, and whatever they started. */
export const markedProcesses = (mark: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(pid, "environ")?.includes(`${MARK}=${mark}`));

/** Marked processes that none of these gateways has started. */
export function orphansOf(mark: string, gateways: readonly GatewayProcess[]): number[] {
  const roots = new Set(gateways.flatMap(({ child }) => child?.pid ?? []));
  const isOwned = (pid: number): boolean => {
    for (let each = pid; each > 1; each = parentOf(each)) if (roots.has(each)) return true;
    return false;
  };
  return markedProcesses(mark).filter((pid) => !isOwned(pid) && read(pid, "environ") !== undefined);
}

/** The fields after the name, which may have spaces and brackets: state, then the parent. */
const parentOf = (pid: number): number => Number(read(pid, "stat")?.split(") ").at(-1)?.split(" ")[1] ?? 0);

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // It has ended.
    return undefined;
  }
}

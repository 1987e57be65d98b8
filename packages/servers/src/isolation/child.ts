/**
 * Starts and ends the process of a server, for every driver.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { GatewayError } from "@vitrine/wire";
import { explainSpawn } from "../exit-cause.js";
import { withoutInherited } from "./descriptors.js";
import type { Instance } from "./instance.js";
import { MARK } from "./instance.js";
import type { DriverName, Exit, Launched } from "./isolation.js";
import { watchMemory } from "./memory-watch.js";
import { type Family, killFamily } from "./processes.js";
import { entrust, watch } from "./watchdog.js";

/** Milliseconds for each step of ending a process. */
export const GRACE = 1000;

/** The process that a driver starts. */
export interface Plan {
  driver: DriverName;
  /** The server's name, for messages. */
  name: string;
  instance: Instance;
  program: string;
  args: readonly string[];
  /** All variables except the mark. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /**
   * Texts that the program reads from the file descriptors 3, 4, …. Unlike arguments, other users cannot see
   * them.
   */
  data?: readonly string[];
  /** Maximum memory in bytes of all the server's processes together, if nothing else limits it. */
  memory?: number | undefined;
  /** Whether the memory limit ended one of its processes. */
  ranOutOfMemory?(): Promise<boolean>;
  /** Asks the server to exit. */
  terminate(family: Family): Promise<void>;
  /** Ends anything that is not a local process; runs before the remaining processes are killed. */
  kill?(): Promise<void>;
  /** Cleans up after all processes have ended. */
  cleanUp?(): Promise<void>;
}

export async function startChild(plan: Plan): Promise<Launched> {
  watch();
  const { data = [] } = plan;
  const child = spawn(plan.program, plan.args, {
    cwd: plan.cwd,
    env: { ...plan.env, [MARK]: plan.instance.mark },
    // A session and group of its own, so that signals of the gateway's terminal do not reach the server.
    detached: true,
    stdio: withoutInherited(["pipe", "pipe", "pipe", ...data.map(() => "pipe" as const)]),
  });
  const { stdin, stdout, stderr } = child;
  const ended = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  try {
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  } catch (error) {
    await plan.cleanUp?.();
    const { message, fault } = explainSpawn(error) ?? { message: String(error), fault: undefined };
    throw new GatewayError("server-failed", `The server "${plan.name}" cannot start: ${message}`, {
      cause: error,
      data: { fault },
    });
  }
  const { pid } = child;
  if (pid === undefined || !stdin || !stdout || !stderr) throw new Error("A process without pid or pipes.");
  for (const [index, text] of data.entries()) {
    const pipe = child.stdio[3 + index];
    if (pipe && "end" in pipe) pipe.on("error", ignore).end(text);
  }
  // `exited` reports the end. Without a listener, a broken pipe would crash the gateway.
  stdin.on("error", ignore);
  child.on("error", ignore);

  const family: Family = { mark: plan.instance.mark, leader: pid };
  const released = entrust(`group ${pid}`);
  let isExceeded = false;
  const unwatch =
    plan.memory === undefined
      ? ignore
      : watchMemory(pid, plan.memory, () => {
          isExceeded = true;
          // `gone` reports processes that do not end.
          killFamily(family).catch(ignore);
        });
  const exited = ended.then(async (exit): Promise<Exit> => {
    unwatch();
    const isOver = isExceeded || (exit.code !== 0 && (await plan.ranOutOfMemory?.()));
    return isOver ? { ...exit, outOfMemory: true } : exit;
  });
  /** When the server has ended for any reason, all processes that it started must end too. */
  const gone = exited.then(async () => {
    await plan.kill?.();
    await killFamily(family);
    released();
    await plan.cleanUp?.();
  });
  // Callers of `stop` get this error.
  gone.catch(ignore);

  async function end(grace: number): Promise<void> {
    stdin?.end();
    if (await endsWithin(exited, grace)) return gone;
    await plan.terminate(family);
    if (await endsWithin(exited, grace)) return gone;
    await plan.kill?.();
    await killFamily(family);
    return gone;
  }
  let ending: Promise<void> | undefined;
  return {
    driver: plan.driver,
    pid,
    stdin,
    stdout,
    stderr,
    exited,
    stop: (grace = GRACE) => (ending ??= end(grace)),
  };
}

async function endsWithin(exited: Promise<Exit>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([exited.then(() => true), late]);
  } finally {
    timer.abort();
  }
}

function ignore(): void {}

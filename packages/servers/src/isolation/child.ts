/**
 * A process that was started for a server, and how it is ended: the same for every driver.
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

/** Milliseconds for each step towards the end. */
export const GRACE = 1000;

/** What a driver wants to be started. */
export interface Plan {
  driver: DriverName;
  /** The server's name, for messages. */
  name: string;
  instance: Instance;
  program: string;
  args: readonly string[];
  /** All variables but the mark. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Texts that the program reads from the file descriptors 3, 4, …: arguments are seen by everybody, these are not. */
  data?: readonly string[];
  /** Bytes of memory that the server's processes may use together, where nothing else limits them. */
  memory?: number | undefined;
  /** Whether what limits its memory has ended one of its processes. */
  ranOutOfMemory?(): Promise<boolean>;
  /** Asks the server to end. */
  terminate(family: Family): Promise<void>;
  /** Ends what is no process of this machine; runs before the last processes are killed. */
  kill?(): Promise<void>;
  /** Removes what is left when nothing runs any more. */
  cleanUp?(): Promise<void>;
}

/** Starts a plan. */
export async function startChild(plan: Plan): Promise<Launched> {
  watch();
  const { data = [] } = plan;
  const child = spawn(plan.program, plan.args, {
    cwd: plan.cwd,
    env: { ...plan.env, [MARK]: plan.instance.mark },
    // A session and a group of its own: signals of the gateway's terminal are not the server's.
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
  // That it has gone is told by `exited`; without a listener a broken pipe would end the gateway.
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
          // What does not end is reported by `gone`.
          killFamily(family).catch(ignore);
        });
  const exited = ended.then(async (exit): Promise<Exit> => {
    unwatch();
    const isOver = isExceeded || (exit.code !== 0 && (await plan.ranOutOfMemory?.()));
    return isOver ? { ...exit, outOfMemory: true } : exit;
  });
  /** When the server has ended, so must all that it started, whoever ended it. */
  const gone = exited.then(async () => {
    await plan.kill?.();
    await killFamily(family);
    released();
    await plan.cleanUp?.();
  });
  // Who calls `stop` hears of it.
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

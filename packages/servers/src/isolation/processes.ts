/**
 * Finds and ends the processes of a server.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { GatewayError } from "@vitrine/wire";
import { MARK } from "./instance.js";

/** Milliseconds after which a process that does not end is reported. */
const KILL_TIMEOUT = 20_000;

/** Selects processes: those with the mark, and those of the group or session of `leader`. */
export interface Family {
  readonly mark: string;
  readonly leader: number;
}

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly isMember: boolean;
}

/**
 * The living processes of a family, parents before children where known. A process that cleared its
 * environment is still found by its group, session or parent.
 */
export async function findFamily(family: Family): Promise<{ pid: number; parent: number }[]> {
  const entries: Entry[] = [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    const entry = examine(Number(pid), family);
    if (entry) entries.push(entry);
    // These files are in memory: asynchronous reads would take ten times as long. Yield to other work now and
    // then.
    if (index % 64 === 63) await setImmediate();
  }
  const found = new Map(entries.filter((entry) => entry.isMember).map((entry) => [entry.pid, entry]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const entry of entries) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
  return [...found.values()];
}

function examine(pid: number, { mark, leader }: Family): Entry | undefined {
  const stat = readProc(pid, "stat");
  // The name is in parentheses and may contain anything.
  const [state, parent, group, session] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  if (state === undefined || state === "Z" || state === "X") return undefined;
  let isMember = Number(group) === leader || Number(session) === leader;
  if (!isMember) {
    const variables = readProc(pid, "environ")?.split("\0");
    isMember = variables?.includes(`${MARK}=${mark}`) ?? false;
  }
  return { pid, parent: Number(parent), isMember };
}

/** A file of a process; undefined if the process has ended or belongs to another user. */
export function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined;
  }
}

/**
 * Sends a signal. Returns false if the process does not exist. A process that may not be signalled counts as
 * existing.
 */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EPERM") return true;
    if (code === "ESRCH") return false;
    throw error;
  }
}

/** Kills all processes of a family. Resolves when none is left. */
export async function killFamily(family: Family): Promise<void> {
  const until = performance.now() + KILL_TIMEOUT;
  for (let pause = 1; ; pause = Math.min(pause * 2, 100)) {
    const left = await killOnce(family);
    if (left.length === 0) return;
    if (performance.now() > until) {
      throw new GatewayError(
        "server-failed",
        `Processes of a server could not be ended: ${left.join(", ")}. End them manually.`,
        { data: { pids: left } },
      );
    }
    await delay(pause);
  }
}

async function killOnce(family: Family): Promise<number[]> {
  // Only Linux shows the environment of other processes. Elsewhere, the group is all there is.
  if (process.platform !== "linux") return signal(-family.leader, "SIGKILL") ? [family.leader] : [];
  const pids = (await findFamily(family)).map(({ pid }) => pid);
  for (const pid of pids) signal(pid, "SIGKILL");
  return pids;
}

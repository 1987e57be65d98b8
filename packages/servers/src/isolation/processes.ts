/**
 * Finds and ends what a server has started.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { GatewayError } from "@vitrine/wire";
import { MARK } from "./instance.js";

/** Milliseconds after which a process that does not end is reported. */
const PATIENCE = 20_000;

/** Whose processes: those that carry the mark, and those of the group or session that `leader` began. */
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
 * The processes of a family that live, parents before children where that is known. A process that wiped its
 * environment still counts through its group, its session or its parent.
 */
export async function findFamily(family: Family): Promise<{ pid: number; parent: number }[]> {
  const entries: Entry[] = [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    const entry = examine(Number(pid), family);
    if (entry) entries.push(entry);
    // These files are memory: to wait for each takes ten times as long. But others want their turn.
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

/** A file of a process; undefined when the process has gone, or belongs to somebody else. */
export function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined;
  }
}

/** Sends a signal; false when there is nobody to get it. Who may not get it from here still counts as there. */
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

/** Ends all of a family with SIGKILL. Resolves when nothing is left. */
export async function killFamily(family: Family): Promise<void> {
  const until = performance.now() + PATIENCE;
  for (let pause = 1; ; pause = Math.min(pause * 2, 100)) {
    const left = await killOnce(family);
    if (left.length === 0) return;
    if (performance.now() > until) {
      throw new GatewayError(
        "server-failed",
        `Processes that a server started do not end: ${left.join(", ")}. End them by hand.`,
        { data: { pids: left } },
      );
    }
    await delay(pause);
  }
}

async function killOnce(family: Family): Promise<number[]> {
  // Elsewhere than on Linux nobody can see another process's environment: the group is all there is.
  if (process.platform !== "linux") return signal(-family.leader, "SIGKILL") ? [family.leader] : [];
  const pids = (await findFamily(family)).map(({ pid }) => pid);
  for (const pid of pids) signal(pid, "SIGKILL");
  return pids;
}

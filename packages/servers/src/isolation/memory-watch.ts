/**
 * Limits the memory of servers where control groups are not available. A single scan of `/proc` measures all
 * servers.
 *
 * The kernel's per-process limits are unsuitable: they count reserved memory, and Node.js 24 reserves 512 MB
 * for each JavaScript thread but uses only a few.
 *
 * @module
 */
import { readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { readProc } from "./processes.js";

/** Milliseconds between measurements: while all servers are far below their limits, and otherwise. */
const CALM = 500;
const ALERT = 100;

interface Watched {
  readonly leader: number;
  readonly limit: number;
  readonly onexceeded: () => void;
}

const watched = new Set<Watched>();
let timer: NodeJS.Timeout | undefined;

/**
 * Measures the memory of a process and its descendants, until the returned function is called.
 *
 * @param onexceeded called once, when together they use more than `limit` bytes
 */
export function watchMemory(leader: number, limit: number, onexceeded: () => void): () => void {
  const entry: Watched = { leader, limit, onexceeded };
  watched.add(entry);
  schedule(ALERT);
  return () => void watched.delete(entry);
}

/** Bytes that each of these processes uses, together with its descendants. Zero where `/proc` does not exist. */
export async function memoryOfFamilies(leaders: readonly number[]): Promise<number[]> {
  if (process.platform !== "linux" || leaders.length === 0) return leaders.map(() => 0);
  const children = await childrenByParent();
  return leaders.map((leader) => memoryOf(leader, children));
}

function schedule(ms: number): void {
  if (timer || watched.size === 0 || process.platform !== "linux") return;
  timer = setTimeout(async () => {
    const isCalm = await measure();
    timer = undefined;
    schedule(isCalm ? CALM : ALERT);
  }, ms).unref();
}

/** Returns whether all servers are far below their limits. */
async function measure(): Promise<boolean> {
  const children = await childrenByParent();
  let isCalm = true;
  for (const entry of [...watched]) {
    const used = memoryOf(entry.leader, children);
    if (used > entry.limit / 2) isCalm = false;
    if (used > entry.limit && watched.delete(entry)) entry.onexceeded();
  }
  return isCalm;
}

async function childrenByParent(): Promise<Map<number, number[]>> {
  const children = new Map<number, number[]>();
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    const stat = readProc(Number(pid), "stat");
    // The name is in parentheses and may contain anything.
    const parent = Number(stat?.slice(stat.lastIndexOf(")") + 2).split(" ", 2)[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
    if (index % 64 === 63) await setImmediate();
  }
  return children;
}

function memoryOf(pid: number, children: ReadonlyMap<number, readonly number[]>): number {
  let used = 0;
  const left = [pid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    used += usedBy(next);
    left.push(...(children.get(next) ?? []));
  }
  return used;
}

/** Bytes of a process's own memory, without its program and libraries, which are files. */
function usedBy(pid: number): number {
  const status = readProc(pid, "status") ?? "";
  const kilobytes = (name: string): number | undefined => {
    const [, value] = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status) ?? [];
    return value === undefined ? undefined : Number(value);
  };
  const anonymous = kilobytes("RssAnon");
  return (
    1024 * (anonymous === undefined ? (kilobytes("VmRSS") ?? 0) : anonymous + (kilobytes("RssShmem") ?? 0))
  );
}

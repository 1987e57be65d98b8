/**
 * How many connections and sessions this process can carry: by the files that it may open, and by its memory.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

/** Resources of a process. */
export interface Resources {
  /** Files that it may open. */
  readonly files: number;
  /** Bytes that its objects may take. */
  readonly memory: number;
}

/** The numbers that a process can carry. */
export interface Capacity {
  /** Connections of any kind. */
  readonly connections: number;
  /** Connections of sessions: plain requests always find room beside them. */
  readonly sockets: number;
  readonly sessions: number;
}

/** Bytes for a session with some views; an idle one takes less than half. */
const SESSION_BYTES = 32_768;
/** Files for the database and the pipes of servers: a quarter, within these limits. */
const SPARE_FILES = { least: 32, most: 1024 };

/** Half of the memory is left to calls, results and conversations. */
export function capacityOf({ files, memory }: Resources): Capacity {
  const spare = Math.min(Math.max(Math.floor(files / 4), SPARE_FILES.least), SPARE_FILES.most);
  const connections = Math.max(16, files - spare);
  const sockets = Math.floor(connections * 0.95);
  const sessions = Math.max(16, Math.min(sockets, Math.floor(memory / 2 / SESSION_BYTES)));
  return { connections, sockets, sessions };
}

let known: Capacity | undefined;

/** The capacity of this process. Both limits are fixed when it starts. */
export const capacity = (): Capacity => (known ??= capacityOf({ files: openFiles(), memory: memory() }));

/** Where the limit cannot be read, the default of macOS. */
const FILES = 10_240;

function openFiles(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    // A process with this many files could not be measured any more.
    return Math.min(limit === undefined ? FILES : Number(limit), 1_048_576);
  } catch {
    return FILES;
  }
}

/** The smallest of the heap's limit, the machine's memory and the control group's limit. */
function memory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = totalmem();
  const most = constrained > 0 ? Math.min(constrained, total) : total;
  return Math.min(getHeapStatistics().heap_size_limit, most);
}

/**
 * Explains why a server exited, and what to do about it.
 *
 * @module
 */
import { explainDownload } from "./failed-download.js";
import type { Exit, Isolation } from "./isolation/isolation.js";

/** A known cause of a program's failure, counted in `vitrine_server_faults_total`. */
export type ServerFault = (typeof FAULTS)[number];
const FAULTS = ["port-in-use", "out-of-memory", "too-many-files", "garbage", "download-failed"] as const;

export const isFault = (value: unknown): value is ServerFault => FAULTS.some((fault) => fault === value);

/** Messages of programs that ran out of memory, at the end of their output. */
const NO_MEMORY =
  /heap out of memory|OutOfMemoryError|MemoryError|std::bad_alloc|ENOMEM|Cannot allocate memory/;
const PORT_IN_USE = /EADDRINUSE|address already in use/i;
const TOO_MANY_FILES = /EMFILE|ENFILE|too many open files/i;
/** 128 + SIGKILL, the code that bubblewrap, containers and shells report. */
const KILLED = 137;

/** Explains an exit, using the end of the server's stderr. */
export function explainExit(
  exit: Exit,
  stderr: string,
  limits: Partial<Pick<Isolation, "memory" | "cpuSeconds">> = {},
): { message: string; fault?: ServerFault } {
  const { code, signal } = exit;
  const how = signal ? `the server was ended by ${signal}` : `the server ended with code ${code}`;
  if (code === 0 && exit.exceeded === undefined) return { message: how };
  const limit = limits.memory === undefined ? "" : ` (${Math.round(limits.memory / 1e6)} MB)`;
  const raise = `Raise "isolation.memory"${limit}`;
  if (exit.exceeded !== undefined) {
    const message = `the server was ended because servers together used more memory than "${exit.exceeded}" allows, and it used the most. Raise that limit, or lower "isolation.memory"${limit}`;
    return { fault: "out-of-memory", message };
  }
  if (exit.outOfMemory) {
    const message = `the server was ended because it used more memory than allowed. ${raise}`;
    return { fault: "out-of-memory", message };
  }
  if (signal === "SIGKILL" || code === KILLED) {
    const time = limits.cpuSeconds === undefined ? "" : `, or "isolation.cpuSeconds" (${limits.cpuSeconds})`;
    const message = `${how}: it was killed, as when memory runs out. ${raise}${time}, or free memory on this machine`;
    return { fault: "out-of-memory", message };
  }
  if (NO_MEMORY.test(stderr)) {
    return { fault: "out-of-memory", message: `${how}: it ran out of memory. ${raise}` };
  }
  if (PORT_IN_USE.test(stderr)) {
    const message = `${how}: a port that it listens on${portIn(stderr)} is in use. End the program that uses it, or give the server another port`;
    return { fault: "port-in-use", message };
  }
  const download = explainDownload(stderr);
  if (download !== undefined) return { fault: "download-failed", message: `${how}: ${download}` };
  if (TOO_MANY_FILES.test(stderr)) return { fault: "too-many-files", message: `${how}: ${TOO_MANY}` };
  return { message: how };
}

/** Used for a server, and for the gateway that starts it. */
const TOO_MANY =
  'too many files are open. Raise the limit for the gateway, which servers inherit: "ulimit -n", or "LimitNOFILE" of its systemd service';

/** Explains why a program could not be started, if there is more to say than the error itself. */
export function explainSpawn(error: unknown): { message: string; fault: ServerFault } | undefined {
  return TOO_MANY_FILES.test(String(error)) ? { fault: "too-many-files", message: TOO_MANY } : undefined;
}

/** The port as Node.js and most programs print it, such as `127.0.0.1:3000`. */
function portIn(stderr: string): string {
  const [, port] = /(?:EADDRINUSE|already in use)[^\n]*?:(\d{2,5})\b/i.exec(stderr) ?? [];
  return port === undefined ? "" : ` (${port})`;
}

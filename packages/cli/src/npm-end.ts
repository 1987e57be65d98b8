/**
 * Detects the end of npm for programs started by `npm start`: on some signals npm exits without ending its
 * programs, and the shell in between forwards none.
 *
 * @module
 */
import { readFileSync } from "node:fs";

/** Milliseconds between checks. */
const LOOK = 1_000;
/** Maximum processes in between: npm, its shell, and a script that starts this one. */
const MOST_LINKS = 6;

/**
 * Calls `act` when npm is gone. Does nothing if npm did not start this program, whose parent may then exit.
 */
export function whenNpmEnds(act: () => void): () => void {
  if (process.env["npm_lifecycle_event"] === undefined) return () => {};
  const chain = chainToNpm();
  const isWhole = (): boolean => chain.every((pid, at) => at === 0 || parentOf(chain[at - 1]) === pid);
  const timer = setInterval(() => {
    if (!isWhole()) act();
  }, LOOK).unref();
  return () => clearInterval(timer);
}

/** This process and its ancestors up to npm; if the system does not reveal them, this one and its parent. */
function chainToNpm(): number[] {
  const chain = [process.pid, process.ppid];
  for (let links = 0; links < MOST_LINKS; links++) {
    if (/^npm|npm-cli/.test(about(chain.at(-1), "cmdline"))) return chain;
    const next = parentOf(chain.at(-1));
    if (next === undefined || next <= 1) break;
    chain.push(next);
  }
  return chain.slice(0, 2);
}

function parentOf(pid: number | undefined): number | undefined {
  if (pid === process.pid) return process.ppid;
  // After the name, which may contain anything, come the state and the parent.
  const [, parent] = /.*\) \S (\d+)/s.exec(about(pid, "stat")) ?? [];
  return parent === undefined ? undefined : Number(parent);
}

/** Information about a process on Linux; empty elsewhere, or if the process is gone. */
function about(pid: number | undefined, what: "cmdline" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8");
  } catch {
    return "";
  }
}

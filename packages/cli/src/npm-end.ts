/**
 * The end of npm, for what `npm start` has started: npm ends by some signals without a word to its programs, and the shell between them hands on none.
 *
 * @module
 */
import { readFileSync } from "node:fs";

/** Milliseconds between two looks. */
const LOOK = 1_000;
/** npm, its shell, and a script that starts this one are between. */
const MOST_LINKS = 6;

/** Calls `act` when npm is gone. Does nothing for a program that npm did not start: its parent may end, and it may go on. */
export function whenNpmEnds(act: () => void): () => void {
  if (process.env["npm_lifecycle_event"] === undefined) return () => {};
  const chain = chainToNpm();
  const isWhole = (): boolean => chain.every((pid, at) => at === 0 || parentOf(chain[at - 1]) === pid);
  const timer = setInterval(() => {
    if (!isWhole()) act();
  }, LOOK).unref();
  return () => clearInterval(timer);
}

/** This process, those above it, and npm; where the system does not say who they are, this one and its parent. */
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
  // After the name, which may have anything in it: the state, and the parent.
  const [, parent] = /.*\) \S (\d+)/s.exec(about(pid, "stat")) ?? [];
  return parent === undefined ? undefined : Number(parent);
}

/** What Linux says about a process; nothing elsewhere, and of one that is gone. */
function about(pid: number | undefined, what: "cmdline" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8");
  } catch {
    return "";
  }
}

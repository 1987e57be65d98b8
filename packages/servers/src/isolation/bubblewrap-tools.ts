/**
 * Finds the programs that the driver `bubblewrap` needs, and checks that they work together.
 *
 * @module
 */
import { release } from "node:os";
import { GatewayError } from "@vitrine/wire";
import { type CgroupHome, findCgroupHome } from "./cgroup.js";
import { newInstance } from "./instance.js";
import { findProgram, searchPath } from "./program.js";

/** The programs that were found. */
export interface BubblewrapTools {
  readonly bwrap: string;
  readonly prlimit: string;
  /** Set only if the gateway is root and must switch to another user. */
  readonly setpriv: string | undefined;
  readonly cgroup: CgroupHome | undefined;
}

let found: Promise<BubblewrapTools> | undefined;

/** Finds the programs. The error says what to install. */
export function bubblewrapTools(): Promise<BubblewrapTools> {
  found ??= find();
  found.catch(() => (found = undefined));
  return found;
}

async function find(): Promise<BubblewrapTools> {
  if (process.platform !== "linux") throw unavailable("It exists on Linux only.");
  const isRoot = process.getuid?.() === 0;
  const need = async (program: string, packageName: string) => {
    const path = await findProgram(program, searchPath({}));
    if (path) return path;
    throw unavailable(`There is no "${program}". Install the package ${packageName}.`);
  };
  const bwrap = await need("bwrap", "bubblewrap");
  const prlimit = await need("prlimit", "util-linux");
  const setpriv = isRoot ? await need("setpriv", "util-linux") : undefined;
  const cgroup = await findCgroupHome(newInstance().mark);
  if (!isRoot && !cgroup && !countsByNamespace(release())) {
    throw unavailable(
      `The kernel ${release()} counts all processes of a user together. Use Linux 5.14 or later, or run the gateway as root.`,
    );
  }
  return { bwrap, prlimit, setpriv, cgroup };
}

/** Since Linux 5.14, the process limit counts per user namespace. */
export function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

function unavailable(message: string): GatewayError {
  return new GatewayError("isolation-unavailable", `bubblewrap cannot be used. ${message}`);
}

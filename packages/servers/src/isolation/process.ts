/**
 * The driver `process`: an ordinary process of the gateway's user. It is not sandboxed, but has its own
 * environment, a memory limit, and a limit of processor time where `prlimit` (util-linux) is installed. It is
 * ended together with its child processes.
 *
 * @module
 */
import { startChild } from "./child.js";
import { newInstance } from "./instance.js";
import type { Isolation, Launched, LaunchSpec } from "./isolation.js";
import { signal } from "./processes.js";
import { findProgram, needProgram, searchPath } from "./program.js";

/** Limits that the kernel enforces per process. */
export function perProcessLimits({ cpuSeconds }: Pick<Isolation, "cpuSeconds">): string[] {
  return ["--core=0", ...(cpuSeconds === undefined ? [] : [`--cpu=${Math.ceil(cpuSeconds)}`])];
}

/** Starts a server as an ordinary process. Apart from the declared variables, it gets only `PATH`. */
export async function launchProcess(spec: LaunchSpec): Promise<Launched> {
  const program = await needProgram(spec);
  const prlimit = await findProgram("prlimit", searchPath({}));
  const limits = prlimit ? [prlimit, ...perProcessLimits(spec.isolation), "--"] : [];
  const [first = program, ...args] = [...limits, program, ...spec.args];
  return startChild({
    driver: "process",
    name: spec.name,
    instance: newInstance(),
    program: first,
    args,
    env: { PATH: searchPath({}), ...spec.env },
    cwd: spec.cwd ?? spec.folder ?? process.cwd(),
    memory: spec.isolation.memory,
    async terminate({ leader }) {
      signal(-leader, "SIGTERM");
    },
  });
}

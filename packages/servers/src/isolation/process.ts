/**
 * The driver `process`: an ordinary process of the gateway's user. It closes nothing, but has an environment of its
 * own, a limit of memory, one of processor time where `prlimit` (util-linux) is installed, and is ended with all that it
 * started.
 *
 * @module
 */
import { startChild } from "./child.js";
import { newInstance } from "./instance.js";
import type { Isolation, Launched, LaunchSpec } from "./isolation.js";
import { signal } from "./processes.js";
import { findProgram, needProgram, searchPath } from "./program.js";

/** Limits that the kernel keeps for each process. */
export function perProcessLimits({ cpuSeconds }: Pick<Isolation, "cpuSeconds">): string[] {
  return ["--core=0", ...(cpuSeconds === undefined ? [] : [`--cpu=${Math.ceil(cpuSeconds)}`])];
}

/** Starts a server as an ordinary process. `PATH` is all that it gets beside the variables that are declared. */
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

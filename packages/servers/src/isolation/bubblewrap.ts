/**
 * The driver `bubblewrap`: runs a process in its own namespaces. It sees the system's programs, its own
 * program, the granted paths, and an empty `/tmp`. It has no network and no capabilities, and cannot create
 * namespaces.
 *
 * @module
 */

import { bubblewrapArguments } from "./bubblewrap-arguments.js";
import { type BubblewrapTools, bubblewrapTools } from "./bubblewrap-tools.js";
import { createCgroup } from "./cgroup.js";
import { startChild } from "./child.js";
import { grantEntries } from "./grants.js";
import {
  type Access,
  findClosed,
  type Identity,
  needAccess,
  ownerOf,
  returnIdentity,
  switchTo,
  takeIdentity,
} from "./identity.js";
import { newInstance } from "./instance.js";
import type { Launched, LaunchSpec } from "./isolation.js";
import { perProcessLimits } from "./process.js";
import { findFamily, signal } from "./processes.js";
import { needProgram, searchPath } from "./program.js";
import { programEntries } from "./readable.js";

/** Joins control groups before executing the next program, so that no process is ever outside of them. */
const JOIN = `while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"`;

/** Starts a server under bubblewrap. */
export async function launchBubblewrap(spec: LaunchSpec): Promise<Launched> {
  const tools = await bubblewrapTools();
  return launchWith(tools, spec);
}

/** Like {@link launchBubblewrap}, with programs that were found before. */
export async function launchWith(tools: BubblewrapTools, spec: LaunchSpec): Promise<Launched> {
  const { name, isolation } = spec;
  const program = await needProgram(spec);
  const granted = await grantEntries(spec);
  const needed = [...(await programEntries(program, spec.args)), ...granted];
  const owner = tools.setpriv ? await ownerOf(name, granted) : undefined;
  const own = tools.setpriv && !owner ? takeIdentity() : undefined;
  const identity = owner ?? own;
  const instance = newInstance();
  const undo: (() => unknown)[] = [];
  if (own) undo.push(() => returnIdentity(own));
  const cleanUp = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const as: Access = identity && tools.setpriv ? { identity, setpriv: tools.setpriv } : {};
    await needAccess(name, needed, as);
    // Many servers are scripts for a `node` that is found by name. Provide the one that runs the gateway, if
    // it is accessible.
    const node = await programEntries(process.execPath, []);
    const entries = (await findClosed(node, as)) ? needed : [...node, ...needed];
    const group = tools.cgroup && (await createCgroup(tools.cgroup, instance.mark, isolation));
    if (group) undo.push(() => group.remove());
    const args = bubblewrapArguments(spec, entries, instance);
    const [first = tools.bwrap, ...rest] = [
      ...(group ? ["/bin/sh", "-c", JOIN, "sh", ...group.folders, "--"] : []),
      ...(as.identity ? [as.setpriv, ...switchTo(as.identity), "--"] : []),
      ...[tools.bwrap, "--args", "3", "--"],
      // The limit counts the processes of one user in one namespace.
      ...[tools.prlimit, `--nproc=${isolation.processes + 2}`, ...perProcessLimits(isolation), "--"],
      ...[program, ...spec.args],
    ];
    return await startChild({
      driver: "bubblewrap",
      name,
      instance,
      program: first,
      args: rest,
      data: [args.map((arg) => `${arg}\0`).join(""), passwd(identity)],
      env: { PATH: searchPath({}) },
      cwd: "/",
      ...(group ? { ranOutOfMemory: () => group.ranOutOfMemory() } : { memory: isolation.memory }),
      async terminate({ leader, mark }) {
        // Ending bubblewrap's own two processes would kill the server immediately.
        for (const { pid, parent } of await findFamily({ leader, mark })) {
          if (pid !== leader && parent !== leader) signal(pid, "SIGTERM");
        }
      },
      cleanUp,
    });
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

/** Many programs exit if their user has no name. */
function passwd(identity: Identity | undefined): string {
  const uid = identity?.uid ?? process.getuid?.();
  const gid = identity?.gid ?? process.getgid?.();
  return `server:x:${uid}:${gid}::/tmp:/bin/sh\n`;
}

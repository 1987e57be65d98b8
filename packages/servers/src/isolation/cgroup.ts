/**
 * Control groups: the only way to limit the memory of a server and all its processes together. They are used
 * where the gateway may create them: as root, or where systemd delegates a subtree to its user.
 *
 * @module
 */
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { GatewayError } from "@vitrine/wire";
import type { Isolation } from "./isolation.js";
import { entrust } from "./watchdog.js";

/** The location where groups are created. */
export interface CgroupHome {
  readonly version: 1 | 2;
  /** Parent folders of each server's group, and the limits to write there. */
  readonly folders: readonly { path: string; limits: readonly Limit[] }[];
}

/** The limits of a group. */
type Limits = Pick<Isolation, "memory" | "processes">;

/** A file, and the limit that is written into it. A group may lack a file that is `optional`. */
interface Limit {
  readonly file: string;
  readonly value: (limits: Limits) => number;
  readonly optional?: boolean;
}

/** The group of one server. */
export interface Cgroup {
  readonly folders: readonly string[];
  /** Whether the kernel killed one of its processes because of the memory limit. */
  ranOutOfMemory(): Promise<boolean>;
  /** Removes the group, which must be empty. */
  remove(): Promise<void>;
}

const memory = ({ memory }: Limits) => memory;
/** Includes the processes of the sandbox itself. */
const processes = ({ processes }: Limits) => processes + 3;
const none = () => 0;

/** Files in which the kernel counts processes that it killed for lack of memory. */
const EVENTS = ["memory.events", "memory.oom_control"];

const V1 = {
  memory: [
    { file: "memory.limit_in_bytes", value: memory },
    // Memory together with swap, where swap is counted.
    { file: "memory.memsw.limit_in_bytes", value: memory, optional: true },
  ],
  pids: [{ file: "pids.max", value: processes }],
} as const satisfies Record<string, readonly Limit[]>;
const V2: readonly Limit[] = [
  { file: "memory.max", value: memory },
  { file: "memory.swap.max", value: none, optional: true },
  { file: "pids.max", value: processes },
];

/**
 * Finds where this process may create groups for memory and processes, by creating one; undefined if it may
 * not.
 */
export async function findCgroupHome(id: string, proc = "/proc/self"): Promise<CgroupHome | undefined> {
  for (const home of await homesOf(proc)) {
    try {
      const group = await createCgroup(home, `${id}-try`, { memory: 2 ** 26, processes: 8 });
      await group.remove();
      return home;
    } catch {
      // Not permitted here: try the next location.
    }
  }
  return undefined;
}

/** Possible locations of groups, version 2 first. */
export async function homesOf(proc: string): Promise<CgroupHome[]> {
  const [own, mounts] = await Promise.all([readLines(`${proc}/cgroup`), readLines(`${proc}/mountinfo`)]);
  const homes = [await unifiedHome(own, mounts), separateHome(own, mounts)];
  return homes.filter((home) => home !== undefined);
}

/** Creates a group. */
export async function createCgroup(home: CgroupHome, id: string, limits: Limits): Promise<Cgroup> {
  const folders = home.folders.map(({ path }) => join(path, `vitrine-${id}`));
  const released = folders.map((folder) => entrust(`folder ${folder}`));
  const group: Cgroup = {
    folders,
    async ranOutOfMemory() {
      // Both versions contain the line `oom_kill 1`.
      const files = folders.flatMap((folder) => EVENTS.map((file) => join(folder, file)));
      const lines = (await Promise.all(files.map(readLines))).flat();
      return lines.some((line) => /^oom_kill [1-9]/.test(line));
    },
    async remove() {
      await Promise.all(folders.map(removeFolder));
      for (const release of released) release();
    },
  };
  try {
    await Promise.all(
      home.folders.map(async (folder, index) => {
        const path = folders[index] ?? "";
        await mkdir(path);
        for (const { file, value, optional } of folder.limits) {
          const written = writeFile(join(path, file), String(value(limits)), { flag: "r+" });
          await (optional ? written.catch(() => undefined) : written);
        }
      }),
    );
    return group;
  } catch (error) {
    await group.remove();
    throw new GatewayError("isolation-unavailable", `No control group could be made: ${String(error)}`, {
      cause: error,
    });
  }
}

/** The kernel needs a moment to notice that a group is empty. */
async function removeFolder(path: string): Promise<void> {
  for (let pause = 1; ; pause *= 2) {
    try {
      return await rmdir(path);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT") return;
      if (code !== "EBUSY" || pause > 2000) throw error;
    }
    await delay(pause);
  }
}

/**
 * Version 2. A group that contains processes cannot have limited children, so new groups are created beside
 * it.
 */
async function unifiedHome(own: string[], mounts: string[]): Promise<CgroupHome | undefined> {
  const path = folderOf(own, mounts, "", (type) => type === "cgroup2");
  if (!path) return undefined;
  const home = path.isTop ? path.folder : dirname(path.folder);
  try {
    const enabled = await readFile(join(home, "cgroup.subtree_control"), "utf8");
    if (!/\bmemory\b/.test(enabled) || !/\bpids\b/.test(enabled)) {
      await writeFile(join(home, "cgroup.subtree_control"), "+memory +pids", { flag: "r+" });
    }
    return { version: 2, folders: [{ path: home, limits: V2 }] };
  } catch {
    return undefined;
  }
}

/** Version 1: a separate tree for each kind of limit. */
function separateHome(own: string[], mounts: string[]): CgroupHome | undefined {
  const folders: CgroupHome["folders"][number][] = [];
  for (const [kind, limits] of Object.entries(V1)) {
    const path = folderOf(
      own,
      mounts,
      kind,
      (type, options) => type === "cgroup" && options.split(",").includes(kind),
    );
    if (!path) return undefined;
    folders.push({ path: path.folder, limits });
  }
  return { version: 1, folders };
}

/** The folder of this process's own group in a tree. */
function folderOf(
  own: string[],
  mounts: string[],
  kind: string,
  fits: (type: string, options: string) => boolean,
): { folder: string; isTop: boolean } | undefined {
  // 4:memory:/path
  const line = own.map((text) => text.split(":")).find(([, kinds]) => kinds?.split(",").includes(kind));
  const group = line?.slice(2).join(":");
  if (group === undefined) return undefined;
  for (const text of mounts) {
    // 36 35 98:0 /root /mount/point options… - type source options
    const [left = "", right = ""] = text.split(" - ");
    const [, , , root = "/", mountPoint = ""] = left.split(" ");
    const [type = "", , options = ""] = right.split(" ");
    if (!fits(type, options)) continue;
    const way = relative(root, group);
    if (way.startsWith("..")) continue;
    return { folder: join(mountPoint, way), isTop: way === "" };
  }
  return undefined;
}

async function readLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  } catch {
    return [];
  }
}

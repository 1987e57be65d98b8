/**
 * Control groups: the only way to limit the memory of a server and all its processes together. They are used where
 * the gateway may create them: as root, or where systemd handed a part of the tree to its user.
 *
 * @module
 */
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { GatewayError } from "@vitrine/wire";
import type { Isolation } from "./isolation.js";
import { entrust } from "./watchdog.js";

/** Where groups are created. */
export interface CgroupHome {
  readonly version: 1 | 2;
  /** Folders in which one is made for each server, and the limits to write there. */
  readonly folders: readonly { path: string; limits: readonly Limit[] }[];
}

/** What a group limits. */
type Limits = Pick<Isolation, "memory" | "processes">;

/** A file, and which of a server's limits goes into it. A group may lack a file that is `optional`. */
interface Limit {
  readonly file: string;
  readonly value: (limits: Limits) => number;
  readonly optional?: boolean;
}

/** A group of one server. */
export interface Cgroup {
  readonly folders: readonly string[];
  /** Whether the kernel has ended one of its processes because they used too much memory. */
  ranOutOfMemory(): Promise<boolean>;
  /** Removes it; it must be empty. */
  remove(): Promise<void>;
}

const memory = ({ memory }: Limits) => memory;
/** Beside the server's own processes there are those that close it in. */
const processes = ({ processes }: Limits) => processes + 3;
const none = () => 0;

/** Where the kernel counts processes that it ended for lack of memory. */
const EVENTS = ["memory.events", "memory.oom_control"];

const V1 = {
  memory: [
    { file: "memory.limit_in_bytes", value: memory },
    // Together with swap, where that is counted.
    { file: "memory.memsw.limit_in_bytes", value: memory, optional: true },
  ],
  pids: [{ file: "pids.max", value: processes }],
} as const satisfies Record<string, readonly Limit[]>;
const V2: readonly Limit[] = [
  { file: "memory.max", value: memory },
  { file: "memory.swap.max", value: none, optional: true },
  { file: "pids.max", value: processes },
];

/** Where this process may create groups for memory and processes; undefined where it may not. Really tried. */
export async function findCgroupHome(id: string, proc = "/proc/self"): Promise<CgroupHome | undefined> {
  for (const home of await homesOf(proc)) {
    try {
      const group = await createCgroup(home, `${id}-try`, { memory: 2 ** 26, processes: 8 });
      await group.remove();
      return home;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** Where groups would be created, the newer kind first. */
export async function homesOf(proc: string): Promise<CgroupHome[]> {
  const [own, mounts] = await Promise.all([readLines(`${proc}/cgroup`), readLines(`${proc}/mountinfo`)]);
  const homes = [await unifiedHome(own, mounts), separateHome(own, mounts)];
  return homes.filter((home) => home !== undefined);
}

/** Creates a group; throws when that fails. */
export async function createCgroup(home: CgroupHome, id: string, limits: Limits): Promise<Cgroup> {
  const folders = home.folders.map(({ path }) => join(path, `vitrine-${id}`));
  const released = folders.map((folder) => entrust(`folder ${folder}`));
  const group: Cgroup = {
    folders,
    async ranOutOfMemory() {
      // Version 2, and version 1: `oom_kill 1`.
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

/** The kernel takes a moment to see that a group is empty. */
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

/** Version 2. A group with processes of its own cannot have limited children, so they are made beside it. */
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

/** Version 1: a tree for each kind of limit. */
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

/** The folder of this process's own group in one tree. */
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

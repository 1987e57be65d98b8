/**
 * Builds the arguments of `bwrap` for a server. They are passed through a pipe, because they contain secrets
 * (the values of variables), and every user of a machine can read the command line of a process.
 *
 * @module
 */
import { lstatSync, readlinkSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import type { Instance } from "./instance.js";
import { MARK } from "./instance.js";
import type { LaunchSpec } from "./isolation.js";
import { USUAL_PATH } from "./program.js";
import { type Entry, isInside } from "./readable.js";

/** Usually links into `/usr`. */
const SYSTEM = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Files that programs need to start and to check certificates; nothing about users or services. */
const SETTINGS = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
  "/etc/localtime",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust",
];
/** Files for name resolution. */
const NETWORK = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/nsswitch.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/protocols",
];
/** Size of `/dev/shm` in bytes. Some programs require it. */
const SHARED_MEMORY = 2 ** 20;

/** All arguments before the program. File descriptor 4 provides the text of `/etc/passwd`. */
export function bubblewrapArguments(
  spec: LaunchSpec,
  entries: readonly Entry[],
  instance: Instance,
): string[] {
  const { isolation, env, cwd } = spec;
  const variables = { PATH: pathInside(entries), HOME: "/tmp", ...env, [MARK]: instance.mark };
  return [
    "--unshare-all",
    ...(isolation.network ? ["--share-net"] : []),
    // Without `--disable-userns`, being root in a nested namespace would expose more of the kernel.
    ...["--unshare-user", "--disable-userns"],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/usr", "/usr"],
    ...SYSTEM.flatMap(systemFolder),
    ...[...SETTINGS, ...(isolation.network ? NETWORK : [])].flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--ro-bind-data", "4", "/etc/passwd"],
    ...["--proc", "/proc", "--dev", "/dev", "--size", `${SHARED_MEMORY}`, "--tmpfs", "/dev/shm"],
    // `/dev` is a tmpfs without a size limit, so it becomes read-only.
    ...["--remount-ro", "/dev"],
    ...["--size", `${isolation.tmp}`, "--tmpfs", "/tmp"],
    ...inOrder(entries).flatMap(entryArguments),
    // Last, because the mount points above are created in it.
    ...["--remount-ro", "/"],
    "--clearenv",
    ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", cwd ?? "/tmp"],
  ];
}

function systemFolder(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/**
 * Sorts folders before their contents, which they would cover otherwise. For the same path, the writable
 * entry wins.
 */
function inOrder(entries: readonly Entry[]): Entry[] {
  const rank = ({ kind }: Entry) => ["link", "read", "write"].indexOf(kind);
  const byPath = new Map<string, Entry>();
  for (const entry of [...entries].sort((a, b) => rank(a) - rank(b))) byPath.set(entry.path, entry);
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function entryArguments(entry: Entry): string[] {
  if (entry.kind === "link") return ["--symlink", entry.target, entry.path];
  return [entry.kind === "write" ? "--bind" : "--ro-bind", entry.path, entry.path];
}

/** The gateway's own search path, limited to folders that exist in the sandbox. */
function pathInside(entries: readonly Entry[]): string {
  const isThere = (folder: string) =>
    [...SYSTEM, "/usr"].some((system) => isInside(folder, system)) ||
    entries.some(({ kind, path }) => (kind === "link" ? dirname(path) === folder : isInside(folder, path)));
  const folders = [dirname(process.execPath), ...(process.env["PATH"] ?? "").split(delimiter)];
  const inside = folders.filter((folder) => folder.startsWith("/") && isThere(folder));
  return [...new Set([...inside, ...USUAL_PATH.split(delimiter)])].join(delimiter);
}

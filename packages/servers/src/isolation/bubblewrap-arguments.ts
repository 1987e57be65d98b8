/**
 * The arguments of `bwrap` for a server. They are given through a pipe: the values of variables are secrets, and
 * everybody on a machine can read the command line of a process.
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

/** On most systems links into `/usr`. */
const SYSTEM = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** What programs need to start and to check certificates; nothing about users or services. */
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
/** How names become addresses. */
const NETWORK = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/nsswitch.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/protocols",
];
/** Bytes of `/dev/shm`: some programs look for it. */
const SHARED_MEMORY = 2 ** 20;

/** All arguments before the program. The file descriptor 4 has the text of `/etc/passwd`. */
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
    // Without the second, root in a namespace of its own would be a way to more of the kernel.
    ...["--unshare-user", "--disable-userns"],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/usr", "/usr"],
    ...SYSTEM.flatMap(systemFolder),
    ...[...SETTINGS, ...(isolation.network ? NETWORK : [])].flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--ro-bind-data", "4", "/etc/passwd"],
    ...["--proc", "/proc", "--dev", "/dev", "--size", `${SHARED_MEMORY}`, "--tmpfs", "/dev/shm"],
    // The folder of the devices is memory without a limit.
    ...["--remount-ro", "/dev"],
    ...["--size", `${isolation.tmp}`, "--tmpfs", "/tmp"],
    ...inOrder(entries).flatMap(entryArguments),
    // Last: what is bound above is made in it.
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

/** Folders before what lies in them, or they would cover it; of two for the same path, that which may be written. */
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

/** The gateway's own search path, as far as its folders are inside. */
function pathInside(entries: readonly Entry[]): string {
  const isThere = (folder: string) =>
    [...SYSTEM, "/usr"].some((system) => isInside(folder, system)) ||
    entries.some(({ kind, path }) => (kind === "link" ? dirname(path) === folder : isInside(folder, path)));
  const folders = [dirname(process.execPath), ...(process.env["PATH"] ?? "").split(delimiter)];
  const inside = folders.filter((folder) => folder.startsWith("/") && isThere(folder));
  return [...new Set([...inside, ...USUAL_PATH.split(delimiter)])].join(delimiter);
}

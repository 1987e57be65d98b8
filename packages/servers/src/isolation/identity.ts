/**
 * The user that a sandboxed server runs as. A gateway that runs as root gives each server its own user id, so
 * that its processes are counted separately and it owns nothing on the disk. A gateway of an ordinary user
 * cannot do that: the server runs as the same user, without access to that user's files.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { GatewayError } from "@vitrine/wire";
import type { Entry } from "./readable.js";

/** The ids that systemd assigns to services dynamically. No person and no file has one of them. */
const FIRST = 61_184;
const LAST = 65_519;

/** A user and a group. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const inUse = new Set<number>();

/** Reserves an id that no other server of this gateway has; release it with {@link returnIdentity}. */
export function takeIdentity(): Identity {
  if (inUse.size > LAST - FIRST) throw new GatewayError("overloaded", "Too many servers are running.");
  let uid = randomInt(FIRST, LAST + 1);
  while (inUse.has(uid)) uid = uid === LAST ? FIRST : uid + 1;
  inUse.add(uid);
  return { uid, gid: uid };
}

export function returnIdentity({ uid }: Identity): void {
  inUse.delete(uid);
}

/**
 * The user who can write to the granted folders. As root, that is their common owner, who must not be root:
 * no owner is changed, and no server runs as root. Undefined if everybody can write to them.
 */
export async function ownerOf(name: string, entries: readonly Entry[]): Promise<Identity | undefined> {
  let owner: (Identity & { path: string }) | undefined;
  for (const { kind, path } of entries) {
    if (kind !== "write") continue;
    const { mode, uid, gid } = await stat(path);
    if ((mode & 0o003) === 0o003) continue;
    if (uid === 0) {
      throw new GatewayError(
        "isolation-unavailable",
        `The server "${name}" may write to ${path}, which belongs to root, but no server runs as root. Give the folder to another user (chown), and the server will run as that user, or run the gateway as an ordinary user.`,
      );
    }
    if (owner && owner.uid !== uid) {
      throw new GatewayError(
        "isolation-unavailable",
        `The server "${name}" may write to ${owner.path} and ${path}, which belong to two users, but it can run as only one. Give both to the same user (chown).`,
      );
    }
    owner ??= { uid, gid, path };
  }
  return owner && { uid: owner.uid, gid: owner.gid };
}

/** Throws unless the server can access all granted paths. The error explains more than bubblewrap's own. */
export async function needAccess(name: string, entries: readonly Entry[], as: Access): Promise<void> {
  const closed = await findClosed(entries, as);
  if (!closed) return;
  const who = as.identity ? `the server's user (${as.identity.uid})` : "the gateway's user";
  throw new GatewayError(
    "isolation-unavailable",
    `The server "${name}" cannot start: ${who} may not ${closed.kind} ${closed.path}, or may not enter a folder above it. Change its mode (chmod), or move it.`,
  );
}

/** The user whose access is checked: the gateway's own, or another one by means of `setpriv`. */
export type Access = { identity: Identity; setpriv: string } | { identity?: undefined };

/** The first entry that the server could not access. */
export async function findClosed(entries: readonly Entry[], as: Access): Promise<Entry | undefined> {
  for (const entry of entries) {
    if (entry.kind === "link") continue;
    const { kind, path } = entry;
    const isOpen = as.identity ? await canReachAs(as, kind, path) : await canReach(kind, path);
    if (!isOpen) return entry;
  }
  return undefined;
}

async function canReach(kind: "read" | "write", path: string): Promise<boolean> {
  try {
    await access(path, kind === "write" ? constants.W_OK : constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** With access control lists, file modes are only a hint, so the check runs as the other user. */
async function canReachAs(
  { identity, setpriv }: { identity: Identity; setpriv: string },
  kind: "read" | "write",
  path: string,
): Promise<boolean> {
  if (kind === "read" && (await isOpenToAll(path))) return true;
  try {
    await promisify(execFile)(setpriv, [
      ...switchTo(identity),
      ...["test", kind === "write" ? "-w" : "-r", path],
    ]);
    return true;
  } catch {
    return false;
  }
}

async function isOpenToAll(path: string): Promise<boolean> {
  const real = await realpath(path);
  for (let part = real; part !== "/"; part = dirname(part)) {
    const { mode } = await stat(part);
    const needed = part === real ? 0o004 : 0o001;
    if ((mode & needed) === 0) return false;
  }
  return true;
}

/** The arguments of `setpriv` that run a program as another user. */
export const switchTo = ({ uid, gid }: Identity): string[] => [
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
];

/**
 * Who a closed-in server is. A gateway that runs as root gives each server a user id of its own, so that its number of
 * processes is counted alone and that nothing on the disk belongs to it. A gateway of an ordinary user cannot, and
 * the server is that user, without the person's files.
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

/** The ids that systemd gives to services for the time that they run: no person and no file has one of them. */
const FIRST = 61_184;
const LAST = 65_519;

/** A user and a group. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const inUse = new Set<number>();

/** Takes an id that no other server of this gateway has; give it back with {@link returnIdentity}. */
export function takeIdentity(): Identity {
  if (inUse.size > LAST - FIRST) throw new GatewayError("overloaded", "Too many servers run at a time.");
  let uid = randomInt(FIRST, LAST + 1);
  while (inUse.has(uid)) uid = uid === LAST ? FIRST : uid + 1;
  inUse.add(uid);
  return { uid, gid: uid };
}

export function returnIdentity({ uid }: Identity): void {
  inUse.delete(uid);
}

/**
 * Who can write to the granted folders. As root, that is their owner, if it is one and not root: nothing is given
 * away by changing owners, and no server runs as root. Undefined when everybody can write to them.
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
        `The server "${name}" may write to ${path}, but that belongs to root, and no server runs as root. Give the folder to another user (chown), who the server will then be, or run the gateway as an ordinary user.`,
      );
    }
    if (owner && owner.uid !== uid) {
      throw new GatewayError(
        "isolation-unavailable",
        `The server "${name}" may write to ${owner.path} and ${path}, but they belong to two users, and it can be one only. Give both to the same user (chown).`,
      );
    }
    owner ??= { uid, gid, path };
  }
  return owner && { uid: owner.uid, gid: owner.gid };
}

/** Throws unless the server will reach all that was opened to it: bubblewrap itself would say less. */
export async function needAccess(name: string, entries: readonly Entry[], as: Access): Promise<void> {
  const closed = await findClosed(entries, as);
  if (!closed) return;
  const who = as.identity ? `the user ${as.identity.uid}, as whom the server runs,` : "the gateway's user";
  throw new GatewayError(
    "isolation-unavailable",
    `The server "${name}" cannot start: ${who} may not ${closed.kind} ${closed.path}, or may not enter a folder above it. Change its mode (chmod), or move it.`,
  );
}

/** Who is asked for: the gateway's own user, or another with the help of `setpriv`. */
export type Access = { identity: Identity; setpriv: string } | { identity?: undefined };

/** The first of some entries that the server could not use. */
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

/** Modes say no more than a hint where there are access control lists: the other user is asked. */
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

/** The arguments of `setpriv` that make a program another user. */
export const switchTo = ({ uid, gid }: Identity): string[] => [
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
];

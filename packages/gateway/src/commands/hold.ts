/**
 * The `hold` command: legal holds. It works while the gateway runs, and on the database of a stopped one.
 *
 * @module
 */
import { pipeline } from "node:stream/promises";
import { GatewayError } from "@vitrine/wire";
import { rowLine } from "../store/export.js";
import { openGuest } from "../store/guest.js";
import type { HoldScope, LegalHold, LegalHolds } from "../store/legal-holds.js";
import { openStore } from "../store/open.js";
import { type CommandLine, settingsOf } from "./settings.js";

const DAY = 86_400_000;
const USAGE =
  "hold: use add with --reason and at least one of --user, --server, --from and --to; list; export ID; or remove ID";
const out = (text: string): void => void process.stdout.write(`${text}\n`);

/** The options of `hold add`. */
export interface HoldOptions {
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly reason?: string | undefined;
}

/** Runs the command; returns the exit code. */
export async function holdCommand(
  [what = "", id = ""]: readonly string[],
  options: HoldOptions,
  line: CommandLine,
): Promise<number> {
  const needsId = what === "remove" || what === "export";
  if (!/^(add|list|export|remove)$/.test(what) || needsId !== (id !== ""))
    throw new GatewayError("config-invalid", USAGE);
  const scope = what === "add" ? scopeOf(options) : undefined;
  const { database, dataFolder: folder } = await settingsOf(line);
  const { holds, close } = await openHolds(database, folder);
  try {
    if (scope) {
      const hold = await holds.add({ ...scope, reason: options.reason ?? "" });
      out(`${hold.id} holds ${described(hold)}`);
      return 0;
    }
    if (what === "list") {
      const list = await holds.list();
      for (const each of list)
        out(`${each.id}  ${each.isEnding ? "ends now" : "in force"}  ${described(each)}  (${each.reason})`);
      if (list.length === 0) out("there are no legal holds");
      return 0;
    }
    if (!(await holds.list()).some((each) => each.id === id))
      throw new GatewayError("config-invalid", `there is no legal hold ${id}: hold list shows them`);
    if (what === "export") {
      await pipeline(exported(holds, id), process.stdout, { end: false }).catch((error) => {
        if (Object(error).code !== "EPIPE") throw error;
      });
      return 0;
    }
    out((await holds.end(id)) ? `${id} has ended` : `${id} had ended before`);
    return 0;
  } finally {
    await close();
  }
}

async function* exported(holds: LegalHolds, id: string): AsyncGenerator<string> {
  for await (const row of holds.rows({ id })) yield `${rowLine(row)}\n`;
  for await (const conversation of holds.conversations(id)) yield `${JSON.stringify({ conversation })}\n`;
}

/** As the owner of the database if it can be; otherwise beside the gateway that is. */
async function openHolds(
  database: string,
  folder: string,
): Promise<{ holds: LegalHolds; close(): Promise<void> }> {
  try {
    return await openStore(database, { folder, ownerTimeout: 0 });
  } catch (error) {
    if (error instanceof GatewayError && error.data["inUse"] === true) return openGuest(database);
    throw error;
  }
}

function scopeOf({ user, server, from, to }: HoldOptions): HoldScope {
  return {
    ...(user !== undefined && { user }),
    ...(server !== undefined && { server }),
    ...(from !== undefined && { from: timeOf(from, "--from").first }),
    ...(to !== undefined && { to: timeOf(to, "--to").last }),
  };
}

/** A day in UTC, or a moment. */
function timeOf(text: string, option: string): { first: number; last: number } {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new GatewayError(
      "config-invalid",
      `${option}: write a day like 2026-03-31, or a time like 2026-03-31T12:00:00Z`,
    );
  return { first: time, last: isDay ? time + DAY - 1 : time };
}

function described({ user, server, from, to }: LegalHold): string {
  const parts = [
    user === undefined ? "" : `of user ${user}`,
    server === undefined ? "" : `about server ${server}`,
    from === undefined ? "" : `from ${new Date(from).toISOString()}`,
    to === undefined ? "" : `until ${new Date(to).toISOString()}`,
  ];
  return ["everything", ...parts.filter(Boolean)].join(" ");
}

/**
 * Remembers which entries of the settings file this gateway has really used.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { ServerSettings } from "@vitrine/servers";
import { substanceOf } from "./needs-terminal.js";
import type { PlacedEntry } from "./settings-entries.js";
import type { WrittenEntry } from "./setup-host.js";

type Servers = ReadonlyMap<string, ServerSettings>;

const keyOf = (name: string, entry: WrittenEntry): string => `${name} ${substanceOf(entry)}`;

/** Entries that were in force, exactly as they were written. */
export class UsedServers {
  readonly #used = new Set<string>();

  has(name: string, entry: WrittenEntry): boolean {
    return this.#used.has(keyOf(name, entry));
  }

  /** Learns the entries that, as they were read, are servers in force. A run may use only some of a file. */
  learn(entries: readonly PlacedEntry[], read: Servers, inForce: Servers): void {
    for (const { name, entry } of entries) {
      const [written, running] = [read.get(name), inForce.get(name)];
      if (entry["disabled"] !== true && written && running && isSameServer(written, running))
        this.#used.add(keyOf(name, entry));
    }
  }
}

/** Whether both are the same program or address. The command line may add variables to those of the file. */
function isSameServer(
  { transport: written }: ServerSettings,
  { transport: running }: ServerSettings,
): boolean {
  if (written.type !== "stdio" || running.type !== "stdio") return isDeepStrictEqual(written, running);
  const env = Object.fromEntries(Object.keys(written.env).map((key) => [key, running.env[key]]));
  return isDeepStrictEqual(written, { ...running, env });
}

/**
 * Provides PostgreSQL for the tests of the store: installs Debian's package if there is none and this runs
 * as root. Without it those tests are skipped, and say so.
 *
 * As a command: `node scripts/postgres.mjs` prints the folder of its programs.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "./apt.mjs";

const PACKAGES = "/usr/lib/postgresql";

/** The folder of the newest installed PostgreSQL programs; undefined if there are none. */
export const findPostgres = () =>
  (existsSync(PACKAGES) ? readdirSync(PACKAGES) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(PACKAGES, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));

/** Same as {@link findPostgres}, but installs one if there is none and it can. */
export function ensurePostgres() {
  return findPostgres() ?? (installPackage("postgresql") ? findPostgres() : undefined);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = ensurePostgres();
  console.log(folder ?? "No PostgreSQL: install the package postgresql to run its tests.");
  process.exitCode = folder ? 0 : 1;
}

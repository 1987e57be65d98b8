/**
 * Makes sure that there is a PostgreSQL for the tests of the store: installs Debian's package when root and there is none.
 * Without it those tests are skipped, and say so.
 *
 * As a command: `node scripts/postgres.mjs` says where its programs are.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "./apt.mjs";

const PACKAGES = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs, the newest there is; undefined when there is none. */
export const findPostgres = () =>
  (existsSync(PACKAGES) ? readdirSync(PACKAGES) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(PACKAGES, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));

/** As {@link findPostgres}, but installs one when there is none and it can. */
export function ensurePostgres() {
  return findPostgres() ?? (installPackage("postgresql") ? findPostgres() : undefined);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = ensurePostgres();
  console.log(folder ?? "No PostgreSQL: install the package postgresql to run its tests.");
  process.exitCode = folder ? 0 : 1;
}

/**
 * A PostgreSQL server for measurements.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Starts the PostgreSQL of the tests, whose source is TypeScript. */
export async function openPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const outfile = join(folder, "postgres.mjs");
  const entryPoints = [fileURLToPath(new URL("../../testing/postgres.ts", import.meta.url))];
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile });
  const { startPostgres } = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  const postgres = await startPostgres();
  if (!postgres) throw new Error("there is no PostgreSQL");
  return postgres;
}

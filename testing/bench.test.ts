/** The bench is no test, but it must not rot: its modules load, and loading them starts nothing. */
import { readdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const BENCH = fileURLToPath(new URL("../bench/", import.meta.url));
const OWN = ["browser", "bytes", "contenders", "roundtrip", "run", "shortfalls", "startup", "statistics"];

it.each(OWN)("bench/%s.mjs loads", async (name) => {
  expect(readdirSync(BENCH)).toContain(`${name}.mjs`);
  const module: Record<string, unknown> = await import(pathToFileURL(`${BENCH}${name}.mjs`).href);
  expect(Object.values(module).length).toBeGreaterThan(0);
});

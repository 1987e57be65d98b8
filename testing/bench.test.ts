/** Keeps the benchmarks working: their modules load, and loading them starts nothing. */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const BENCH = fileURLToPath(new URL("../bench/", import.meta.url));
const OWN = ["browser", "bytes", "contenders", "roundtrip", "run", "shortfalls", "startup", "statistics"];
const HOSTS = ["fifty", "large", "many", "mount", "roundtrips", "shortfalls", "site", "stage"];
const CONVERSATION = [
  "conversation",
  "first-partial",
  "hundred-turns",
  "model-server",
  "stage",
  "thousand-turns",
  "tokens",
];
const GATEWAY = [
  "database-load",
  "forward",
  "idle",
  "isolation",
  "lease-simulation",
  "round-trip",
  "stage",
  "storm",
  "views",
];
const SERVER = ["document", "servers"];
const WORKBENCH = ["first-paint", "inspector", "start"];
const ALL = [
  ...OWN,
  ...HOSTS.map((name) => `hosts/${name}`),
  ...CONVERSATION.map((name) => `conversation/${name}`),
  ...GATEWAY.map((name) => `gateway/${name}`),
  ...SERVER.map((name) => `server/${name}`),
  ...WORKBENCH.map((name) => `workbench/${name}`),
];

it.each(ALL)("bench/%s.mjs loads", async (name) => {
  expect(existsSync(`${BENCH}${name}.mjs`)).toBe(true);
  const module: Record<string, unknown> = await import(pathToFileURL(`${BENCH}${name}.mjs`).href);
  expect(Object.values(module).length).toBeGreaterThan(0);
});

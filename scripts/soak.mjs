/**
 * `npm run soak`: three nodes under load: each fault by itself, then one after another for ten minutes. `npm run soak -- 3600` runs for an
 * hour.
 */
import { spawnSync } from "node:child_process";

const seconds = process.argv[2] ?? "600";
if (!/^\d+$/.test(seconds)) {
  console.error(`soak: write the number of seconds, not ${JSON.stringify(seconds)}`);
  process.exit(2);
}
const { status: built } = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
if (built !== 0) process.exit(1);
const { status } = spawnSync(
  "npx",
  ["vitest", "run", "packages/gateway/src/faults/cluster.test.ts", "--retry=0"],
  { stdio: "inherit", env: { ...process.env, VITRINE_SOAK: seconds } },
);
process.exit(status ?? 1);

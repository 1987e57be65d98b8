/**
 * `npm run soak`: three nodes, forty users with a program and a page each, and one fault after another for ten minutes: every kind of
 * fault at least once.
 * `npm run soak -- 3600` runs for an hour, and `npm run soak -- 3600 200` with two hundred users, who need more than two cores. A third number is the seed of the
 * faults' order, 1 by default.
 */
import { spawnSync } from "node:child_process";

const [seconds = "600", users = "40", seed = "1"] = process.argv.slice(2);
for (const each of [seconds, users, seed]) {
  if (/^[1-9]\d*$/.test(each)) continue;
  console.error(`soak: write numbers of seconds and users, and a seed, not ${JSON.stringify(each)}`);
  process.exit(2);
}
const { status: built } = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
if (built !== 0) process.exit(1);
const { status } = spawnSync("npx", ["vitest", "run", "testing/cluster/soak.test.ts", "--retry=0"], {
  stdio: "inherit",
  env: { ...process.env, VITRINE_SOAK: seconds, VITRINE_SOAK_USERS: users, VITRINE_SOAK_SEED: seed },
});
process.exit(status ?? 1);

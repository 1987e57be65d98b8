/**
 * `npm run pictures`: writes the pictures of the workbench's screens anew (packages/workbench/src/ui/screens/pictures). Pictures
 * that look the same stay as they are. `npm run pictures -- --full FOLDER` also writes them in full size, to look at.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { full: { type: "string" } } });
const root = fileURLToPath(new URL("..", import.meta.url));
const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
process.exitCode =
  run(process.execPath, ["scripts/build.mjs"]) ||
  run(process.execPath, [vitest, "run", "packages/workbench/src/ui/screens/screens.browser.test.ts"], {
    VITRINE_PICTURES: "renew",
    ...(values.full !== undefined && { VITRINE_PICTURES_FULL: values.full }),
  });

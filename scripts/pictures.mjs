/**
 * `npm run pictures`: compares every screen of the workbench with its picture (packages/workbench/src/ui/screens/pictures), and
 * checks it with axe.
 *
 * - `--renew` writes the pictures anew. Pictures that look the same stay as they are.
 * - `--full FOLDER` also writes them in full size, to look at.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { full: { type: "string" }, renew: { type: "boolean" } } });
const root = fileURLToPath(new URL("..", import.meta.url));
const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
process.exitCode =
  run(process.execPath, ["scripts/build.mjs"]) ||
  run(process.execPath, [vitest, "run", "packages/workbench/src/ui/screens/screens.browser.test.ts"], {
    VITRINE_PICTURES: values.renew ? "renew" : "compare",
    ...(values.full !== undefined && { VITRINE_PICTURES_FULL: values.full }),
  });

/**
 * `npm run docs`: builds the documentation site into `site/.vitepress/dist`. `npm run docs:dev` serves it while you write. The site has its
 * own dependencies, which are installed at the first run.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import "./build.mjs";

const site = new URL("../site/", import.meta.url);
if (!existsSync(new URL("node_modules/.package-lock.json", site))) {
  const { status } = spawnSync("npm ci", { cwd: fileURLToPath(site), stdio: "inherit", shell: true });
  if (status !== 0) throw new Error("npm ci failed in the folder site");
}
await import("../site/main.mjs");

/**
 * `npm run docs`: builds the documentation site into `site/.vitepress/dist`. `npm run docs:dev` serves it
 * while you write. The site has its own dependencies, which are installed on the first run.
 */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import "./build.mjs";

const site = new URL("../site/", import.meta.url);
const changed = (path) => statSync(new URL(path, site), { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (changed("node_modules/.package-lock.json") < changed("package-lock.json")) {
  const { status } = spawnSync("npm ci", { cwd: fileURLToPath(site), stdio: "inherit", shell: true });
  if (status !== 0) throw new Error("npm ci failed in the folder site");
}
await import("../site/main.mjs");

/**
 * Detects package runners such as `npx`, which download a server at each start. Without network access they
 * wait for minutes, and fail with an error that explains neither the cause nor the solution.
 *
 * @module
 */
import { access } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { GatewayError } from "@vitrine/wire";
import type { LaunchSpec } from "./isolation.js";
import { findProgram, searchPath } from "./program.js";

/**
 * Package runners, with the words before the package name, and the command that installs a package
 * permanently.
 */
const RUNNERS: readonly { words: readonly string[]; install: string }[] = [
  { words: ["npx"], install: "npm install --global" },
  { words: ["npm", "exec"], install: "npm install --global" },
  { words: ["npm", "x"], install: "npm install --global" },
  { words: ["pnpx"], install: "pnpm add --global" },
  { words: ["pnpm", "dlx"], install: "pnpm add --global" },
  { words: ["yarn", "dlx"], install: "npm install --global" },
  { words: ["bunx"], install: "bun add --global" },
  { words: ["uvx"], install: "uv tool install" },
  { words: ["uv", "tool", "run"], install: "uv tool install" },
  { words: ["pipx", "run"], install: "pipx install" },
];

/** Options that prevent downloads. */
const OFFLINE = new Set(["--offline", "--no-install", "--no"]);
/** Variables that point a runner to earlier downloads. */
const CACHES = ["npm_config_cache", "npm_config_offline", "UV_CACHE_DIR", "UV_OFFLINE", "PIPX_HOME"];

/**
 * npm's retries. By default, npm says nothing for more than a minute when it cannot reach its registry, and the server's start times
 * out before the reason is known.
 */
const QUICK_FETCH = {
  npm_config_fetch_retries: "1",
  npm_config_fetch_retry_mintimeout: "500",
  npm_config_fetch_retry_maxtimeout: "2000",
  npm_config_fetch_timeout: "15000",
};

/** A server that npm downloads, with settings that make npm report within seconds that it cannot. Those of `env` have precedence. */
export function reportQuickly(spec: LaunchSpec): LaunchSpec {
  const program = basename(spec.command);
  return program === "npx" || program === "npm" ? { ...spec, env: { ...QUICK_FETCH, ...spec.env } } : spec;
}

/**
 * Rejects a server that would have to be downloaded without network access. Installed packages are fine.
 *
 * @throws {GatewayError} `isolation-unavailable`, with what to grant or to install
 */
export async function needDownload(spec: LaunchSpec): Promise<void> {
  const { name, command, args, env, isolation } = spec;
  if (isolation.network || CACHES.some((variable) => env[variable] !== undefined)) return;
  const said = [basename(command), ...args];
  const runner = RUNNERS.find(({ words }) => words.every((word, index) => said[index] === word));
  if (!runner) return;
  const rest = said.slice(runner.words.length);
  if (rest.some((arg) => OFFLINE.has(arg))) return;
  const wanted = rest.find((arg) => !arg.startsWith("-")) ?? "";
  if (wanted === "" || (await isInstalled(wanted, spec))) return;
  const by = runner.words.join(" ");
  throw new GatewayError(
    "isolation-unavailable",
    `The server "${name}" cannot start: "${by}" downloads "${wanted}" at each start, but the server has no network access. ` +
      `Set "isolation": { "network": true } for it (--network on the command line), or install it ("${runner.install} ${wanted}") and set "command" to its program.`,
    { data: { driver: "bubblewrap", needs: "network" } },
  );
}

/** Whether the program exists in the runner's folders. */
async function isInstalled(wanted: string, { env, cwd = process.cwd() }: LaunchSpec): Promise<boolean> {
  if (wanted.startsWith("/") || wanted.startsWith(".")) return exists(resolve(cwd, wanted));
  // `@scope/name@1.2.3` usually provides the program `name`; the package would have to be read to be certain.
  const program = basename(wanted.replace(/(?<=.)@[^/]*$/, ""));
  if (await findProgram(program, searchPath(env))) return true;
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (await exists(join(folder, "node_modules/.bin", program))) return true;
    if (folder === dirname(folder)) return false;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

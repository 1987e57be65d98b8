/**
 * `npm run build`: builds everything if any of its inputs has changed. `npm start` waits for it, so
 * detecting that nothing changed takes milliseconds.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writePackLists } from "./pack-list.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = join(root, "node_modules/.cache/vitrine-build");

/** Every package has a copy, which goes into its tarball. */
const LICENSE = "LICENSE";
const TSC = "node_modules/typescript/bin/tsc";
const FIRST = [
  TSC,
  "-b",
  ...[
    "protocol",
    "wire",
    "view",
    "sandbox",
    "guard",
    "host",
    "server",
    "servers",
    "conversation",
    "gateway",
  ].map((name) => `packages/${name}`),
];
/** These depend on the first step, and not on each other. */
const REST = [
  ["view", "server", "sandbox", "servers", "conversation", "gateway"].map((name) => [
    `packages/${name}/build.mjs`,
  ]),
  [
    [TSC, "-b", "packages/workbench", "packages/workbench/tsconfig.node.json", "packages/cli"],
    ["packages/cli/build.mjs"],
  ],
  [["node_modules/vite/bin/vite.js", "build", "packages/workbench", "--logLevel", "warn"]],
];
/** Files that must exist, whatever the stamp says. */
const RESULTS = [
  "packages/protocol/dist/index.js",
  "packages/wire/dist/index.js",
  "packages/view/dist/vitrine.js",
  "packages/guard/dist/index.js",
  "packages/sandbox/dist/index.js",
  "packages/host/dist/index.js",
  "packages/server/dist/templates/pages-text.js",
  "packages/server/dist/chunks",
  "packages/servers/dist/chunks",
  "packages/conversation/dist/index.js",
  "packages/gateway/dist/main.js",
  "packages/gateway/dist/chunks",
  "packages/workbench/dist/node/index.js",
  "packages/workbench/dist/page/index.html",
  "packages/cli/dist/main.js",
  "packages/cli/dist/demos/weather.js",
];

/** A hash of the names, sizes and times of all inputs. */
function inputs() {
  const hash = createHash("sha256");
  const add = (path) => {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  };
  const addSources = (folder) => {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !/\.(test|test-d|examples)\.tsx?$/.test(path)) add(path);
    }
  };
  const shared = [
    "package-lock.json",
    "tsconfig.base.json",
    "scripts/build.mjs",
    "scripts/bundle.mjs",
    "scripts/licenses.mjs",
    "scripts/pack-list.mjs",
  ];
  for (const name of shared) add(join(root, name));
  for (const name of readdirSync(join(root, "packages")).sort()) {
    const folder = join(root, "packages", name);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile() && entry.name !== LICENSE) add(join(folder, entry.name));
    }
    addSources(join(folder, "src"));
  }
  addSources(join(root, "examples/demos"));
  return hash.digest("hex");
}

/** Runs commands one after the other; stops at the first that fails. */
async function run(steps) {
  for (const step of steps) {
    const [code] = await once(spawn(process.execPath, step, { cwd: root, stdio: "inherit" }), "exit");
    if (code !== 0) process.exit(code ?? 1);
  }
}

const before = inputs();
const isBuilt = RESULTS.every((path) => existsSync(join(root, path)));
if (!isBuilt || !existsSync(stamp) || readFileSync(stamp, "utf8") !== before) {
  // To stderr, and not with `npm --silent`, because stdout may be read by a program.
  if (process.env.npm_config_loglevel !== "silent")
    process.stderr.write(isBuilt ? "Building what has changed…\n" : "Building, once: about a minute…\n");
  rmSync(stamp, { force: true });
  await run([FIRST]);
  await Promise.all(REST.map(run));
  for (const name of readdirSync(join(root, "packages")))
    copyFileSync(join(root, LICENSE), join(root, "packages", name, LICENSE));
  writePackLists(join(root, "packages"));
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, before);
}

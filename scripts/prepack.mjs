/**
 * Runs before a package is packed or published, in its folder. Refuses a package that is not built, or whose build is older than
 * its sources.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const folder = process.cwd();
const root = join(folder, "../..");
const { exports = {}, bin = {} } = JSON.parse(readFileSync("package.json", "utf8"));

function refuse(why) {
  console.error(
    `${basename(folder)} cannot be packed: ${why}. Run \`npm run build\` in the repository first.`,
  );
  process.exit(1);
}

const entries = [
  ...Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry))),
  ...Object.values(bin),
  "README.md",
  "LICENSE",
];
const missing = entries.find((entry) => !existsSync(join(folder, entry)));
if (missing) refuse(`${missing} is missing`);

const isSource = (path) => /\.(ts|tsx|css|html)$/.test(path) && !/\.(test|test-d|examples)\.tsx?$/.test(path);
const sources = ["src", ...(basename(folder) === "cli" ? [join(root, "examples/demos")] : [])];
const changed = sources.flatMap((source) =>
  readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter(isSource)
    .map((path) => statSync(join(source, path)).mtimeMs),
);
const stamp = join(root, "node_modules/.cache/vitrine-build");
if (!existsSync(stamp) || Math.max(...changed) > statSync(stamp).mtimeMs)
  refuse("its build is older than its sources");

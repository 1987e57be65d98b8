/**
 * `npm run packages`: copies the shared fields of the root's `package.json` into every package: version,
 * licence, addresses, Node versions, and publishing options. The version also goes into the code. `--check`
 * only compares; lint calls it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const root = read("package.json");
const SHARED = ["version", "license", "engines", "homepage", "bugs"];
const ORDER = [
  "name",
  "version",
  "description",
  "keywords",
  "license",
  "homepage",
  "bugs",
  "repository",
  "type",
  "sideEffects",
  "engines",
  "bin",
  "exports",
  "files",
  "scripts",
  "dependencies",
  "devDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "publishConfig",
];

/** A package's `package.json` with the shared fields. */
function complete(folder, own) {
  const ours = (dependencies) =>
    dependencies &&
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [
        name,
        name === "vitrine" || name.startsWith("@vitrine/") ? root.version : range,
      ]),
    );
  const whole = {
    ...own,
    ...Object.fromEntries(SHARED.map((key) => [key, root[key]])),
    keywords: [...new Set([...root.keywords, ...(own.keywords ?? [])])],
    repository: { ...root.repository, directory: `packages/${folder}` },
    scripts: {
      ...own.scripts,
      test: "node ../../scripts/test.mjs",
      prepack: "node ../../scripts/prepack.mjs",
    },
    dependencies: ours(own.dependencies),
    devDependencies: ours(own.devDependencies),
    publishConfig: { access: "public", provenance: true },
  };
  const keys = [...ORDER, ...Object.keys(whole).filter((key) => !ORDER.includes(key))];
  return Object.fromEntries(keys.flatMap((key) => (whole[key] === undefined ? [] : [[key, whole[key]]])));
}

const isCheck = process.argv.includes("--check");
const problems = [];

/** Writes a file, or with `--check` only compares. */
function put(path, after) {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (before === after) return;
  if (isCheck) problems.push(`${path} differs from what package.json says: run \`npm run packages\``);
  else writeFileSync(path, after);
}

for (const folder of readdirSync("packages").sort()) {
  const path = `packages/${folder}/package.json`;
  if (!existsSync(path)) continue;
  put(path, `${JSON.stringify(complete(folder, read(path)), undefined, 2)}\n`);
}
put(
  "packages/wire/src/release.ts",
  `/** The version of all Vitrine packages. \`npm run packages\` writes this file from the root's \`package.json\`. */
export const VITRINE_VERSION = "${root.version}";
`,
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

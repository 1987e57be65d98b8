/**
 * `npm run version-packages`: applies the changesets. Raises the version in the root's `package.json`, writes it into every package, and
 * moves the changesets' texts to the top of CHANGELOG.md.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = ".changeset";
const CHANGELOG = "CHANGELOG.md";
const KINDS = ["major", "minor", "patch"];
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** A changeset: the largest version step that it requests, and its text. */
function readChangeset(name) {
  const [, head = "", text = ""] =
    /^---\n([\s\S]*?)^---\n([\s\S]*)$/m.exec(readFileSync(`${FOLDER}/${name}`, "utf8")) ?? [];
  const kind = KINDS.find((each) => new RegExp(`: ${each}$`, "m").test(head));
  if (!kind || text.trim() === "")
    throw new Error(`${FOLDER}/${name} needs a package with its step, and a text`);
  return { kind, text: text.trim() };
}

function run(path, words = []) {
  const { status } = spawnSync(process.execPath, [path, ...words], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const changesets = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .sort()
  .map(readChangeset);
if (changesets.length === 0) {
  console.error("No changesets: nothing to release. `npx changeset` writes one.");
  process.exit(1);
}
run(fileURLToPath(new URL("../node_modules/@changesets/cli/bin.js", import.meta.url)), ["version"]);
// All packages have the same version: they are one fixed group.
const root = read("package.json");
root.version = read("packages/protocol/package.json").version;
writeFileSync("package.json", `${JSON.stringify(root, undefined, 2)}\n`);
run(fileURLToPath(new URL("packages.mjs", import.meta.url)));

const sections = KINDS.flatMap((kind) => {
  const texts = changesets
    .filter((each) => each.kind === kind)
    .map(({ text }) => `- ${text.replaceAll("\n", "\n  ")}`);
  return texts.length === 0
    ? []
    : [`### ${kind[0].toUpperCase()}${kind.slice(1)} changes\n\n${texts.join("\n")}\n`];
});
// After the introduction, before the last release.
const [intro = "", ...releases] = readFileSync(CHANGELOG, "utf8").split(/^(?=## )/m);
const release = `## ${root.version}\n\n${sections.join("\n")}\n`;
writeFileSync(CHANGELOG, `${[`${intro.trimEnd()}\n\n${release}`, ...releases].join("").trimEnd()}\n`);

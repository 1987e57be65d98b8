/** All packages share one version; changesets raise it and write the changelog. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vitrine-version-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const json = (path: string) => JSON.parse(read(path));
const run = (...words: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  return { status, stderr };
};

/** Copies the files that a release changes to a temporary folder. */
const packages = readdirSync(join(ROOT, "packages"));
for (const name of packages) {
  mkdirSync(join(folder, "packages", name, "src"), { recursive: true });
  cpSync(join(ROOT, "packages", name, "package.json"), join(folder, "packages", name, "package.json"));
}
for (const path of ["package.json", "CHANGELOG.md", ".changeset", "scripts", "packages/wire/src/release.ts"])
  cpSync(join(ROOT, path), join(folder, path), { recursive: true });
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
// Changesets of the next release are not part of the tests.
for (const name of readdirSync(join(folder, ".changeset")))
  if (name.endsWith(".md")) rmSync(join(folder, ".changeset", name));

it("a version that differs from the root's is found, and written everywhere", () => {
  const { version } = json("package.json");
  expect(run("scripts/packages.mjs", "--check")).toEqual({ status: 0, stderr: "" });
  writeFileSync(
    join(folder, "package.json"),
    read("package.json").replace(`"version": "${version}"`, '"version": "9.8.7"'),
  );
  const { status, stderr } = run("scripts/packages.mjs", "--check");
  expect(status).toBe(1);
  for (const name of packages) expect(stderr).toContain(`packages/${name}/package.json differs`);
  expect(stderr).toContain("packages/wire/src/release.ts differs");
  expect(run("scripts/packages.mjs").status).toBe(0);
  expect(run("scripts/packages.mjs", "--check").status).toBe(0);
  expect(read("packages/wire/src/release.ts")).toContain('VITRINE_VERSION = "9.8.7"');
  expect(json("packages/cli/package.json").dependencies["@vitrine/gateway"]).toBe("9.8.7");
});

it("changesets raise the version of all packages by the largest step, and their texts are in the changelog", () => {
  expect(run("scripts/version.mjs").status, "without a changeset").toBe(1);
  const write = (name: string, head: string, text: string): void =>
    writeFileSync(join(folder, ".changeset", `${name}.md`), `---\n${head}\n---\n\n${text}\n`);
  write("a", '"@vitrine/host": patch', "Frames no longer flicker.");
  write("b", '"@vitrine/view": minor\n"vitrine": patch', "Views can share files.\nSee docs/views.");
  expect(run("scripts/version.mjs")).toMatchObject({ status: 0 });
  for (const name of packages) expect(json(`packages/${name}/package.json`).version, name).toBe("9.9.0");
  expect(json("package.json").version).toBe("9.9.0");
  expect(run("scripts/packages.mjs", "--check").status).toBe(0);
  const log = read("CHANGELOG.md");
  expect(log).toContain(
    "\n## 9.9.0\n\n### Minor changes\n\n- Views can share files.\n  See docs/views.\n\n### Patch changes\n\n- Frames no longer flicker.\n",
  );
  expect(readdirSync(join(folder, ".changeset")).filter((name) => name.endsWith(".md"))).toEqual([]);
  write("c", '"@vitrine/host": patch', "Another.");
  expect(run("scripts/version.mjs").status).toBe(0);
  expect(read("CHANGELOG.md").indexOf("## 9.9.1")).toBeLessThan(read("CHANGELOG.md").indexOf("## 9.9.0"));
});

it("the programs print the version of the root", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const program of ["gateway/bin/vitrine-gateway.mjs", "cli/bin/vitrine.mjs"]) {
    const words = [join(ROOT, "packages", program), "--version"];
    expect(spawnSync(process.execPath, words, { encoding: "utf8" }).stdout, program).toBe(`${version}\n`);
  }
});

/** Knip finds no unused file, export or dependency. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vitrine-unused-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function knip(cwd: string): { status: number | null; said: string } {
  const words = [join(ROOT, "node_modules/knip/bin/knip.js"), "--no-progress", "--no-config-hints"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, encoding: "utf8" });
  return { status, said: `${stdout}${stderr}` };
}

it("nothing in this repository is unused", () => {
  expect(knip(ROOT)).toEqual({ status: 0, said: "" });
});

it("an unused file, export or dependency is found", () => {
  const source = join(folder, "packages/wire/src");
  mkdirSync(source, { recursive: true });
  cpSync(join(ROOT, "knip.jsonc"), join(folder, "knip.jsonc"));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  write("package.json", '{"name":"root","workspaces":["packages/*"]}');
  write("packages/wire/package.json", '{"name":"wire","dependencies":{"left-pad":"1.0.0"}}');
  write("packages/wire/src/main.ts", 'import { used } from "./frame.js";\nused();\n');
  write("packages/wire/src/frame.ts", "export const used = () => 1;\nexport const forgotten = () => 2;\n");
  write("packages/wire/src/old.ts", "export const old = 1;\n");
  const { status, said } = knip(folder);
  expect(status).toBe(1);
  for (const each of ["src/old.ts", "left-pad", "forgotten"]) expect(said).toContain(each);
  expect(said).not.toContain("used  ");
});

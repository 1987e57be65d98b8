/** `npm run snippets` copies compiled code into documents and doc comments. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/snippets.mjs", import.meta.url));

const SOURCE = `import { type Tool, tool, view } from "@vitrine/server";
import type { Detail } from "@vitrine/server/templates";
import { z } from "zod";
import { near } from "./near.js";

export function example() {
  //#region detail
  // A view of zod's.
  const shown: Tool = view({ name: "z", tool: "near", detail: spec.z });
  //#endregion detail
  return shown;
}

//#region typed
type Title = Detail["title"];
//#endregion typed

//#region relative
near();
//#endregion relative
`;

/** Runs the script in a folder with a document and a source file that show a region, and returns both. */
function run(region: string, ...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-snippets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "docs"));
  mkdirSync(join(folder, "packages"));
  const fence = "```";
  writeFileSync(join(folder, "packages/a.examples.ts"), SOURCE);
  writeFileSync(
    join(folder, "packages/a.ts"),
    `/**\n * ${fence}ts source="./a.examples.ts#${region}"\n * ${fence}\n */\n`,
  );
  writeFileSync(
    join(folder, "docs/a.md"),
    `${fence}ts source="../packages/a.examples.ts#${region}"\n${fence}\n`,
  );
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...options], {
    cwd: folder,
    encoding: "utf8",
  });
  const lines = (path: string): string[] => readFileSync(join(folder, path), "utf8").trimEnd().split("\n");
  return {
    status,
    stderr,
    document: lines("docs/a.md").slice(1, -1),
    comment: lines("packages/a.ts").slice(2, -2),
  };
}

it("a document gets the imports that the region uses; a doc comment gets the region alone", () => {
  const code = [
    "// A view of zod's.",
    'const shown: Tool = view({ name: "z", tool: "near", detail: spec.z });',
  ];
  const { status, document, comment } = run("detail");
  expect(document).toEqual(['import { type Tool, view } from "@vitrine/server";', "", ...code]);
  expect(comment).toEqual(code.map((line) => ` * ${line}`));
  expect(status).toBe(0);
  expect(run("typed").document).toEqual([
    'import type { Detail } from "@vitrine/server/templates";',
    "",
    'type Title = Detail["title"];',
  ]);
});

it("a region of a document that needs a file beside it is refused", () => {
  const { status, stderr } = run("relative");
  expect(status).toBe(1);
  expect(stderr).toContain("near comes from ./near.js: import it by the name of its package");
});

it("--check fails on a difference and writes nothing", () => {
  const { status, stderr, document } = run("typed", "--check");
  expect(status).toBe(1);
  expect(stderr).toContain("docs/a.md shows other code than its source");
  expect(document).toEqual([]);
});

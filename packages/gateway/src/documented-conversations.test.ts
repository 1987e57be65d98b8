/** Checks that the tests of conversations in docs/gateway/faults.md exist. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const source = new URL("./", import.meta.url);
const root = new URL("../../../", source);
const docs = readFileSync(new URL("docs/gateway/faults.md", root), "utf8");
const rows = [...docs.matchAll(/^\| .* \| `([^`]+\.test\.ts)`: `([^`]+)` \|$/gm)].map(
  ([, file = "", title = ""]) => ({ file, title }),
);

/** The titles in a file; those of a table with its values filled in. */
function titlesOf(file: string): string[] {
  const text = readFileSync(new URL(file, file.startsWith("packages/") ? root : source), "utf8");
  const written = [...text.matchAll(/(?:^\s*it(?:\.\w+\([^\n]*?\))?|^\s*\]\))\(\s*"([^"]+)"/gm)].map(
    ([, title = ""]) => title,
  );
  const names = [...text.matchAll(/^\s*\[\s*"([^"]+)",/gm)].map(([, name = ""]) => name);
  return written.flatMap((title) =>
    title.includes("%s") ? names.map((name) => title.replace("%s", name)) : [title],
  );
}

it("every test that the document names exists", () => {
  expect(rows.length).toBeGreaterThanOrEqual(30);
  expect(rows.filter(({ file, title }) => !titlesOf(file).includes(title))).toEqual([]);
});

it("every file with fault tests is named", () => {
  const named = new Set(rows.map(({ file }) => file));
  for (const file of ["full", "live-results", "missing-tools", "saver"])
    expect(named).toContain(`packages/conversation/src/${file}.test.ts`);
});

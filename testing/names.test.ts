/**
 * Every exported class and type has one meaning: no two files export classes or types of one name.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DECLARATION = /^export (?:declare )?(?:abstract )?(?:class|interface|type) (\w+)/gm;

/** Names that several files export on purpose, and why. */
const SHARED = new Set([
  // The same options for each framework: `@vitrine/view/react` and `@vitrine/view/vue`.
  "UseAppOptions",
]);

/** The official names of the protocol's types: those who move find them in `@vitrine/view` and in `@vitrine/host`. */
const OFFICIAL = /^McpUi|^PostMessageTransport$/;

/** Files by the names of the classes and types that they export. */
function exportedNames(files: readonly { path: string; text: string }[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const [, name = ""] of text.matchAll(DECLARATION)) {
      names.set(name, [...(names.get(name) ?? []), path]);
    }
  }
  return names;
}

const repeated = (names: Map<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(
    [...names].filter(([name, files]) => files.length > 1 && !SHARED.has(name) && !OFFICIAL.test(name)),
  );

it("no two files export classes or types of one name", () => {
  const paths = execFileSync("git", ["ls-files", "packages/*/src/*.ts", "packages/*/src/*.tsx"], {
    cwd: ROOT,
    encoding: "utf8",
  })
    .trim()
    .split("\n")
    .filter((path) => !/\.(test|test-d|examples)\.tsx?$|\/templates\//.test(path));
  expect(paths.length).toBeGreaterThan(500);
  const files = paths.map((path) => ({ path, text: readFileSync(`${ROOT}/${path}`, "utf8") }));
  expect(repeated(exportedNames(files))).toEqual({});
});

it("finds a name that two files export", () => {
  const files = [
    { path: "a.ts", text: "export class Calls {}" },
    { path: "b.ts", text: "export interface Calls {\n}\nexport type Other = 1;" },
  ];
  expect(repeated(exportedNames(files))).toEqual({ Calls: ["a.ts", "b.ts"] });
});

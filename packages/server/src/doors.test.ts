/** What a server loads: its start waits for all of it. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** A door's file, and those that it imports before anything runs. */
function loaded(path: string, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known;
  known.add(path);
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/\bfrom "(\.[^"]+)"/g))
    loaded(join(dirname(path), name), known);
  return known;
}

const door = (name: string): Set<string> =>
  loaded(fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url)));

const textOf = (files: Set<string>): string => [...files].map((path) => readFileSync(path, "utf8")).join("");

it("a server without templates loads none of their pages, and no more than 110,000 bytes", () => {
  const text = textOf(door("index"));
  expect(text.length).toBeLessThan(110_000);
  expect(text).not.toContain("var PAGES");
  expect(textOf(door("templates"))).toContain("var PAGES");
});

/**
 * The bytes of the page's script, gzip level 9: all that a browser loads before it shows the conversation, and
 * each part that it loads when it is needed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";

const PAGE = fileURLToPath(new URL("../../dist/page/", import.meta.url));
const ASSETS = `${PAGE}assets/`;
const files = existsSync(ASSETS) ? readdirSync(ASSETS) : [];
const textOf = (name: string): string => readFileSync(`${ASSETS}${name}`, "utf8");
const weigh = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(textOf(name), { level: 9 }).length, 0);

/** A script, and all that it imports statically. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  // Dynamic imports have brackets.
  const imports = textOf(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g);
  for (const [, imported] of imports) if (imported !== undefined) withImports(imported, found);
  return found;
}

const entry = (): Set<string> => {
  const [, script] = /src="\/assets\/([\w.-]+\.js)"/.exec(readFileSync(`${PAGE}index.html`, "utf8")) ?? [];
  return script === undefined ? new Set() : withImports(script);
};

describe("the page's script", () => {
  beforeAll(() => {
    if (files.length === 0) throw new Error("the page is not built: npm run build");
  });

  it("fits its budget before anything is asked for", () => {
    expect(entry().size).toBeGreaterThan(1);
    expect(weigh(entry())).toBeLessThan(210_000);
  });

  it.each([
    ["markdown-parser", 46_000],
    ["highlight", 12_000],
    ["formula", 64_000],
    ["schema-form", 92_000],
  ])("loads %s only when it is needed, and it fits its budget", (part, budget) => {
    const found = files.filter((name) => name.startsWith(`${part}-`) && name.endsWith(".js"));
    expect(found).toHaveLength(1);
    expect(weigh(found)).toBeLessThan(budget);
    expect([...entry()].filter((name) => found.includes(name))).toEqual([]);
  });

  it("needs no eval, and has no HTML of a text", () => {
    for (const part of ["markdown-parser", "highlight", "formula"]) {
      const code = textOf(files.find((name) => name.startsWith(`${part}-`)) ?? "");
      expect(code).not.toMatch(/\beval\s*\(|\bnew Function\b|innerHTML|insertAdjacentHTML|document\.write/);
    }
  });
});

/** The entry points of the package. A server's startup waits for everything that they load. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DOORS = ["index", "discovery", "templates", "testing"];
/** The text of the pages is not among the sources: it is built. */
const SOURCES: Record<string, string> = { templates: "dist/templates/index.js" };
const STATIC = /\bfrom ["'](\.[^"']+)["']/g;
const ANY = /\b(?:from |import\()["'](\.[^"']+)["']/g;

/** A file, and the files that it imports: statically, or at any time. */
function imported(path: string, imports: RegExp, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known;
  known.add(path);
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(imports))
    imported(join(dirname(path), name), imports, known);
  return known;
}

const door = (name: string, imports = STATIC): Set<string> =>
  imported(join(ROOT, `dist/${name}.js`), imports);

const textOf = (files: Set<string>): string => [...files].map((path) => readFileSync(path, "utf8")).join("");

/** Each is loaded on first use: a view with a file or a template, a document with URLs, a watching parent. */
const LATER = [
  "function inlineFolder",
  "function readDocument",
  "function renderTemplate",
  "function adviceOn",
  "class Connected",
];

it("a server in code loads one file of at most 50,000 bytes, without Node modules and optional features", () => {
  const main = door("index");
  expect(main.size).toBe(1);
  expect(textOf(main).length).toBeLessThan(50_000);
  for (const other of ["const PAGES", "ui.meta.json", ...LATER]) expect(textOf(main)).not.toContain(other);
  expect(textOf(main)).not.toMatch(/^import .*["']node:/m);
  for (const later of LATER) expect(textOf(door("index", ANY))).toContain(later);
  expect(textOf(door("templates"))).toContain("const PAGES");
  expect(textOf(door("discovery"))).toContain("ui.meta.json");
});

it.each(DOORS)(
  "%s exports the same as its source; the main entry point also exports what the others need",
  async (name) => {
    const exported = async (path: string) => Object.keys(await import(join(ROOT, path))).sort();
    const [built, written] = [
      await exported(`dist/${name}.js`),
      await exported(SOURCES[name] ?? `src/${name}.ts`),
    ];
    expect(written.length).toBeGreaterThan(1);
    if (name === "index") expect(built).toEqual(expect.arrayContaining(written));
    else expect(built).toEqual(written);
  },
);

it("classes are the same in every entry point", async () => {
  const { AppServer, DefinitionError } = await import("@vitrine/server");
  const { discover } = await import("@vitrine/server/discovery");
  const root = new URL("../../../examples/discovery/", import.meta.url);
  const { server } = await discover({ root, name: "doors", version: "1.0.0" });
  expect(server).toBeInstanceOf(AppServer);
  await expect(discover({ root: "/nowhere", name: "x", version: "1" })).rejects.toBeInstanceOf(
    DefinitionError,
  );
});

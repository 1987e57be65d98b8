/**
 * Imports components and icons from the modules that define them, and not through their library's index: a
 * module that is reached through an index belongs to every part of the page that uses any other.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Plugin, parseAst } from "vite";

/** The libraries, and the path of their index. */
const INDEXES = {
  "react-aria-components": "dist/exports/index.mjs",
  "lucide-react": "dist/esm/lucide-react.mjs",
  "@internationalized/number": "dist/index.mjs",
};

/** Our own modules, and those of libraries that would bring the parser of numbers to the start of the page. */
const IMPORTERS = /\/src\/.*\.tsx?$|\/react-(aria|stately)\/dist\/.*[nN]umber.*\.mjs$/;

/** A module, and the name that it exports. */
interface Origin {
  readonly file: string;
  readonly name: string;
}

const nameOf = (node: { type: string; name?: string; value?: unknown }): string =>
  node.type === "Literal" ? `${node.value}` : `${node.name}`;

/** The folder of a library, which need not export its `package.json`. */
function rootOf(library: string): string {
  const main = createRequire(import.meta.url).resolve(library);
  const root = join("node_modules", library);
  return main.slice(0, main.lastIndexOf(root) + root.length);
}

/** The origin of every name that an index exports. */
function readIndex(library: string, path: string): Map<string, Origin> {
  const index = join(rootOf(library), path);
  const local = new Map<string, Origin>();
  const exported = new Map<string, Origin>();
  for (const node of parseAst(readFileSync(index, "utf8")).body) {
    if (node.type === "ImportDeclaration") {
      const file = join(dirname(index), `${node.source.value}`);
      for (const each of node.specifiers)
        if (each.type === "ImportSpecifier")
          local.set(each.local.name, { file, name: nameOf(each.imported) });
    } else if (node.type === "ExportNamedDeclaration") {
      for (const each of node.specifiers) {
        const name = nameOf(each.local);
        const origin = node.source
          ? { file: join(dirname(index), `${node.source.value}`), name }
          : local.get(name);
        if (origin) exported.set(nameOf(each.exported), origin);
      }
    }
  }
  return exported;
}

/** The plugin. It runs after types are removed. */
export function directImports(): Plugin {
  const indexes = new Map(
    Object.entries(INDEXES).map(([library, path]) => [library, readIndex(library, path)]),
  );
  return {
    name: "direct-imports",
    enforce: "post",
    transform(code, id) {
      if (!IMPORTERS.test(id)) return null;
      let text = code;
      for (const node of this.parse(code).body.toReversed()) {
        const index = node.type === "ImportDeclaration" ? indexes.get(`${node.source.value}`) : undefined;
        if (node.type !== "ImportDeclaration" || !index) continue;
        const { start, end } = node as unknown as { start: number; end: number };
        const lines = node.specifiers.map((each) => {
          const origin = each.type === "ImportSpecifier" ? index.get(nameOf(each.imported)) : undefined;
          if (!origin) throw new Error(`${id}: ${each.local.name} is not in the index of its library`);
          return `import { ${origin.name} as ${each.local.name} } from ${JSON.stringify(origin.file)};`;
        });
        text = text.slice(0, start) + lines.join(" ") + text.slice(end);
      }
      return text === code ? null : { code: text, map: null };
    },
  };
}

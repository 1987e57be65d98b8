/**
 * `npm run api`: writes a report of each package's public API to `api/`, from the built declarations, so
 * that a change of the API shows in a diff. `--check` only compares; lint calls it.
 *
 * Relies on the output format of `tsc`: a statement begins at the start of a line, and everything inside it
 * is indented.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const STATEMENT =
  /^(?:export|declare|import|interface|type|abstract|class|function|const|let|enum|namespace)\b/;
const DECLARED =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const|let|enum|namespace) ([\w$]+)/;
const NAMED = /^(import|export) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/;

/** A declaration file: its statements by the name that each declares, and where its other names come from. */
function readDeclarations(file) {
  const statements = [];
  for (const line of withoutComments(readFileSync(file, "utf8")).split("\n")) {
    if (STATEMENT.test(line) || statements.length === 0) statements.push(line);
    else statements[statements.length - 1] += `\n${line}`;
  }
  const declared = new Map();
  const imported = new Map();
  const exported = new Map();
  const everything = [];
  for (const statement of statements.map((each) => each.trim())) {
    const [, kind, names, from] = NAMED.exec(statement) ?? [];
    for (const [name, alias] of namesIn(names ?? ""))
      (kind === "import" ? imported : exported).set(alias, { name, from });
    const all = /^export (?:type )?\* from "([^"]+)"/.exec(statement)?.[1];
    if (all) everything.push(all);
    const name = DECLARED.exec(statement)?.[1];
    if (!name) continue;
    declared.set(name, [
      ...(declared.get(name) ?? []),
      statement.replace(/^export (declare )?|^declare /, ""),
    ]);
    if (/^export\b/.test(statement)) exported.set(name, { name });
  }
  return { declared, imported, exported, everything };
}

const withoutComments = (text) =>
  text.replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n?/gm, "").replace(/^[ \t]*\/\/.*\n?/gm, "");

const declarationOf = (module) => module.replace(/\.js$/, ".d.ts");

const namesIn = (list) =>
  list.split(",").flatMap((each) => {
    const [, name, alias = name] = /^\s*(?:type )?([\w$]+)(?: as ([\w$]+))?\s*$/.exec(each) ?? [];
    return name ? [[name, alias]] : [];
  });

/** Finds declarations across the files of one package. */
class Surface {
  #files = new Map();

  file(path) {
    if (!this.#files.has(path)) this.#files.set(path, readDeclarations(path));
    return this.#files.get(path);
  }

  /** The declaration of a name of a file, or the package `from` which it comes. */
  find(path, name) {
    if (!existsSync(path)) throw new Error(`${path} is not built, and ${name} is in it`);
    const { declared, imported } = this.file(path);
    if (declared.has(name)) return { path, name, texts: declared.get(name) };
    const exported = this.file(path).exported.get(name);
    const other = exported?.from ? exported : (imported.get(exported?.name ?? name) ?? exported);
    if (!other) throw new Error(`${path} has no ${name}`);
    if (!other.from) return this.find(path, other.name);
    if (!other.from.startsWith(".")) return { from: other.from };
    return this.find(join(dirname(path), declarationOf(other.from)), other.name);
  }

  /** The declarations that a declaration uses. */
  used({ path, texts }) {
    const { declared, imported } = this.file(path);
    const words = new Set(texts.join("\n").match(/[\w$]+/g));
    const inline = [...texts.join("\n").matchAll(/import\("(\.[^"]+)"\)\.([\w$]+)/g)].map(([, from, name]) =>
      this.find(join(dirname(path), declarationOf(from)), name),
    );
    const named = [...declared.keys(), ...imported.keys()].filter((name) => words.has(name));
    return [...named.map((name) => this.find(path, name)), ...inline].filter(({ texts }) => texts);
  }
}

/**
 * The report of one entry point. An entry point can export another as a whole: `@vitrine/view/react` has all
 * of `@vitrine/view`.
 */
function reportOf(surface, title, path, entries) {
  const { exported, everything } = surface.file(path);
  const wild = everything.find((from) => !entries.includes(join(dirname(path), declarationOf(from))));
  if (wild) throw new Error(`${path} exports everything of ${wild}: name what is public`);
  const shown = new Map();
  const elsewhere = [];
  const names = [...exported.keys()].sort();
  for (const name of names) {
    const found = surface.find(path, name);
    if (found.texts) shown.set(`${found.path}#${found.name}`, found);
    if (found.from) elsewhere.push(`export { ${name} } from "${found.from}";`);
    else if (found.name !== name) elsewhere.push(`export { ${found.name} as ${name} };`);
  }
  const reached = new Map();
  const follow = (declaration) => {
    for (const each of surface.used(declaration)) {
      const key = `${each.path}#${each.name}`;
      if (shown.has(key) || reached.has(key)) continue;
      reached.set(key, each);
      follow(each);
    }
  };
  for (const each of shown.values()) follow(each);
  const fence = (texts) => `\`\`\`ts\n${texts.join("\n")}\n\`\`\`\n`;
  const inner = [...reached.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ texts }) => texts);
  return [
    `## ${title}\n`,
    fence([
      ...everything.map((from) => `export * from "${from}";`),
      ...elsewhere,
      ...[...shown.values()].flatMap(({ texts }) => texts),
    ]),
    ...(inner.length === 0 ? [] : ["Not exported, but part of these types:\n", fence(inner)]),
  ].join("\n");
}

const isCheck = process.argv.includes("--check");
const problems = [];
const reports = new Map();
for (const folder of readdirSync("packages").sort()) {
  const { name, exports = {} } = JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8"));
  const entries = Object.entries(exports).filter(([, { types }]) => types);
  if (entries.length === 0) continue;
  const surface = new Surface();
  const files = entries.map(([, { types }]) => join("packages", folder, types));
  const parts = entries.map(([path], index) =>
    reportOf(surface, `\`${join(name, path).replaceAll("\\", "/")}\``, files[index], files),
  );
  const head = `# The public surface of ${name}\n\n\`npm run api\` writes this file. A change in it is a change for everybody who uses the package.\n`;
  reports.set(`${folder}.md`, [head, ...parts].join("\n"));
}
mkdirSync("api", { recursive: true });
for (const [file, text] of reports) {
  const path = `api/${file}`;
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  if (isCheck)
    problems.push(
      `${path} is not the public surface that was built: run \`npm run api\`, and look at the diff`,
    );
  else writeFileSync(path, text);
}
for (const file of readdirSync("api").filter((each) => !reports.has(each))) {
  if (isCheck) problems.push(`api/${file} is of no package: run \`npm run api\``);
  else rmSync(`api/${file}`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/**
 * Licences of the third-party code inside a bundle. They require that their text accompanies the code: each
 * package that bundles such code has `dist/licenses.txt`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IN_PACKAGE = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/**
 * The folders of the packages that the modules belong to. Modules outside `node_modules`, and our own
 * packages, are not third-party.
 *
 * @param {Iterable<string>} modules paths of modules; a bundler may put marks around a path
 * @returns {string[]}
 */
export function packageFolders(modules) {
  const folders = new Set();
  for (const module of modules) {
    const folder = IN_PACKAGE.exec(module.replace(/^\0/, ""))?.[1];
    if (folder && existsSync(join(folder, "package.json"))) folders.add(folder);
  }
  return [...folders].filter((folder) => !/^(vitrine$|@vitrine\/)/.test(manifestOf(folder).name)).sort();
}

/**
 * The text of `licenses.txt`: name, version and licence of each package.
 *
 * @param {string[]} folders
 */
export function licenseText(folders) {
  const entries = folders.map((folder) => {
    const { name, version, license, author } = manifestOf(folder);
    const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file) && !/\.[jt]s$/.test(file));
    const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
    if (texts.length === 0 && typeof license !== "string")
      throw new Error(`${name} ${version} is in a bundle, and does not say under which licence: ${folder}`);
    return { title: `${name} ${version}`, text: texts.join("\n\n") || withoutText(license, author) };
  });
  entries.sort((a, b) => (a.title < b.title ? -1 : 1));
  // Two versions of a package, or a family of packages, often share one text.
  const titles = new Map();
  for (const { title, text } of entries) titles.set(text, [...(titles.get(text) ?? []), title]);
  const parts = [...titles].map(([text, same]) => `${same.join("\n")}\n\n${text}\n`);
  return `The files beside this one contain parts of these packages.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/**
 * Writes `licenses.txt` for the packages of the given modules.
 *
 * @param {string} target
 * @param {Iterable<string>} modules
 */
export function writeLicenses(target, modules) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, licenseText(packageFolders(modules)));
}

/** The licence field of `package.json`, for a package without a licence file. */
const withoutText = (license, author) => {
  const by = typeof author === "object" ? author.name : author;
  return `Licence: ${license}${by ? `\nCopyright ${by}` : ""}`;
};

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

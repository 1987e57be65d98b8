/** Writes the API reference: a page for each module that can be imported, from the declarations that were built. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application } from "typedoc";
import { withoutSources } from "./pages.mjs";

const OPTIONS = {
  plugin: ["typedoc-plugin-markdown"],
  // The packages were checked when they were built.
  skipErrorChecking: true,
  disableSources: true,
  excludeExternals: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeReferences: true,
  readme: "none",
  // One page per module, named after it, without "@vitrine/".
  router: "module",
  entryFileName: "index",
  excludeScopesInPaths: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  propertyMembersFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: { hideInherited: true, hideOverrides: true, hideModifiers: true, hideSources: true },
  logLevel: "Error",
};

/** Writes the pages of `modules` into the folder `out`. */
export async function writeReference({ modules, out, tsconfig }) {
  for (const { types } of modules)
    if (!existsSync(types)) throw new Error(`${types} does not exist: run \`npm run build\``);
  const entryPoints = modules.map(({ types }) => types);
  const app = await Application.bootstrapWithPlugins({ ...OPTIONS, entryPoints, tsconfig, out });
  const found = app.getEntryPoints() ?? [];
  if (found.length !== modules.length)
    throw new Error("TypeDoc did not find every module: see tsconfig.json");
  for (const entry of found)
    entry.displayName = modules.find(({ types }) => types === entry.sourceFile.fileName)?.specifier;
  await app.generateOutputs(app.converter.convert(found));
  if (app.logger.hasErrors()) throw new Error("TypeDoc could not write the API reference");
  for (const path of readdirSync(out, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".md")) continue;
    writeFileSync(join(out, path), withoutSources(readFileSync(join(out, path), "utf8")));
  }
  writeFileSync(join(out, "index.md"), overview(modules));
}

/** The list of all modules. A package is described; its other modules follow it. */
const overview = (modules) =>
  [
    "# API",
    "",
    "| import from | |",
    "|---|---|",
    ...modules.map(
      ({ specifier, page, description }) =>
        `| [\`${specifier}\`](${page}) | ${description.replaceAll("<", "&lt;")} |`,
    ),
    "",
  ].join("\n");

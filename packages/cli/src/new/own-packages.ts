/**
 * Where a new project gets Vitrine's packages. An installed command uses the registry, in its own version. A command that runs
 * from a checkout of the repository packs the checkout's packages into the project's `vendor` folder, so the project works on
 * any machine.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../version.js";
import { packCheckout, readManifest } from "./pack-checkout.js";
import type { Files } from "./template-files.js";

const VENDOR = "vendor";
const PNPM_SETTINGS = "pnpm-workspace.yaml";
/** The fields of a project's `package.json` that change here. */
interface ProjectManifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  overrides?: Record<string, string>;
}

const HERE = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** The folder with the packages of a checkout; undefined if `folder`, that of this package, is installed. */
export function checkoutOf(folder: string = HERE): string | undefined {
  if (folder.split(sep).includes("node_modules")) return undefined;
  const packages = dirname(folder);
  return readManifest(join(packages, "server"))?.name === "@vitrine/server" ? packages : undefined;
}

/**
 * Completes a project's files: its `package.json` gets Vitrine's packages from the registry or, for a checkout, from `vendor`.
 *
 * @throws {CliError} `pack-failed`
 */
export async function addOwnPackages(files: Files, checkout: string | undefined): Promise<void> {
  const manifest: ProjectManifest = JSON.parse(String(files.get("package.json")));
  const wanted = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(isOwn);
  const packed = checkout === undefined ? undefined : await packCheckout(checkout, wanted);
  const rangeOf = (name: string): string => {
    const tarball = packed?.get(name);
    return tarball === undefined ? `^${VERSION}` : `file:./${VENDOR}/${tarball.file}`;
  };
  for (const dependencies of [manifest.dependencies ?? {}, manifest.devDependencies ?? {}])
    for (const name of Object.keys(dependencies)) if (isOwn(name)) dependencies[name] = rangeOf(name);

  if (packed !== undefined) {
    for (const { file, path } of packed.values()) files.set(`${VENDOR}/${file}`, readFileSync(path));
    // The packed packages ask for each other by version. npm and pnpm find them in `vendor` by these overrides.
    // npm refuses to override a direct dependency; pnpm needs all of them.
    const indirect = [...packed.keys()].filter((name) => !wanted.includes(name));
    manifest.overrides = Object.fromEntries(indirect.map((name) => [name, rangeOf(name)]));
    const overrides = [...packed.keys()].map((name) => `  "${name}": "${rangeOf(name)}"\n`);
    files.set(PNPM_SETTINGS, `${files.get(PNPM_SETTINGS) ?? ""}overrides:\n${overrides.join("")}`);
    files.set("README.md", `${files.get("README.md") ?? ""}${HOW_TO_SWITCH}`);
  }
  files.set("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
}

const isOwn = (name: string): boolean => name === "vitrine" || name.startsWith("@vitrine/");

const HOW_TO_SWITCH = `
## Vitrine's packages are in \`${VENDOR}\`

A checkout of the Vitrine repository created this project, so its Vitrine packages are files in \`${VENDOR}\`. Keep that folder in
version control: with it, \`npm install\` and \`pnpm install\` work on any machine. To install the packages from the npm registry instead:

1. In \`package.json\`, replace each \`file:./${VENDOR}/…\` in \`dependencies\` and \`devDependencies\` with \`^${VERSION}\`, and delete \`overrides\`.
2. In \`${PNPM_SETTINGS}\`, delete \`overrides\`. If nothing is left in the file, delete the file.
3. Delete \`${VENDOR}\`, \`node_modules\`, and \`package-lock.json\` or \`pnpm-lock.yaml\`.
4. Run \`npm install\` or \`pnpm install\`.
`;

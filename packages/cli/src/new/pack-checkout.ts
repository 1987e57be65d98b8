/**
 * Packs the packages of a checkout as npm publishes them, and keeps the tarballs until the packages change.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CliError } from "../exit.js";

/** A packed package. */
export interface Tarball {
  /** Its file name. */
  readonly file: string;
  /** Where it is. */
  readonly path: string;
}

/** The fields of a `package.json` that packing needs. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The `package.json` in a folder; undefined if there is none, or it names no package. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof manifest?.name === "string" ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Packs the `wanted` packages and those packages of the checkout that they depend on; by package name.
 *
 * @throws {CliError} `pack-failed`
 */
export async function packCheckout(
  packages: string,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, Tarball>> {
  const manifests = new Map<string, Manifest>();
  for (const folder of readdirSync(packages)) {
    const manifest = readManifest(join(packages, folder));
    if (manifest) manifests.set(manifest.name, manifest);
  }
  const tarballs = await packAll(packages);
  const packed = new Map<string, Tarball>();
  const add = (name: string): void => {
    const manifest = manifests.get(name);
    if (!manifest || packed.has(name)) return;
    const file = `${name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
    packed.set(name, { file, path: join(tarballs, file) });
    for (const each of Object.keys(manifest.dependencies ?? {})) add(each);
  };
  for (const name of wanted) add(name);
  return new Map([...packed].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Packs every package of the checkout; gives the folder with the tarballs. */
async function packAll(packages: string): Promise<string> {
  const root = dirname(packages);
  const cache = join(root, "node_modules/.cache/vitrine-packed");
  const target = join(cache, hashOf(packages));
  if (existsSync(target)) return target;
  await mkdir(cache, { recursive: true });
  await removeOld(cache);
  const draft = await mkdtemp(join(cache, "draft-"));
  // `mkdtemp` makes a folder for this user alone; others may use the checkout too.
  const tarballs = join(draft, "tarballs");
  await mkdir(tarballs);
  const options = { cwd: root, shell: process.platform === "win32" };
  const words = ["pack", "--workspaces", "--ignore-scripts", "--silent", "--pack-destination", tarballs];
  try {
    await promisify(execFile)("npm", words, options);
    // Another process may have packed the same files meanwhile: either result will do.
    await rename(tarballs, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
  } catch (error) {
    throw new CliError(
      "pack-failed",
      `the packages in ${packages} cannot be packed: run \`npm pack --workspaces --dry-run\` in ${root} to see why`,
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return target;
}

const DAY = 86_400_000;

/** Removes tarballs of earlier builds. Recent ones stay: another process may be reading them. */
async function removeOld(cache: string): Promise<void> {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > DAY) await rm(path, { recursive: true, force: true });
  }
}

/** A hash of the names, sizes and times of all files that can be in a tarball. */
function hashOf(packages: string): string {
  const hash = createHash("sha256");
  const add = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules" && entry.name !== "src") add(path);
      } else {
        const { mtimeMs, size } = lstatSync(path);
        hash.update(`${path} ${mtimeMs} ${size}\n`);
      }
    }
  };
  add(packages);
  return hash.digest("hex").slice(0, 16);
}

/**
 * The size of `npm install @vitrine/server`: the server, the view and the templates, packed as they are
 * published, with their real dependencies; and the share of the official SDK, which every server needs.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../contenders.mjs";
import { count, table } from "../statistics.mjs";

const MEBIBYTE = 1_048_576;
/** Maximum number of packages, and of bytes of their files. */
export const EXPECTED = { packages: 20, bytes: 15 * MEBIBYTE };
const OURS = ["protocol", "view", "server"];
const run = promisify(execFile);
const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];

/** Bytes of the files in a folder, and of their blocks on this disk. */
function sizeOf(folder) {
  const sum = { bytes: 0, onDisk: 0 };
  for (const { name, parentPath } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const entry = lstatSync(join(parentPath, name));
    if (entry.isFile()) sum.bytes += entry.size;
    sum.onDisk += entry.blocks * 512;
  }
  return sum;
}

/** The packages that npm put into a folder, with their sizes. */
async function packagesIn(folder) {
  const { stdout } = await run("npm", ["ls", "--all", "--parseable"], { cwd: folder });
  const paths = stdout.split("\n").filter((path) => path.includes("/node_modules/"));
  return paths.map((path) => ({ name: path.split("/node_modules/").at(-1), ...sizeOf(path) }));
}

/** Packs, installs and counts. Needs the registry, or npm's cache of it. */
export async function measureInstall() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  try {
    for (const name of OURS) {
      const options = { cwd: join(ROOT, "packages", name) };
      await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], options);
    }
    const packed = readdirSync(folder).map((name) => `./${name}`);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    await run("npm", ["install", "--prefer-offline", ...QUIET, ...packed], { cwd: folder });
    return await packagesIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const isOurs = ({ name }) => name.startsWith("@vitrine/");
const total = (packages) => ({
  packages: packages.length,
  bytes: packages.reduce((sum, each) => sum + each.bytes, 0),
  onDisk: packages.reduce((sum, each) => sum + each.onDisk, 0),
});
const mebibytes = (bytes) => `${(bytes / MEBIBYTE).toFixed(2)} MiB`;

export const showInstall = (packages) => {
  const sums = {
    "ours alone": packages.filter(isOurs),
    "the official SDK, and what it needs": packages.filter((each) => !isOurs(each)),
    "all that is installed": packages,
  };
  return table(
    ["installed", "packages", "files", "blocks on this disk"],
    [
      ...packages.map(({ name, bytes, onDisk }) => [name, "", mebibytes(bytes), mebibytes(onDisk)]),
      ...Object.entries(sums).map(([name, some]) => {
        const { packages: number, bytes, onDisk } = total(some);
        return [name, count(number), mebibytes(bytes), mebibytes(onDisk)];
      }),
    ],
  );
};

/** Returns one line for each expectation that is not met. */
export function installShortfalls(packages) {
  const { packages: number, bytes } = total(packages);
  const ours = total(packages.filter(isOurs));
  return [
    ...(number > EXPECTED.packages ? [`over ${EXPECTED.packages} packages: ${number} are installed`] : []),
    ...(bytes > EXPECTED.bytes
      ? [
          `over ${mebibytes(EXPECTED.bytes)}: ${mebibytes(bytes)} are installed, of which ${mebibytes(ours.bytes)} are ours`,
        ]
      : []),
  ];
}

/**
 * Bundles a built package for Node into few files: its entry points and shared chunks. Loading hundreds of small modules took
 * more than a third of a command's start-up time.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeLicenses } from "./licenses.mjs";

/**
 * Replaces the output of `tsc` for the entry points. Reads the sources, because `dist` may hold an earlier
 * bundle. Our other packages and all dependencies stay outside, so that an error class exists only once;
 * only `inside` is included.
 *
 * @param {string} folder the package's folder
 * @param {{ entries: string[], inside?: string[] }} options entry points without their extension, and dependencies to include
 */
export async function bundle(folder, { entries, inside = [] }) {
  const chunks = join(folder, "dist/chunks/");
  const { outputFiles, metafile } = await build({
    entryPoints: entries.map((name) => join(folder, `src/${name}.ts`)),
    absWorkingDir: folder,
    outdir: join(folder, "dist/"),
    outbase: join(folder, "src/"),
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: inside.length > 0 ? [including(inside)] : [],
    metafile: true,
    write: false,
  });
  // Chunks before the entry points that import them.
  outputFiles.sort((a, b) => Number(b.path.startsWith(chunks)) - Number(a.path.startsWith(chunks)));
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  // Remove old chunks last: another process may be loading them.
  const written = new Set(outputFiles.map(({ path }) => path));
  mkdirSync(chunks, { recursive: true });
  for (const name of readdirSync(chunks)) if (!written.has(join(chunks, name))) rmSync(join(chunks, name));
  const modules = Object.keys(metafile.inputs).map((path) => join(folder, path));
  if (inside.length > 0) writeLicenses(join(folder, "dist/licenses.txt"), modules);
}

const including = (names) => ({
  name: "inside",
  setup: ({ onResolve }) => {
    onResolve({ filter: new RegExp(`^(${names.join("|")})$`) }, ({ path }) => ({
      path: fileURLToPath(import.meta.resolve(path)),
      sideEffects: false,
    }));
  },
});

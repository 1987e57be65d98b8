/**
 * After `tsc`: bundles the package into few files, with Kysely in them. To find and read four hundred small modules was more
 * than a third of what it takes to load it, at the start of every command.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const chunks = here("dist/chunks/");

/** Packages that go into the bundle. No object of them goes in or out, and most of what they have is not needed. */
const INSIDE = ["kysely"];

const inside = {
  name: "inside",
  setup: ({ onResolve }) => {
    onResolve({ filter: new RegExp(`^(${INSIDE.join("|")})$`) }, ({ path }) => ({
      path: fileURLToPath(import.meta.resolve(path)),
      sideEffects: false,
    }));
  },
};

/** Their licences ask to be where their code is. */
function writeLicenses() {
  const texts = INSIDE.map((name) => {
    const folder = fileURLToPath(import.meta.resolve(name)).replace(
      /(.*[/\\]node_modules[/\\][^/\\]+).*/,
      "$1",
    );
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
  });
  writeFileSync(
    here("dist/licenses.txt"),
    `Parts of these packages are in the files beside this one.\n\n${texts.join("\n")}`,
  );
}

/**
 * In place of what `tsc` wrote for the two doors of the package, and from the sources: what `tsc` left as it was may be a
 * bundle of before. Our other packages and all else stay outside, so that an error's class is one for everybody who asks.
 */
async function writeDoors() {
  const { outputFiles } = await build({
    entryPoints: ["index", "main"].map((name) => here(`src/${name}.ts`)),
    absWorkingDir: here("."),
    outdir: here("dist/"),
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: [inside],
    // Not named in the files: it is not in the package.
    sourcemap: "external",
    sourcesContent: false,
    write: false,
  });
  // Chunks before the doors that lead to them.
  outputFiles.sort((a, b) => Number(b.path.startsWith(chunks)) - Number(a.path.startsWith(chunks)));
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  // Those of an earlier build go last: somebody may be loading them.
  const written = new Set(outputFiles.map(({ path }) => path));
  for (const name of readdirSync(chunks)) if (!written.has(join(chunks, name))) rmSync(join(chunks, name));
}

writeLicenses();
await writeDoors();

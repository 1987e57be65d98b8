/**
 * The measured runtimes, and how each is bundled. All send the same messages to the host: only the runtime
 * differs.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { rollup } from "rollup";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TARGET = "es2022";
const DEFINE = { "process.env.NODE_ENV": '"production"' };

/** The version of an installed package. */
export const versionOf = (name) => packageJson(join(ROOT, "node_modules", name)).version;

/** The smallest useful app: it shows a result and calls a tool. */
const minimalApp = (name) => `
  import { App } from "${name}";
  const app = new App({ name: "bench", version: "1" });
  app.ontoolresult = (result) => document.body.append(result.content[0].text);
  app.connect();
  onclick = () => app.callServerTool({ name: "x" });
`;

/** The same app with `View`, which has events instead of handler properties. */
const minimalView = `
  import { View } from "@vitrine/view";
  const view = new View({ name: "bench", version: "1" });
  view.on("toolresult", (result) => document.body.append(result.content[0].text));
  view.connect();
  onclick = () => view.callServerTool({ name: "x" });
`;

const V1 = "ext-apps-1";
const V2 = "@modelcontextprotocol/ext-apps";

/** The comparisons. `ours` are the denominators of every ratio, `official` the numerators. */
export const CONTENDERS = [
  { id: "view", side: "ours", label: "Vitrine View", package: "@vitrine/view", minimal: minimalView },
  {
    id: "app",
    side: "ours",
    label: "Vitrine App",
    package: "@vitrine/view",
    minimal: minimalApp("@vitrine/view"),
  },
  { id: "v1", side: "official", label: `ext-apps ${versionOf(V1)}`, package: V1, minimal: minimalApp(V1) },
  { id: "v2", side: "official", label: `ext-apps ${versionOf(V2)}`, package: V2, minimal: minimalApp(V2) },
];

/** Bytes of a script, plain and compressed. */
export const bytesOf = (code) => ({
  min: Buffer.byteLength(code),
  gzip: gzipSync(code, { level: 9 }).length,
});

const stdin = (code) => ({ contents: code, resolveDir: ROOT, sourcefile: "entry.js", loader: "js" });

/** Bundles with esbuild, as an ES module; `external` modules stay outside. */
export async function withEsbuild(code, external = []) {
  const { outputFiles } = await build({
    stdin: stdin(code),
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGET,
    define: DEFINE,
    external,
    write: false,
  });
  return outputFiles[0].text;
}

/**
 * Bundles with Rollup, whose tree-shaking is better, and minifies with esbuild. Every import resolves to the
 * file that esbuild found for it, so that both bundlers see the same sources.
 */
export function withRollup(code, external = []) {
  // Two measurements use the same bundles, and Rollup takes seconds for the official one.
  if (!rolled.has(code)) rolled.set(code, rollUp(code, external));
  return rolled.get(code);
}
const rolled = new Map();

async function rollUp(code, external) {
  const entry = "\0entry";
  const { metafile } = await build({
    stdin: stdin(code),
    bundle: true,
    format: "esm",
    external,
    metafile: true,
    write: false,
    absWorkingDir: ROOT,
  });
  const found = new Map(
    Object.entries(metafile.inputs).flatMap(([importer, { imports }]) =>
      imports.map(({ original, path }) => [
        `${importer === "entry.js" ? entry : join(ROOT, importer)}\n${original}`,
        join(ROOT, path),
      ]),
    ),
  );
  const bundle = await rollup({
    input: entry,
    onwarn: () => {},
    plugins: [
      {
        name: "resolve-as-esbuild-did",
        resolveId(source, importer) {
          if (source === entry) return entry;
          if (external.includes(source)) return { id: source, external: true };
          const id = found.get(`${importer}\n${source}`);
          return id && { id, moduleSideEffects: hasSideEffects(id) };
        },
        load: (id) => (id === entry ? code : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  return (await transform(output[0].code, { minify: true, format: "esm", target: TARGET, define: DEFINE }))
    .code;
}

/** Whether the package of a file says that its import does something (names only, no patterns). */
function hasSideEffects(file) {
  let folder = dirname(file);
  while (!packageJson(folder)?.name) folder = dirname(folder);
  const { sideEffects = true } = packageJson(folder);
  return Array.isArray(sideEffects)
    ? sideEffects.some((path) => resolve(folder, path) === file)
    : sideEffects;
}

function packageJson(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}

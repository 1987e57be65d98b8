/**
 * Builds the page of the inspector's tests and measurements.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inspector</title><link rel="stylesheet" id="react-aria-pressable-style" href="/inspector-page.css">
<script type="module" src="/inspector-page.js"></script>
<body><main id="apps"></main><aside id="inspector" aria-label="Inspector"></aside></body></html>`;

/** Writes the page into a folder that a gateway can serve. */
export async function buildInspectorPage(folder) {
  await build({
    entryPoints: [fileURLToPath(new URL("./inspector-page.tsx", import.meta.url))],
    outdir: folder,
    bundle: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  await writeFile(join(folder, "index.html"), PAGE);
}

/** Builds the scripts of the sandbox's pages: minified classic scripts, exported as text. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = fileURLToPath(new URL("src/page/", import.meta.url));
let module = "";
for (const path of ["proxy", "direct", "loader", "console", "why", "dialects/shim"]) {
  const name = path.slice(path.indexOf("/") + 1);
  const { outputFiles } = await build({
    entryPoints: [`${page}${path}.ts`],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    // Minified, "\n" would become a template with a line break.
    ...(name === "shim" && { supported: { "template-literal": false } }),
    // Not the repository's tsconfig: it would add "use strict", which is not needed.
    tsconfigRaw: {},
    write: false,
  });
  const text = outputFiles[0].text.trim();
  if (/<\/script|<!--|\n/i.test(text))
    throw new Error(
      `${name} contains </script or a line break, so it cannot go inside a script element on one line`,
    );
  module += `export const ${name.toUpperCase()} = ${JSON.stringify(text)};\n`;
}
writeFileSync(fileURLToPath(new URL("dist/page-text.js", import.meta.url)), module);

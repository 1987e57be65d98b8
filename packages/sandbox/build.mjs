/** Builds the scripts of the sandbox's pages: minified classic scripts, exported as text. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = fileURLToPath(new URL("src/page/", import.meta.url));
let module = "";
for (const name of ["proxy", "direct", "loader", "console", "why"]) {
  const { outputFiles } = await build({
    entryPoints: [`${page}${name}.ts`],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
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

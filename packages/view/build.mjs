/**
 * Builds the inline script: one minified classic script, written as a file and as a module that exports its
 * text.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const { outputFiles } = await build({
  entryPoints: [`${dist}inline.js`],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  write: false,
});
const [{ text }] = outputFiles;
if (/<\/script|<!--/i.test(text))
  throw new Error("the inline script contains </script or <!--, so it cannot go inside a script element");
writeFileSync(`${dist}vitrine.js`, text);
writeFileSync(`${dist}inline-text.js`, `export const INLINE = ${JSON.stringify(text)};\n`);

/** The code of documents compiles as a reader copies it, after running the commands above it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compileErrors, type Document, missingInstalls } from "./copied-snippets.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const documents: Document[] = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).map((path) => `docs/${path}`),
  ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/README.md`),
]
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".md") && existsSync(join(ROOT, path)))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

describe("the documents", () => {
  it("have code that compiles when it is copied", () => {
    expect(compileErrors(documents)).toEqual([]);
  });

  it("install every package before the code that imports it", () => {
    expect(documents.flatMap(missingInstalls)).toEqual([]);
  });
});

describe("a document with mistakes", () => {
  const fence = (code: string, info = "ts"): string => `\`\`\`${info}\n${code}\n\`\`\``;
  const document = (...parts: string[]): Document => ({ path: "docs/specimen.md", text: parts.join("\n\n") });

  it("is reported with the line of the code", () => {
    const noImport = document(
      "# Specimen",
      fence('export const app = new App({ name: "a", version: "1" });'),
    );
    expect(compileErrors([noImport])).toEqual([expect.stringMatching(/^docs\/specimen\.md:4: .*'App'/)]);
    const wrongType = document(
      fence('import { App } from "@vitrine/view";\nawait new App({ name: 1, version: "1" }).connect();'),
    );
    expect(compileErrors([wrongType])).toEqual([expect.stringMatching(/^docs\/specimen\.md:3: .*TS2322/)]);
    expect(compileErrors([document(fence("missing();", "js"))])).toEqual([
      expect.stringContaining("'missing'"),
    ]);
  });

  it("cannot use a file that it does not show, nor names of another block", () => {
    const use = fence('import { one } from "./one.js";\nexport const two = one + 1;');
    const one = fence("export const one = 1;", 'ts source="../examples/one.ts"');
    expect(compileErrors([document("`one.ts`:", one, use)])).toEqual([]);
    expect(compileErrors([document("`one.ts`:", use)])).toEqual([expect.stringContaining("'./one.js'")]);
    expect(compileErrors([document("Unnamed:", one, use)])).toEqual([expect.stringContaining("'./one.js'")]);
    const [first, second] = [fence("const one = 1;"), fence("export const two = one + 1;")];
    expect(compileErrors([document(first, second)])).toEqual([expect.stringContaining("'one'")]);
  });

  it("is reported if it installs a package too late, or not at all", () => {
    const install = fence("npm install @vitrine/view # the runtime", "sh");
    const code = fence('import { App } from "@vitrine/view";\nimport { z } from "zod";\nimport "node:fs";');
    expect(missingInstalls(document(install, code))).toEqual(["docs/specimen.md:5: zod"]);
    expect(missingInstalls(document(code, install))).toEqual([
      "docs/specimen.md:1: @vitrine/view",
      "docs/specimen.md:1: zod",
    ]);
  });
});

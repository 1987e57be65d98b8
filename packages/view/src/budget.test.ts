/** Limits on the runtime's size and contents. Bytes are gzip, level 9, of esbuild's minified module. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const MINIMAL = `
  import { View } from "@vitrine/view";
  const view = new View({ name: "a", version: "1" });
  view.on("toolresult", (result) => document.body.append(result.content[0].text));
  view.connect();
  onclick = () => view.callServerTool({ name: "x" });
`;
const everythingOf = (name: string): string => `export * from "${name}";`;

/** The smallest app, per framework, that shows its tool's result and calls another tool. */
const REACT = `
  import { useApp, useServerTool, useToolResult } from "@vitrine/view/react";
  export function Card() {
    const { app } = useApp({ appInfo: { name: "a", version: "1" } });
    return [useToolResult(app), useServerTool(app, "x").call];
  }
`;

/** Code that a policy without `unsafe-eval` refuses. */
const EVAL = /\beval\s*\(|\bFunction\s*\(|\bset(?:Timeout|Interval)\(\s*["'`]/;
const FRAMEWORKS = ["react", "vue", "svelte", "svelte/store"];

interface Output {
  code: string;
  /** Paths of every file that esbuild read, relative to the repository's root. */
  inputs: string[];
}

async function bundle(contents: string): Promise<Output> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ROOT, sourcefile: "entry.js", loader: "js" },
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: FRAMEWORKS,
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  return {
    code: outputFiles[0]?.text ?? "",
    inputs: Object.keys(metafile.inputs).filter((path) => path !== "entry.js"),
  };
}

const inlineScript = (): string => readFileSync(`${ROOT}packages/view/dist/vitrine.js`, "utf8");
const gzip = (code: string): number => gzipSync(code, { level: 9 }).length;

/** Empty if the code fits; otherwise a message with the excess. */
function excess(code: string, budget: number): string {
  const bytes = gzip(code);
  return bytes <= budget ? "" : `${bytes} bytes, ${bytes - budget} over the budget of ${budget}`;
}

describe("bytes", () => {
  it.each([
    ["the minimal view", MINIMAL, 3000],
    // A few of them compress worse since the sandbox shares the measuring of sizes.
    ["the whole surface", everythingOf("@vitrine/view"), 6005],
    ["the React adapter, with the whole surface", everythingOf("@vitrine/view/react"), 6950],
    ["the Vue adapter, with the whole surface", everythingOf("@vitrine/view/vue"), 6900],
    ["the Svelte adapter, with the whole surface", everythingOf("@vitrine/view/svelte"), 6800],
    ["a small React app", REACT, 6600],
  ])("%s fits its budget", async (_name, source, budget) => {
    const { code } = await bundle(source);
    expect(excess(code, budget)).toBe("");
  });

  it("the inline script fits its budget", () => {
    expect(excess(inlineScript(), 6600)).toBe("");
  });

  it("reports the excess over a budget", () => {
    const code = "Vitrine";
    expect(excess(code, gzip(code) - 2)).toBe("27 bytes, 2 over the budget of 25");
  });

  it.each(["react", "vue", "svelte"])("the %s adapter stays small", (name) => {
    const lines = readFileSync(`${ROOT}packages/view/src/${name}.ts`, "utf8").split("\n").length - 1;
    expect(lines).toBeLessThan(150);
  });
});

describe("contents", () => {
  const minimal = ["the minimal view", MINIMAL] as const;
  const entryPoints = ["", "/react", "/vue", "/svelte", "/script", "/mcp-app"].map(
    (path) => [`@vitrine/view${path}`, everythingOf(`@vitrine/view${path}`)] as const,
  );

  it.each(entryPoints)("%s contains only our code", async (_name, source) => {
    const { inputs } = await bundle(source);
    expect(inputs.length).toBeGreaterThan(0);
    expect(inputs.filter((path) => !/^packages\/(protocol|view)\/dist\//.test(path))).toEqual([]);
  });

  it.each(["protocol", "view"])("%s has no runtime dependency except the protocol", (name) => {
    const own: { dependencies?: object; optionalDependencies?: object } = JSON.parse(
      readFileSync(`${ROOT}packages/${name}/package.json`, "utf8"),
    );
    expect(Object.keys({ ...own.dependencies, ...own.optionalDependencies })).toEqual(
      name === "view" ? ["@vitrine/protocol"] : [],
    );
  });

  it.each([minimal, ...entryPoints])("%s needs no eval", async (_name, source) => {
    const { code } = await bundle(source);
    expect(code).not.toMatch(EVAL);
  });

  it("the inline script needs no eval", () => {
    expect(inlineScript()).not.toMatch(EVAL);
  });

  it.each([minimal, ...entryPoints.slice(0, 4)])(
    "%s writes nothing to the console",
    async (_name, source) => {
      const { code } = await bundle(source);
      expect(code).not.toMatch(/\bconsole\b/);
    },
  );

  it("the inline script writes to the console only if the author sets McpApp's debug option", () => {
    expect(inlineScript().match(/\bconsole\b.{7}/g)).toEqual(["console.debug("]);
  });
});

describe("import", () => {
  // In a separate process: vitest resolves and transforms imports of a test, Node does not.
  it.each([
    ["@vitrine/protocol", "Peer"],
    ["@vitrine/view", "App"],
    ["@vitrine/view/script", "viewScript"],
    ["@vitrine/view/mcp-app", "McpApp"],
  ])("of %s needs no document, and has no side effects", (name, member) => {
    const probe = `
      const before = Object.getOwnPropertyNames(globalThis).length;
      const module = await import("${name}");
      const left = Object.getOwnPropertyNames(globalThis).length - before;
      process.stdout.write(typeof module.${member} + " " + left + " " + process.getActiveResourcesInfo()
        .filter((kind) => /Timeout|Immediate|MessagePort/.test(kind)).length);
    `;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", probe], {
      cwd: ROOT,
      encoding: "utf8",
      timeout: 20_000,
    });
    expect(printed).toBe("function 0 0");
  });
});

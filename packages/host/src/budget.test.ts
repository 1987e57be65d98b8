/** Limits on the host's size and contents. Bytes are gzip, level 9, of esbuild's minified module. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The browser's core: `<mcp-app>` with everything it needs to show an app. */
const ELEMENT = `export * from "./packages/host/dist/element.js";`;
/** For a page that draws its own frames. */
const BRIDGE = `export { Bridge, ProxyTransport } from "@vitrine/host";`;
/** For a host that moves from the official class: the bridge, its guard, and questions in the page. */
const APP_BRIDGE = `export * from "@vitrine/host/app-bridge";`;
/** A page without a guarding back end: the chain of links, and questions to the user. */
const GUARD = `export { askInFrame } from "@vitrine/host"; export { standardGuard } from "@vitrine/guard";`;
/** For a page that has the HTML, with its client: read, checked and shown without a back end. */
const IN_PAGE = `export * from "@vitrine/host/in-page";`;
const everythingOf = (name: string): string => `export * from "${name}";`;

/** Code that a policy without `unsafe-eval` refuses. */
const EVAL = /\beval\s*\(|\bFunction\s*\(|\bset(?:Timeout|Interval)\(\s*["'`]/;

interface Output {
  code: string;
  /** Paths of every file that esbuild read, from the repository's root. */
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
    external: ["react"],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  return {
    code: outputFiles[0]?.text ?? "",
    inputs: Object.keys(metafile.inputs).filter((path) => path !== "entry.js"),
  };
}

const gzip = (code: string): number => gzipSync(code, { level: 9 }).length;
const weigh = async (source: string): Promise<number> => gzip((await bundle(source)).code);

/** Empty if the bytes fit; otherwise a message with the excess. */
const excess = (bytes: number, budget: number): string =>
  bytes <= budget ? "" : `${bytes} bytes, ${bytes - budget} over the budget of ${budget}`;

describe("bytes", () => {
  it.each([
    // 400 of them distinguish a view that grows by itself from a feedback loop, and limit display modes to
    // the app's declared ones. 1,400 more return the focus that an app takes, count messages that bypass the
    // proxy, and show names on one line (E03, E05, E10); 30 show a static document; 70 follow Tab between
    // apps and know which app was pressed last (E03); 300 compare the times of presses, detect presses in
    // third-party frames, and count messages of removed frames (E03, E10); 300 tell views whether something
    // else takes keys, so that test drivers can fill fields; 230 track the user's last action: apps cover the
    // page, and keep the focus, only after one in them (C12, E03); 420 ask the sandbox why it did not load; 40 follow dimensions that change, and hide with `hidden`; 1,070 take the words from
    // a table, pass the page's look to the app, keep the place of an app in the corner, and let the page replace parts;
    // 40 hand over a document that the page has; 10 let a subclass see messages after they were parsed;
    // 1,320 release apps that are far from the screen, and bring them back at their height; 110 read the callers of a
    // tool from its metadata of the ChatGPT Apps SDK; 150 notice that an app stopped the page, in WebKit; 60 say that
    // an app is a saved copy; 100 show another call in the place of the last; 50 lay out a
    // question whose buttons stay in view.
    ["<mcp-app>", ELEMENT, 21_420],
    ["the bridge with the proxy transport", BRIDGE, 11_585],
    // Of these, the standard guard and its questions in the page are about a half. 40 share a client's upstream, close
    // a bridge's own guard, and give extensions the host's limits.
    ["the official bridge's names and shapes", APP_BRIDGE, 27_040],
  ])("%s fits its budget", async (_name, source, budget) => {
    expect(excess(await weigh(source), budget)).toBe("");
  });

  it("the standard guard with its prompts fits its budget, beside <mcp-app>", async () => {
    const added = (await weigh(ELEMENT + GUARD)) - (await weigh(ELEMENT));
    // 1,450 of them distinguish an approval from a stray press, find a position beside the apps, and ask a
    // second time (E02); 70 more refuse keys right after Tab, and pointers that were over an element that
    // covered the question; 30 restart the delay on presses in apps; 70 restart it when an app covers or
    // leaves the page, and avoid apps that were pressed or fill the window; 220 offer how often to ask; 210 ask in the page's
    // language; 10 look up names of methods in maps, because a view chooses them; 35 find the
    // template of a tool of the Apps SDK; 170 keep the buttons in view in a low window and when it becomes smaller, and
    // explain a scope after the request.
    expect(excess(added, 9_340)).toBe("");
  });

  it("views from a client in the page fit their budget, beside <mcp-app> and the guard", async () => {
    const added = (await weigh(ELEMENT + GUARD + IN_PAGE)) - (await weigh(ELEMENT + GUARD));
    // 1,040 of them read the metadata of the ChatGPT Apps SDK, and the UIs that servers of mcp-ui put into results; 660
    // save apps, and show them without their server.
    expect(excess(added, 8_885)).toBe("");
  });

  it("reports by how much a budget is exceeded", () => {
    expect(excess(27, 25)).toBe("27 bytes, 2 over the budget of 25");
  });

  it("<mcp-app> holds no shape that a host does not check", async () => {
    const { code } = await bundle(ELEMENT);
    // Of a view's request, a host's context, a server's answer, and a resource's metadata.
    expect(
      ["stopSequences", "safeAreaInsets", "uriTemplate", "baseUriDomains"].map((word) => code.includes(word)),
    ).toEqual([true, false, false, false]);
  });

  it("the React adapter stays an afternoon's work", () => {
    const lines = readFileSync(`${ROOT}packages/host/src/react-app.ts`, "utf8").split("\n").length - 1;
    expect(lines).toBeLessThanOrEqual(150);
  });
});

describe("contents", () => {
  const entryPoints = ["", "/define", "/react", "/app-bridge", "/in-page", "/languages"].map(
    (path) => [`@vitrine/host${path}`, everythingOf(`@vitrine/host${path}`)] as const,
  );

  it.each(entryPoints)("%s holds no code but ours", async (_name, source) => {
    const { inputs } = await bundle(source);
    expect(inputs.length).toBeGreaterThan(0);
    expect(inputs.filter((path) => !/^packages\/(protocol|wire|guard|host)\/dist\//.test(path))).toEqual([]);
  });

  it("has no runtime dependency but our packages", () => {
    const own: { dependencies?: object; optionalDependencies?: object } = JSON.parse(
      readFileSync(`${ROOT}packages/host/package.json`, "utf8"),
    );
    expect(Object.keys({ ...own.dependencies, ...own.optionalDependencies })).toEqual([
      "@vitrine/guard",
      "@vitrine/protocol",
      "@vitrine/wire",
    ]);
  });

  it.each(entryPoints)("%s needs no eval", async (_name, source) => {
    const { code } = await bundle(source);
    expect(code).not.toMatch(EVAL);
  });

  it.each(entryPoints)("D22: %s writes nothing to the console", async (name, source) => {
    const { code } = await bundle(source);
    expect(code).not.toMatch(/\bconsole\b/);
    // Written to the console, because no code may be listening: why a message of the page itself cannot be
    // sent, in the browser's words or the page's, never the message. Only `ProxyTransport` does this; a
    // second place needs a reason too.
    const hasTransport = !/\/(app-bridge|in-page|languages)$/.test(name);
    expect(code.match(/\breportError\b/g)).toEqual(hasTransport ? ["reportError"] : null);
  });
});

describe("import", () => {
  // In a separate process: vitest resolves and transforms imports of a test, Node does not.
  it.each([
    ["@vitrine/host", "Bridge", "function"],
    // With `forwardRef`, which React 18 needs, a component is an object.
    ["@vitrine/host/react", "McpApp", "object"],
  ])("of %s needs no document, and leaves nothing behind", (name, member, type) => {
    const probe = `
      ${name.endsWith("react") ? 'await import("react");' : ""}
      const before = Object.getOwnPropertyNames(globalThis).length;
      const module = await import("${name}");
      const left = Object.getOwnPropertyNames(globalThis).length - before;
      process.stdout.write(typeof module.${member} + " " + left + " " + process.getActiveResourcesInfo()
        .filter((kind) => /Timeout|Immediate|MessagePort/.test(kind)).length);
    `;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", probe], {
      cwd: ROOT,
      encoding: "utf8",
      timeout: 100_000,
    });
    expect(printed).toBe(`${type} 0 0`);
  });
});

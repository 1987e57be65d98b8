/** Documents from disk: complete, not through links, and within the size limit. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { appServer, type DocumentSource, type ViewOptions, view } from "@vitrine/server";
import { afterAll, describe, expect, it } from "vitest";

const root = mkdtempSync(join(tmpdir(), "vitrine-documents-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Writes files, and returns the folder. */
function folderOf(name: string, files: Record<string, string | Buffer>): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, name, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, content);
  }
  return join(root, name);
}

const read = async (source: DocumentSource, maxViewBytes?: number): Promise<string> => {
  const page = view({ name: "page", ...source } as ViewOptions);
  return (await appServer({ name: "x", version: "1", tools: [], views: [page], maxViewBytes }).document(page))
    .text;
};

describe("a file", () => {
  const folder = folderOf("files", {
    "page.html": "<p>Grüezi</p>",
    "empty.html": "\n",
    "large.html": "x".repeat(2000),
    "latin.html": Buffer.from("<p>Gr\xfcezi</p>", "latin1"),
  });
  symlinkSync(join(folder, "page.html"), join(folder, "link.html"));

  it("is read by its path or its URL", async () => {
    expect(await read({ file: join(folder, "page.html") })).toBe("<p>Grüezi</p>");
    expect(await read({ file: pathToFileURL(join(folder, "page.html")) })).toBe("<p>Grüezi</p>");
  });

  it.each([
    ["large.html", "view-too-large", /2000 bytes.*1000/],
    ["latin.html", "view-not-utf8", /UTF-8/],
    ["link.html", "path-forbidden", /symbolic link/],
    ["none.html", "view-missing", /none\.html/],
    ["empty.html", "view-missing", /is empty/],
    [".", "view-missing", /not a file/],
  ])("%s is refused: %s", async (name, code, message) => {
    await expect(read({ file: join(folder, name) }, 1000)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

it.each([
  '<script type="module" src="/@vite/client"></script>',
  '<script type="module" src="http://localhost:5173/@vite/client"></script>',
  '<script type="module">import { injectIntoGlobalHook } from "/@react-refresh";</script>',
  '<script type="module">import("/@vite/client")</script>',
])("a development server's page is refused, whatever its source: %s", async (html) => {
  const expected = { code: "view-not-built", message: expect.stringContaining("build") };
  await expect(read({ html })).rejects.toMatchObject(expected);
  const folder = folderOf("served", { "index.html": html });
  await expect(read({ file: join(folder, "index.html") })).rejects.toMatchObject(expected);
  await expect(read({ folder })).rejects.toMatchObject(expected);
  const told = "<p>Vite serves /@vite/client, and we do not</p>";
  expect(await read({ html: told })).toBe(told);
});

it("a text is limited in bytes, and has no lone surrogates", async () => {
  expect(await read({ html: "<p>\ud83d and 😀" })).toBe("<p>\ufffd and 😀");
  expect(await read({ html: "ü".repeat(500) }, 1000)).toHaveLength(500);
  await expect(read({ html: "ü".repeat(501) }, 1000)).rejects.toMatchObject({ code: "view-too-large" });
});

describe("a folder that a bundler wrote", () => {
  it("becomes one document with scripts, styles, images and fonts inlined", async () => {
    const folder = folderOf("built", {
      "index.html": `<!doctype html><html><head>
<link rel="modulepreload" href="/assets/app.js">
<link rel="stylesheet" crossorigin href="/assets/app.css">
<link rel="icon" href="./icon.svg">
<script type="module" crossorigin src="/assets/app.js"></script>
<script src="assets/old.js" defer></script>
<script type="text/javascript" src="assets/older.js" defer></script>
<link rel="stylesheet" media="print" href="assets/print.css">
</head><body><img alt="a > b" src="icon.svg"><img src="data:image/png;base64,AA"><a href="page.html">stays</a></body></html>`,
      "assets/app.js": 'const text = "</script><!-- ";import.meta.url;console.log(text);',
      "assets/old.js": "old();",
      "assets/older.js": "older();",
      "assets/print.css": "b{color:red}",
      "assets/app.css":
        "@font-face{src:url(./font.woff2)}b{background:url('../icon.svg')}i{background:url(#x)}",
      "assets/font.woff2": "font",
      "icon.svg": "<svg/>",
    });
    const text = await read({ folder });
    const icon = `data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}`;
    const font = `data:font/woff2;base64,${Buffer.from("font").toString("base64")}`;
    expect(text).not.toContain("modulepreload");
    expect(text).toContain(
      `<style>@font-face{src:url("${font}")}b{background:url("${icon}")}i{background:url(#x)}</style>`,
    );
    expect(text).toContain(
      '<script type="module">const text = "<\\/script><\\!-- ";import.meta.url;console.log(text);</script>',
    );
    // Deferred scripts stay deferred.
    expect(text).toContain('<script type="module">old();</script>');
    expect(text).toContain('<script type="module">older();</script>');
    expect(text).toContain('<style media="print">b{color:red}</style>');
    expect(text).toContain(`alt="a > b" src="${icon}"`);
    expect(text).toContain(`rel="icon" href="${icon}"`);
    expect(text).toContain('<a href="page.html">stays</a>');
  });

  it("includes srcset images, posters, and images in inline styles; external ones stay", async () => {
    const folder = folderOf("pictures", {
      "index.html": `<!-- <script src="gone.js"></script> --><style media="print">/* url(gone.png) */ b { background: url(a.svg); content: "url(gone.png)" }</style>
<img src="a.svg" srcset="a.svg 1x, img/b.png 2x, https://far.example/c.png 3x, data:image/png;base64,AA 4x">
<picture><source srcset="img/b.png"></picture><video poster="img/b.png" src="film.mp4"></video>
<i style='background:url("a.svg")'></i><u style="color:red">u</u><svg viewBox="0 0 1 1"><image href="a.svg"/></svg>
<script type="text/template"><img src="gone.png"></script><script>const html = '<img src="gone.png">';</script>`,
      "a.svg": "<svg/>",
      "img/b.png": "png",
      "film.mp4": "film",
    });
    const text = await read({ folder });
    const url = (type: string, content: string) =>
      `data:${type};base64,${Buffer.from(content).toString("base64")}`;
    const [svg, png] = [url("image/svg+xml", "<svg/>"), url("image/png", "png")];
    expect(
      text,
    ).toBe(`<!-- <script src="gone.js"></script> --><style media="print">/* url(gone.png) */ b { background: url("${svg}"); content: "url(gone.png)" }</style>
<img src="${svg}" srcset="${svg} 1x, ${png} 2x, https://far.example/c.png 3x, data:image/png;base64,AA 4x">
<picture><source srcset="${png}"></picture><video poster="${png}" src="${url("video/mp4", "film")}"></video>
<i style="background:url(&quot;${svg}&quot;)"></i><u style="color:red">u</u><svg viewBox="0 0 1 1"><image href="${svg}" /></svg>
<script type="text/template"><img src="gone.png"></script><script>const html = '<img src="gone.png">';</script>`);
  });

  it.each([
    ["a comment", '/** @type {import("../app.js").App} */ const a = 1; // import "./b.js"'],
    ["a text", `const a = 'import "./b.js"', b = \`import("./\${a + \`from "x"\`}") from "y"\`;`],
    [
      "a regular expression",
      `const a = /["'\`]import\\("\\/a.svg/; if (a) /'/.test("from './b.js'"); x = y / 2 / "1";`,
    ],
    [
      "a method of that name",
      'a.import("./b.js"); Array.from("./b.js"); const { from } = { from: "./b.js" };',
    ],
    ["addresses that only the running page knows", `import(\`\${base}/b.js\`)`],
    ["addresses elsewhere", 'import "https://esm.example/x.js"; import("data:text/javascript,1");'],
    ["mapped imports", 'import a from "mapped"; import b from "lib/b.js";'],
    ["a file that is not there", 'const a = "/none.svg", b = new URL("none.svg", import.meta.url);'],
    [
      "texts that only resemble a file",
      'const a = "a.svg", b = "/a.svg is fine", c = "/index.html", d = new URL(".", import.meta.url);',
    ],
  ])("may have %s in its scripts", async (_name, code) => {
    const map = { mapped: "https://esm.example/mapped.js", "lib/": "https://esm.example/lib/" };
    const folder = folderOf("allowed", {
      "index.html": `<script type="importmap">${JSON.stringify({ imports: map })}</script>
<script type="module" src="page.js"></script><script type="module">${code}</script>`,
      "page.js": code,
      "a.svg": "<svg/>",
    });
    expect((await read({ folder })).split(code)).toHaveLength(3);
  });

  it.each([
    ['import "react"', /imports react,/],
    ['import React from"react";', /imports react,/],
    ['export * from "./b.js"', /imports \.\/b\.js,/],
    ["import(`./b.js`)", /imports \.\/b\.js,/],
    [`import(\`./lang/\${x}.js\`)`, /imports \.\/lang\/,/],
    ['const a = /[/"]/; import /* now */ ("./b.js")', /imports \.\/b\.js,/],
    ['if (x) /"/.test(y); import "./b.js"', /imports \.\/b\.js,/],
    ['i++ / 2; import "./b.js"; 1 / 2', /imports \.\/b\.js,/],
    ['f(x) / 2; import "./b.js"; 1 / 2', /imports \.\/b\.js,/],
    [`const a = \`\${b}"\`; import "./b.js"; "x"`, /imports \.\/b\.js,/],
    [`const a = \`\${\`"\${b}\`}"\`; import "./b.js"`, /imports \.\/b\.js,/],
    ['import "mapped"', /imports mapped,/],
    ['import "node:fs"', /imports node:fs,/],
    ['const logo = "/assets/logo.png";', /uses the file \/assets\/logo\.png, .*assetsInlineLimit/],
    ['new URL("./assets/logo.png?x#y", import.meta.url)', /uses the file \.\/assets\/logo\.png\?x#y/],
    ["new URL(`assets/logo.png`, import.meta.url).href", /uses the file assets\/logo\.png/],
  ])("is refused with a script that has %s, in a file and in the page", async (code, message) => {
    const refused = { code: "view-not-whole", message: expect.stringMatching(message) };
    const map = '<script type="importmap">{ "imports": { "mapped": "./b.js" } }</script>';
    const files = { "page.js": code, "assets/logo.png": "png" };
    const script = '<script type="module" src="page.js"></script>';
    const inFile = folderOf("refused-in-file", { ...files, "index.html": map + script });
    await expect(read({ folder: inFile })).rejects.toMatchObject(refused);
    const inPage = folderOf("refused-in-page", {
      ...files,
      "index.html": `${map}<script type="module">${code}</script>`,
    });
    await expect(read({ folder: inPage })).rejects.toMatchObject({
      code: "view-not-whole",
      message: expect.stringMatching(/^a script in index\.html /),
    });
  });

  it.each([
    [
      "another module",
      { "index.html": '<script type="module" src="a.js"></script>', "a.js": 'import("./b.js")' },
      "view-not-whole",
      /a\.js imports \.\/b\.js/,
    ],
    [
      "another module, at once",
      { "index.html": '<script type="module" src="a.js"></script>', "a.js": 'import{x}from"./b.js"' },
      "view-not-whole",
      /b\.js/,
    ],
    [
      "an import of styles",
      { "index.html": '<link rel="stylesheet" href="a.css">', "a.css": '@import "b.css"' },
      "view-not-whole",
      /@import/,
    ],
    [
      "a frame with another page",
      { "index.html": '<iframe src="help.html"></iframe>', "help.html": "x" },
      "view-not-whole",
      /<iframe src="help\.html">, but a view is one document/,
    ],
    [
      "a drawing of which a part is used",
      { "index.html": '<svg><use href="all.svg#cart"/></svg>', "all.svg": "<svg/>" },
      "view-not-whole",
      /<use href="all\.svg#cart">/,
    ],
    [
      "an import of styles in the page",
      { "index.html": "<style>@import url(b.css);</style>" },
      "view-not-whole",
      /index\.html has an @import/,
    ],
    [
      "a picture that is not there, of another size",
      { "index.html": '<img srcset="none.png 2x">' },
      "view-missing",
      /none\.png/,
    ],
    [
      "a file that is not there",
      { "index.html": '<script src="none.js"></script>' },
      "view-missing",
      /none\.js/,
    ],
    ["a file outside", { "index.html": '<img src="../files/page.html">' }, "path-forbidden", /inside/],
    [
      "a hidden way outside",
      { "index.html": '<img src="%2e%2e/files/page.html">' },
      "path-forbidden",
      /inside/,
    ],
    ["no page", { "other.html": "" }, "view-missing", /index\.html/],
    [
      "too much in all",
      { "index.html": '<script src="a.js"></script><script src="a.js"></script>', "a.js": "x".repeat(600) },
      "view-too-large",
      /1000/,
    ],
  ])("is refused with %s", async (name, files, code, message) => {
    const folder = folderOf(
      `refused-${name.replaceAll(" ", "-")}`,
      files as unknown as Record<string, string>,
    );
    await expect(read({ folder }, 1000)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it("is refused when a link leads out of it", async () => {
    const folder = folderOf("linked", { "index.html": '<img src="out/page.html">' });
    symlinkSync(join(root, "files"), join(folder, "out"));
    await expect(read({ folder })).rejects.toMatchObject({
      code: "path-forbidden",
      message: expect.stringMatching(/leads out/),
    });
  });
});

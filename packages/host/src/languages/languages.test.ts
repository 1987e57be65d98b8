/** Every language says everything, about every question. */
import { describe, expect, it } from "vitest";
import type { FrameQuestion } from "../frame/prompt.ts";
import { frameWords, type Language, promptWords } from "../words.ts";
import { bestLanguage, french, german, japanese, simplifiedChinese, spanish } from "./index.ts";

const LANGUAGES: readonly Language[] = [german, french, spanish, japanese, simplifiedChinese];
const ENGLISH = { ...frameWords(), ...promptWords() };

/** All texts of a table, by their names; functions get recognizable names. */
const textsOf = (words: object): Map<string, string> =>
  new Map(
    Object.entries(words)
      .filter(([name]) => !["tag", "direction", "reason", "scope", "scopeNote"].includes(name))
      .flatMap(([name, value]) =>
        typeof value === "function"
          ? [[name, value("<one>", "<two>")] as [string, string]]
          : typeof value === "string"
            ? [[name, value] as [string, string]]
            : Object.entries<string>(value).map(([key, text]): [string, string] => [`${name}.${key}`, text]),
      ),
  );

const question = (words: Partial<FrameQuestion>): FrameQuestion => ({
  view: "v",
  server: "bank",
  method: "tools/call",
  subject: "pay",
  title: "Pay",
  params: {},
  reason: "The app wants something.",
  ...words,
});
const tool = (annotations: object): Partial<FrameQuestion> => ({
  tool: { name: "pay", inputSchema: { type: "object" }, annotations },
});
const QUESTIONS: Readonly<Record<string, FrameQuestion>> = {
  "a tool": question({}),
  "a destructive tool": question(tool({ destructiveHint: true })),
  "all tools": question({ covers: "tools" }),
  "all tools, for the model": question({ covers: "tools", asker: "model" }),
  "a tool, for the model": question({ asker: "model" }),
  "a tool of the app": question({ covers: "own-tool", asker: "model" }),
  "a destructive tool of the app": question({
    covers: "own-tool",
    asker: "agent",
    agent: "You",
    ...tool({ destructiveHint: true }),
  }),
  "a reading tool of the app": question({
    covers: "own-tool",
    asker: "model",
    ...tool({ readOnlyHint: true }),
  }),
  "a link": question({ method: "ui/open-link", subject: "example.com" }),
  files: question({ method: "ui/download-file", subject: "" }),
  "a message": question({ method: "ui/message", subject: "" }),
  context: question({ method: "ui/update-model-context", subject: "" }),
  "the model": question({ method: "sampling/createMessage", subject: "", scope: "all sampling by bank" }),
  "a permission": question({ method: "ui/permission", subject: "camera" }),
};

describe.each(LANGUAGES.map((language) => [language.tag, language] as const))("%s", (_tag, language) => {
  it("has a text of its own for each English one, with the same names in it", () => {
    const own = textsOf(language);
    const english = textsOf(ENGLISH);
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
    const namesIn = (text: string | undefined): string[] => text?.match(/<\w+>/g)?.sort() ?? [];
    for (const [name, text] of english) {
      expect(own.get(name), name).not.toBe(text);
      expect(own.get(name)?.trim(), name).toBeTruthy();
      expect(namesIn(own.get(name)), name).toEqual(namesIn(text));
    }
  });

  it("says a different reason and scope for each question", () => {
    const reasons = Object.values(QUESTIONS).map((each) => language.reason(each) + language.scopeNote(each));
    expect(new Set(reasons).size).toBe(reasons.length);
    expect(reasons).not.toContain("The app wants something.");
    for (const [name, each] of Object.entries(QUESTIONS)) {
      const scope = language.scope(each);
      const named = each.covers === "tools" ? "bank" : each.subject || "bank";
      expect(scope, name).toContain(named);
    }
    // An agent chooses its own name, so it stays quoted.
    expect(language.reason(question({ covers: "own-tool", asker: "agent", agent: 'Y"ou' }))).toContain(
      '"Y\\"ou"',
    );
  });

  it("leaves the reason of a method that it does not know, and its scope", () => {
    const odd = question({ method: "x/y", scope: "all x" });
    expect([language.reason(odd), language.scope(odd)]).toEqual(["The app wants something.", "all x"]);
  });

  it("leaves a host's own reason, and a scope that is wider than one tool", () => {
    const own = question({ reason: "Ask your manager first.", scope: "all ordinary tools of bank" });
    expect([language.reason(own), language.scope(own)]).toEqual([own.reason, own.scope]);
    expect([language.scopeNote(own), language.scopeNote({ ...own, scopeNote: "All of them." })]).toEqual([
      "",
      "All of them.",
    ]);
  });

  it("is found by its tag", () => {
    expect(bestLanguage([language.tag])).toBe(language);
  });
});

describe("bestLanguage", () => {
  it.each([
    [["de-AT", "en"], german],
    [["pt-BR", "es-MX"], spanish],
    [["en-GB", "de"], undefined],
    [["zh-CN"], simplifiedChinese],
    [["zh-SG"], simplifiedChinese],
    // Traditional Chinese: the next language is better than the wrong script.
    [["zh-TW", "ja"], japanese],
    [["zh-HK"], undefined],
    [["not a tag", "fr-CA"], french],
    [[], undefined],
  ])("of %j", (tags, expected) => {
    expect(bestLanguage(tags)).toBe(expected);
  });

  it("chooses among the languages of the page", () => {
    expect(bestLanguage(["de", "fr"], [french])).toBe(french);
  });
});

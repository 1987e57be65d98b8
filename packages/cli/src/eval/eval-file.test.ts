import { describe, expect, it } from "vitest";
import type { CliError } from "../exit.js";
import { readEvalFile } from "./eval-file.js";

const read = (text: string) => readEvalFile(text, "/some/where/a.yml");

/** The lines of the error. */
function mistakes(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    expect((error as CliError).code).toBe("eval-invalid");
    return (error as CliError).message.split("\n");
  }
  throw new Error("the file is valid");
}

describe("an eval file", () => {
  it("has cases with sentences and expectations; a single value is a list of one", () => {
    const file = read(`
models: openai/gpt-5.4-mini
runs: 5
min-rate: 0.9
timeout: 90s
allow: [board/add_card, weather/*, ui/message]
cases:
  - name: one
    say: Hello
    expect: { answer: Hi }
  - name: two
    timeout: 2m
    turns:
      - say: First
        expect: { calls: weather/forecast }
      - Second
    expect:
      calls:
        - tool: weather/forecast
          arguments: { city: Rome }
          schema: { required: [city] }
      in-order: true
      no-calls: "*"
      app: { tool: weather/forecast, text: [Rome, Monday], no-text: Paris, role: button, name: Refresh }
      at-most: { calls: 2, tokens: 1000, cost: 0.01, time: 20s }
`);
    expect(file).toMatchObject({
      models: ["openai/gpt-5.4-mini"],
      runs: 5,
      minRate: 0.9,
      timeout: 90_000,
      allow: ["board/add_card", "weather/*", "ui/message"],
      apps: false,
      cases: [
        { name: "one", turns: [{ say: "Hello" }], expect: { answer: { contains: ["Hi"] } } },
        {
          name: "two",
          timeout: 120_000,
          turns: [{ say: "First", expect: { calls: [{ tool: "weather/forecast" }] } }, { say: "Second" }],
          expect: {
            calls: [
              { tool: "weather/forecast", arguments: { city: "Rome" }, schema: { required: ["city"] } },
            ],
            "in-order": true,
            "no-calls": ["*"],
            app: [{ tool: "weather/forecast", text: ["Rome", "Monday"], "no-text": ["Paris"] }],
            "at-most": { calls: 2, tokens: 1000, cost: 0.01, time: 20_000 },
          },
        },
      ],
    });
  });

  it("with mistakes is refused with all of them, each with its line and key", () => {
    expect(
      mistakes(`modles: a/b
runs: 0
min-rate: 2
allow: [weather]
cases:
  - name: a
    say: Hi
    expect:
      calls:
        - tol: weather/forecast
        - weather
      answer: { matches: "(" }
  - name: a
    expect: { app: { name: Refresh } }
  - say: 3
    turns: [x]
    expect: {}
`),
    ).toEqual([
      'a.yml:1: modles: unknown key; did you mean "models"?',
      "a.yml:2: runs: must be at least 1",
      "a.yml:3: min-rate: must be from 0 to 1",
      'a.yml:4: allow[0]: must be server/tool, "server/*", or one of ui/message, ui/open-link, ui/download-file, ui/permission',
      "a.yml:10: cases[0].expect.calls[0].tool: is missing",
      'a.yml:10: cases[0].expect.calls[0].tol: unknown key; did you mean "tool"?',
      "a.yml:11: cases[0].expect.calls[1].tool: must be server/tool, such as weather/forecast",
      expect.stringContaining("a.yml:12: cases[0].expect.answer.matches[0]: must be a regular expression: "),
      "a.yml:13: cases[1]: must have either say, or turns for several sentences",
      "a.yml:14: cases[1].expect.app[0].name: needs a role: the name is that of an element with this role",
      "a.yml:15: cases[2].name: is missing",
      "a.yml:15: cases[2].say: must be a text; put it in quotes if it looks like something else",
      "a.yml:17: cases[2].expect: must expect something",
    ]);
  });

  it.each<[string, string, string]>([
    [
      "two cases of one name",
      "{name: a, say: x, expect: {answer: x}}, {name: a, say: x, expect: {answer: x}}",
      "another case has this name already",
    ],
    ["nothing to say", "{name: a, expect: {answer: x}}", "cases[0]: must have either say, or turns"],
    ["nothing to expect", "{name: a, say: x}", "cases[0]: must expect something: add expect"],
    [
      "an invalid schema",
      "{name: a, say: x, expect: {calls: {tool: a/b, schema: {type: nonsense}}}}",
      "cases[0].expect.calls[0].schema: is not a JSON Schema",
    ],
    [
      "an order of nothing",
      "{name: a, say: x, expect: {answer: x, in-order: true}}",
      "in-order: needs calls",
    ],
  ])("with %s is refused", (_what, cases, message) => {
    expect(mistakes(`cases: [${cases}]`).join("\n")).toContain(message);
  });

  it("that is not YAML, or too much of it, is refused with the line", () => {
    expect(mistakes("cases:\n  - name: a\n  say: [")[0]).toMatch(/^a\.yml:\d+: /);
    expect(mistakes("a: 1\na: 2\ncases: []")[0]).toMatch(/^a\.yml:2: Map keys must be unique/);
    expect(mistakes("")).toEqual(["a.yml:1: cases: is missing"]);
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (let at = 0; at < 8; at++) {
      const [from, to] = [String.fromCharCode(97 + at), String.fromCharCode(98 + at)];
      bomb.push(`${to}: &${to} [${`*${from},`.repeat(9)}]`);
    }
    expect(mistakes(bomb.join("\n"))[0]).toMatch(/^a\.yml: Excessive alias count/);
  });
});

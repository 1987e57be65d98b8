import { describe, expect, it } from "vitest";
import { readEvalFile } from "./eval-file.js";
import type { Expectations } from "./eval-schema.js";
import type { Evidence, MadeCall, ShownApp } from "./evidence.js";
import { sum } from "./evidence.js";
import { judge } from "./judge.js";

/** As the file has it. */
function expectation(written: string): Expectations {
  const { cases } = readEvalFile(`cases: [{name: a, say: x, expect: ${written}}]`, "a.yml");
  return cases[0]?.expect ?? {};
}

const call = (name: string, input: Record<string, unknown> = {}): MadeCall => {
  const [server = "", tool = ""] = name.split("/");
  return { server, tool, input, state: "done" };
};

const app = (text: string | undefined, more: Partial<ShownApp> = {}): ShownApp => ({
  server: "weather",
  tool: "forecast",
  problem: async () => undefined,
  text: async () => text,
  has: async (role, name) => role === "button" && (name === undefined || name === "Refresh"),
  ...more,
});

const EVIDENCE: Evidence = {
  calls: [
    call("weather/forecast", { city: "Rome", days: 3, at: { lat: 1, tags: ["a", "b"] } }),
    call("board/add_card", { title: "Pack" }),
    call("weather/forecast", { city: "Oslo" }),
  ],
  answer: "It is  **Sunny**\nin Rome.",
  apps: [app("Rome\nMonday 21°")],
  usage: { input: 100, output: 20, cost: 0.002 },
  time: 1_500,
};

const reasons = (written: string, more: Partial<Evidence> = {}): Promise<string[]> =>
  judge(expectation(written), { ...EVIDENCE, ...more }, 50);

describe("an expectation is met by", () => {
  it.each([
    "{calls: weather/forecast}",
    "{calls: {tool: weather/forecast, arguments: {city: Rome}}}",
    "{calls: {tool: weather/forecast, arguments: {at: {tags: [a, b]}}}}",
    "{calls: {tool: weather/forecast, schema: {properties: {city: {pattern: ^Ro}}}}}",
    // The general one does not take the call of the special one.
    "{calls: [weather/forecast, {tool: weather/forecast, arguments: {city: Rome}}]}",
    "{calls: [weather/forecast, board/add_card, weather/forecast], in-order: true}",
    '{no-calls: [board/delete_card, "mail/*"]}',
    '{answer: {contains: [sunny** in rome], lacks: Paris, matches: "sunny.*\\\\s+in"}}',
    "{app: monday}",
    "{app: {tool: weather/forecast, text: Rome, no-text: Oslo, role: button, name: Refresh}}",
    "{at-most: {calls: 3, tokens: 120, cost: 0.002, time: 1500ms}}",
  ])("%s", async (written) => {
    expect(await reasons(written)).toEqual([]);
  });
});

describe("an expectation that is not met says why:", () => {
  it.each<[string, string, Partial<Evidence>?]>([
    ["{calls: mail/send}", 'mail/send was not called; weather/forecast {"city":"Rome"'],
    ["{calls: mail/send}", "mail/send was not called; no tool was called", { calls: [] }],
    [
      "{calls: {tool: board/add_card, arguments: {title: Buy}}}",
      'board/add_card was called with other arguments: title is "Pack", not "Buy"',
    ],
    ["{calls: {tool: board/add_card, arguments: {column: todo}}}", 'column is missing, not "todo"'],
    ["{calls: {tool: weather/forecast, arguments: {at: {tags: [a]}}}}", 'at.tags is ["a","b"], not ["a"]'],
    ["{calls: {tool: board/add_card, schema: {required: [column]}}}", "the arguments do not fit the schema"],
    [
      "{calls: [board/add_card, board/add_card]}",
      "board/add_card was called 1 times, and more such calls are expected",
    ],
    [
      "{calls: [board/add_card, {tool: weather/forecast, arguments: {city: Rome}}], in-order: true}",
      "weather/forecast was not called after board/add_card",
    ],
    ["{no-calls: board/add_card}", 'board/add_card {"title":"Pack"} was called, and no-calls forbids it'],
    ['{no-calls: "weather/*"}', "weather/forecast"],
    ['{no-calls: "*"}', "board/add_card"],
    ["{answer: rain}", 'the answer does not contain "rain"; it is "It is  **Sunny**'],
    ["{answer: rain}", 'the answer does not contain "rain"; it is empty', { answer: " " }],
    ["{answer: {lacks: rome}}", 'the answer contains "rome"'],
    ["{answer: {matches: ^rome}}", "the answer does not match /^rome/"],
    ["{app: Oslo}", 'the app of weather/forecast does not show "Oslo"; it shows "Rome\\nMonday 21°"'],
    ["{app: {no-text: rome}}", 'the app of weather/forecast shows "rome"'],
    ["{app: {role: slider}}", "the app of weather/forecast has no slider"],
    ["{app: {role: button, name: Save}}", 'has no button named "Save"'],
    ["{app: {tool: board/show_board}}", "no app of board/show_board was shown"],
    ["{app: x}", "no app was shown", { apps: [] }],
    ["{app: x}", "the app of weather/forecast does not respond", { apps: [app(undefined)] }],
    [
      "{app: Rome}",
      "does not work: it crashed",
      { apps: [app("Rome", { problem: async () => "it crashed" })] },
    ],
    ["{at-most: {calls: 2}}", "3 tools were called, and at most 2 are expected"],
    ["{at-most: {tokens: 119}}", "120 tokens were used, and at most 119 are expected"],
    ["{at-most: {cost: 0.001}}", "it cost $0.002000, and at most $0.001 is expected"],
    ["{at-most: {time: 1s}}", "it took 1.5 s, and at most 1 s are expected"],
  ])("%s: %s", async (written, reason, more) => {
    expect((await reasons(written, more)).join("\n")).toContain(reason);
  });

  it("each reason is given", async () => {
    expect(await reasons("{calls: mail/send, answer: rain, at-most: {calls: 0}}")).toHaveLength(3);
  });

  it("an app that shows it a moment later is waited for", async () => {
    let looks = 0;
    const slow = app("", { text: async () => (++looks < 3 ? "Loading" : "Rome") });
    expect(await judge(expectation("{app: Rome}"), { ...EVIDENCE, apps: [slow] }, 5_000)).toEqual([]);
  });
});

it("a limit that cannot be checked is an error, and not a failure", async () => {
  await expect(reasons("{at-most: {cost: 1}}", { usage: { input: 1, output: 1 } })).rejects.toMatchObject({
    code: "cost-unknown",
  });
  await expect(reasons("{at-most: {tokens: 1}}", { usage: {} })).rejects.toMatchObject({
    code: "tokens-unknown",
  });
});

it("a sum with an unknown part is unknown, and not too small", () => {
  expect(
    sum([
      { input: 1, output: 2, cost: 0.1 },
      { input: 3, output: 4 },
    ]),
  ).toEqual({
    input: 4,
    output: 6,
    cost: undefined,
  });
  expect(sum([{ input: 1, output: 2 }, undefined])).toEqual({});
  expect(sum([])).toEqual({});
});

import { describe, expect, it } from "vitest";
import type { ShownServer } from "../../model/servers.js";
import { conversationEntries, foundEntries, type PaletteSection, toolEntries } from "./palette-entries.js";

const none = (): void => {};
const entry = (title: string, more: object = {}) => ({ id: title, title, act: none, ...more });
const titles = (sections: readonly PaletteSection[]): string[][] =>
  sections.map(({ title, entries }) => [title, ...entries.map((each) => each.title)]);

describe("the palette", () => {
  const sections: PaletteSection[] = [
    {
      title: "Tools",
      entries: [
        entry("The weather", { detail: "sky · app" }),
        entry("Weather map"),
        entry("Send mail", { words: "a letter about the weather" }),
      ],
    },
    { title: "Commands", entries: [entry("Theme: Dark", { words: "colour" })] },
  ];

  it("shows everything before a search", () => {
    expect(titles(foundEntries(sections, " "))).toEqual([
      ["Tools", "The weather", "Weather map", "Send mail"],
      ["Commands", "Theme: Dark"],
    ]);
  });

  it("finds all words in title, detail and description, and lists titles that begin with them first", () => {
    expect(titles(foundEntries(sections, "WEATHER"))).toEqual([
      ["Tools", "Weather map", "The weather", "Send mail"],
    ]);
    expect(titles(foundEntries(sections, "weather sky"))).toEqual([["Tools", "The weather"]]);
    expect(titles(foundEntries(sections, "colour"))).toEqual([["Commands", "Theme: Dark"]]);
  });

  it("has no section without entries", () => {
    expect(foundEntries(sections, "xyz")).toEqual([]);
  });

  it("shows 50 entries of a section at most", () => {
    const many = [{ title: "Tools", entries: Array.from({ length: 200 }, (_, n) => entry(`tool ${n}`)) }];
    expect(foundEntries(many, "tool")[0]?.entries).toHaveLength(50);
    // All are searched, not only the first ones.
    expect(titles(foundEntries(many, "tool 199"))).toEqual([["Tools", "tool 199"]]);
  });
});

describe("the entries", () => {
  const server = (tools: object[]): ShownServer =>
    ({
      summary: { name: "sky", state: "ready", capabilities: {} },
      catalogue: {
        tools,
        resources: [],
        templates: [],
        prompts: [],
        views: [{ tool: "map", uri: "ui://map" }],
      },
    }) as unknown as ShownServer;

  it("of tools are those that the user may call, with an app first", () => {
    const called: string[] = [];
    const tools = [
      { name: "plain", inputSchema: { type: "object" } },
      { name: "hidden", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["app"] } } },
      { name: "map", title: "Map", inputSchema: { type: "object" } },
    ];
    const entries = toolEntries([server(tools)], ({ facts }) => called.push(facts.tool.name));
    expect(entries.map(({ title, detail }) => [title, detail])).toEqual([
      ["Map", "sky · app"],
      ["plain", "sky"],
    ]);
    entries[0]?.act();
    expect(called).toEqual(["map"]);
  });

  it("of conversations leave out the current one", () => {
    const summary = { startedAt: 0, changedAt: 0, isRunning: false };
    const list = [
      { ...summary, id: "a", title: "Rome" },
      { ...summary, id: "b", title: "" },
    ];
    expect(conversationEntries(list, "a", none).map(({ title }) => title)).toEqual(["Untitled conversation"]);
  });
});

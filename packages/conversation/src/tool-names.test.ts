import { describe, expect, it } from "vitest";
import type { OfferedTool } from "./ports.js";
import { type AppTool, nameTools } from "./tool-names.js";

const inputSchema = { type: "object" as const };
const tool = (server: string, name: string, more: object = {}): OfferedTool => ({
  server,
  identity: "1",
  hasApp: false,
  tool: { name, inputSchema, ...more },
});
const ofApp = (number: number, name: string): AppTool => ({
  view: `v${number}`,
  number,
  app: { item: `i${number}`, server: "shop", title: 'The "Map"' },
  tool: { name, description: "Zooms.", inputSchema },
});
const named = (tools: OfferedTool[], apps: AppTool[] = []) => nameTools(tools, apps, () => 1);
const namesOf = (tools: OfferedTool[], apps: AppTool[] = []): string[] =>
  named(tools, apps).tools.map(({ name }) => name);

describe("names of tools", () => {
  it.each([
    ["plain", [tool("weather", "forecast")], ["weather__forecast"]],
    ["with other letters", [tool("my weather", "fore.cast/ü")], ["my_weather__fore_cast__"]],
    ["of two servers", [tool("a", "x"), tool("b", "x")], ["a__x", "b__x"]],
  ])("%s", (_name, tools, names) => {
    expect(namesOf(tools)).toEqual(names);
  });

  it("are accepted by every provider, and can be looked up, whatever the tools are called", () => {
    const tools = [
      ...[tool("a", "b__c"), tool("a__b", "c"), tool("a", "b.c"), tool("a", "b/c"), tool("a", "")],
      ...[tool("s".repeat(100), "x"), tool("s".repeat(100), "y"), tool("a", "長い名前")],
    ];
    const names = namesOf(tools);
    expect(new Set(names).size).toBe(tools.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const found = named(tools);
    expect(names.map((name) => found.find(name)?.tool)).toEqual(tools.map((each) => each.tool));
    for (const [index, { server, tool: each }] of tools.entries())
      expect(found.nameOf({ server, tool: each.name })).toBe(names[index]);
    // Names do not depend on the order.
    expect(namesOf([...tools].reverse()).sort()).toEqual([...names].sort());
    expect(found.find("a__b__c")).toBeUndefined();
  });

  it("of apps contain the number of the app, and no server can have one", () => {
    const apps = [ofApp(1, "zoom"), ofApp(2, "zoom")];
    expect(namesOf([], apps)).toEqual(["app_1__zoom", "app_2__zoom"]);
    const mixed = named([tool("app_1", "zoom")], apps);
    expect(mixed.find("app_1__zoom")).toBeUndefined();
    expect(mixed.tools.map(({ name }) => mixed.find(name)?.kind)).toEqual(["server", "app", "app"]);
    expect(mixed.find("app_2__zoom")).toMatchObject({ kind: "app", view: "v2", server: "shop" });
  });

  it("of removed tools stay the same", () => {
    expect(named([]).nameOf({ server: "weather", tool: "forecast" })).toBe("weather__forecast");
    expect(named([]).nameOf({ server: "", tool: "magic" })).toBe("magic");
    const app = { item: "i1", server: "shop", title: "Map" };
    expect(named([]).nameOf({ server: "shop", tool: "zoom", app })).toBe("app_1__zoom");
  });
});

it("C02: only tools for the model are offered, each with its server", () => {
  const tools = [
    tool("weather", "forecast", { description: "Says how it will be." }),
    tool("weather", "refresh", { _meta: { ui: { visibility: ["app"] } } }),
    tool("weather", "both", { title: "Both", _meta: { ui: { visibility: ["app", "model"] } } }),
  ];
  expect(named(tools, [ofApp(1, "zoom")]).tools).toEqual([
    {
      name: "weather__forecast",
      inputSchema,
      description: 'Tool of the server "weather". Says how it will be.',
    },
    { name: "weather__both", inputSchema, description: 'Tool of the server "weather". Both' },
    {
      name: "app_1__zoom",
      inputSchema,
      description: 'Offered by the app "The \\"Map\\"" of the server "shop", while it is open. Zooms.',
    },
  ]);
});

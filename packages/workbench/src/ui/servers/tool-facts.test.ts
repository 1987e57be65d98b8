import type { Tool } from "@vitrine/protocol";
import { expect, it } from "vitest";
import { foundIn, type ToolFacts, toolFacts } from "./tool-facts.js";

const facts = (name: string, description?: string): ToolFacts => ({
  tool: { name, description, inputSchema: { type: "object" } } as Tool,
  title: name,
  hasUi: false,
  uiProblem: undefined,
  isCallable: true,
  isForApps: true,
});

const SERVERS = [
  { name: "bakery", tools: [facts("order", "Orders a cake"), facts("bake")] },
  { name: "broken", tools: [] },
];

const found = (search: string): string[] =>
  SERVERS.flatMap(({ name, tools }) => {
    const left = foundIn(name, tools, search);
    return left ? [[name, ...left.map(({ tool }) => tool.name)].join(" ")] : [];
  });

it("a tool whose UI was not read, as that of the last of many, still has one", () => {
  const tool: Tool = {
    name: "show",
    inputSchema: { type: "object" },
    _meta: { ui: { resourceUri: "ui://shop/show" } },
  };
  const plain: Tool = { name: "plain", inputSchema: { type: "object" } };
  const catalogue = { tools: [tool, plain], resources: [], templates: [], prompts: [], views: [] };
  expect(toolFacts(catalogue).map(({ hasUi }) => hasUi)).toEqual([true, false]);
});

it("without a search all servers are listed with all of their tools", () => {
  expect(found("")).toEqual(["bakery order bake", "broken"]);
});

it("finds tools that have every word in their names, descriptions, or their server's name", () => {
  expect(found("CAKE order")).toEqual(["bakery order"]);
  expect(found("bakery")).toEqual(["bakery order bake"]);
  expect(found("bakery pie")).toEqual([]);
});

it("keeps a server whose name is searched for, although its tools are not known", () => {
  expect(found("brok")).toEqual(["broken"]);
  expect(found("broken cake")).toEqual([]);
});

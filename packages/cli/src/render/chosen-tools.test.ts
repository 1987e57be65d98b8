import type { Tool } from "@vitrine/protocol";
import type { ServerCatalogue } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { allTools, namedTools } from "./chosen-tools.js";

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: "object" },
  _meta: { ui: { resourceUri: `ui://apps/${name}` } },
  ...more,
});
const city = (schema: object): Partial<Tool> => ({
  inputSchema: { type: "object", properties: { city: schema }, required: ["city"] },
});
const catalogue = (...tools: Tool[]): ServerCatalogue => ({
  tools,
  resources: [],
  templates: [],
  prompts: [],
  views: tools.filter(({ _meta }) => _meta).map(({ name }) => ({ tool: name, uri: `ui://apps/${name}` })),
});
const APP_ONLY = { _meta: { ui: { resourceUri: "ui://apps/x", visibility: ["app"] } } };

describe("all tools of a server", () => {
  it("are those with a UI, except destructive ones, app-only ones, and those without valid arguments", () => {
    const { wanted, skipped } = allTools(
      catalogue(
        tool("fine"),
        tool("picky", city({ type: "string", minLength: 2 })),
        tool("strange", city({ type: "string", pattern: "^[A-Z]{3}$" })),
        tool("destroy", { annotations: { destructiveHint: true } }),
        tool("private", APP_ONLY),
        tool("plain", { _meta: undefined }),
      ),
      { allow: ["calls"] },
    );
    expect(wanted).toEqual([
      { tool: "fine", arguments: {} },
      { tool: "picky", arguments: { city: "xx" } },
    ]);
    expect(Object.fromEntries(skipped.map((each) => [each.tool, each.reason]))).toEqual({
      strange: expect.stringContaining("--args"),
      destroy: expect.stringContaining("destructive"),
      private: expect.stringContaining("own apps"),
    });
  });
});

describe("all tools of a server, without --allow-calls", () => {
  const server = catalogue(
    tool("unsaid"),
    tool("reads", { annotations: { readOnlyHint: true } }),
    tool("adds", { annotations: { destructiveHint: false } }),
    tool("writes", { annotations: { readOnlyHint: false } }),
    tool("destroys", { annotations: { readOnlyHint: true, destructiveHint: true } }),
  );
  const names = (...allow: ("calls" | "all" | "links")[]) =>
    allTools(server, { allow }).wanted.map((each) => each.tool);

  it("are those that declare to be harmless", () => {
    expect(names()).toEqual(["reads", "adds"]);
    expect(names("links")).toEqual(["reads", "adds"]);
    const { skipped } = allTools(server, { allow: [] });
    expect(skipped.find((each) => each.tool === "unsaid")?.reason).toContain("--allow-calls");
  });

  it("include undeclared ones if calls are allowed, but no destructive ones", () => {
    for (const allow of ["calls", "all"] as const)
      expect(names(allow)).toEqual(["unsaid", "reads", "adds", "writes"]);
  });
});

describe("tools by their names", () => {
  it("get the given arguments, or the defaults of their schemas", () => {
    const server = catalogue(tool("picky", city({ type: "string", default: "Rome" })));
    expect(namedTools(server, { tools: ["picky"] }, { city: "Bern" }).wanted).toEqual([
      { tool: "picky", arguments: { city: "Bern" } },
    ]);
    expect(namedTools(server, { tools: ["picky"] }, undefined).wanted).toEqual([
      { tool: "picky", arguments: { city: "Rome" } },
    ]);
  });

  it("are never called with generated arguments", () => {
    const server = catalogue(tool("picky", city({ type: "string" })));
    expect(() => namedTools(server, { tools: ["picky"] }, undefined)).toThrow(
      expect.objectContaining({ code: "arguments-invalid" }),
    );
  });

  it("that do not exist are reported with those that do", () => {
    const server = catalogue(
      tool("forecast"),
      tool("private", APP_ONLY),
      tool("plain", { _meta: undefined }),
    );
    const choose = (name: string) => () => namedTools(server, { tools: [name] }, undefined);
    expect(choose("forcast")).toThrow(
      expect.objectContaining({ code: "tool-unknown", message: expect.stringContaining("forecast") }),
    );
    expect(choose("private")).toThrow(expect.objectContaining({ code: "tool-not-visible" }));
    expect(choose("plain")).toThrow(expect.objectContaining({ code: "no-ui" }));
  });
});

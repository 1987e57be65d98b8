/** Clients without views: every tool has text, whatever its page and its result. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { type AnyTemplate, type AnyTool, appServer, type ViewDefinition } from "@vitrine/server";
import { TEMPLATES } from "@vitrine/server/templates";
import { testServer } from "@vitrine/server/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/** A configuration for templates that need one, and typical data with a word that must be in the text. */
const CASES: Readonly<Record<string, { config?: object; data: object; word: string }>> = {
  approval: { data: { title: "Delete 3 files?" }, word: "Delete 3 files?" },
  chart: { data: { items: [{ month: "May", sales: 5 }] }, word: "May" },
  choice: { config: { question: "Which tea?" }, data: { options: ["Green", "Black"] }, word: "Black" },
  "data-table": { data: { items: [{ city: "Berne" }] }, word: "Berne" },
  detail: { data: { city: "Berne" }, word: "Berne" },
  "diff-viewer": { data: { left: "one", right: "two" }, word: "+two" },
  "file-upload": { data: { saved: 2 }, word: "saved" },
  form: { data: { booked: "yes" }, word: "booked" },
  kanban: {
    config: { columns: [{ id: "todo", title: "To do" }] },
    data: { cards: [{ id: "1", column: "todo", title: "Tea" }] },
    word: "Tea",
  },
  progress: { data: { progress: 40, message: "Brewing" }, word: "Brewing" },
  "tree-view": { data: { nodes: [{ label: "Root" }] }, word: "Root" },
  wizard: {
    config: { steps: [{ title: "Who", fields: [{ name: "name" }] }] },
    data: { booked: "yes" },
    word: "booked",
  },
};

const input = z.object({ guests: z.number().describe("How many come?"), name: z.string().optional() });

/** The text that a client without views reads for this page and result. */
async function wordsOf(template: AnyTemplate, config: object, data: unknown): Promise<string[]> {
  const view: ViewDefinition = { name: "page", source: { template, config } };
  const tool: AnyTool = { name: "give", input, view, run: () => data };
  const server = appServer({
    name: "x",
    version: "1",
    tools: [tool],
    onproblem: (_view, problem) => expect.fail(problem.message),
  });
  const tested = await testServer(server, { views: false });
  const { content, isError } = (await tested.call("give", { guests: 2 })) as CallToolResult;
  await tested.close();
  expect(isError).not.toBe(true);
  return content.map((each) => (each.type === "text" ? each.text : ""));
}

it("every template is covered", () => {
  expect(Object.keys(CASES).sort()).toEqual(Object.keys(TEMPLATES).sort());
});

describe.each(Object.entries(TEMPLATES))("a tool with the page %s", (name, template) => {
  const { config = {}, data = {}, word = "" } = CASES[name] ?? {};

  it("renders its result", async () => {
    const words = await wordsOf(template, config, data);
    expect(words.join("\n")).toContain(word);
  });

  it.each([
    ["nothing", undefined],
    ["an empty record", {}],
    ["an empty list", { items: [] }],
    ["an empty text", ""],
  ])("has text for %s", async (_name, given) => {
    const words = await wordsOf(template, config, given);
    expect(words).toHaveLength(1);
    expect(words[0]?.trim()).not.toBe("");
  });
});

it("a template gets the tool's input schema, and the final say on its own page", async () => {
  const seen: unknown[] = [];
  const own: AnyTemplate = {
    name: "own",
    title: "Own",
    schema: { type: "object" },
    style: "",
    script: "",
    text: (data, _config, about) => {
      seen.push(data, about);
      return "";
    },
  };
  expect(await wordsOf(own, {}, undefined)).toEqual(["Own: nothing to show"]);
  const properties = { guests: { type: "number", description: "How many come?" }, name: { type: "string" } };
  expect(seen).toEqual([undefined, { inputSchema: expect.objectContaining({ type: "object", properties }) }]);
});

import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import { expect, it } from "vitest";
import { troubleOf } from "./server-trouble.js";

const summary: ServerSummary = { name: "s", state: "ready", capabilities: {} };
const catalogue: ServerCatalogue = { tools: [], resources: [], templates: [], prompts: [], views: [] };
const missing = ["Its resources could not be listed: too large", "Its prompts could not be listed: no"];

it("a server that is as it should be has none", () => {
  expect(troubleOf({ summary })).toEqual([]);
  expect(troubleOf({ summary, catalogue })).toEqual([]);
});

it("says what is missing of what a server offers", () => {
  expect(troubleOf({ summary, catalogue: { ...catalogue, missing } })).toEqual(missing);
});

it("attack E01: says that another server had its name", () => {
  const notice = '"s" is not the server that had this name before.';
  expect(troubleOf({ summary: { ...summary, notice }, catalogue: { ...catalogue, missing } })).toEqual([
    notice,
    ...missing,
  ]);
});

it("says what matters most first, and what is missing after it", () => {
  const worse: ServerSummary = {
    ...summary,
    problem: { code: "server-exited", message: "it ended" },
    crash: { at: 0, message: "SIGKILL" },
    garbage: "hello",
  };
  const state = { summary: worse, catalogue: { ...catalogue, missing }, problem: "no catalogue" };
  expect(troubleOf(state)).toEqual(["it ended", ...missing]);
  const { problem: _, ...ended } = worse;
  expect(troubleOf({ ...state, summary: ended })).toEqual(["no catalogue", ...missing]);
  expect(troubleOf({ summary: ended })).toEqual([expect.stringMatching(/^It ended at .*: SIGKILL$/)]);
  expect(troubleOf({ summary: { ...summary, garbage: "hello" } })).toEqual([
    expect.stringMatching(/stdout.*: hello$/),
  ]);
});

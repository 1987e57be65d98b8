import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import { expect, it } from "vitest";
import { troubleOf } from "./server-trouble.js";

const summary: ServerSummary = { name: "s", state: "ready", capabilities: {} };
const catalogue: ServerCatalogue = { tools: [], resources: [], templates: [], prompts: [], views: [] };
const missing = ["Its resources could not be listed: too large", "Its prompts could not be listed: no"];

it("a healthy server has no problem", () => {
  expect(troubleOf({ summary })).toEqual([]);
  expect(troubleOf({ summary, catalogue })).toEqual([]);
});

it("names the missing parts of a server's catalogue", () => {
  expect(troubleOf({ summary, catalogue: { ...catalogue, missing } })).toEqual(missing);
});

it("attack E01: reports that another server had its name", () => {
  const notice = '"s" is not the server that had this name before.';
  expect(troubleOf({ summary: { ...summary, notice }, catalogue: { ...catalogue, missing } })).toEqual([
    notice,
    ...missing,
  ]);
});

it("shows the most important problem first, and missing parts after it", () => {
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

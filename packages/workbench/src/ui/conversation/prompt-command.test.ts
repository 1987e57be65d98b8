import { expect, it } from "vitest";
import { namedPrompt, type OfferedPrompt, promptCompletions, promptContent } from "./prompt-command.js";

const offered = (server: string, name: string, title?: string): OfferedPrompt => ({
  summary: { name: server, state: "ready", capabilities: {} },
  prompt: { name, ...(title !== undefined && { title }) },
});
const PROMPTS = [
  offered("code", "review", "Review code"),
  offered("docs", "review"),
  offered("docs", "sum up"),
];
const names = (found: OfferedPrompt[]): string[] =>
  found.map(({ summary, prompt }) => `${summary.name} ${prompt.name}`);

it("a command completes names, servers and titles", () => {
  expect(names(promptCompletions("/", PROMPTS))).toHaveLength(3);
  expect(names(promptCompletions("/rev", PROMPTS))).toEqual(["code review", "docs review"]);
  expect(names(promptCompletions("/DOCS", PROMPTS))).toEqual(["docs review", "docs sum up"]);
  expect(promptCompletions("rev", PROMPTS)).toEqual([]);
  expect(promptCompletions("/review {", PROMPTS)).toEqual([]);
});

it("a name is exact, and of one server", () => {
  expect(namedPrompt("/review", PROMPTS)).toBeUndefined();
  expect(namedPrompt("/code review ", PROMPTS)).toBe(PROMPTS[0]);
  expect(namedPrompt("/sum up", PROMPTS)).toBe(PROMPTS[2]);
  expect(namedPrompt("/sum", PROMPTS)).toBeUndefined();
});

it("a prompt becomes text and attachments; answers of a model in it are named", () => {
  const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
  expect(
    promptContent([
      { role: "user", content: { type: "text", text: "Look" } },
      { role: "user", content: image },
    ]),
  ).toEqual({ text: "Look", blocks: [image] });
  expect(
    promptContent([
      { role: "user", content: { type: "text", text: "a" } },
      { role: "assistant", content: { type: "text", text: "b" } },
    ]).text,
  ).toBe("User: a\n\nAssistant: b");
});

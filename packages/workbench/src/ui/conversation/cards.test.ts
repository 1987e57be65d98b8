/** The rendered entries of the conversation. */
import type { ModelItem, NoteItem, UserItem } from "@vitrine/wire";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { prepareMarkdown } from "../markdown/load-markdown.js";
import { ModelCard } from "./model-card.js";
import { NoteCard } from "./note-card.js";
import { UserCard } from "./user-card.js";

beforeAll(prepareMarkdown);

const MARKUP = "<img src=x onerror=alert(1)>";

describe("text of the model", () => {
  const item: ModelItem = { kind: "model", id: "m", at: 0, model: "Scripted", text: "", state: "done" };
  const html = (more: Partial<ModelItem>): string =>
    renderToStaticMarkup(createElement(ModelCard, { item: { ...item, ...more } }));

  it("is never markup: not in a paragraph, not in code, not in its name or an error", () => {
    const drawn = html({
      model: MARKUP,
      text: `${MARKUP}\n\n\`\`\`${MARKUP}\n${MARKUP}\n\`\`\``,
      state: "failed",
      problem: { code: "model-failed", message: MARKUP },
    });
    expect(drawn).not.toContain("<img");
    expect(drawn.split("&lt;img src=x onerror=alert(1)&gt;").length - 1).toBeGreaterThanOrEqual(4);
  });

  it("has its code apart, with its language", () => {
    const drawn = html({ text: "See:\n```js\nf();\n```" });
    expect(drawn).toMatch(/<p>See:<\/p><figure[^>]*><figcaption><span[^>]*>js<\/span>/);
    expect(drawn).toContain("<code>f();</code>");
  });

  it("is not read out while it is being written, and is marked as such", () => {
    const drawn = html({ text: "The wea", state: "streaming" });
    expect(drawn).toMatch(/aria-live="off"[^>]*><p>The wea/);
    expect(drawn).toContain('aria-busy="true"');
    expect(drawn).toContain(">answering<");
    expect(html({ text: "", state: "streaming" })).toContain("nothing yet");
  });

  it("shows how it ended, why, and its usage", () => {
    const problem = { code: "model-limited", message: "Wait a minute." };
    const failed = html({ text: "The", state: "failed", problem, usage: { input: 1200, output: 3 } });
    expect(failed).toContain(">failed<");
    expect(failed).toContain("Wait a minute.");
    expect(failed).toContain("1,200 tokens in, 3 out");
    expect(html({ text: "The", state: "stopped" })).toContain(">stopped<");
    expect(html({ text: "The" })).not.toMatch(/badge|problem|tokens/);
  });

  it("is cut if no page could draw it, and marked as cut", () => {
    const drawn = html({ text: "a".repeat(300_000) });
    expect(drawn.length).toBeLessThan(210_000);
    expect(drawn.length).toBeGreaterThan(200_000);
    expect(drawn).toContain("100,000 more characters");
  });
});

describe("messages", () => {
  const item: UserItem = { kind: "user", id: "u", at: 0, content: [{ type: "text", text: MARKUP }] };
  const html = (more: Partial<UserItem>): string =>
    renderToStaticMarkup(createElement(UserCard, { item: { ...item, ...more } }));

  it("of the user are text", () => {
    expect(html({})).toContain(">You<");
    expect(html({})).not.toContain("<img");
  });

  it("I05: or that of an app, which is named with its server", () => {
    const drawn = html({ from: { item: "c", server: "demo", title: "Map" } });
    expect(drawn).toContain(">Map says<");
    expect(drawn).toContain("written by the app Map of demo");
    expect(drawn).not.toContain(">You<");
  });
});

it("a note shows its severity", () => {
  const item: NoteItem = { kind: "note", id: "n", at: 0, level: "warning", code: "limit", text: MARKUP };
  const html = (level: NoteItem["level"]): string =>
    renderToStaticMarkup(createElement(NoteCard, { item: { ...item, level }, onRemove: () => {} }));
  expect(html("info")).toContain(">Note<");
  expect(html("warning")).toContain(">Attention<");
  expect(html("error")).toContain(">Problem<");
  expect(html("error")).not.toContain("<img");
});

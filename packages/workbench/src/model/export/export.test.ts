import type { ConversationItem } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../markdown/markdown-parser.js";
import type { Recording } from "../recording/recording.js";
import { conversationHtml } from "./conversation-html.js";
import { conversationMarkdown } from "./conversation-markdown.js";

const EVIL = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'`;
const items: ConversationItem[] = [
  { kind: "user", id: "u", at: 0, content: [{ type: "text", text: `${EVIL}\n# not a heading\n\`\`\`\` x` }] },
  { kind: "model", id: "m", at: 0, model: "Scripted", text: `**Bold** ${EVIL}`, state: "done", answers: "u" },
  {
    kind: "call",
    id: "c",
    at: 0,
    by: "model",
    server: "demo",
    tool: "show",
    state: "done",
    hasApp: true,
    input: { city: EVIL },
    result: { content: [{ type: "text", text: "sunny" }] },
  },
  { kind: "version", id: "v", at: 0, after: "c", isShown: false },
  { kind: "note", id: "n", at: 0, level: "info", code: "x", text: "in another version", inVersion: "v" },
];
const conversation = { title: EVIL, items };

describe("an export", () => {
  it("as Markdown has what is shown, and no text can look like a heading of the file", () => {
    const text = conversationMarkdown(conversation);
    expect(text).toContain("## You\n\n`````\n");
    expect(text).toContain("## Scripted\n\n**Bold**");
    expect(text).toContain('### show (demo)\n\n```json\n{\n  "city":');
    expect(text).toContain("```\nsunny\n```");
    expect(text).not.toContain("in another version");
    const headings = parseMarkdown(text, {}).filter(({ block }) => block.kind === "heading");
    expect(headings).toHaveLength(4);
  });

  it("as HTML has no markup of a text, and a policy without network", () => {
    const recording = {
      header: { document: { html: `<p>app</p>${EVIL}`, meta: {} } },
      events: [],
    } as unknown as Recording;
    const html = conversationHtml({
      conversation,
      recordings: new Map([["c", recording]]),
      parse: parseMarkdown,
    });
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<img|<script>alert|https?:/);
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html).toContain("<strong>Bold</strong>");
    expect(html).toContain('<div id="app-0"></div>');
    const [, apps = ""] = /id="apps">(.*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(apps)).toEqual([{ html: `<p>app</p>${EVIL}`, answers: [], told: [] }]);
  });
});

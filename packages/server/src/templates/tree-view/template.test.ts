/** The tree as text, its configuration, and its size. */

import { renderTemplate, type TreeViewConfig, treeView } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";

const text = (data: unknown): string | undefined => treeView.text?.(data, {});

describe("the tree without a view", () => {
  it("is a nested list", () => {
    const src = { id: 7, label: "src", meta: { files: 2 }, children: [{ id: "a.ts", meta: "1 KB" }] };
    const expected = "- src (files: 2)\n  - a.ts (1 KB)";
    expect(text(src)).toBe(expected);
    expect(text({ nodes: [src], total: 1 })).toBe(expected);
    expect(text([src, { label: "two\nlines" }, "no node", null])).toBe(`${expected}\n- two lines`);
    expect([text([]), text({}), text("nothing"), text(undefined)]).toEqual(Array(4).fill("(nothing)"));
  });

  it("ends somewhere", () => {
    const many = text(Array.from({ length: 1000 }, (_, id) => ({ id })));
    expect(many).toContain("- 199\n");
    expect(many).not.toContain("- 200\n");
    expect(many).toMatch(/… and 800 more$/);
  });
});

describe("the document of the tree", () => {
  it("has 20,000 bytes at most", () => {
    expect(Buffer.byteLength(renderTemplate(treeView, { title: "Files" }))).toBeLessThanOrEqual(20_000);
  });

  it.each([
    [{ expandLevels: 2 }, 'config has an unknown field "expandLevels" (did you mean expandLevel?)'],
    [{ expandLevel: -1 }, "config.expandLevel must be 0 or more"],
    [{ selectable: "yes" }, "config.selectable must be true or false"],
  ])("is refused for %j", (config, message) => {
    expect(() => renderTemplate(treeView, config as TreeViewConfig)).toThrow(`tree-view: ${message}`);
  });
});

/** The board as text, its configuration, and its size. */

import { type KanbanConfig, kanban, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";

const text = (data: unknown, config: KanbanConfig = {}): string | undefined => kanban.text?.(data, config);

describe("the board without a view", () => {
  it("is each column with its cards", () => {
    const cards = [
      {
        id: 1,
        title: "Paint",
        description: "the\nwall",
        column: "todo",
        priority: "high",
        tags: ["a", "b"],
        assignee: "Eva",
      },
      { id: 2, status: "done" },
      { id: 3, title: "Lost", column: "attic" },
      { id: 4, title: "Homeless" },
      "no card",
      {},
    ];
    const expected = [
      "To Do (1)\n\n- Paint: the wall (high priority, #a, #b, @Eva)",
      "In Progress (0)",
      "Done (1)\n\n- 2",
      "attic (1)\n\n- Lost",
      "Other (1)\n\n- Homeless",
    ].join("\n\n");
    expect(text(cards)).toBe(expected);
    expect(text({ cards, total: 4 })).toBe(expected);
  });

  it("has the columns of its configuration, else of the data", () => {
    const data = { columns: [{ id: "b", title: "B" }], cards: [] };
    expect(text(data)).toBe("B (0)");
    expect(text(data, { columns: [{ id: "a" }] })).toBe("a (0)");
    expect([text([]), text(undefined), text("x")]).toEqual(
      Array(3).fill("To Do (0)\n\nIn Progress (0)\n\nDone (0)"),
    );
  });
});

describe("the document of the board", () => {
  it("has 20,000 bytes at most", () => {
    expect(Buffer.byteLength(renderTemplate(kanban, { title: "Sprint" }))).toBeLessThanOrEqual(20_000);
  });

  it.each([
    [{ dragable: true }, 'config has an unknown field "dragable" (did you mean draggable?)'],
    [{ columns: [{ title: "x" }] }, "config.columns[0].id is missing"],
    [{ draggable: "false" }, "config.draggable must be true or false"],
  ])("is refused for %j", (config, message) => {
    expect(() => renderTemplate(kanban, config as KanbanConfig)).toThrow(`kanban: ${message}`);
  });
});

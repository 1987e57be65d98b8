/** The board in a real browser: cards are moved by mouse and keyboard, come back, and are opened. */

import { type KanbanConfig, kanban, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  failing,
  giving,
  type ShownTemplate,
  TemplateStage,
} from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: KanbanConfig = {}): string => renderTemplate(kanban, config);
const column = (app: ShownTemplate, name: string) => app.view.getByRole("region", { name, exact: true });
const titles = (app: ShownTemplate, name: string) => column(app, name).locator("h3").allTextContents();
const card = (app: ShownTemplate, title: string) => app.view.getByRole("listitem").filter({ hasText: title });
const mover = (app: ShownTemplate, name: string) => app.view.getByRole("button", { name, exact: true });
const focused = (app: ShownTemplate) =>
  app.view.locator(":focus").evaluate((it) => it.getAttribute("aria-label") ?? it.textContent);

const CARDS = [
  {
    id: 1,
    title: "Paint the <b>wall</b>",
    description: "Both sides, and the ceiling.",
    column: "todo",
    priority: "high",
    tags: ["house", "urgent"],
    assignee: "Eva",
  },
  { id: "two", title: "Buy brushes", status: "todo", priority: "low" },
  { id: "three", title: "Choose a colour", column: "in-progress", priority: "medium" },
  { id: "four", title: "Call a friend", column: "attic" },
];

describe("the board", () => {
  it("shows complete cards in their columns, counts them, and has a column for the rest", async () => {
    const app = await stage.show(html(), { data: { cards: CARDS } });
    await expect.poll(() => titles(app, "To Do")).toEqual(["Paint the <b>wall</b>", "Buy brushes"]);
    expect(await app.view.locator("h2").allTextContents()).toEqual([
      "To Do 2",
      "In Progress 1",
      "Done 0",
      "attic 1",
    ]);
    expect((await card(app, "Paint").allInnerTexts()).join().replace(/\s+/g, " ")).toBe(
      "Paint the <b>wall</b> Both sides, and the ceiling. high house urgent @Eva",
    );
    expect(await column(app, "Done").textContent()).toContain("No cards.");
    // From an unknown column a card moves to a known one, and never back.
    await mover(app, "Move Call a friend to Done").click();
    expect(await titles(app, "Done")).toEqual(["Call a friend"]);
    expect(await column(app, "attic").count()).toBe(0);
    expect(await card(app, "Call a friend").getByRole("button").count()).toBe(1);
    // Without a tool, the model is informed.
    await expect
      .poll(() => app.heard("model-context"))
      .toMatchObject([{ content: [{ text: "The card Call a friend was moved to Done." }] }]);
    await app.close();
  });

  it("moves a card by mouse, and calls the tool", async () => {
    const config = {
      columns: [{ id: "todo" }, { id: "in-progress" }, { id: "end", title: "The End" }],
      onMoveTool: "move",
    };
    const app = await stage.show(html(config), { data: CARDS, tools: { move: () => giving("moved") } });
    await card(app, "Paint").dragTo(column(app, "The End"));
    await expect.poll(() => titles(app, "The End")).toEqual(["Paint the <b>wall</b>"]);
    await expect
      .poll(() => app.calls)
      .toEqual([{ name: "move", arguments: { cardId: 1, fromColumn: "todo", toColumn: "end" } }]);
    // Not to its own column, nor to an unknown one.
    await card(app, "Buy").dragTo(column(app, "todo"));
    await card(app, "Buy").dragTo(column(app, "attic"));
    expect(await titles(app, "todo")).toEqual(["Buy brushes"]);
    expect(app.calls).toHaveLength(1);
    await app.close();
  });

  it("moves a card by keyboard, announces it, and keeps the focus on it", async () => {
    const app = await stage.show(html({ onMoveTool: "move" }), {
      data: CARDS,
      tools: { move: () => giving("moved") },
    });
    const settled = () => app.view.locator("[aria-busy]").count();
    await app.focus(mover(app, "Move Buy brushes to In Progress"));
    await app.page.keyboard.press("Enter");
    await expect.poll(() => titles(app, "In Progress")).toEqual(["Choose a colour", "Buy brushes"]);
    expect(await app.view.getByRole("status").last().textContent()).toBe("Buy brushes moved to In Progress.");
    await expect.poll(settled).toBe(0);
    expect(await focused(app)).toBe("Move Buy brushes to Done");
    await app.page.keyboard.press("Alt+ArrowRight");
    await expect.poll(() => titles(app, "Done")).toEqual(["Buy brushes"]);
    await expect.poll(settled).toBe(0);
    // There is no further column.
    expect(await focused(app)).toBe("Move Buy brushes to In Progress");
    await app.page.keyboard.press("Alt+ArrowRight");
    await app.page.keyboard.press("Alt+ArrowLeft");
    await expect.poll(() => titles(app, "In Progress")).toEqual(["Choose a colour", "Buy brushes"]);
    await expect
      .poll(() => app.calls.map((call) => Object.values(call.arguments).join(" ")))
      .toEqual(["two todo in-progress", "two in-progress done", "two done in-progress"]);
    await app.close();
  });

  it("moves a card back if the tool fails, and shows why", async () => {
    let refuse = (): void => {};
    const move = () =>
      new Promise<ReturnType<typeof failing>>((resolve) => {
        refuse = () => resolve(failing("The board is closed."));
      });
    const app = await stage.show(html({ onMoveTool: "move" }), { data: CARDS, tools: { move } });
    await mover(app, "Move Paint the <b>wall</b> to In Progress").click();
    await expect.poll(() => app.calls).toHaveLength(1);
    expect(await titles(app, "In Progress")).toContain("Paint the <b>wall</b>");
    // During a move, it cannot be moved elsewhere.
    await mover(app, "Move Paint the <b>wall</b> to Done").click();
    refuse();
    await expect
      .poll(() => app.view.getByRole("alert").allTextContents())
      .toEqual(["Paint the <b>wall</b> was not moved: The board is closed."]);
    expect(await titles(app, "To Do")).toEqual(["Paint the <b>wall</b>", "Buy brushes"]);
    expect(await focused(app)).toBe("Move Paint the <b>wall</b> to In Progress");
    expect(app.calls).toHaveLength(1);
    await app.close();
  });

  it("opens a card with its tool; an immovable one has no move buttons", async () => {
    const tools = { open_card: ({ cardId }: Record<string, unknown>) => giving(`Opened ${cardId}`) };
    const config = { draggable: false, onCardClickTool: "open_card" };
    const app = await stage.show(html(config), { data: CARDS, tools });
    await card(app, "Paint").getByText("Both sides").click();
    await expect.poll(() => app.text()).toContain("Opened 1");
    await app.focus(mover(app, "Buy brushes"));
    await app.page.keyboard.press("Enter");
    await expect.poll(() => app.text()).toContain("Opened two");
    expect(app.calls.map((call) => call.arguments)).toEqual([{ cardId: 1 }, { cardId: "two" }]);
    await app.page.keyboard.press("Alt+ArrowRight");
    await card(app, "Paint").dragTo(column(app, "Done"));
    expect(await app.view.getByRole("button").allTextContents()).toEqual(CARDS.map(({ title }) => title));
    expect(await titles(app, "To Do")).toHaveLength(2);
    await app.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const long = {
      id: 9,
      title: "a-word-".repeat(20),
      description: "b".repeat(90),
      column: "done",
      tags: ["c".repeat(60)],
    };
    const app = await stage.show(html({ onMoveTool: "move", onCardClickTool: "open" }), {
      data: [...CARDS, long],
      tools: { move: () => giving("moved") },
      width,
      context: { theme, locale },
    });
    await app.view.locator(".card").first().waitFor();
    await app.expectAccessible();
    await app.expectNoOverflow();
    // The arrow that points to the next column, in either direction.
    await app.focus(mover(app, "Buy brushes"));
    await app.page.keyboard.press(locale === "ar" ? "Alt+ArrowLeft" : "Alt+ArrowRight");
    await expect.poll(() => titles(app, "In Progress")).toContain("Buy brushes");
    await app.close();
  });
});

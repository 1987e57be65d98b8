/**
 * A to-do board: its state and operations. It lives as long as its server.
 *
 * @module
 */
import { z } from "zod";

export const COLUMNS = ["todo", "doing", "done"] as const;

export const columnSchema = z.enum(COLUMNS);
export const cardSchema = z.object({ id: z.string(), title: z.string(), column: columnSchema });
/** All cards, in the order of their columns. */
export const boardSchema = z.object({ cards: z.array(cardSchema) });

export type Column = (typeof COLUMNS)[number];
export type Card = z.infer<typeof cardSchema>;

/** Maximum number of cards. */
const MAX_CARDS = 200;

const TITLES: Record<Column, string> = { todo: "To do", doing: "Doing", done: "Done" };

export class Board {
  readonly #changed: () => void;
  #cards: Card[] = [
    { id: "1", title: "Invite everybody to the picnic", column: "doing" },
    { id: "2", title: "Find a meadow with shade", column: "done" },
    { id: "3", title: "Borrow a second blanket", column: "todo" },
    { id: "4", title: "Bake the lemon cake", column: "todo" },
    { id: "5", title: "Ask Ada to bring her guitar", column: "todo" },
  ];
  #next = 6;

  /** @param changed called after every change */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get cards(): readonly Card[] {
    return this.#cards;
  }

  add(title: string, column: Column): Card {
    if (this.#cards.length >= MAX_CARDS)
      throw new Error(`The board is full: delete one of its ${MAX_CARDS} cards first.`);
    const card = { id: `${this.#next++}`, title, column };
    this.#cards = [...this.#cards, card];
    this.#changed();
    return card;
  }

  /** Moves a card to a position in a column, from 0; to its end by default. */
  move(id: string, column: Column, position = Number.POSITIVE_INFINITY): Card {
    const card = { ...this.#find(id), column };
    const others = this.#cards.filter((each) => each.id !== id);
    const before = others.filter((each) => each.column === column)[position];
    const at = before ? others.indexOf(before) : others.length;
    this.#cards = others.toSpliced(at, 0, card);
    this.#changed();
    return card;
  }

  delete(id: string): Card {
    const card = this.#find(id);
    this.#cards = this.#cards.filter((each) => each !== card);
    this.#changed();
    return card;
  }

  #find(id: string): Card {
    const card = this.#cards.find((each) => each.id === id);
    if (card) return card;
    const ids = this.#cards.map((each) => each.id).join(", ");
    throw new Error(`There is no card ${JSON.stringify(id)}; there are ${ids || "none at all"}.`);
  }

  /** The board as text. */
  describe(): string {
    const columns = COLUMNS.map((column) => {
      const cards = this.#cards.filter((card) => card.column === column);
      const lines = cards.map(({ id, title }) => `- ${title} (card ${id})`);
      return [`${TITLES[column]}:`, ...(lines.length ? lines : ["- nothing"])].join("\n");
    });
    return columns.join("\n\n");
  }

  /** The board as comma-separated values. */
  csv(): string {
    const rows = this.#cards.map(({ id, title, column }) => [id, title, TITLES[column]].map(cell).join(","));
    return ["id,title,column", ...rows, ""].join("\r\n");
  }
}

/** Escapes text that a spreadsheet would treat as a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

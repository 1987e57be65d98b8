/** Reads the cards and columns of a board from data and configuration, for the page and for the text. */
import type { KanbanColumn } from "./template.js";

/** A card. */
export interface Card {
  readonly id: string | number;
  readonly title: string;
  readonly description: string;
  readonly priority: string;
  readonly tags: readonly string[];
  readonly assignee: string;
  /** The id of its column. */
  column: string;
}

/** A column with its cards. */
export interface FilledColumn extends KanbanColumn {
  readonly title: string;
  readonly cards: readonly Card[];
  /** Whether cards can be moved here. False for columns that exist only for cards with an unknown column. */
  readonly isKnown: boolean;
}

/** Default columns. */
const COLUMNS: readonly KanbanColumn[] = [
  { id: "todo", title: "To Do" },
  { id: "in-progress", title: "In Progress" },
  { id: "done", title: "Done" },
];

/** The cards in data: a list, `{ cards: [...] }` or another list in it, or one card. */
export function cardsOf(data: unknown): Card[] {
  const { cards, columns: _columns, ...more } = Object(data);
  const list: unknown = Array.isArray(data)
    ? data
    : (cards ?? Object.values(more).find(Array.isArray) ?? [data]);
  return (Array.isArray(list) ? list : []).flatMap((given) => {
    const { id, title, description, column, status, priority, tags, assignee } = Object(given);
    if ((id ?? title) === undefined) return [];
    return {
      id: id ?? title,
      title: words(title ?? id),
      description: words(description),
      column: words(column ?? status),
      priority: words(priority),
      tags: (Array.isArray(tags) ? tags : [tags]).map(words).filter(Boolean),
      assignee: words(Object(assignee).name ?? assignee),
    };
  });
}

const words = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** The known columns: those of the configuration, else of the data, else the defaults. */
export function columnsOf(
  configured: readonly KanbanColumn[] | undefined,
  data: unknown,
): readonly KanbanColumn[] {
  const { columns } = Object(data);
  const given: readonly KanbanColumn[] = Array.isArray(columns)
    ? columns.filter((each) => Object(each).id)
    : [];
  return configured ?? (given.length ? given : COLUMNS);
}

/** Puts the cards into their columns. Unknown columns are added at the end. */
export function fill(columns: readonly KanbanColumn[], cards: readonly Card[]): FilledColumn[] {
  const known = columns.map(({ id, title = id }) => ({ id, title, isKnown: true }));
  const others = [...new Set(cards.map(({ column }) => column))]
    .filter((id) => !known.some((column) => column.id === id))
    .map((id) => ({ id, title: id || "Other", isKnown: false }));
  return [...known, ...others].map((column) => ({
    ...column,
    cards: cards.filter((card) => card.column === column.id),
  }));
}

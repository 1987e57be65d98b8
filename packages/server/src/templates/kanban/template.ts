/**
 * A board of cards in columns, moved by mouse or keyboard.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { type Card, cardsOf, columnsOf, fill } from "./cards.js";

/** A column of the board. */
export interface KanbanColumn {
  readonly id: string;
  /** The displayed name; the id by default. */
  readonly title?: string | undefined;
}

/** Configuration of {@link kanban}. */
export interface KanbanConfig {
  readonly title?: string | undefined;
  /** The data's columns by default, else to do, in progress and done. */
  readonly columns?: readonly KanbanColumn[] | undefined;
  /** Whether cards can be moved; true by default. */
  readonly draggable?: boolean | undefined;
  /** Called with `{ cardId, fromColumn, toColumn }` after a move. If the tool fails, the card moves back. */
  readonly onMoveTool?: string | undefined;
  /** Called with `{ cardId }` when a card is clicked. */
  readonly onCardClickTool?: string | undefined;
}

const column: JsonSchema = {
  type: "object",
  properties: { id: { type: "string", minLength: 1 }, title: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
};

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Kanban Board" },
    columns: {
      type: "array",
      items: column,
      minItems: 1,
      description: "To do, in progress and done by default.",
    },
    draggable: { type: "boolean", default: true },
    onMoveTool: {
      type: "string",
      minLength: 1,
      description: "Called with { cardId, fromColumn, toColumn } after a move.",
    },
    onCardClickTool: {
      type: "string",
      minLength: 1,
      description: "Called with { cardId } when a card is clicked.",
    },
  },
  additionalProperties: false,
};

/** A card on one line. */
function textOfCard({ title, description, priority, tags, assignee }: Card): string {
  const details = [
    priority && `${priority} priority`,
    ...tags.map((tag) => `#${tag}`),
    assignee && `@${assignee}`,
  ];
  const after = details.filter(Boolean).join(", ");
  return `- ${title}${description && `: ${description}`}${after && ` (${after})`}`.replace(/\s*\n\s*/g, " ");
}

/** Each column as a heading with a list. */
const textOfBoard = (data: unknown, { columns }: KanbanConfig): string =>
  fill(columnsOf(columns, data), cardsOf(data))
    .flatMap(({ title, cards }) => [`${title} (${cards.length})`, cards.map(textOfCard).join("\n")])
    .filter(Boolean)
    .join("\n\n");

/**
 * Shows cards in columns. Accepts a list of cards, or `{ cards: [...] }`. A card is `{ id, title,
 * description, column, priority, tags, assignee }`.
 *
 * @example
 * ```ts source="../../server.examples.ts#kanban"
 * const board = view({
 *   name: "board",
 *   template: kanban,
 *   config: { title: "Sprint 12", onMoveTool: "move_card", onCardClickTool: "open_card" },
 * });
 *
 * ```
 */
export const kanban: Template<KanbanConfig> = builtIn({
  name: "kanban",
  title: "Kanban Board",
  schema,
  text: textOfBoard,
});

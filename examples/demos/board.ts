#!/usr/bin/env node
/** The board demo: state in the server, and apps that change it and stay in sync. */
import { appServer, reply, serve, tool, view } from "@vitrine/server";
import { z } from "zod";
import { Board, boardSchema, cardSchema, columnSchema } from "./board/board.js";

/** The resource that apps subscribe to: the cards, as JSON. */
const CARDS = "board://cards";

const board = new Board(() => server.resourceUpdated(CARDS));

const page = view({
  name: "board",
  title: "To-do board",
  folder: new URL("./board/view/", import.meta.url),
  prefersBorder: true,
  // Fixed: conversations that were stored with it show the app again.
  uri: "ui://board/board.html",
});

const id = z.string().min(1).describe("The card's id, as show_board tells it");
const local = { openWorldHint: false };

const showBoard = tool({
  name: "show_board",
  title: "Show the board",
  description: "Shows the to-do board, in an app where the user can change it",
  output: boardSchema,
  annotations: { readOnlyHint: true, ...local },
  view: page,
  run: () => reply({ cards: [...board.cards] }, { text: board.describe() }),
});

const addCard = tool({
  name: "add_card",
  title: "Add a card",
  description: "Puts a new card at the end of a column",
  input: z.object({
    title: z.string().trim().min(1, "A card needs a title.").max(120, "A title has at most 120 characters."),
    column: columnSchema.default("todo"),
  }),
  output: cardSchema,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...local },
  text: ({ id, title }) => `Added card ${id}: ${title}`,
  run: ({ title, column }) => board.add(title, column),
});

const moveCard = tool({
  name: "move_card",
  title: "Move a card",
  description: "Moves a card to another column, or to another place in its column",
  input: z.object({
    id,
    column: columnSchema,
    position: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("The place in the column, from 0; the end without it"),
  }),
  output: cardSchema,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, ...local },
  text: ({ id, title, column }) => `Moved card ${id} to ${column}: ${title}`,
  run: ({ id, column, position }) => board.move(id, column, position),
});

const deleteCard = tool({
  name: "delete_card",
  title: "Delete a card",
  description: "Deletes a card for good",
  input: z.object({ id }),
  output: cardSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, ...local },
  text: ({ id, title }) => `Deleted card ${id}: ${title}`,
  run: ({ id }) => board.delete(id),
});

const exportBoard = tool({
  name: "export_board",
  title: "Export the board",
  description: "The board as comma-separated values",
  output: z.object({ fileName: z.string(), csv: z.string() }),
  annotations: { readOnlyHint: true, ...local },
  text: ({ csv }) => csv,
  run: () => ({ fileName: "board.csv", csv: board.csv() }),
});

const server = appServer({
  name: "board",
  title: "To-do board",
  version: "1.0.0",
  instructions: "A to-do board. It is forgotten when the server stops.",
  tools: [showBoard, addCard, moveCard, deleteCard, exportBoard],
  subscribable: [CARDS],
  extend: (official) => {
    const details = { title: "Cards", description: "All cards of the board", mimeType: "application/json" };
    official.registerResource("cards", CARDS, details, () => ({
      contents: [{ uri: CARDS, mimeType: "application/json", text: JSON.stringify({ cards: board.cards }) }],
    }));
  },
});

await serve(server);

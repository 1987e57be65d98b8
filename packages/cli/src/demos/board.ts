#!/usr/bin/env node
/** The board demo over stdio: state in the server, and apps that change it and stay in sync. */
import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { Board, boardSchema, cardSchema, columnSchema } from "./board/board.js";
import { BOARD_PAGE } from "./board/page.js";
import { registerPage } from "./page.js";

/** The resource that apps subscribe to: the cards, as JSON. */
const CARDS = "board://cards";

const server = new McpServer(
  { name: "board", title: "To-do board", version: "1.0.0" },
  {
    capabilities: { resources: { subscribe: true } },
    instructions: "A to-do board. It is forgotten when the server stops.",
  },
);
const subscribed = new Set<string>();
const board = new Board(() => {
  if (subscribed.has(CARDS)) void server.server.sendResourceUpdated({ uri: CARDS });
});
const page = registerPage(server, BOARD_PAGE);

server.server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
  if (uri !== CARDS)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Only ${CARDS} changes: subscribe to that.`);
  subscribed.add(uri);
  return {};
});
server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
  subscribed.delete(uri);
  return {};
});

server.registerResource(
  "cards",
  CARDS,
  { title: "Cards", description: "All cards of the board", mimeType: "application/json" },
  () => ({
    contents: [{ uri: CARDS, mimeType: "application/json", text: JSON.stringify({ cards: board.cards }) }],
  }),
);

const said = (text: string) => [{ type: "text" as const, text }];
const id = z.string().min(1).describe("The card's id, as show_board tells it");
const local = { openWorldHint: false };

server.registerTool(
  "show_board",
  {
    title: "Show the board",
    description: "Shows the to-do board, in an app where the person can change it",
    inputSchema: z.object({}),
    outputSchema: boardSchema,
    annotations: { readOnlyHint: true, ...local },
    _meta: { ui: { resourceUri: page } },
  },
  () => ({ content: said(board.describe()), structuredContent: { cards: [...board.cards] } }),
);

server.registerTool(
  "add_card",
  {
    title: "Add a card",
    description: "Puts a new card at the end of a column",
    inputSchema: z.object({
      title: z
        .string()
        .trim()
        .min(1, "A card needs a title.")
        .max(120, "A title has at most 120 characters."),
      column: columnSchema.default("todo"),
    }),
    outputSchema: cardSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...local },
  },
  ({ title, column }) => {
    const card = board.add(title, column);
    return { content: said(`Added card ${card.id}: ${title}`), structuredContent: card };
  },
);

server.registerTool(
  "move_card",
  {
    title: "Move a card",
    description: "Moves a card to another column, or to another place in its column",
    inputSchema: z.object({
      id,
      column: columnSchema,
      position: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe("The place in the column, from 0; the end without it"),
    }),
    outputSchema: cardSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, ...local },
  },
  ({ id, column, position }) => {
    const card = board.move(id, column, position);
    return { content: said(`Moved card ${card.id} to ${column}: ${card.title}`), structuredContent: card };
  },
);

server.registerTool(
  "delete_card",
  {
    title: "Delete a card",
    description: "Deletes a card for good",
    inputSchema: z.object({ id }),
    outputSchema: cardSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, ...local },
  },
  ({ id }) => {
    const card = board.delete(id);
    return { content: said(`Deleted card ${card.id}: ${card.title}`), structuredContent: card };
  },
);

server.registerTool(
  "export_board",
  {
    title: "Export the board",
    description: "The board as comma-separated values",
    inputSchema: z.object({}),
    outputSchema: z.object({ fileName: z.string(), csv: z.string() }),
    annotations: { readOnlyHint: true, ...local },
  },
  () => {
    const csv = board.csv();
    return { content: said(csv), structuredContent: { fileName: "board.csv", csv } };
  },
);

await server.connect(new StdioServerTransport());

/**
 * The board app. Runs in the page.
 *
 * @module
 */
import { App } from "@vitrine/view";
import { byId, hideUnsupported, problemOf, textOf } from "../../page.js";
import type { Card, Column } from "../board.js";
import { drawBoard } from "./draw-board.js";

const CARDS = "board://cards";
const names: Record<Column, string> = { todo: "To do", doing: "Doing", done: "Done" };
const app = new App(
  { name: "board/board", version: "1.0.0" },
  { availableDisplayModes: ["inline", "fullscreen"] },
);
let cards: readonly Card[] = [];
/** Reads are numbered: of two concurrent ones, the later counts. */
let reads = 0;
let isRead = false;

const say = (text: string, isBad = false): void => {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", isBad);
};

function render(next: readonly Card[]): void {
  cards = next;
  drawBoard(cards, names, { move, remove });
  byId("app").hidden = false;
}

/** Changes arrive as notifications from the server, in this app and all others of the board. */
async function read(): Promise<void> {
  const mine = ++reads;
  const { contents } = await app.readServerResource({ uri: CARDS });
  const [content] = contents;
  if (mine !== reads || !content || !("text" in content)) return;
  render(JSON.parse(content.text).cards);
  isRead = true;
}

async function change(name: string, input: Record<string, unknown>, done: string): Promise<void> {
  say("…");
  try {
    textOf(await app.callServerTool({ name, arguments: input }));
    await read();
    say(done);
  } catch (error) {
    say(problemOf(error), true);
  }
}

function move(card: Card, column: Column, position: number): void {
  void change("move_card", { id: card.id, column, position }, `Moved “${card.title}” to ${names[column]}.`);
}
function remove(card: Card): void {
  void change("delete_card", { id: card.id }, `Deleted “${card.title}”.`);
}

byId("add").onsubmit = async (event) => {
  event.preventDefault();
  const field = byId("title") as HTMLInputElement;
  const title = field.value.trim();
  if (!title) return;
  field.value = "";
  await change("add_card", { title }, `Added “${title}”.`);
};
byId("export").onclick = async () => {
  try {
    const result = await app.callServerTool({ name: "export_board", arguments: {} });
    const text = textOf(result);
    const resource = { uri: "file:///board.csv", mimeType: "text/csv", text };
    const { isError } = await app.downloadFile({ contents: [{ type: "resource", resource }] });
    say(isError ? "Nothing was saved." : "Saved as board.csv.", isError === true);
  } catch (error) {
    say(problemOf(error), true);
  }
};

const modes = (): void => {
  const { displayMode, availableDisplayModes = [] } = app.getHostContext() ?? {};
  byId("fullscreen").hidden = !availableDisplayModes.includes("fullscreen");
  byId("fullscreen").textContent = displayMode === "fullscreen" ? "Back to the chat" : "Fullscreen";
};
byId("fullscreen").onclick = async () => {
  const isFull = app.getHostContext()?.displayMode === "fullscreen";
  await app
    .requestDisplayMode({ mode: isFull ? "inline" : "fullscreen" })
    .catch((error) => say(problemOf(error), true));
};
app.onhostcontextchanged = modes;
app.ontoolresult = (result) => {
  try {
    textOf(result);
    const { cards: first } = Object(result.structuredContent);
    // The board may have changed since, so a read value wins.
    if (!isRead && Array.isArray(first)) render(first);
    say("");
  } catch (error) {
    say(problemOf(error), true);
  }
};
app.ontoolcancelled = () => say("The call was cancelled.", true);
app.setNotificationHandler("notifications/resources/updated", () =>
  read().catch((error) => say(problemOf(error), true)),
);

await app.connect();
hideUnsupported(app.getHostCapabilities());
modes();
if (app.getHostCapabilities()?.serverResources) {
  try {
    await app.subscribeServerResource({ uri: CARDS });
    await read();
    say("");
  } catch (error) {
    say(problemOf(error), true);
  }
}

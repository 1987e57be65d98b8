/** The page of the board. */

import { callTool, waiting } from "../page/call.js";
import { element, put } from "../page/dom.js";
import { type Kit, startPage } from "../page/kit.js";
import { tellModel } from "../page/tell.js";
import { writeNumber } from "../page/write.js";
import { type CardActions, cardView, type Move } from "./card-view.js";
import { type Card, cardsOf, columnsOf, type FilledColumn, fill } from "./cards.js";
import type { KanbanColumn, KanbanConfig } from "./template.js";

startPage<KanbanConfig>("kanban", "Kanban Board", (kit) => new Board(kit));

class Board {
  readonly #kit: Kit<KanbanConfig>;
  readonly #board = element("div", { class: "board" });
  /** Announces changes to screen readers. */
  readonly #live = element("p", { class: "unseen", role: "status" });
  #columns: readonly KanbanColumn[] = [];
  #cards: Card[] = [];
  readonly #busy = new Set<Card>();
  #views = new Map<Card, HTMLElement>();
  #dragged: Card | undefined;

  constructor(kit: Kit<KanbanConfig>) {
    this.#kit = kit;
  }

  /** Accepts cards only: other arguments may be ids. */
  written(input: Record<string, unknown>): unknown {
    return input["cards"] && cardsOf(input)[0] && input;
  }

  data(data: unknown): void {
    this.#cards = cardsOf(data);
    this.#columns = columnsOf(this.#kit.config.columns, data);
    put(this.#kit.place, this.#board, this.#live);
    this.redraw();
  }

  /** Draws everything, and restores the focus. */
  redraw(): void {
    const focused = document.activeElement;
    const [had] = [...this.#views].find(([, view]) => view.contains(focused)) ?? [];
    this.#views = new Map();
    const columns = fill(this.#columns, this.#cards);
    put(
      this.#board,
      ...columns.map((column, at) => this.#column(column, columns.slice(0, at), columns.slice(at + 1))),
    );
    const view = had && this.#views.get(had);
    const again = view?.querySelector<HTMLElement>(`.${focused?.className}`) ?? view?.querySelector("button");
    again?.focus();
  }

  #column(
    column: FilledColumn,
    before: readonly FilledColumn[],
    after: readonly FilledColumn[],
  ): HTMLElement {
    const { id, title, cards, isKnown } = column;
    const place: HTMLElement = element(
      "section",
      {
        "aria-label": title,
        ondragover: (event: DragEvent) => {
          if (!this.#dragged || !isKnown || this.#dragged.column === id) return;
          event.preventDefault();
          place.classList.add("over");
        },
        ondragleave: () => place.classList.remove("over"),
        ondrop: (event: DragEvent) => {
          event.preventDefault();
          if (this.#dragged) void this.#move(this.#dragged, column);
        },
      },
      element(
        "h2",
        {},
        title,
        " ",
        element("span", { class: "badge" }, writeNumber(this.#kit, cards.length)),
      ),
      cards.length
        ? element("ul", {}, ...cards.map((card) => this.#card(card, before, after)))
        : element("p", { class: "note" }, "No cards."),
    );
    return place;
  }

  #card(card: Card, before: readonly FilledColumn[], after: readonly FilledColumn[]): HTMLElement {
    const { draggable = true, onCardClickTool } = this.#kit.config;
    const known = ({ isKnown }: FilledColumn): boolean => isKnown;
    const step = (way: Move["way"], to: FilledColumn | undefined): Move[] =>
      to && draggable ? [{ way, to: to.title, move: () => this.#move(card, to) }] : [];
    const actions: CardActions = {
      open: onCardClickTool === undefined ? undefined : (button) => this.#open(card, onCardClickTool, button),
      moves: [...step("back", before.findLast(known)), ...step("on", after.find(known))],
      drag: draggable ? (isDragged) => (this.#dragged = isDragged ? card : undefined) : undefined,
      isBusy: this.#busy.has(card),
    };
    const view = cardView(card, actions);
    this.#views.set(card, view);
    return view;
  }

  async #open(card: Card, tool: string, button: HTMLButtonElement): Promise<void> {
    if (button.ariaDisabled) return;
    const { ok, data } = await waiting(callTool(this.#kit, tool, { cardId: card.id }), button);
    this.#kit.say(ok && typeof data === "string" ? data : "");
  }

  /** Moves a card immediately, and back if the server refuses. */
  async #move(card: Card, { id: toColumn, title }: FilledColumn): Promise<void> {
    if (this.#busy.has(card) || card.column === toColumn) return;
    const fromColumn = card.column;
    const cards = this.#cards;
    const at = cards.indexOf(card);
    const bring = (column: string, place: number): void => {
      card.column = column;
      cards.splice(cards.indexOf(card), 1);
      cards.splice(place, 0, card);
      this.redraw();
    };
    const { onMoveTool } = this.#kit.config;
    if (onMoveTool) this.#busy.add(card);
    bring(toColumn, cards.length);
    this.#live.textContent = `${card.title} moved to ${title}.`;
    if (!onMoveTool) return void tellModel(this.#kit, `The card ${card.title} was moved to ${title}.`);
    const { ok, text } = await callTool(this.#kit, onMoveTool, { cardId: card.id, fromColumn, toColumn });
    this.#busy.delete(card);
    if (ok) return this.redraw();
    bring(fromColumn, at);
    this.#live.textContent = "";
    this.#kit.complain(`${card.title} was not moved: ${text}`);
  }
}

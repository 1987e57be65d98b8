/**
 * Draws the columns and cards of the board, and moves cards by mouse, buttons and arrow keys. Runs in the
 * page.
 *
 * @module
 */
import { byId, make } from "../../page.js";
import type { Card, Column } from "../board.js";

interface Acts {
  move(card: Card, column: Column, position: number): void;
  remove(card: Card): void;
}

export function drawBoard(
  cards: readonly Card[],
  names: Record<Column, string>,
  { move, remove }: Acts,
): void {
  const columns: Column[] = ["todo", "doing", "done"];
  const within = (column: Column): Card[] => cards.filter((card) => card.column === column);
  // The focus stays with its card, wherever the card moves.
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
  const { card: focusedCard, act: focusedAct } = focused?.dataset ?? {};

  function step(card: Card, key: string): void {
    const at = within(card.column).indexOf(card);
    const sideways = columns[columns.indexOf(card.column) + (key === "ArrowLeft" ? -1 : 1)];
    if (key === "ArrowLeft" || key === "ArrowRight") {
      if (sideways) move(card, sideways, within(sideways).length);
    } else if (key === "ArrowUp") {
      if (at > 0) move(card, card.column, at - 1);
    } else if (at < within(card.column).length - 1) move(card, card.column, at + 1);
  }

  function button(card: Card, act: string, label: string, sign: string, isOff = false): HTMLButtonElement {
    const element = make("button", {
      type: "button",
      class: "plain",
      "data-card": card.id,
      "data-act": act,
      "aria-label": label,
      "aria-describedby": "keys",
      "aria-disabled": isOff && "true",
    });
    element.textContent = sign;
    element.onclick = () => {
      if (isOff) return;
      if (act === "delete") remove(card);
      else step(card, act);
    };
    return element;
  }

  function draw(card: Card): HTMLElement {
    const place = columns.indexOf(card.column);
    const [left, right] = [columns[place - 1], columns[place + 1]];
    const to = (column: Column | undefined): string =>
      column ? ` to ${names[column]}` : ": already at the end";
    const item = make(
      "li",
      { class: "card", draggable: "true", "data-id": card.id },
      make("span", { class: "title" }, card.title),
      make(
        "span",
        { class: "acts" },
        button(card, "ArrowLeft", `Move “${card.title}” left${to(left)}`, "←", !left),
        button(card, "ArrowRight", `Move “${card.title}” right${to(right)}`, "→", !right),
        button(card, "delete", `Delete “${card.title}”`, "✕"),
      ),
    );
    item.onkeydown = (event) => {
      if (!/^Arrow(Left|Right|Up|Down)$/.test(event.key)) return;
      event.preventDefault();
      step(card, event.key);
    };
    item.ondragstart = (event) => {
      event.dataTransfer?.setData("text/plain", card.title);
      item.classList.add("dragged");
    };
    item.ondragend = () => item.classList.remove("dragged");
    return item;
  }

  byId("columns").replaceChildren(
    ...columns.map((column) => {
      const own = within(column);
      const list = make("ul", { "aria-labelledby": `name-${column}` }, ...own.map(draw));
      const count = make(
        "span",
        { class: "count" },
        `${own.length}`,
        make("span", { class: "unseen" }, " cards"),
      );
      const title = make("h2", { id: `name-${column}` }, names[column], " ", count);
      const section = make("section", { class: "column", "data-column": column }, title, list);
      section.ondragover = (event) => {
        if (!document.querySelector(".dragged")) return;
        event.preventDefault();
        section.classList.add("over");
      };
      section.ondragleave = () => section.classList.remove("over");
      section.ondrop = (event) => {
        event.preventDefault();
        section.classList.remove("over");
        const dragged = document.querySelector<HTMLElement>(".dragged")?.dataset["id"];
        const card = cards.find(({ id }) => id === dragged);
        if (!card) return;
        // Insert before the first card whose middle is below the pointer, ignoring the dragged one.
        const others = [...list.children].filter((each) => !each.classList.contains("dragged"));
        const at = others.findIndex((each) => {
          const { top, height } = each.getBoundingClientRect();
          return event.clientY < top + height / 2;
        });
        move(card, column, at < 0 ? others.length : at);
      };
      return section;
    }),
  );
  if (focusedCard)
    document
      .querySelector<HTMLElement>(`[data-card="${CSS.escape(focusedCard)}"][data-act="${focusedAct}"]`)
      ?.focus();
}

/** Displays a card. */
import { element } from "../page/dom.js";
import type { Card } from "./cards.js";

/** A move to a neighbouring column: direction, target and action. */
export interface Move {
  readonly way: "back" | "on";
  readonly to: string;
  readonly move: () => unknown;
}

/** Actions of a card; unavailable ones are absent. */
export interface CardActions {
  readonly open?: ((button: HTMLButtonElement) => unknown) | undefined;
  readonly moves: readonly Move[];
  /** Called when dragging starts and ends. */
  readonly drag?: ((isDragged: boolean) => unknown) | undefined;
  /** Whether a move is still in progress. */
  readonly isBusy: boolean;
}

/** Creates a card with its buttons. */
export function cardView(card: Card, { open, moves, drag, isBusy }: CardActions): HTMLElement {
  const { title, description, priority, tags, assignee } = card;
  const level = /^(high|medium|low)$/i.test(priority) ? priority.toLowerCase() : "";
  const details = [
    priority && element("span", { class: `badge ${level}` }, priority),
    ...tags.map((tag) => element("span", { class: "badge" }, tag)),
    assignee && element("span", { class: "note" }, `@${assignee}`),
  ].filter(Boolean);
  const buttons = moves.map(({ way, to, move }) => {
    const label = `Move ${title} to ${to}`;
    return element("button", {
      type: "button",
      class: way,
      "aria-label": label,
      title: label,
      onclick: move,
    });
  });
  const button = element("button", { type: "button", class: "open" }, title);
  return element(
    "li",
    {
      class: "card",
      draggable: drag && "true",
      "aria-busy": isBusy && "true",
      ondragstart: ({ dataTransfer }: DragEvent) => {
        dataTransfer?.setData("text/plain", title);
        drag?.(true);
      },
      ondragend: () => drag?.(false),
      // With the mouse, the whole card is clickable; with the keyboard, its title is.
      onclick: ({ target }: Event) => (target as Element).closest(".moves") || open?.(button),
      onkeydown: (event: KeyboardEvent) => {
        if (!event.altKey || !/^Arrow(Left|Right)$/.test(event.key)) return;
        const isOn = (event.key === "ArrowRight") === (document.documentElement.dir !== "rtl");
        event.preventDefault();
        moves.find(({ way }) => way === (isOn ? "on" : "back"))?.move();
      },
    },
    element("h3", {}, open ? button : title),
    description && element("p", {}, description),
    details.length > 0 && element("div", { class: "row" }, ...details),
    buttons.length > 0 && element("div", { class: "row moves" }, ...buttons),
  );
}

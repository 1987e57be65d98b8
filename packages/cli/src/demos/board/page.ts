import type { Page } from "../page.js";
import { byId, fill, hideUnsupported, make, problemOf, startApp, textOf } from "../view.js";
import { drawBoard } from "./draw-board.js";
import { showBoard } from "./view.js";

const style = `
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px; max-width: 1200px; margin: 0 auto }
.bar { display: flex; flex-wrap: wrap; gap: 8px; justify-content: space-between }
#add { display: flex; flex: 1 1 180px; min-width: 0; max-width: 420px; gap: 8px }
#add input { flex: 1; width: 0 }
#columns { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 12px; align-items: stretch }
.column { padding: 10px; border-radius: var(--round-2); background: var(--panel); border: 2px solid transparent }
.column.over { border-color: var(--ring) }
h2 { display: flex; align-items: center; gap: 8px; padding: 0 4px 8px; font-size: 13px; font-weight: 600 }
h2::before { content: ""; width: 9px; height: 9px; border-radius: 50%; background: var(--tone) }
[data-column=todo] { --tone: light-dark(#8a6df0, #a48bff) }
[data-column=doing] { --tone: light-dark(#e08a1e, #f3b04b) }
[data-column=done] { --tone: light-dark(#2f9e5c, #5cc788) }
.count { margin-left: auto; font-weight: 400; color: var(--ink-3) }
ul { display: grid; align-content: start; gap: 8px; min-height: 44px; margin: 0; padding: 0; list-style: none }
.card {
  display: flex; flex-wrap: wrap; align-items: center; gap: 2px 6px; padding: 8px 6px 6px 12px; cursor: grab;
  border: 1px solid var(--line); border-left: 3px solid var(--tone); border-radius: var(--round);
  background: var(--paper); box-shadow: 0 1px 2px light-dark(#0000000f, #0000004d);
}
.card.dragged { opacity: .45 }
.title { flex: 1 1 110px; min-width: 0; overflow-wrap: anywhere }
[data-column=done] .title { color: var(--ink-3); text-decoration: line-through }
.acts { display: flex; margin-left: auto }
.acts button { min-height: 28px; padding: 0 7px; color: var(--ink-3) }
.acts [aria-disabled] { opacity: .3; cursor: default }
#app:not([hidden]) + #status:not(:empty) { margin-top: 12px }
body:has(#app[hidden]) { text-align: center }
@media (max-width: 559px) { #columns { grid-template-columns: minmax(0, 1fr) } #add { max-width: none } }
`;

const body = `<main id="app" hidden>
  <h1 class="unseen">To-do board</h1>
  <div class="bar">
    <form id="add" data-needs="serverTools">
      <input id="title" aria-label="New card" placeholder="What is to be done?" maxlength="120" autocomplete="off">
      <button class="main">Add</button>
    </form>
    <div class="row">
      <button type="button" id="export" data-needs="downloadFile">Save as CSV</button>
      <button type="button" id="fullscreen" hidden>Fullscreen</button>
    </div>
  </div>
  <div id="columns"></div>
  <p id="keys" class="unseen">Arrow keys move the card.</p>
</main>
<p id="status" class="note" role="status">Waiting for the board…</p>`;

/** The board app's document. */
export const BOARD_PAGE: Page = {
  name: "board/board",
  title: "To-do board",
  style,
  body,
  script: [fill, make, byId, startApp, hideUnsupported, problemOf, textOf, drawBoard, showBoard],
};

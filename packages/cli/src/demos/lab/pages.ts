import type { Page } from "../page.js";
import { byId, fill, make, problemOf, startApp } from "../view.js";
import { breakPolicy, changeModes, offerTools, showLogs } from "./views.js";

const shared = [fill, make, byId, startApp, problemOf];

const style = `
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; max-width: 720px; margin: 0 auto }
h1 { font-size: 18px; font-weight: 600 }
#said:empty { margin-top: -12px }
ul { margin: 0; padding-left: 20px; color: var(--ink-2); overflow-wrap: anywhere }
pre { margin: 0; padding: 10px; border-radius: var(--round); background: var(--panel); font: 12px/1.5 var(--font-mono, monospace); white-space: pre-wrap }
[aria-pressed=true] { border-color: var(--accent); background: var(--accent-paper) }
#die {
  --hue: 215; display: grid; place-items: center; width: 84px; height: 84px; border-radius: 18px; font-size: 36px; font-weight: 700;
  color: light-dark(hsl(var(--hue) 80% 22%), hsl(var(--hue) 80% 88%)); background: light-dark(hsl(var(--hue) 80% 88%), hsl(var(--hue) 50% 22%));
}
`;

/** The apps of the lab, by tool name. */
export const LAB_PAGES = {
  logs: {
    name: "lab/logs",
    title: "An app that logs",
    style,
    body: `<main><h1>An app that logs</h1>
<p class="note">Each button writes a line to the host's log of this app. Look for it in the inspector.</p>
<div class="row" id="buttons"></div>
<div class="row"><button type="button" id="throw">Throw an error</button></div>
<p class="note" id="said" role="status"></p></main>`,
    script: [...shared, showLogs],
  },
  breaks_csp: {
    name: "lab/breaks-csp",
    title: "An app that breaks its policy",
    style,
    body: `<main><h1>An app that breaks its policy</h1>
<p class="note">It asks for things from example.invalid, which it has not declared. The browser must stop every one of them.</p>
<div class="row" id="buttons"></div>
<ul id="said" aria-live="polite"></ul></main>`,
    script: [...shared, breakPolicy],
  },
  // Without the runtime, so it never starts. It has a script, or it would count as a static document.
  blank: {
    name: "lab/blank",
    title: "An app that never starts",
    style,
    body: `<main><h1>An app that never starts</h1>
<p class="note">It does not speak to its host. The host must say so, and must not stay blank.</p></main>
<script>document.body.dataset.isSilent = "";</script>`,
  },
  app_tools: {
    name: "lab/app-tools",
    title: "An app with tools",
    style,
    body: `<main><h1>An app with tools</h1>
<p class="note">It offers roll_dice and paint to the host. Call them from there.</p>
<div id="die">?</div>
<ul id="said" aria-live="polite"></ul></main>`,
    script: [...shared, offerTools],
  },
  display_modes: {
    name: "lab/display-modes",
    title: "Display modes",
    style,
    body: `<main><h1 id="mode">…</h1>
<div class="row" id="buttons" role="group" aria-label="Display mode"></div>
<p class="note" id="said" role="status"></p>
<pre id="context" aria-label="Host context"></pre></main>`,
    script: [...shared, changeModes],
  },
} as const satisfies Record<string, Page>;

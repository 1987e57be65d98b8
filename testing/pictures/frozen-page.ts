/**
 * Makes pages look the same at every time and on every machine: one font for all text, no motion, and neutral words in place
 * of times, durations, addresses and ids.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";

/** A package of the lock file with fonts, so that every machine has the same ones. */
const FONTS = join(
  dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")),
  "standard_fonts",
);
const fontFile = (name: string): string => readFileSync(join(FONTS, name)).toString("base64");

/** `geometricPrecision` keeps letters from being moved to whole pixels, which depends on the machine's settings. */
const STYLE = `*, ::before, ::after {
  font-family: "Picture Sans" !important;
  text-rendering: geometricPrecision !important;
  -webkit-font-smoothing: antialiased;
  animation: none !important;
  transition: none !important;
  caret-color: transparent !important;
  scroll-behavior: auto !important;
}
/* Progress stands still. */
[role="progressbar"] .track-fill { width: 30% !important; }
.timeline-dot { left: 30% !important; }
/* The number of messages depends on how fast the machine is. */
[role="tab"][data-key="messages"] .in-many { width: 24px; visibility: hidden; }
.in-foot > [aria-live] { visibility: hidden; }`;

/** Gives every document of a context the font of the pictures, apps and shadow trees included. */
export async function freezePages(context: BrowserContext): Promise<void> {
  const faces = [
    { weight: "400", data: fontFile("LiberationSans-Regular.ttf") },
    { weight: "700", data: fontFile("LiberationSans-Bold.ttf") },
  ];
  await context.addInitScript(
    ({ faces: given, style }) => {
      // Neither needs a permission of the page's policy.
      for (const { weight, data } of given) {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        document.fonts.add(new FontFace("Picture Sans", bytes, { weight }));
      }
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets.push(sheet);
      Reflect.set(globalThis, "pictureSheet", sheet);
    },
    { faces, style: STYLE },
  );
}

/** Text that differs between runs, and its replacement. */
const NEUTRAL: readonly [pattern: string, text: string][] = [
  [String.raw`\b\d+:\d{2}\.\d min`, "10 ms"],
  [String.raw`\b\d{1,2}:\d{2}(:\d{2})?(\s?[AP]M)?\b`, "10:30 AM"],
  [String.raw`\b\d{1,2}/\d{1,2}/\d{4}\b|\b\d{4}-\d{2}-\d{2}T[\d:.]+Z`, "1/1/2026"],
  [String.raw`[+]?\b[\d.,]+\s?(ms|s)\b`, "10 ms"],
  [String.raw`\b([pv])\.[a-z0-9]{16,}\.localhost`, "$1.app.localhost"],
  [String.raw`[\d.]+ of \d+ seconds|\b\d+%`, "some"],
  [String.raw`\b(localhost|127\.0\.0\.1):\d+`, "$1:1000"],
  [String.raw`/[^\s"']*/vitrine-[^\s"'/]+`, "/folder"],
  [String.raw`\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{12,}\b`, "0123456789ab"],
];

/** Replaces changing words in a page, and gives shadow trees the font. A framework that writes a text again writes its own. */
export async function neutralize(page: Page): Promise<void> {
  await page.evaluate((given) => {
    const rules = given.map(([pattern, text]) => [new RegExp(pattern, "g"), text] as const);
    const sheet: CSSStyleSheet | undefined = Reflect.get(globalThis, "pictureSheet");
    const visit = (root: Node): void => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const shadow = node instanceof Element ? node.shadowRoot : null;
        if (shadow) {
          if (sheet && !shadow.adoptedStyleSheets.includes(sheet)) shadow.adoptedStyleSheets.push(sheet);
          visit(shadow);
        }
        if (!(node instanceof Text)) continue;
        const before = node.data;
        const after = rules.reduce((text, [pattern, neutral]) => text.replace(pattern, neutral), before);
        if (after !== before) node.data = after;
      }
    };
    visit(document.body);
  }, NEUTRAL);
}

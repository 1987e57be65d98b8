/**
 * Console output and script errors of an app.
 *
 * @module
 */
import type { RenderSnapshot } from "@vitrine/workbench";
import type { Page } from "playwright-core";
import type { ConsoleLine } from "./render-result.js";

/** Maximum number of lines, and characters of each. */
const MOST = 1_000;
const LONGEST = 10_000;

/** Starts to listen. The returned function gives the app's lines, once its location is known. */
export function listenToConsole(page: Page): (snapshot: RenderSnapshot) => ConsoleLine[] {
  const heard: (ConsoleLine & { readonly url: string })[] = [];
  const add = (line: ConsoleLine, url: string): void => {
    if (heard.length < MOST) heard.push({ ...line, text: line.text.slice(0, LONGEST), url });
  };
  page.on("console", (message) =>
    add({ level: message.type(), from: "console", text: message.text() }, message.location().url),
  );
  // An app's scripts may have any URL, or none, but not those of the surrounding pages.
  return ({ around, lines }) => [
    ...heard
      .filter(({ url }) => !URL.canParse(url) || !around.includes(new URL(url).origin))
      .map(({ level, from, text }) => ({ level, from, text })),
    ...lines.slice(0, MOST).map((line) => ({ ...line, text: line.text.slice(0, LONGEST) })),
  ];
}

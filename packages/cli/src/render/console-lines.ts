/**
 * What an app writes to its console, and what its scripts throw.
 *
 * @module
 */
import type { RenderSnapshot } from "@vitrine/workbench";
import type { Page } from "playwright-core";
import type { ConsoleLine } from "./render-result.js";

/** Lines that are kept, and characters of each. */
const MOST = 1_000;
const LONGEST = 10_000;

/** Listens; what it returns gives the app's lines, when it is known where the app was. */
export function listenToConsole(page: Page): (snapshot: RenderSnapshot) => ConsoleLine[] {
  const heard: (ConsoleLine & { readonly url: string })[] = [];
  const add = (line: ConsoleLine, url: string): void => {
    if (heard.length < MOST) heard.push({ ...line, text: line.text.slice(0, LONGEST), url });
  };
  page.on("console", (message) =>
    add({ level: message.type(), from: "console", text: message.text() }, message.location().url),
  );
  // Scripts of an app may come from anywhere, and from nowhere; but not from what is around it.
  return ({ around, lines }) => [
    ...heard
      .filter(({ url }) => !URL.canParse(url) || !around.includes(new URL(url).origin))
      .map(({ level, from, text }) => ({ level, from, text })),
    ...lines.slice(0, MOST).map((line) => ({ ...line, text: line.text.slice(0, LONGEST) })),
  ];
}

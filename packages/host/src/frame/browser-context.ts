/**
 * The part of the host context that the browser and the page know.
 *
 * @module
 */
import { type HostContext, STYLE_VARIABLES } from "@vitrine/protocol";
import { make } from "./chrome.js";

/** Cached: the first call takes a browser tens of milliseconds, and every call some. */
let timeZone: string | undefined;
const queries = new Map<string, MediaQueryList>();
const media = (query: string): MediaQueryList => {
  const known = queries.get(query) ?? matchMedia(query);
  queries.set(query, known);
  return known;
};
const DARK = "(prefers-color-scheme: dark)";

/** The context of every app in this page, as far as browser and page know it. */
export function browserContext(): HostContext {
  const matches = (query: string): boolean => media(query).matches;
  timeZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    theme: matches(DARK) ? "dark" : "light",
    locale: navigator.language,
    timeZone,
    platform: "web",
    deviceCapabilities: { touch: matches("(any-pointer: coarse)"), hover: matches("(any-hover: hover)") },
    ...pageLook(),
  };
}

/** Called when the look of the page may have changed. */
const listeners = new Set<() => void>();
/** The page's look, while somebody listens for changes. */
let look: HostContext | undefined;

/**
 * The page's own look: its theme if its CSS allows only one, the standard variables that it defines, and its font.
 */
function pageLook(): HostContext {
  if (look) return look;
  const style = getComputedStyle(document.body ?? document.documentElement);
  const [theme, other] = style.colorScheme.match(/light|dark/g) ?? [];
  const variables: Record<string, string> = {};
  for (const name of STYLE_VARIABLES) {
    const value = style.getPropertyValue(name).trim();
    if (value) variables[name] = value;
  }
  if (style.fontFamily !== initialFont()) variables["--font-sans"] ??= style.fontFamily;
  const found: HostContext = {};
  if (theme && !other) found.theme = theme as "light" | "dark";
  if (Object.keys(variables).length) found.styles = { variables } as HostContext["styles"] & {};
  if (listeners.size) look = found;
  return found;
}

let font: string | undefined;

/** The browser's own font, which says nothing about the page. */
function initialFont(): string {
  if (font === undefined) {
    const probe = make("i", { hidden: true });
    probe.style.all = "initial";
    document.documentElement.append(probe);
    font = getComputedStyle(probe).fontFamily;
    probe.remove();
  }
  return font;
}

const tell = (): void => {
  look = undefined;
  for (const listener of listeners) listener();
};
let observer: MutationObserver | undefined;

/**
 * Adds a listener for changes of the system's theme, and of attributes of `<html>` and `<body>`, by which pages switch
 * theirs; returns a function that removes it.
 */
export function onPageChange(listener: () => void): () => void {
  if (!listeners.size) {
    media(DARK).addEventListener("change", tell);
    observer = new MutationObserver(tell);
    for (const element of [document.documentElement, document.body])
      observer.observe(element, { attributes: true });
  }
  listeners.add(listener);
  return () => {
    if (!listeners.delete(listener) || listeners.size) return;
    media(DARK).removeEventListener("change", tell);
    observer?.disconnect();
    look = undefined;
  };
}

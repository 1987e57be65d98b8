/**
 * What a page knows about where an app runs (X01).
 *
 * @module
 */
import type { HostContext } from "@vitrine/protocol";

/** Asked for once: the first time takes a browser tens of milliseconds, and every time some. */
let timeZone: string | undefined;
const queries = new Map<string, MediaQueryList>();
const media = (query: string): MediaQueryList => {
  const known = queries.get(query) ?? matchMedia(query);
  queries.set(query, known);
  return known;
};

/** The context that every app in this page has, as far as the browser can tell. */
export function browserContext(): HostContext {
  const matches = (query: string): boolean => media(query).matches;
  timeZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    theme: matches("(prefers-color-scheme: dark)") ? "dark" : "light",
    locale: navigator.language,
    timeZone,
    platform: "web",
    deviceCapabilities: { touch: matches("(any-pointer: coarse)"), hover: matches("(any-hover: hover)") },
  };
}

/** Calls back when the person changes the theme; call what it returns to stop. */
export function onThemeChange(listener: () => void): () => void {
  const query = media("(prefers-color-scheme: dark)");
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/**
 * The part of the host context that a browser knows.
 *
 * @module
 */
import type { HostContext } from "@vitrine/protocol";

/** Cached: the first call takes a browser tens of milliseconds, and every call some. */
let timeZone: string | undefined;
const queries = new Map<string, MediaQueryList>();
const media = (query: string): MediaQueryList => {
  const known = queries.get(query) ?? matchMedia(query);
  queries.set(query, known);
  return known;
};

/** The context of every app in this page, as far as the browser knows it. */
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

/** Adds a listener for theme changes of the system; returns a function that removes it. */
export function onThemeChange(listener: () => void): () => void {
  const query = media("(prefers-color-scheme: dark)");
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/**
 * Finds origins that a document uses but does not declare. A host would block them, and the author would not
 * know why.
 *
 * @module
 */
import { buildCsp, type ResourceCsp } from "@vitrine/protocol";
import type { ViewDefinition } from "./view.js";

/** An undeclared origin in a view's document, and how to declare it. */
export interface Advice {
  /** The view's name. */
  readonly view: string;
  readonly origin: string;
  /** The `csp` list for this origin. */
  readonly field: keyof ResourceCsp;
  /** Line in the document, from 1. */
  readonly line: number;
  /** The complete message. */
  readonly message: string;
}

/**
 * Patterns of URLs, each with the `csp` list for its use. They match only URLs that a browser fetches by
 * itself, or that code clearly names as such.
 */
const PLACES: readonly [field: keyof ResourceCsp, pattern: RegExp][] = [
  ["frameDomains", /<iframe\b[^>]{0,500}?\bsrc\s*=\s*["']?(https?:\/\/[^\s"'<>]+)/gi],
  ["baseUriDomains", /<base\b[^>]{0,500}?\bhref\s*=\s*["']?(https?:\/\/[^\s"'<>]+)/gi],
  [
    "resourceDomains",
    /<(?:script|img|source|audio|video|track|embed)\b[^>]{0,500}?\b(?:src|poster)\s*=\s*["']?(https?:\/\/[^\s"'<>]+)/gi,
  ],
  [
    "resourceDomains",
    /<link\b(?=[^>]{0,500}?\brel\s*=\s*["']?(?:stylesheet|icon|preload|modulepreload|apple-touch-icon))[^>]{0,500}?\bhref\s*=\s*["']?(https?:\/\/[^\s"'<>]+)/gi,
  ],
  ["resourceDomains", /(?:\burl\(\s*|@import\s+)["']?(https?:\/\/[^\s"')<>]+)/gi],
  ["resourceDomains", /\b(?:from|import)\s*\(?\s*["'`](https?:\/\/[^\s"'`]+)/g],
  [
    "connectDomains",
    /\b(?:fetch|EventSource|WebSocket|sendBeacon)\s*\(\s*["'`]((?:https?|wss?):\/\/[^\s"'`]+)/g,
  ],
  ["connectDomains", /\.open\(\s*["'`][A-Z]+["'`]\s*,\s*["'`](https?:\/\/[^\s"'`]+)/g],
];

/** Metadata files of views that were not defined in code. */
const files = new WeakMap<ViewDefinition, string>();

/** Makes the advice on a view name this file and the JSON to add there. */
export function adviseIn(view: ViewDefinition, file: string): ViewDefinition {
  files.set(view, file);
  return view;
}

/** Finds origins that are missing in a view's `csp`. Each origin is reported once per list. */
export function adviceOn(view: ViewDefinition, html: string): Advice[] {
  const { name } = view;
  // Sources that a host would reject from the policy allow nothing.
  const { accepted } = buildCsp(view.csp);
  const file = files.get(view);
  const found = new Map<string, Advice>();
  for (const [field, pattern] of PLACES) {
    for (const match of html.matchAll(pattern)) {
      const origin = originOf(match[1] ?? "");
      if (!origin || found.has(`${field} ${origin}`) || isDeclared(accepted[field], origin)) continue;
      const line = html.slice(0, match.index).split("\n").length;
      const list = JSON.stringify([origin]);
      const add = file
        ? `add "meta": { "csp": { "${field}": ${list} } } to ${file}`
        : `add csp: { ${field}: ${list} }`;
      const message = `the view ${name} uses ${origin} in line ${line}, but hosts will block it: ${add}`;
      found.set(`${field} ${origin}`, { view: name, origin, field, line, message });
    }
  }
  return [...found.values()];
}

function originOf(address: string): string | undefined {
  try {
    const { protocol, host } = new URL(address);
    return /^[\w.:[\]-]+$/.test(host) ? `${protocol}//${host}` : undefined;
  } catch {
    // Not a complete URL: code builds the rest.
    return undefined;
  }
}

/** Whether a declared source allows an origin. `https://*.example.com` allows all subdomains. */
function isDeclared(sources: readonly string[] = [], origin: string): boolean {
  const [scheme = "", host = ""] = origin.split("://");
  return sources.some((source) => {
    const [, itsScheme, itsHost = ""] = /^(?:([a-z]+):\/\/)?([^/]*)/.exec(source) ?? [];
    if (itsScheme !== undefined && itsScheme !== scheme) return false;
    return (
      itsHost === "*" || itsHost === host || (itsHost.startsWith("*.") && host.endsWith(itsHost.slice(1)))
    );
  });
}

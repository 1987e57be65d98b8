/**
 * What a document wants to reach and does not declare: in a host it would not reach it, and nobody would know why.
 *
 * @module
 */
import { buildCsp, type ResourceCsp } from "@vitrine/protocol";
import type { View } from "./view.js";

/** Something that a view's document refers to, and what to declare for it. */
export interface Advice {
  /** The view's name. */
  readonly view: string;
  readonly origin: string;
  /** The list of `csp` that is for it. */
  readonly field: keyof ResourceCsp;
  /** Of the document; from 1. */
  readonly line: number;
  /** A sentence that says it all. */
  readonly message: string;
}

/** Where addresses stand, and what they are for, near the beginning of their element. Only those that a browser fetches by itself, or that code names as such. */
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

/** Files that say what views may do, for those that were not defined in code. */
const files = new WeakMap<View, string>();

/** Has advice on a view name the file where it is followed, and what is written there. */
export function adviseIn(view: View, file: string): View {
  files.set(view, file);
  return view;
}

/** What is missing in a view's `csp`, each origin once for each list. */
export function adviceOn(view: View, html: string): Advice[] {
  const { name } = view;
  // What a host leaves out of the policy lets nothing through.
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
        ? `add to ${file} "meta": { "csp": { "${field}": ${list} } }`
        : `add csp: { ${field}: ${list} }`;
      const message = `the view ${name} refers to ${origin} in line ${line}, and hosts will block it: ${add}`;
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
    // A part of one: the rest is put together by code.
    return undefined;
  }
}

/** Whether one of the declared sources lets an origin through; `https://*.example.com` is for all of its names. */
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

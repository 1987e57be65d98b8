/**
 * Builds the Content Security Policy of a view's document from `_meta.ui.csp`.
 *
 * Metadata comes from an untrusted server, so none of it is pasted into the policy: each value is parsed into
 * scheme, host and port, and written anew from those parts.
 *
 * @module
 */
import { VitrineError } from "./errors.js";
import type { ResourceCsp } from "./ui-meta.js";
import { isRecord } from "./untrusted.js";

/**
 * Relaxations that an *operator* may grant to one server beyond what metadata can request. Off by default,
 * and never taken from metadata.
 * - `unsafe-eval`: `eval` and `new Function`, including WebAssembly.
 * - `wasm-unsafe-eval`: WebAssembly only.
 * - `blob-workers`: workers from `blob:` URLs; they inherit this policy.
 * - `blob-media`: images, audio and video from `blob:` URLs.
 * - `data-fonts`: fonts from `data:` URLs.
 * - `data-scripts`: scripts and modules from `data:` URLs, which pdf.js uses for its worker.
 */
export type Relaxation =
  | "unsafe-eval"
  | "wasm-unsafe-eval"
  | "blob-workers"
  | "blob-media"
  | "data-fonts"
  | "data-scripts";

/** Why a declared value is not in the policy. The meaning of a code never changes. */
export type RejectedSourceCode =
  /** `csp` is not an object. */
  | "csp-invalid"
  /** The field is not a list, or cannot be read. */
  | "list-invalid"
  /** The list is too long; only the first sources are used. */
  | "too-many-sources"
  /** The entry is not a string. */
  | "not-a-string"
  | "too-long"
  | "empty"
  /** A keyword such as `'self'`, or a quote. */
  | "keyword"
  /** White space, `;` or `,`: several origins in one entry, or an attempt to end the directive. */
  | "separator"
  | "not-ascii"
  /** `*`, with or without a scheme. */
  | "every-host"
  /** A user name before the host. */
  | "user-name"
  /** An IPv6 address, which browsers ignore in a policy. */
  | "ipv6"
  | "query-or-fragment"
  /** A scheme that can never be declared, such as `data:`. */
  | "scheme-forbidden"
  | "path"
  | "not-an-origin"
  /** No valid host name or IPv4 address. */
  | "host-invalid"
  /** A wildcard over a top-level domain or an address. */
  | "wildcard-too-wide"
  /** A single word without a scheme. */
  | "scheme-missing"
  /** A WebSocket scheme in a list that is not for connections. */
  | "scheme-misplaced"
  /** `http://` or `ws://` to another host than loopback. */
  | "not-encrypted"
  | "port-invalid";

/** A declared value that is not in the policy, with the reason. */
export interface RejectedSource {
  code: RejectedSourceCode;
  /** Path of the value, such as `csp.connectDomains[0]`. */
  field: string;
  /** The value, shortened for display. It is untrusted text: escape it. */
  value: string;
  /** Explains the mistake and what to write instead. */
  reason: string;
}

/** Result of {@link buildCsp}. */
export interface CspResult {
  /** The value of the `Content-Security-Policy` header. */
  policy: string;
  /** The declared sources that are in the policy, in normal form, without duplicates. */
  accepted: ResourceCsp;
  /** The declared values that are not in the policy. A host should refuse the resource and show these. */
  rejected: RejectedSource[];
}

type Field = keyof ResourceCsp;
/** The lists of origins in `csp`. */
export const CSP_FIELDS = [
  "connectDomains",
  "resourceDomains",
  "frameDomains",
  "baseUriDomains",
] as const satisfies Field[];

/** Maximum number of sources in one list. Real apps have a handful, and header size is limited. */
const MAX_SOURCES = 100;
/** Maximum length of a source: a host name of 253 characters, a scheme, a wildcard and a port. */
const MAX_LENGTH = 253 + "https://*.".length + ":65535/".length;

/**
 * The origins that metadata declares, if a policy can contain all of them.
 *
 * @throws {VitrineError} `bad-resource`; `data` has the rejected values
 */
export function acceptedCsp(csp: unknown): ResourceCsp {
  const { accepted, rejected } = buildCsp(csp);
  if (rejected.length === 0) return accepted;
  const message = rejected.map(({ field, reason }) => `${field} ${reason}`).join("; ");
  throw new VitrineError("bad-resource", message, { data: { rejected } });
}

/**
 * Builds a view's Content Security Policy from `_meta.ui.csp`. Never throws, whatever the metadata. Invalid
 * entries are left out, so a mistake can only make the policy stricter.
 *
 * A source is `https://` or (for connections) `wss://`, a host with an optional leading `*.`, and an optional
 * port. `http://` and `ws://` are for loopback hosts only. Two deviations are accepted: a final `/`, and a
 * host without a scheme, as several guides show it. The missing scheme becomes `https://` (`http://` on
 * loopback).
 *
 * `frameAncestors` are the pages that may frame the document. It must name *every* ancestor: the proxy and
 * the host page. Without it, no page may frame the document. Pages of an application have its scheme:
 * `tauri://localhost`, or `vscode-webview:` for all of them.
 *
 * @example
 * ```ts source="./csp.examples.ts#buildCsp"
 * const { policy, accepted, rejected } = buildCsp(
 *   { connectDomains: ["https://api.example.com", "https://x.example; script-src *"] },
 *   { frameAncestors: ["https://host.example"] },
 * );
 * // policy has "connect-src https://api.example.com" and no other connection rejected[0].field is
 * // "csp.connectDomains[1]"
 * ```
 */
export function buildCsp(
  csp: unknown,
  options: { frameAncestors?: readonly string[]; relax?: readonly Relaxation[] } = {},
): CspResult {
  const rejected: RejectedSource[] = [];
  const accepted: ResourceCsp = {};
  for (const field of CSP_FIELDS) {
    const sources = readList(csp, field, rejected);
    if (sources.length > 0) accepted[field] = sources;
  }
  if (csp != null && !isRecord(csp)) {
    const reason = "csp must be an object with lists of origins";
    rejected.push({ code: "csp-invalid", field: "csp", value: show(csp), reason });
  }
  // The operator may serve the host page over http on a local network. No server can choose this.
  const ancestors = parseList(options.frameAncestors ?? [], "frameAncestors", /^https?$/, true, rejected);

  const on = (relaxation: Relaxation, ...sources: string[]) =>
    options.relax?.includes(relaxation) ? sources : [];
  const resources = accepted.resourceDomains ?? [];
  const directives: [name: string, sources: string[]][] = [
    // Blocks everything that is not listed below.
    ["default-src", []],
    // Apps consist of inline code. 'self' is part of the specification's default policy. It allows nothing
    // more, as long as the view's origin serves only this document.
    [
      "script-src",
      [
        "'self'",
        "'unsafe-inline'",
        ...on("unsafe-eval", "'unsafe-eval'"),
        ...on("wasm-unsafe-eval", "'wasm-unsafe-eval'"),
        ...on("data-scripts", "data:"),
        ...resources,
      ],
    ],
    ["style-src", ["'self'", "'unsafe-inline'", ...resources]],
    // The specification allows self and data:. Not blob:, or apps would work here and fail in other hosts.
    ["img-src", ["'self'", "data:", ...on("blob-media", "blob:"), ...resources]],
    ["media-src", ["'self'", "data:", ...on("blob-media", "blob:"), ...resources]],
    // By default no fonts are allowed, not even from self or data:; only declared ones are.
    ["font-src", [...on("data-fonts", "data:"), ...resources]],
    // Never 'self': a request to the sandbox origin could leak data too.
    ["connect-src", accepted.connectDomains ?? []],
    ["frame-src", accepted.frameDomains ?? []],
    ["base-uri", accepted.baseUriDomains ?? ["'self'"]],
    // Without this, workers would fall back to script-src, which allows 'self' and declared hosts.
    ["worker-src", on("blob-workers", "blob:")],
    ["object-src", []],
    // The next two do not fall back to default-src: if omitted, they allow everything.
    ["form-action", []],
    ["frame-ancestors", ancestors],
    ["manifest-src", []],
  ];
  const policy = directives.map(([name, sources]) => `${name} ${sources.join(" ") || "'none'"}`).join("; ");
  return { policy, accepted, rejected };
}

/**
 * Builds the `Connection-Allowlist` response header of a view's document: its own origin and the declared
 * origins, as URL patterns. It covers what CSP does not (WebRTC, DNS, preconnect, navigation).
 *
 * A WebSocket is matched by the http(s) URL of its handshake, so `wss://` is listed as `https://` and `ws://`
 * as `http://`. (Measured with `ws:` in Chromium 156: a `ws://` pattern matches nothing, `http://` does.)
 *
 * @example
 * ```ts source="./csp.examples.ts#connectionAllowlist"
 * const { accepted } = buildCsp({ connectDomains: ["wss://live.example.com"] });
 * const header = connectionAllowlist(accepted);
 * // header is (response-origin "https://live.example.com")
 * ```
 */
export function connectionAllowlist(accepted: ResourceCsp): string {
  // Not baseUriDomains: a base only changes how relative URLs resolve. Whatever they load is declared
  // elsewhere.
  const { connectDomains = [], resourceDomains = [], frameDomains = [] } = buildCsp(accepted).accepted;
  const patterns = [...connectDomains, ...resourceDomains, ...frameDomains].map(
    // A parsed source has no special characters of a structured-field string. Its only special character of a
    // URL pattern is the `*` of a wildcard, which has the same meaning there.
    (source) => `"${source.replace(/^ws/, "http")}"`,
  );
  return `(${["response-origin", ...new Set(patterns)].join(" ")})`;
}

function readList(csp: unknown, field: Field, rejected: RejectedSource[]): string[] {
  const schemes = field === "connectDomains" ? /^(https?|wss?)$/ : /^https?$/;
  let list: unknown;
  try {
    // Own properties only, so that a polluted Object.prototype cannot declare anything.
    if (!isRecord(csp) || !Object.hasOwn(csp, field)) return [];
    list = csp[field];
  } catch {
    const reason = "the list could not be read";
    rejected.push({ code: "list-invalid", field: `csp.${field}`, value: "", reason });
    return [];
  }
  return list == null ? [] : parseList(list, `csp.${field}`, schemes, false, rejected);
}

function parseList(
  list: unknown,
  field: string,
  schemes: RegExp,
  isHost: boolean,
  rejected: RejectedSource[],
): string[] {
  const found = new Set<string>();
  try {
    if (!Array.isArray(list)) throw new TypeError();
    for (let index = 0; index < list.length; index++) {
      if (index === MAX_SOURCES) {
        const reason = `only the first ${MAX_SOURCES} sources are used; declare fewer, or use "*." wildcards`;
        rejected.push({ code: "too-many-sources", field, value: `${list.length} sources`, reason });
        break;
      }
      const value: unknown = list[index];
      const parsed = parseSource(value, schemes, isHost);
      if (parsed.ok) found.add(parsed.source);
      else {
        const { code, reason } = parsed;
        rejected.push({ code, field: `${field}[${index}]`, value: show(value), reason });
      }
    }
    return [...found];
  } catch {
    const reason = 'must be an array of origins, such as ["https://example.com"]';
    rejected.push({ code: "list-invalid", field, value: show(list), reason });
    return [];
  }
}

type Parsed = { ok: true; source: string } | { ok: false; code: RejectedSourceCode; reason: string };
const no = (code: RejectedSourceCode, reason: string): Parsed => ({ ok: false, code, reason });

/**
 * Mistakes that are found before the text is split into parts, with messages for the author. The first match
 * counts.
 */
const COMPLAINTS: readonly (readonly [RegExp, RejectedSourceCode, string])[] = [
  [/^$/, "empty", "is empty; leave it out"],
  [/['"`]/, "keyword", "keywords and quotes cannot be declared, only origins such as https://example.com"],
  [/[;,\s]/, "separator", "has white space, ';' or ','; write one origin per entry"],
  [/[^!-~]/, "not-ascii", "has a character outside ASCII; write the host in punycode (xn--...)"],
  [/^([a-z]+:\/\/)?\*(:|\/|$)/i, "every-host", "allows every host; name the hosts that the app needs"],
  [
    /^[a-z]+:\/\/[^/]*@|^[^/]*@/i,
    "user-name",
    "has a user name; remove everything up to and including the '@'",
  ],
  [/\[/, "ipv6", "browsers ignore IPv6 addresses in a policy; use a host name, or localhost"],
  [/[?#]/, "query-or-fragment", "has a query or fragment; write scheme, host and port only"],
  [
    /^(?!(https?|wss?):)[a-z][a-z0-9+.-]*:(?!\d+\/?$)/i,
    "scheme-forbidden",
    "has a scheme that cannot be declared; use https:// or wss://",
  ],
  [/[^:/]\/./, "path", "has a path; write scheme, host and port only"],
];

/** scheme "://" (optional), "*." (optional), host, ":" port (optional), "/" (optional) */
const SOURCE = /^(?:([a-z]+):\/\/)?(\*\.)?([a-z0-9.-]+)(?::(\d{1,5}))?\/?$/;
/** A page of an application, or all pages of its scheme: not a scheme of the web, or one that any page can use. */
const APPLICATION =
  /^(?!(?:https?|wss?|ftp|data|blob|about|javascript|filesystem|mediastream):)[a-z][a-z0-9+.-]*:(?:\/\/[a-z0-9._-]+)?$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const DEFAULT_PORTS: Record<string, number> = { https: 443, wss: 443, http: 80, ws: 80 };

/** Parses one source and rebuilds it from its parts. */
function parseSource(value: unknown, schemes: RegExp, isHost: boolean): Parsed {
  if (typeof value !== "string") return no("not-a-string", "must be a string such as https://example.com");
  if (value.length > MAX_LENGTH) return no("too-long", "is too long; a host name has at most 253 characters");
  if (isHost && APPLICATION.test(value)) return { ok: true, source: value };
  const complaint = COMPLAINTS.find(([pattern]) => pattern.test(value));
  if (complaint) return no(complaint[1], complaint[2]);
  // Only ASCII remains here, so lower-casing cannot turn one character into another.
  const [whole, declared, wildcard = "", host = "", portText] = SOURCE.exec(value.toLowerCase()) ?? [];
  if (whole === undefined)
    return no(
      "not-an-origin",
      "is not an origin; write it like https://example.com or https://example.com:8443",
    );

  const labels = host.split(".");
  // Browsers treat a host whose last label is a number as an IPv4 address, in any spelling.
  const numeric = /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "");
  if (host.length > 253 || !labels.every((label) => LABEL.test(label)) || (numeric && !IPV4.test(host))) {
    return no("host-invalid", "is not a valid host name or IPv4 address; write it like https://example.com");
  }
  if (wildcard && (labels.length < 2 || numeric))
    return no("wildcard-too-wide", "is too wide; '*.' needs a domain such as *.example.com");
  const loopback = /(^|\.)localhost$/.test(host) || (numeric && host.startsWith("127."));
  if (!declared && labels.length < 2 && !loopback)
    return no("scheme-missing", "is not an origin; write the scheme too, such as https://");

  const scheme = declared ?? (loopback ? "http" : "https");
  if (!schemes.test(scheme))
    return no("scheme-misplaced", "only http(s) is allowed in this list; use https://");
  if (DEFAULT_PORTS[scheme] === 80 && !loopback && !isHost) {
    return no(
      "not-encrypted",
      `is not encrypted; use ${scheme}s:// (plain ${scheme}:// is for localhost only)`,
    );
  }
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65535))
    return no("port-invalid", "has no valid port; use 1 to 65535, or none");
  const suffix = port === undefined || port === DEFAULT_PORTS[scheme] ? "" : `:${port}`;
  return { ok: true, source: `${scheme}://${wildcard}${host}${suffix}` };
}

/** A short text for a value whose `toString` may not work. */
const show = (value: unknown): string =>
  typeof value === "string" ? (value.length > 80 ? `${value.slice(0, 80)}...` : value) : `(${typeof value})`;

/**
 * The response headers of the sandbox: where its promises are kept.
 *
 * @module
 */
import { buildCsp, connectionAllowlist, type Relaxation, type ResourceCsp } from "@vitrine/protocol";

/**
 * Every feature that a page could use or hand on. Those that metadata can ask for are opened one by one; the
 * rest stays closed (S10, attacks A36, B11, D12). All of these Chromium knows: for any other it writes a warning to
 * the console of every page. What it knows only over https has no effect here over http.
 */
const FEATURES = [
  "accelerometer",
  "autoplay",
  "browsing-topics",
  "camera",
  "captured-surface-control",
  "clipboard-read",
  "clipboard-write",
  "compute-pressure",
  "cross-origin-isolated",
  "deferred-fetch",
  "deferred-fetch-minimal",
  "digital-credentials-create",
  "digital-credentials-get",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "identity-credentials-get",
  "idle-detection",
  "keyboard-map",
  "language-detector",
  "language-model",
  "local-fonts",
  "local-network-access",
  "magnetometer",
  "microphone",
  "midi",
  "otp-credentials",
  "payment",
  "picture-in-picture",
  "private-state-token-issuance",
  "private-state-token-redemption",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "speaker-selection",
  "storage-access",
  "summarizer",
  "sync-xhr",
  "translator",
  "unload",
  "usb",
  "window-management",
  "xr-spatial-tracking",
];

/** Why a view may run its scripts, but nothing more (S10). `allow-forms` is for `submit` events: no form is sent. */
export const SANDBOX = "allow-scripts allow-forms";
/** The same for a page that keeps the origin it has. */
export const SANDBOX_WITH_ORIGIN = `${SANDBOX} allow-same-origin`;

/** On every response, whatever it is. */
const COMMON = {
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-dns-prefetch-control": "off",
  "cross-origin-opener-policy": "same-origin",
};

/** What an app's pages may do. */
export interface PagePolicy {
  /** The origins that are in the policy. */
  csp: ResourceCsp;
  relax: readonly Relaxation[];
  /** The features that are open, by their names in Permissions Policy. */
  features: readonly string[];
  /** The view has no origin of its own. */
  opaque: boolean;
}

/** Where an app's pages are, and whose. */
export interface Places {
  hosts: readonly string[];
  proxy: string;
  view: string;
  /** Ask for a process for each origin: names alone do not give it. */
  isolate: boolean;
}

/** The headers of a view's document. */
export function viewHeaders(
  { csp, relax, features, opaque }: PagePolicy,
  places: Places,
): Record<string, string> {
  const { policy } = buildCsp(csp, { frameAncestors: [places.proxy, ...places.hosts], relax });
  return {
    ...COMMON,
    // The frame has the same sandbox: this one holds when the address is opened without it.
    "content-security-policy": `${policy}; sandbox ${opaque ? SANDBOX : SANDBOX_WITH_ORIGIN}`,
    "connection-allowlist": connectionAllowlist(csp),
    "permissions-policy": permissions((name) => (features.includes(name) ? allow("self", opaque) : "()")),
    "cross-origin-resource-policy": "same-site",
    "cache-control": "private, max-age=31536000, immutable",
    ...isolation(places),
  };
}

/** The headers of a proxy page. */
export function proxyHeaders(
  { features, opaque }: PagePolicy,
  places: Places,
  page: { script: string; src: string },
): Record<string, string> {
  const directives = [
    "default-src 'none'",
    `script-src '${page.script}'`,
    "style-src 'unsafe-inline'",
    // Here the frame is kept where it belongs: it may show this one document, and nothing else.
    `frame-src ${page.src}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${places.hosts.join(" ")}`,
    `sandbox ${SANDBOX_WITH_ORIGIN}`,
  ];
  return {
    ...COMMON,
    "content-security-policy": directives.join("; "),
    "connection-allowlist": `(response-origin "${places.view}")`,
    "permissions-policy": permissions((name) =>
      features.includes(name) ? allow(`self "${places.view}"`, opaque) : "()",
    ),
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "private, max-age=31536000, immutable",
    ...isolation(places),
  };
}

/** The headers of a refusal: nothing may come of it (peers: an error page without a policy is a way out). */
export const DENY_ALL: Readonly<Record<string, string>> = {
  ...COMMON,
  "content-type": "text/plain; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  "connection-allowlist": "()",
  "permissions-policy": permissions(() => "()"),
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

const isolation = ({ isolate }: Places): Record<string, string> =>
  isolate ? { "origin-agent-cluster": "?1" } : {};

/** An allowlist cannot name an origin that is none. What gets the feature is held by the frame's `allow` all the same. */
const allow = (origins: string, opaque: boolean): string => (opaque ? "*" : `(${origins})`);

function permissions(allowlist: (name: string) => string): string {
  return FEATURES.map((name) => `${name}=${allowlist(name)}`).join(", ");
}

/**
 * The response headers of the sandbox, which enforce its guarantees.
 *
 * @module
 */
import { buildCsp, connectionAllowlist, type Relaxation, type ResourceCsp } from "@vitrine/protocol";

/**
 * Every feature that a page could use or delegate. Those that metadata can request are allowed individually;
 * the rest is blocked. Chromium knows all of these: for any other it logs a warning in every page. Features
 * that exist only over https have no effect here over http.
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

/**
 * The sandbox of a view: it may run scripts, but nothing more. `allow-forms` enables `submit` events; no form
 * is sent.
 */
export const SANDBOX = "allow-scripts allow-forms";
/** The same for a page that keeps its own origin. */
export const SANDBOX_WITH_ORIGIN = `${SANDBOX} allow-same-origin`;

/** Headers of every response. */
const COMMON = {
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-dns-prefetch-control": "off",
  "cross-origin-opener-policy": "same-origin",
};

/** Policy of an app's pages. */
export interface PagePolicy {
  /** The origins in the policy. */
  csp: ResourceCsp;
  relax: readonly Relaxation[];
  /** The allowed features, by their Permissions Policy names. */
  features: readonly string[];
  /** Whether the view has no origin of its own. */
  opaque: boolean;
}

/** Origins of an app's pages. */
export interface Places {
  hosts: readonly string[];
  /** Pages around the host page. */
  embedders: readonly string[];
  proxy: string;
  view: string;
  /** Request a separate process per origin, which names alone do not give. */
  isolate: boolean;
  /** Whether host pages require an embedder policy. */
  embedderPolicy: boolean;
}

/** The headers of a view's document. */
export function viewHeaders(
  { csp, relax, features, opaque }: PagePolicy,
  places: Places,
): Record<string, string> {
  const { policy } = buildCsp(csp, {
    frameAncestors: [places.proxy, ...places.hosts, ...places.embedders],
    relax,
  });
  return {
    ...COMMON,
    // The frame has the same sandbox; this one applies if the address is opened without it.
    "content-security-policy": `${policy}; sandbox ${opaque ? SANDBOX : SANDBOX_WITH_ORIGIN}`,
    "connection-allowlist": connectionAllowlist(csp),
    "permissions-policy": permissions((name) => (features.includes(name) ? allow("self", opaque) : "()")),
    "cross-origin-resource-policy": places.embedderPolicy ? "cross-origin" : "same-site",
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
    // Restricts the frame to this one document.
    `frame-src ${page.src}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${[...places.hosts, ...places.embedders].join(" ")}`,
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

/** The headers of the page that explains why an app does not load. Any page may show it, and it has no origin. */
export const whyHeaders = (script: string): Record<string, string> => ({
  ...COMMON,
  "content-security-policy": `default-src 'none'; script-src '${script}'; base-uri 'none'; form-action 'none'; sandbox allow-scripts`,
  "connection-allowlist": "()",
  "permissions-policy": permissions(() => "()"),
  "cross-origin-resource-policy": "cross-origin",
  "cross-origin-embedder-policy": "credentialless",
  "cache-control": "no-store",
});

/** The headers of a refusal, which allow nothing: an error page without a policy would be an escape. */
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

const isolation = ({ isolate, embedderPolicy }: Places): Record<string, string> => ({
  ...(isolate && { "origin-agent-cluster": "?1" }),
  ...(embedderPolicy && { "cross-origin-embedder-policy": "credentialless" }),
});

/** An allowlist cannot name an opaque origin. The frame's `allow` attribute still restricts the feature. */
const allow = (origins: string, opaque: boolean): string => (opaque ? "*" : `(${origins})`);

function permissions(allowlist: (name: string) => string): string {
  return FEATURES.map((name) => `${name}=${allowlist(name)}`).join(", ");
}

import { buildCsp } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { DENY_ALL, type PagePolicy, type Places, proxyHeaders, viewHeaders } from "./headers.js";

const POLICY: PagePolicy = { csp: {}, relax: [], features: [], opaque: false };
const PLACES: Places = {
  hosts: ["https://chat.example"],
  proxy: "https://p-x.apps.example",
  view: "https://v-x.apps.example",
  embedders: [],
  isolate: true,
  embedderPolicy: false,
};
const PAGE = { script: "sha256-x", src: "https://v-x.apps.example/name" };

const read = (text = ""): Record<string, string> =>
  Object.fromEntries(
    text.split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );
const csp = (headers: Record<string, string>): Record<string, string> =>
  read(headers["content-security-policy"]);
const features = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    `${headers["permissions-policy"]}`.split(", ").map((each) => each.split(/=(.*)/).slice(0, 2)),
  );

describe("a view's headers", () => {
  it("S05: without metadata, the restrictive default", () => {
    expect(csp(viewHeaders(POLICY, PLACES))).toEqual({
      "default-src": "'none'",
      "script-src": "'self' 'unsafe-inline'",
      "style-src": "'self' 'unsafe-inline'",
      "img-src": "'self' data:",
      "media-src": "'self' data:",
      "font-src": "'none'",
      "connect-src": "'none'",
      "frame-src": "'none'",
      "base-uri": "'self'",
      "worker-src": "'none'",
      "object-src": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "https://p-x.apps.example https://chat.example",
      "manifest-src": "'none'",
      sandbox: "allow-scripts allow-forms allow-same-origin",
    });
  });

  it("S04: only declared origins are in the policy and in the list of connections", () => {
    const declared = {
      connectDomains: ["https://api.example", "wss://live.example"],
      resourceDomains: ["https://cdn.example"],
      frameDomains: ["https://frame.example"],
      baseUriDomains: ["https://base.example"],
    };
    const headers = viewHeaders({ ...POLICY, csp: declared }, PLACES);
    expect(csp(headers)).toMatchObject({
      "connect-src": "https://api.example wss://live.example",
      "script-src": "'self' 'unsafe-inline' https://cdn.example",
      "font-src": "https://cdn.example",
      "frame-src": "https://frame.example",
      "base-uri": "https://base.example",
    });
    expect(headers["connection-allowlist"]).toBe(
      '(response-origin "https://api.example" "https://live.example" "https://cdn.example" "https://frame.example")',
    );
    expect(viewHeaders(POLICY, PLACES)["connection-allowlist"]).toBe("(response-origin)");
  });

  it("S12: the policy is the builder's, with a sandbox", () => {
    const headers = viewHeaders({ ...POLICY, relax: ["unsafe-eval"] }, PLACES);
    const { policy } = buildCsp(
      {},
      { frameAncestors: [PLACES.proxy, ...PLACES.hosts], relax: ["unsafe-eval"] },
    );
    expect(headers["content-security-policy"]).toBe(
      `${policy}; sandbox allow-scripts allow-forms allow-same-origin`,
    );
  });

  it("S10: every feature is off unless it was granted", () => {
    expect(new Set(Object.values(features(viewHeaders(POLICY, PLACES))))).toEqual(new Set(["()"]));
    const open = features(viewHeaders({ ...POLICY, features: ["camera"] }, PLACES));
    expect(Object.entries(open).filter(([, list]) => list !== "()")).toEqual([["camera", "(self)"]]);
  });

  it.each([
    "camera",
    "microphone",
    "geolocation",
    "clipboard-read",
    "payment",
    "usb",
    "display-capture",
    "publickey-credentials-get",
    "identity-credentials-get",
    "screen-wake-lock",
    "local-network-access",
  ])("attack A36, B11, D12: %s is among the closed", (name) => {
    for (const headers of [viewHeaders(POLICY, PLACES), proxyHeaders(POLICY, PLACES, PAGE), DENY_ALL])
      expect(features(headers)[name]).toBe("()");
  });

  it("S08: without an origin, its sandbox grants none", () => {
    const headers = viewHeaders({ ...POLICY, opaque: true, features: ["clipboard-write"] }, PLACES);
    expect(csp(headers)["sandbox"]).toBe("allow-scripts allow-forms");
    // No allowlist can express it.
    expect(features(headers)["clipboard-write"]).toBe("*");
  });
});

describe("a proxy's headers", () => {
  it("S02: one script, one frame, its hosts, and nothing else", () => {
    const headers = proxyHeaders(POLICY, PLACES, PAGE);
    expect(csp(headers)).toEqual({
      "default-src": "'none'",
      "script-src": "'sha256-x'",
      "style-src": "'unsafe-inline'",
      "frame-src": "https://v-x.apps.example/name",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "https://chat.example",
      sandbox: "allow-scripts allow-forms allow-same-origin",
    });
    expect(headers["connection-allowlist"]).toBe('(response-origin "https://v-x.apps.example")');
  });

  it("S09: forwards granted permissions, to its view only", () => {
    const open = features(proxyHeaders({ ...POLICY, features: ["camera"] }, PLACES, PAGE));
    expect(Object.entries(open).filter(([, list]) => list !== "()")).toEqual([
      ["camera", '(self "https://v-x.apps.example")'],
    ]);
  });
});

describe("every page's headers", () => {
  const pages = {
    view: viewHeaders(POLICY, PLACES),
    proxy: proxyHeaders(POLICY, PLACES, PAGE),
    refusal: DENY_ALL,
  };

  it.each(Object.entries(pages))("agree about types, referrers and openers: %s", (_name, headers) => {
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
    });
    expect(headers["content-type"]).toMatch(/^text\/(html|plain); charset=utf-8$/);
    for (const value of Object.values(headers)) expect(value).toMatch(/^[ -~]+$/);
  });

  it("S11: ask for a process where names do not give one, and only there", () => {
    const named = { ...PLACES, isolate: false };
    for (const headers of [pages.view, pages.proxy]) expect(headers["origin-agent-cluster"]).toBe("?1");
    for (const headers of [viewHeaders(POLICY, named), proxyHeaders(POLICY, named, PAGE)])
      expect(headers).not.toHaveProperty("origin-agent-cluster");
  });

  it("a refusal allows nothing at all", () => {
    expect(csp(DENY_ALL)).toEqual({
      "default-src": "'none'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
      sandbox: "",
    });
    expect(DENY_ALL["connection-allowlist"]).toBe("()");
    expect(DENY_ALL["cache-control"]).toBe("no-store");
  });
});

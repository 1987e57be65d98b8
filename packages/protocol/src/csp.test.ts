import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { Severity, Type } from "csp_evaluator/dist/finding.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as examples from "./csp.examples.js";
import {
  buildCsp,
  connectionAllowlist,
  CSP_FIELDS as FIELDS,
  type RejectedSourceCode,
  type Relaxation,
} from "./csp.js";

const NAMES = [
  "default-src",
  "script-src",
  "style-src",
  "img-src",
  "media-src",
  "font-src",
  "connect-src",
  "frame-src",
  "base-uri",
  "worker-src",
  "object-src",
  "form-action",
  "frame-ancestors",
  "manifest-src",
];

/** Splits a header like a browser: at commas into policies, at semicolons into directives, at white space. */
function parse(policy: string): Map<string, string[]> {
  expect(policy).toMatch(/^[ -~]*$/);
  expect(policy).not.toContain(",");
  const directives = policy.split(";").map((text) => text.trim().split(/\s+/));
  const parsed = new Map(directives.map(([name = "", ...sources]) => [name, sources]));
  expect(directives.length, "no directive twice").toBe(parsed.size);
  return parsed;
}

const directive = (csp: unknown, name: string, relax: Relaxation[] = []) =>
  parse(buildCsp(csp, { relax }).policy).get(name)?.join(" ");

describe("S05 without metadata", () => {
  it.each([
    undefined,
    null,
    {},
    { connectDomains: [] },
    { connectDomains: null, resourceDomains: undefined },
  ])("S05 %j gives the restrictive default", (csp) => {
    const result = buildCsp(csp, { frameAncestors: ["https://host.example", "https://p.sandbox.example"] });
    expect(result).toEqual({
      policy:
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
        "img-src 'self' data:; media-src 'self' data:; font-src 'none'; connect-src 'none'; frame-src 'none'; " +
        "base-uri 'self'; worker-src 'none'; object-src 'none'; form-action 'none'; " +
        "frame-ancestors https://host.example https://p.sandbox.example; manifest-src 'none'",
      accepted: {},
      rejected: [],
    });
  });

  it("S02 no page may frame the document unless named", () => {
    expect(directive({}, "frame-ancestors")).toBe("'none'");
    const { policy, rejected } = buildCsp({}, { frameAncestors: ["*", "http://192.168.1.5:8080"] });
    expect(parse(policy).get("frame-ancestors")).toEqual(["http://192.168.1.5:8080"]);
    expect(rejected).toMatchObject([{ field: "frameAncestors[0]" }]);
  });
});

describe("S04 declared domains", () => {
  const csp = {
    connectDomains: ["https://api.example.com", "wss://live.example.com:8443"],
    resourceDomains: ["https://*.cdn.example.com"],
    frameDomains: ["https://player.example.com"],
    baseUriDomains: ["https://base.example.com"],
  };
  const cdn = "https://*.cdn.example.com";

  it.each([
    ["connect-src", "https://api.example.com wss://live.example.com:8443"],
    ["script-src", `'self' 'unsafe-inline' ${cdn}`],
    ["style-src", `'self' 'unsafe-inline' ${cdn}`],
    ["img-src", `'self' data: ${cdn}`],
    ["media-src", `'self' data: ${cdn}`],
    ["font-src", cdn],
    ["frame-src", "https://player.example.com"],
    ["base-uri", "https://base.example.com"],
    ["worker-src", "'none'"],
    ["object-src", "'none'"],
    ["default-src", "'none'"],
    ["form-action", "'none'"],
  ])("S04 %s is %s", (name, sources) => {
    expect(directive(csp, name)).toBe(sources);
    expect(buildCsp(csp).accepted).toEqual(csp);
  });

  it.each([
    ["https://EXAMPLE.com/", "https://example.com"],
    ["https://example.com:443", "https://example.com"],
    ["https://example.com:0443", "https://example.com"],
    ["wss://example.com:443", "wss://example.com"],
    ["api.example.com", "https://api.example.com"],
    ["api.example.com:8443", "https://api.example.com:8443"],
    ["*.example.com", "https://*.example.com"],
    ["localhost:3000", "http://localhost:3000"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["https://localhost", "https://localhost"],
    ["http://a.b.localhost:80", "http://a.b.localhost"],
    ["ws://127.0.0.1:9000", "ws://127.0.0.1:9000"],
    ["https://10.0.0.1", "https://10.0.0.1"],
    ["https://xn--bcher-kva.example", "https://xn--bcher-kva.example"],
    ["https://intranet", "https://intranet"],
  ])("S04 accepts %s as %s", (value, source) => {
    expect(buildCsp({ connectDomains: [value] })).toMatchObject({
      accepted: { connectDomains: [source] },
      rejected: [],
    });
  });

  it("S04 writes a source once", () => {
    const twice = ["https://a.example", "a.example", "https://A.example:443/"];
    expect(buildCsp({ connectDomains: twice }).accepted.connectDomains).toEqual(["https://a.example"]);
  });

  it.each(["wss://a.example", "ws://localhost"])("S04 %s is for connections only", (value) => {
    const csp = Object.fromEntries(FIELDS.map((field) => [field, [value]]));
    const { accepted, rejected } = buildCsp(csp);
    expect(accepted).toEqual({ connectDomains: [value] });
    expect(rejected.map(({ field }) => field)).toEqual(FIELDS.slice(1).map((field) => `csp.${field}[0]`));
  });

  it("S04 only the operator's relaxations allow more", () => {
    const all: Relaxation[] = [
      "unsafe-eval",
      "wasm-unsafe-eval",
      "blob-workers",
      "blob-media",
      "data-fonts",
      "data-scripts",
    ];
    expect(directive({}, "script-src", all)).toBe(
      "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data:",
    );
    expect(directive({}, "worker-src", all)).toBe("blob:");
    expect(directive({}, "img-src", all)).toBe("'self' data: blob:");
    expect(directive({}, "media-src", all)).toBe("'self' data: blob:");
    expect(directive({}, "font-src", all)).toBe("data:");
    expect(buildCsp({ relax: all, unsafeEval: true }).policy).toBe(buildCsp({}).policy);
  });
});

describe("S06 a declared value never breaks out (B08)", () => {
  const attacks: [value: unknown, reason: RegExp][] = [
    ["https://a.example; script-src *", /one origin per entry/],
    ["https://a.example;script-src", /one origin/],
    ["https://a.example, default-src *", /one origin/],
    ["https://a.example https://b.example", /one origin/],
    ["https://a.example\nX-Header: 1", /one origin/],
    ["https://a.example\r\n\r\n<script>", /one origin/],
    ["https://a.example\t", /one origin/],
    [" https://a.example", /one origin/],
    ["\u00a0https://a.example", /one origin/],
    ["https://a.example\u2028", /one origin/],
    ["https://a.example\u0000", /ASCII/],
    ["'unsafe-eval'", /keywords/],
    ["'self'", /keywords/],
    ["'none'", /keywords/],
    ["'nonce-abc'", /keywords/],
    ['"https://a.example"', /keywords/],
    ["unsafe-eval", /scheme too/],
    ["none", /scheme too/],
    ["*", /every host/],
    ["https://*", /every host/],
    ["https://*:443", /every host/],
    ["*:*", /every host/],
    ["*.com", /too wide/],
    ["https://*.localhost", /too wide/],
    ["https://*.0.0.1", /valid host|too wide/],
    ["https://*.127.0.0.1", /valid host|too wide/],
    ["https://a.*.example", /not an origin/],
    ["https://*a.example", /not an origin/],
    ["https://**.a.example", /not an origin/],
    ["data:", /scheme/],
    ["data:text/html,x", /one origin|scheme/],
    ["blob:", /scheme/],
    ["javascript:alert(1)", /scheme/],
    ["filesystem:", /scheme/],
    ["file:///etc", /scheme/],
    ["ftp://a.example", /scheme/],
    ["mediastream:", /scheme/],
    ["https:", /not an origin/],
    ["https://", /not an origin/],
    ["//a.example", /not an origin/],
    ["https:a.example", /not an origin/],
    ["https:\\\\a.example", /not an origin/],
    ["https://a.example/path", /path/],
    ["a.example/path", /path/],
    ["https://a.example//", /path/],
    ["https://a.example?x", /query/],
    ["https://a.example/#x", /query/],
    ["https://user:pw@a.example", /user name/],
    ["https://a.example@evil.example", /user name/],
    ["https://a.example:0", /port/],
    ["https://a.example:65536", /port/],
    ["https://a.example:*", /not an origin/],
    ["https://a.example:", /not an origin/],
    ["https://b\u00fccher.example", /punycode/],
    ["https://\u212aelvin.example", /punycode/],
    ["https://a%2eexample", /not an origin/],
    ["https://a_b.example", /not an origin/],
    ["https://-a.example", /valid host/],
    ["https://a..example", /valid host/],
    ["https://a.example.", /valid host/],
    [`https://${"a".repeat(64)}.example`, /valid host/],
    [`https://${"a.".repeat(126)}ab`, /valid host/],
    ["https://1.2", /valid host/],
    ["https://127.1", /valid host/],
    ["https://0x7f000001", /valid host/],
    ["https://256.1.1.1", /valid host/],
    ["https://01.1.1.1", /valid host/],
    ["https://[::1]", /IPv6/],
    ["http://a.example", /use https:\/\//],
    ["ws://a.example", /use wss:\/\//],
    ["http://10.0.0.1", /use https/],
    ["http://127.0.0.1.evil.example", /use https/],
    ["http://localhost.evil.example", /use https/],
    ["", /empty/],
    ["a".repeat(1000), /too long/],
    [1, /string/],
    [null, /string/],
    [undefined, /string/],
    [{}, /string/],
    [["https://a.example"], /string/],
    [Object("https://a.example"), /string/],
    [{ toString: () => "https://a.example" }, /string/],
    [Symbol("s"), /string/],
  ];

  it.each(
    attacks.map(([value, reason]) => [
      typeof value === "string" ? JSON.stringify(value) : typeof value,
      value,
      reason,
    ]),
  )("S06 B08 refuses %s", (_, value, reason) => {
    for (const field of FIELDS) {
      const { policy, accepted, rejected } = buildCsp({ [field]: [value] });
      expect(policy).toBe(buildCsp({}).policy);
      expect(accepted).toEqual({});
      expect(rejected).toHaveLength(1);
      expect(rejected[0]).toMatchObject({ field: `csp.${field}[0]` });
      if (field === "connectDomains") expect(rejected[0]?.reason).toMatch(reason as RegExp);
    }
  });

  const codes: { [C in RejectedSourceCode]: unknown } = {
    "csp-invalid": "https://a.example",
    "list-invalid": { resourceDomains: "https://a.example" },
    "too-many-sources": { resourceDomains: Array(101).fill("https://a.example") },
    "not-a-string": { resourceDomains: [1] },
    "too-long": { resourceDomains: ["a".repeat(1000)] },
    empty: { resourceDomains: [""] },
    keyword: { resourceDomains: ["'self'"] },
    separator: { resourceDomains: ["https://a.example; script-src *"] },
    "not-ascii": { resourceDomains: ["https://b\u00fccher.example"] },
    "every-host": { resourceDomains: ["*"] },
    "user-name": { resourceDomains: ["https://user@a.example"] },
    ipv6: { resourceDomains: ["https://[::1]"] },
    "query-or-fragment": { resourceDomains: ["https://a.example?x"] },
    "scheme-forbidden": { resourceDomains: ["data:"] },
    path: { resourceDomains: ["https://a.example/path"] },
    "not-an-origin": { resourceDomains: ["https:"] },
    "host-invalid": { resourceDomains: ["https://a..example"] },
    "wildcard-too-wide": { resourceDomains: ["*.com"] },
    "scheme-missing": { resourceDomains: ["none"] },
    "scheme-misplaced": { resourceDomains: ["wss://a.example"] },
    "not-encrypted": { resourceDomains: ["http://a.example"] },
    "port-invalid": { resourceDomains: ["https://a.example:0"] },
  };

  it.each(Object.entries(codes))("S06 the code %s is stable", (code, csp) => {
    expect(buildCsp(csp).rejected.map((rejected) => rejected.code)).toEqual([code]);
  });

  it("S06 keeps the valid values beside an invalid one, and reports which is invalid", () => {
    const { accepted, rejected } = buildCsp({
      connectDomains: ["https://a.example", "*", "https://b.example"],
    });
    expect(accepted.connectDomains).toEqual(["https://a.example", "https://b.example"]);
    expect(rejected.map(({ field, value }) => [field, value])).toEqual([["csp.connectDomains[1]", "*"]]);
  });

  it.each([
    "https://a.example",
    1,
    true,
    {},
    { length: 1, 0: "https://a.example" },
    new Set(["https://a.example"]),
  ])("S06 refuses a list that is not an array: %j", (list) => {
    const { accepted, rejected } = buildCsp({ connectDomains: list });
    expect(accepted).toEqual({});
    expect(rejected).toMatchObject([
      { field: "csp.connectDomains", reason: expect.stringContaining("array") },
    ]);
  });

  it.each(["default-src *", 1, true, ["https://a.example"], () => 1])(
    "S06 refuses metadata that is not an object: %s",
    (csp) => {
      expect(buildCsp(csp)).toMatchObject({ policy: buildCsp({}).policy, rejected: [{ field: "csp" }] });
    },
  );

  it("S06 stops at 100 sources per list", () => {
    const list = Array.from({ length: 150 }, (_, index) => `https://h${index}.example`);
    const { accepted, rejected } = buildCsp({ connectDomains: list });
    expect(accepted.connectDomains).toHaveLength(100);
    expect(rejected).toMatchObject([{ field: "csp.connectDomains", value: "150 sources" }]);
  });

  it("S06 survives getters that throw, revoked proxies, endless arrays and a polluted prototype", () => {
    const boom = () => {
      throw new Error("no");
    };
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    const endless = new Proxy([], {
      get: (_, key) => (key === "length" ? Number.POSITIVE_INFINITY : "https://a.example"),
    });
    const throwing = Object.defineProperty({}, "connectDomains", { get: boom, enumerable: true });
    const item = Object.defineProperty(["x"], 0, { get: boom });
    for (const csp of [
      proxy,
      throwing,
      { connectDomains: proxy },
      { connectDomains: item },
      new Proxy({}, { getOwnPropertyDescriptor: boom }),
    ]) {
      const result = buildCsp(csp);
      expect(result.policy).toBe(buildCsp({}).policy);
      expect(result.rejected.length).toBeGreaterThan(0);
    }
    expect(buildCsp({ connectDomains: endless }).accepted.connectDomains).toEqual(["https://a.example"]);
    const inherited: object = Object.create({ connectDomains: ["https://a.example"] });
    expect(buildCsp(inherited).accepted).toEqual({});
  });
});

describe("S06 for any metadata at all", () => {
  const nasty = fc
    .array(
      fc.oneof(
        fc.constantFrom(..."*.:/;, '\"\n\r\t\\@?#%[]-_\u0000\u00a0\u2028\u00fc\u212a"),
        fc.constantFrom(
          "https://",
          "http://",
          "wss://",
          "data:",
          "'unsafe-eval'",
          "script-src",
          "a.example",
          "*.",
          "localhost",
          "127.0.0.1",
          ":8080",
          "x",
          "9",
        ),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(""));
  const value = fc.oneof(
    nasty,
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.webUrl(),
    fc.domain().map((host) => `https://${host}`),
    fc.anything(),
  );
  const metadata = fc.oneof(
    fc.record(Object.fromEntries(FIELDS.map((field) => [field, fc.array(value, { maxLength: 6 })])), {
      requiredKeys: [],
    }),
    fc.dictionary(fc.constantFrom(...FIELDS), fc.oneof(fc.jsonValue(), fc.anything())),
    fc.anything(),
    fc.jsonValue(),
  );
  const KEYWORDS = ["'none'", "'self'", "'unsafe-inline'", "data:"];

  /** An independent normal form, by the platform's URL parser. */
  function normal(declared: unknown): string | undefined {
    if (typeof declared !== "string" || declared.includes("%")) return undefined;
    const text = declared.includes("://") ? declared : `https://${declared}`;
    try {
      const url = new URL(text.replace("://*.", "://wildcard."));
      const loopback = /(^|\.)localhost$|^127\.\d+\.\d+\.\d+$/.test(url.hostname);
      if (text !== declared && loopback) url.protocol = "http:";
      return `${url.protocol}//${url.host}`.replace(
        "//wildcard.",
        text.includes("://*.") ? "//*." : "//wildcard.",
      );
    } catch {
      return undefined;
    }
  }

  function strings(csp: unknown): unknown[] {
    if (typeof csp !== "object" || csp === null) return [];
    return Object.values(csp).flatMap((list: unknown) => (Array.isArray(list) ? list : []));
  }

  it("S06 the policy has exactly our directives, and each source is ours or the normal form of a declared value", () => {
    fc.assert(
      fc.property(metadata, (csp) => {
        const { policy, accepted, rejected } = buildCsp(csp);
        const parsed = parse(policy);
        expect([...parsed.keys()]).toEqual(NAMES);
        const declared = new Set(strings(csp).map(normal));
        for (const source of [...parsed.values()].flat()) {
          if (!KEYWORDS.includes(source)) expect(declared).toContain(source);
        }
        for (const { reason } of rejected) expect(reason).toMatch(/^[ -~]+$/);
        // Accepted sources are accepted again, unchanged.
        expect(buildCsp(accepted)).toEqual({ policy, accepted, rejected: [] });
      }),
      { numRuns: 1500 },
    );
  });

  it("S06 csp_evaluator agrees", () => {
    const forbidden = new Set<Type>([
      Type.MISSING_SEMICOLON,
      Type.UNKNOWN_DIRECTIVE,
      Type.INVALID_KEYWORD,
      Type.MISSING_DIRECTIVES,
      Type.PLAIN_URL_SCHEMES,
      Type.PLAIN_WILDCARD,
      Type.SCRIPT_UNSAFE_EVAL,
      Type.DEPRECATED_DIRECTIVE,
      Type.SRC_NO_PROTOCOL,
    ]);
    fc.assert(
      fc.property(metadata, (csp) => {
        const { policy } = buildCsp(csp, { frameAncestors: ["https://host.example"] });
        const findings = new CspEvaluator(new CspParser(policy).csp).evaluate();
        expect(
          findings.filter(({ type, severity }) => forbidden.has(type) || severity === Severity.SYNTAX),
        ).toEqual([]);
        // The only high finding: inline scripts, which S05 requires.
        const high = findings.filter(({ severity }) => severity === Severity.HIGH);
        expect(high.map(({ type }) => type)).toEqual([Type.SCRIPT_UNSAFE_INLINE]);
      }),
      { numRuns: 300 },
    );
  });

  it("csp_evaluator would detect a break-out", () => {
    const pasted = buildCsp({}).policy.replace(
      "connect-src 'none'",
      "connect-src https://a.example; script-src-elem *",
    );
    const findings = new CspEvaluator(new CspParser(pasted).csp).evaluate();
    expect(findings.map(({ type }) => type)).toContain(Type.PLAIN_WILDCARD);
  });
});

describe("connectionAllowlist", () => {
  it.each([
    [{}, "(response-origin)"],
    [{ connectDomains: ["https://api.example.com"] }, '(response-origin "https://api.example.com")'],
    [
      { connectDomains: ["wss://live.example.com:8443"] },
      '(response-origin "https://live.example.com:8443")',
    ],
    [
      { connectDomains: ["ws://localhost:9000", "http://localhost:9000"] },
      '(response-origin "http://localhost:9000")',
    ],
    [
      {
        connectDomains: ["https://a.example.com"],
        resourceDomains: ["https://*.cdn.example.com", "https://a.example.com"],
        frameDomains: ["https://f.example.com"],
        baseUriDomains: ["https://b.example.com"],
      },
      '(response-origin "https://a.example.com" "https://*.cdn.example.com" "https://f.example.com")',
    ],
    [{ connectDomains: ['https://a.example" "*://*'] }, "(response-origin)"],
  ])("S04 %j is %s", (accepted, header) => {
    expect(connectionAllowlist(accepted)).toBe(header);
  });
});

describe("examples", () => {
  it("behave as their comments say", () => {
    const { policy, rejected } = examples.policyOfAView();
    expect(policy).toContain("connect-src https://api.example.com;");
    expect(rejected[0]?.field).toBe("csp.connectDomains[1]");
    expect(examples.allowlistHeader()).toBe('(response-origin "https://live.example.com")');
  });
});

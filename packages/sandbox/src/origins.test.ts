import { VitrineError } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PatternOrigins } from "./origins.js";

const LABEL = "abcdefghijklmnopqrstuvw234";
const local = new PatternOrigins("http://{role}.{label}.localhost:8091");

describe("a pattern of origins", () => {
  it.each([
    ["http://{role}.{label}.localhost:8091", `http://p.${LABEL}.localhost:8091`, true],
    ["https://{role}-{label}.apps.example.com", `https://p-${LABEL}.apps.example.com`, false],
    ["https://{role}{label}.apps.example.com", `https://p${LABEL}.apps.example.com`, false],
    ["http://x-{role}.{label}.localhost", `http://x-p.${LABEL}.localhost`, false],
    // As browsers write them: without the port that the scheme implies, in lower case.
    ["https://{role}-{label}.apps.example:443", `https://p-${LABEL}.apps.example`, false],
    ["http://{role}.{label}.localhost:80", `http://p.${LABEL}.localhost`, true],
    ["http://{role}.{label}.localhost:443", `http://p.${LABEL}.localhost:443`, true],
    ["http://{role}.{label}.localhost:08091", `http://p.${LABEL}.localhost:8091`, true],
    ["HTTPS://{Role}-{LABEL}.Apps.Example.COM", `https://p-${LABEL}.apps.example.com`, false],
  ])("%s", (pattern, proxy, ownSites) => {
    const origins = new PatternOrigins(pattern);
    expect(origins.of("proxy", LABEL)).toBe(proxy);
    expect(new URL(proxy).origin).toBe(proxy);
    expect(origins.of("view", LABEL)).not.toBe(proxy);
    expect(origins.ownSites).toBe(ownSites);
    for (const role of ["proxy", "view"] as const) {
      const { host } = new URL(origins.of(role, LABEL));
      expect(origins.read(host)).toEqual({ role, label: LABEL });
      expect(origins.read(host.toUpperCase())).toEqual({ role, label: LABEL });
    }
  });

  it.each([
    "",
    "https://apps.example.com",
    "https://{role}.apps.example.com",
    "https://{label}.apps.example.com",
    "https://{label}-{role}.apps.example.com",
    "https://{role}-{label}-{label}.apps.example.com",
    "https://{role}-{role}-{label}.apps.example.com",
    "https://{role}-{label}-{other}.apps.example.com",
    "https://{role}-{label}.apps.example.com/",
    "https://apps.example.com/{role}/{label}",
    "https://apps.example.com?{role}{label}",
    "https://{role}-{label}@apps.example.com",
    "https://{role}:{label}",
    "https://{role}-{label}.apps.example.com:{role}",
    "https://{role}-{label}.apps.example.com:99999",
    "ftp://{role}-{label}.apps.example.com",
    "javascript:{role}{label}",
    // No policy can name these, and none would let the view be framed.
    "https://{role}_{label}.apps.example.com",
    `https://{role}-{label}${"x".repeat(60)}.example.com`,
    "https://{role}-{label}.bücher.example",
    "https://{role}-{label}.*.example",
    "https://{role}-{label}.example.com; script-src *",
    "https://{role}-{label}.example.com\n",
  ])("that does not keep apps apart is refused: %j", (pattern) => {
    expect(() => new PatternOrigins(pattern)).toThrow(VitrineError);
    expect(() => new PatternOrigins(pattern)).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});

describe("attack B18: a Host header", () => {
  it.each([
    null,
    "",
    "localhost:8091",
    "127.0.0.1:8091",
    "attacker.example",
    `p.${LABEL}.localhost`,
    `p.${LABEL}.localhost:8092`,
    `x.${LABEL}.localhost:8091`,
    `p.${LABEL}x.localhost:8091`,
    `p.${LABEL.slice(1)}.localhost:8091`,
    `p.${LABEL}.localhost:8091.attacker.example`,
    `attacker.example/p.${LABEL}.localhost:8091`,
    `a@p.${LABEL}.localhost:8091`,
    `p.${LABEL}xlocalhost:8091`,
    `p.${LABEL}.localhost:8091\n`,
    ` p.${LABEL}.localhost:8091`,
    `p.${LABEL}.localhost.:8091`,
    `p.p.${LABEL}.localhost:8091`,
    `p.${LABEL.replace("a", "1")}.localhost:8091`,
    // Letters that equal ASCII letters when case is ignored, in some languages.
    `p.${LABEL}.localho\u017ft:8091`,
    `p.${LABEL.replace("k", "\u212a")}.localhost:8091`,
  ])("that is not ours: %j", (host) => {
    expect(local.read(host)).toBeUndefined();
  });

  it("is read only if it is one that was given out", () => {
    const anyHost = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .tuple(fc.string(), fc.string())
        .map(([before, after]) => `${before}p.${LABEL}.localhost:8091${after}`),
    );
    fc.assert(
      fc.property(anyHost, (host) => {
        const place = local.read(host);
        if (place) expect(new URL(local.of(place.role, place.label)).host).toBe(host.toLowerCase());
      }),
    );
  });
});

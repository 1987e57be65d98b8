import { expect, it } from "vitest";
import { buildCsp } from "./csp.js";
import { NARROWINGS, narrowCsp } from "./narrowing.js";

const { accepted } = buildCsp({
  connectDomains: ["http://localhost:3000", "wss://live.example.com"],
  resourceDomains: ["https://cdn.example.com", "localhost:5173"],
  frameDomains: ["https://maps.example.com"],
  baseUriDomains: ["https://example.com"],
});

it("blocks the requested sources, and reports them", () => {
  const { csp, narrowed } = narrowCsp(accepted, ["frame-domains"]);
  expect(narrowed).toEqual({ frameDomains: ["https://maps.example.com"] });
  expect(csp).toEqual({ ...accepted, frameDomains: undefined });
  expect(buildCsp(csp).policy).toContain("frame-src 'none'");
});

it("blocks unencrypted resources, also those without a scheme, and no connections", () => {
  const { csp, narrowed } = narrowCsp(accepted, ["insecure-resources"]);
  expect(narrowed).toEqual({ resourceDomains: ["http://localhost:5173"] });
  expect(csp.resourceDomains).toEqual(["https://cdn.example.com"]);
  expect(csp.connectDomains).toEqual(accepted.connectDomains);
});

it("never allows more, and every source either stays or is blocked", () => {
  expect(narrowCsp(accepted, [])).toEqual({ csp: accepted, narrowed: {} });
  const { csp, narrowed } = narrowCsp(accepted, NARROWINGS);
  for (const [field, sources] of Object.entries(accepted) as [keyof typeof accepted, string[]][]) {
    expect([...(csp[field] ?? []), ...(narrowed[field] ?? [])].sort()).toEqual([...sources].sort());
  }
});

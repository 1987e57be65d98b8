import { describe, expect, it } from "vitest";
import { negotiateVersionExample } from "./protocol.examples.js";
import { negotiateVersion, PROTOCOL_VERSION, PROTOCOL_VERSIONS } from "./version.js";

describe("negotiateVersion", () => {
  it.each(PROTOCOL_VERSIONS)("L02: %s is answered with itself", (version) => {
    expect(negotiateVersion(version)).toBe(version);
  });

  it.each(["2024-11-05", "2099-01-01", "", "constructor", undefined, null, 20260126, {}, [PROTOCOL_VERSION]])(
    "L02, D14: %j is answered with our newest",
    (asked) => {
      expect(negotiateVersion(asked)).toBe(PROTOCOL_VERSION);
    },
  );

  it("the newest comes first", () => {
    expect(PROTOCOL_VERSIONS).toEqual([...PROTOCOL_VERSIONS].sort().reverse());
    expect(PROTOCOL_VERSIONS[0]).toBe(PROTOCOL_VERSION);
  });

  it("matches its example", () => {
    expect(negotiateVersionExample()).toEqual({ known: "2025-11-21", unknown: "2026-01-26" });
  });
});

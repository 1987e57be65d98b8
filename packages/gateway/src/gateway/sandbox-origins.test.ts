import { describe, expect, it } from "vitest";
import { frameSource } from "./sandbox-origins.js";

describe("the frames of all apps", () => {
  it.each([
    [undefined, "http://*.localhost:8091"],
    ["https://{role}-{label}.apps.example.com", "https://*.apps.example.com"],
    ["https://{role}.{label}.apps.example.com", "https://*.apps.example.com"],
    ["https://sandbox.example.com:8443", "https://sandbox.example.com:8443"],
  ])("with the origin %s", (pattern, source) => {
    expect(frameSource(pattern, 8091)).toBe(source);
  });
});

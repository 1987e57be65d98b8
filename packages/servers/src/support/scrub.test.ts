import { expect, it } from "vitest";
import { scrub } from "./scrub.js";
import { scrubExample } from "./support.examples.js";

it("removes query strings", () => {
  expect(scrubExample()).toBe("GET https://as.example/token?[removed] failed");
});

it("leaves other text alone", () => {
  expect(scrub("what? no: server weather/1.0 is up")).toBe("what? no: server weather/1.0 is up");
});

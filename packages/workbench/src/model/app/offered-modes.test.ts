import { expect, it } from "vitest";
import { SPEC } from "../profiles/profile.js";
import { offeredModes } from "./offered-modes.js";

const inlineOnly = { ...SPEC, displayModes: ["inline"] as const };

it("offers to fill the page unless the app declares that it cannot, and to float only if it declares that it can", () => {
  expect(offeredModes(SPEC, undefined)).toEqual(["fullscreen"]);
  expect(offeredModes(SPEC, ["inline"])).toEqual([]);
  expect(offeredModes(SPEC, ["inline", "pip"])).toEqual(["pip"]);
  expect(offeredModes(SPEC, ["inline", "fullscreen", "pip"])).toEqual(["fullscreen", "pip"]);
});

it("offers nothing that the profile's host does not have", () => {
  expect(offeredModes(inlineOnly, undefined)).toEqual([]);
  expect(offeredModes(inlineOnly, ["fullscreen", "pip"])).toEqual([]);
});

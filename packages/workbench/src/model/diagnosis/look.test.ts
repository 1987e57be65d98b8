import { expect, it } from "vitest";
import { type Profile, SPEC } from "../profiles/profile.js";
import type { Look } from "./look.js";
import { setDimensions } from "./look.js";

const room = (look: Look, profile: Partial<Profile>) => {
  const dimensions = { height: 1, maxHeight: 1, maxWidth: 1 };
  setDimensions(dimensions, look, { ...SPEC, ...profile }, 1000);
  return dimensions;
};

it("gives an app the room that its device and its host have: the narrower limit counts", () => {
  expect(room({}, {})).toEqual({});
  expect(room({ maxHeight: 600 }, {})).toEqual({ maxHeight: 600 });
  expect(room({ maxHeight: 600 }, { maxHeight: 500 })).toEqual({ maxHeight: 500 });
  expect(room({ maxHeight: 400 }, { maxHeight: 500, maxWidth: 700 })).toEqual({
    maxHeight: 400,
    maxWidth: 700,
  });
  expect(room({}, { maxHeightOfWindow: 0.75 })).toEqual({ maxHeight: 750 });
  expect(room({ height: 300 }, { maxHeightOfWindow: 0.75, maxHeight: 500 })).toEqual({
    height: 300,
    maxHeight: 500,
  });
});

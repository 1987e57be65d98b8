import { describe, expect, it } from "vitest";
import { pinPlaces } from "./pin-places.ts";

/** The covered area, in percent of the whole; overlaps count twice. */
const area = (count: number): number =>
  pinPlaces(count).reduce((sum, place) => sum + (place["--pin-w"] * place["--pin-h"]) / 100, 0);

describe("places of pinned apps", () => {
  it.each([1, 2, 3, 4, 5, 8])("%i apps fill the area, and none covers another", (count) => {
    const places = pinPlaces(count);
    expect(places).toHaveLength(count);
    expect(area(count)).toBeCloseTo(100);
    const corners = new Set(places.map((place) => `${place["--pin-x"]} ${place["--pin-y"]}`));
    expect(corners.size).toBe(count);
    for (const place of places) {
      expect(place["--pin-x"] + place["--pin-w"]).toBeLessThanOrEqual(100);
      expect(place["--pin-y"] + place["--pin-h"]).toBeLessThanOrEqual(100.001);
    }
  });

  it("two apps stand above each other, and three have two columns", () => {
    expect(pinPlaces(2).map((place) => place["--pin-w"])).toEqual([100, 100]);
    expect(pinPlaces(3).map((place) => place["--pin-w"])).toEqual([50, 50, 100]);
  });
});

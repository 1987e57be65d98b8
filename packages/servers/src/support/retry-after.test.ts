import { expect, it } from "vitest";
import { secondsToWait } from "./retry-after.js";

it.each([
  ["5", 5],
  [" 0 ", 0],
  [null, 1],
  ["soon", 1],
  ["-3", 1],
  ["Thu, 01 Jan 1970 00:00:30 GMT", 20],
  ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
])("Retry-After: %s is %d seconds", (header, seconds) => {
  expect(secondsToWait(header, 10_000)).toBe(seconds);
});

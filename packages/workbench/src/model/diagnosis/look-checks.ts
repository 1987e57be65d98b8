/**
 * Checks of look values that a user types or a program sends.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { isFields } from "../app/foreign.js";
import type { Look } from "./look.js";

/** Whether `Intl` knows this locale. */
export const isLocale = (value: unknown): boolean => works(() => Intl.getCanonicalLocales(textOf(value)));

/** Whether `Intl` knows this time zone. */
export const isTimeZone = (value: unknown): boolean =>
  works(() => new Intl.DateTimeFormat("en", { timeZone: textOf(value) }));

const isOneOf =
  (...values: readonly string[]) =>
  (value: unknown): boolean =>
    values.some((each) => each === value);
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isLength = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;
const isSize = (value: unknown): boolean => isLength(value) && value !== 0;
const isInsets = (value: unknown): boolean =>
  isFields(value) &&
  Object.keys(value).sort().join() === "bottom,left,right,top" &&
  Object.values(value).every(isLength);

/** For each part: a check, and a description of valid values. */
const CHECKS: Readonly<Record<keyof Look, readonly [is: (value: unknown) => boolean, must: string]>> = {
  theme: [isOneOf("light", "dark"), '"light" or "dark"'],
  displayMode: [isOneOf("inline", "fullscreen", "pip"), '"inline", "fullscreen" or "pip"'],
  platform: [isOneOf("web", "desktop", "mobile"), '"web", "desktop" or "mobile"'],
  locale: [isLocale, "a BCP 47 locale such as en-GB"],
  timeZone: [isTimeZone, "an IANA time zone such as Europe/Berlin"],
  touch: [isBoolean, "true or false"],
  hover: [isBoolean, "true or false"],
  safeAreaInsets: [isInsets, "top, right, bottom and left in pixels, none of them negative"],
  width: [isSize, "pixels, more than 0"],
  height: [isSize, "pixels, more than 0"],
  maxHeight: [isSize, "pixels, more than 0"],
};

/**
 * Checks one part of a look. `undefined` resets it.
 *
 * @param name - the sender's name of the part
 * @throws {VitrineError} `invalid`
 */
export function checkPart(part: keyof Look, value: unknown, name: string = part): void {
  const [is, must] = CHECKS[part];
  if (value !== undefined && !is(value))
    throw new VitrineError(
      "invalid",
      `${name} must be ${must}, and is ${JSON.stringify(value) ?? typeof value}`,
    );
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("no text");
  return value;
}

function works(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

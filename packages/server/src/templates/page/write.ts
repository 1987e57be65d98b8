/**
 * Formats numbers and dates for the host's locale. Formatters are cached: creating one takes a hundred times
 * as long as using it.
 *
 * @module
 */
import type { Kit } from "./kit.js";

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();
const DAY: Intl.DateTimeFormatOptions = { dateStyle: "medium" };

/** Returns the cached formatter, or creates it. */
function kept<Made>(all: Map<string, Made>, key: string, make: () => Made): Made {
  const made = all.get(key) ?? make();
  all.set(key, made);
  return made;
}

/** Formats a number for the locale. */
export const writeNumber = (
  { locale }: Kit<unknown>,
  value: number,
  options?: Intl.NumberFormatOptions,
): string =>
  kept(numbers, locale + JSON.stringify(options), () => new Intl.NumberFormat(locale, options)).format(value);

/** Formats a date for the locale; other values are returned as they are. */
export function writeDate({ locale, view }: Kit<unknown>, value: unknown, options = DAY): string {
  const date = new Date(value as string);
  // A date without a time is the same day in every time zone.
  const timeZone = /^\d{4}-\d\d-\d\d$/.test(`${value}`) ? "UTC" : view.getHostContext()?.timeZone;
  const make = (): Intl.DateTimeFormat => new Intl.DateTimeFormat(locale, { ...options, timeZone });
  return Number.isNaN(date.getTime())
    ? `${value}`
    : kept(dates, locale + timeZone + JSON.stringify(options), make).format(date);
}

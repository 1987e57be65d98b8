/**
 * Numbers and dates, as people at the host's place write them. What writes them is kept: to make one takes a hundred times as
 * long as to use it.
 *
 * @module
 */
import type { Kit } from "./kit.js";

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();
const DAY: Intl.DateTimeFormatOptions = { dateStyle: "medium" };

/** The one for a language and a way to write, made when it is asked for the first time. */
function kept<Made>(all: Map<string, Made>, key: string, make: () => Made): Made {
  const made = all.get(key) ?? make();
  all.set(key, made);
  return made;
}

/** A number as people here write it. */
export const writeNumber = (
  { locale }: Kit<unknown>,
  value: number,
  options?: Intl.NumberFormatOptions,
): string =>
  kept(numbers, locale + JSON.stringify(options), () => new Intl.NumberFormat(locale, options)).format(value);

/** A date as people here write it; what is none stays as it is. */
export function writeDate({ locale, view }: Kit<unknown>, value: unknown, options = DAY): string {
  const date = new Date(value as string);
  // A day without a time is that day everywhere.
  const timeZone = /^\d{4}-\d\d-\d\d$/.test(`${value}`) ? "UTC" : view.getHostContext()?.timeZone;
  const make = (): Intl.DateTimeFormat => new Intl.DateTimeFormat(locale, { ...options, timeZone });
  return Number.isNaN(date.getTime())
    ? `${value}`
    : kept(dates, locale + timeZone + JSON.stringify(options), make).format(date);
}

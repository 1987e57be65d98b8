/**
 * Values on the command line, checked.
 *
 * @module
 */
import { InvalidArgumentError } from "commander";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, "": 1_000, m: 60_000 };

/** Parses `30`, `30s`, `500ms` or `2m` to milliseconds. */
export function duration(written: string): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(written) ?? [];
  const value = Math.round(Number(digits) * (UNITS[unit] ?? 1));
  // The range of timers.
  if (digits === undefined || value < 1 || value > 2_147_483_647) {
    throw new InvalidArgumentError("Use a time such as 30s, 500ms or 2m.");
  }
  return value;
}

/** Parses a port; 0 for any. */
export function port(written: string): number {
  if (!/^\d{1,5}$/.test(written) || Number(written) > 65_535) {
    throw new InvalidArgumentError("Use a number from 0 to 65535; 0 picks a free port.");
  }
  return Number(written);
}

/** Parses a whole number from 1. */
export const wholeNumber =
  (most: number) =>
  (written: string): number => {
    if (!/^[1-9]\d{0,8}$/.test(written) || Number(written) > most)
      throw new InvalidArgumentError(`Use a whole number from 1 to ${most}.`);
    return Number(written);
  };

/** Parses a rate: `0.9` or `90%`. */
export function rate(written: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%)?$/.exec(written) ?? [];
  const value = Number(number) / (percent ? 100 : 1);
  if (number === undefined || value > 1) throw new InvalidArgumentError("Use a rate such as 0.9 or 90%.");
  return value;
}

/** Collects the values of a repeated option. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

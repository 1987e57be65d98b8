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

/** Collects the values of a repeated option. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

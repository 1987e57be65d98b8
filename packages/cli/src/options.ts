/**
 * Values on the command line, checked.
 *
 * @module
 */
import { InvalidArgumentError } from "commander";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, "": 1_000, m: 60_000 };

/** `30`, `30s`, `500ms` or `2m`, in milliseconds. */
export function duration(written: string): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(written) ?? [];
  const value = Math.round(Number(digits) * (UNITS[unit] ?? 1));
  // What timers can wait for.
  if (digits === undefined || value < 1 || value > 2_147_483_647) {
    throw new InvalidArgumentError("Write a time such as 30s, 500ms or 2m.");
  }
  return value;
}

/** A port; 0 for any. */
export function port(written: string): number {
  if (!/^\d{1,5}$/.test(written) || Number(written) > 65_535) {
    throw new InvalidArgumentError("Write a number from 0 to 65535; 0 takes any that is free.");
  }
  return Number(written);
}

/** An option that may be there several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

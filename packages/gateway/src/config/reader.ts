/**
 * Readers: each takes a value of a settings file, and gives what it means or says what is wrong with it. All of them run
 * to the end, so that a person sees every problem at once.
 *
 * @module
 */
import { closest, meant } from "@vitrine/servers/support";
import { pathOf } from "./json.js";

/** What is known of the text that settings were read from. */
export interface Text {
  /** Where something is, by its path: `mcp.json:7`. What is not there is where that is which should have it. */
  readonly placeOf?: ((path: string) => string | undefined) | undefined;
  /** Hears of keys that are like none of ours: other programs keep theirs in the same file. Without it, they are problems. */
  readonly onstrange?: ((problem: string) => void) | undefined;
}

/**
 * A spot in the settings. Problems are collected here: one line each, that says where, what is wrong, and what to do. No
 * message repeats a value: it may be a secret.
 */
export class Spot {
  readonly #place: string | undefined;

  constructor(
    readonly path: string,
    readonly problems: string[],
    readonly text: Text = {},
    place?: string,
  ) {
    this.#place = text.placeOf?.(path) ?? place;
  }

  /** `fix` says what to do. */
  wrong(message: string, fix: string): undefined {
    this.problems.push(this.#say(`${message}; ${fix}`));
    return undefined;
  }

  /** A key that is not known here; `hint` guesses what was meant. */
  strange(hint: string | undefined): void {
    const message = "there is no such setting";
    if (!this.text.onstrange || hint) this.wrong(message, hint ?? "take it out");
    else this.text.onstrange(this.#say(`${message}, and it is ignored; take it out, unless others need it`));
  }

  at(key: string | number): Spot {
    return new Spot(pathOf(this.path, key), this.problems, this.text, this.#place);
  }

  /** The same spot, with problems of its own. */
  apart(): Spot {
    return new Spot(this.path, [], this.text, this.#place);
  }

  #say(sentence: string): string {
    return [this.#place, this.path, sentence].filter(Boolean).join(": ");
  }
}

/** Gives the value, or undefined after it said what is wrong. */
export type Reader<T> = (value: unknown, spot: Spot) => T | undefined;

type Fields = Readonly<Record<string, Reader<unknown>>>;
type Read<F extends Fields> = { [K in keyof F]?: F[K] extends Reader<infer T> ? T : never };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Text that may be empty. */
export const anyText: Reader<string> = (value, spot) =>
  typeof value !== "string"
    ? spot.wrong("must be text", "put it in quotes")
    : value.includes("\0")
      ? spot.wrong("has a NUL character in it", "take that out")
      : value;

export const text: Reader<string> = (value, spot) => {
  const read = anyText(value, spot);
  return read?.trim() === "" ? spot.wrong("is empty", "fill it in, or take it out") : read;
};

export const flag: Reader<boolean> = (value, spot) =>
  typeof value === "boolean"
    ? value
    : spot.wrong("must be a yes or no", "write true or false, without quotes");

/** A whole number. */
export const count =
  (from: number, to: number = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (value, spot) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= from && value <= to
      ? value
      : spot.wrong(
          "must be a whole number",
          `write one ${to === Number.MAX_SAFE_INTEGER ? `that is ${from} or more` : `from ${from} to ${to}`}, without quotes`,
        );

/** Any number above zero. */
export const positive: Reader<number> = (value, spot) =>
  typeof value === "number" && Number.isFinite(value) && value > 0
    ? value
    : spot.wrong("must be a number", "write one above 0, without quotes");

const UNITS = {
  size: { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
  time: { ms: 1, s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 },
} as const;

const measure =
  (units: Readonly<Record<string, number>>, what: string, fix: string): Reader<number> =>
  (value, spot) => {
    const [, digits, unit] =
      /^(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(typeof value === "string" ? value : "") ?? [];
    const factor = unit && Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
    const amount = factor === undefined ? value : Math.round(Number(digits) * factor);
    return typeof amount === "number" && Number.isSafeInteger(amount) && amount > 0
      ? amount
      : spot.wrong(`must be a ${what}`, fix);
  };

/** Bytes. */
export const size = measure(UNITS.size, "size", 'write it like "512MB" or "1GiB", or as a number of bytes');

/** Milliseconds. */
export const time = measure(
  UNITS.time,
  "time",
  'write it like "30s" or "5m", or as a number of milliseconds',
);

const known =
  (message: string) =>
  <T extends string>(...words: readonly T[]): Reader<T> =>
  (value, spot) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const hint = typeof value === "string" ? closest(value, words) : "";
    const all = words.map((word) => `"${word}"`).join(", ");
    return spot.wrong(message, `write ${words.length > 1 ? "one of " : ""}${all}${hint}`);
  };

export const oneOf = known("this value is not known");

/** For the keys of {@link recordOf}. */
export const nameOf = known("there is no such setting");

export const listOf =
  <T>(item: Reader<T>): Reader<T[]> =>
  (value, spot) =>
    Array.isArray(value)
      ? value.flatMap((each: unknown, index) => {
          const read = item(each, spot.at(index));
          return read === undefined ? [] : [read];
        })
      : spot.wrong("must be a list", "put it in [ ]");

/** An object whose keys are the person's own. */
export const recordOf =
  <T>(item: Reader<T>, key: Reader<string> = text): Reader<Record<string, T>> =>
  (value, spot) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, each]) => {
            const inside = spot.at(name);
            const [readKey, read] = [key(name, inside), item(each, inside)];
            return readKey === undefined || read === undefined ? [] : [[readKey, read]];
          }),
        )
      : spot.wrong("must be an object", "put its keys in { }");

/** An object whose keys are ours. What is not known is a problem: a rule with a typing mistake is no rule. */
export const object =
  <F extends Fields>(fields: F, ignored: readonly string[] = []): Reader<Read<F>> =>
  (value, spot) => {
    if (!isObject(value)) return spot.wrong("must be an object", "put its keys in { }");
    const read: Record<string, unknown> = {};
    for (const [key, each] of Object.entries(value)) {
      const reader = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (reader) read[key] = reader(each, spot.at(key));
      else if (!ignored.includes(key)) spot.at(key).strange(meant(key, Object.keys(fields)));
    }
    // Every key was made by the reader of that key.
    return read as Read<F>;
  };

/** One of several forms. */
export const either =
  <A, B>(first: (value: unknown) => boolean, one: Reader<A>, other: Reader<B>): Reader<A | B> =>
  (value, spot) =>
    first(value) ? one(value, spot) : other(value, spot);

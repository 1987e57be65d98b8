/**
 * Readers: each converts a value of the settings file, or reports what is wrong with it. All of them run to
 * the end, so that the user sees every problem at once.
 *
 * @module
 */
import { closest, meant } from "@vitrine/servers/support";
import { pathOf } from "./json.js";

/** Information about the text of the settings. */
export interface Text {
  /**
   * The location of a setting by its path: `mcp.json:7`. For a missing setting, the location of its parent.
   */
  readonly locationOf?: ((path: string) => string | undefined) | undefined;
  /** Called for unknown keys, which may belong to other programs. Without it, they are problems. */
  readonly onstrange?: ((problem: string) => void) | undefined;
}

/**
 * A location in the settings. Collects problems: one line each, with the location, the problem and the fix.
 * No message contains a value, because it may be a secret.
 */
export class Spot {
  readonly #location: string | undefined;

  constructor(
    readonly path: string,
    readonly problems: string[],
    readonly text: Text = {},
    location?: string,
  ) {
    this.#location = text.locationOf?.(path) ?? location;
  }

  /** Reports a problem; `fix` says what to do. */
  wrong(message: string, fix: string): undefined {
    this.problems.push(this.#say(`${message}; ${fix}`));
    return undefined;
  }

  /** Reports an unknown key; `hint` suggests another one. */
  strange(hint: string | undefined): void {
    const message = "unknown setting";
    if (!this.text.onstrange || hint) this.wrong(message, hint ?? "remove it");
    else this.text.onstrange(this.#say(`${message}, ignored; remove it, unless another program needs it`));
  }

  at(key: string | number): Spot {
    return new Spot(pathOf(this.path, key), this.problems, this.text, this.#location);
  }

  /** The same location, with its own list of problems. */
  apart(): Spot {
    return new Spot(this.path, [], this.text, this.#location);
  }

  #say(sentence: string): string {
    return [this.#location, this.path, sentence].filter(Boolean).join(": ");
  }
}

/** Returns the value, or undefined after reporting a problem. */
export type ValueReader<T> = (value: unknown, spot: Spot) => T | undefined;

type Fields = Readonly<Record<string, ValueReader<unknown>>>;
type Read<F extends Fields> = { [K in keyof F]?: F[K] extends ValueReader<infer T> ? T : never };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Text that may be empty. */
export const anyText: ValueReader<string> = (value, spot) =>
  typeof value !== "string"
    ? spot.wrong("must be text", "put it in quotes")
    : value.includes("\0")
      ? spot.wrong("contains a NUL character", "remove it")
      : value;

export const text: ValueReader<string> = (value, spot) => {
  const read = anyText(value, spot);
  return read?.trim() === "" ? spot.wrong("is empty", "fill it in, or remove it") : read;
};

export const flag: ValueReader<boolean> = (value, spot) =>
  typeof value === "boolean" ? value : spot.wrong("must be a boolean", "write true or false, without quotes");

/** A whole number. */
export const count =
  (from: number, to: number = Number.MAX_SAFE_INTEGER): ValueReader<number> =>
  (value, spot) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= from && value <= to
      ? value
      : spot.wrong(
          "must be a whole number",
          `write one ${to === Number.MAX_SAFE_INTEGER ? `that is ${from} or more` : `from ${from} to ${to}`}, without quotes`,
        );

/** Any number above zero. */
export const positive: ValueReader<number> = (value, spot) =>
  typeof value === "number" && Number.isFinite(value) && value > 0
    ? value
    : spot.wrong("must be a number", "write one above 0, without quotes");

const UNITS = {
  size: { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
  time: { ms: 1, s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 },
} as const;

const measure =
  (units: Readonly<Record<string, number>>, what: string, fix: string): ValueReader<number> =>
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

/** Milliseconds, or 0. */
export const timeOrNone: ValueReader<number> = (value, spot) =>
  value === 0 || (typeof value === "string" && /^0 ?(ms|[smhd])$/i.test(value)) ? 0 : time(value, spot);

const known =
  (message: string) =>
  <T extends string>(...words: readonly T[]): ValueReader<T> =>
  (value, spot) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const hint = typeof value === "string" ? closest(value, words) : "";
    const all = words.map((word) => `"${word}"`).join(", ");
    return spot.wrong(message, `write ${words.length > 1 ? "one of " : ""}${all}${hint}`);
  };

export const oneOf = known("unknown value");

/** For the keys of {@link recordOf}. */
export const nameOf = known("unknown setting");

export const listOf =
  <T>(item: ValueReader<T>): ValueReader<T[]> =>
  (value, spot) =>
    Array.isArray(value)
      ? value.flatMap((each: unknown, index) => {
          const read = item(each, spot.at(index));
          return read === undefined ? [] : [read];
        })
      : spot.wrong("must be a list", "put it in [ ]");

/** An object with arbitrary keys. */
export const recordOf =
  <T>(item: ValueReader<T>, key: ValueReader<string> = text): ValueReader<Record<string, T>> =>
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

/** An object with known keys. An unknown key is a problem, because a rule with a typo has no effect. */
export const object =
  <F extends Fields>(fields: F, ignored: readonly string[] = []): ValueReader<Read<F>> =>
  (value, spot) => {
    if (!isObject(value)) return spot.wrong("must be an object", "put its keys in { }");
    const read: Record<string, unknown> = {};
    for (const [key, each] of Object.entries(value)) {
      const reader = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (reader) read[key] = reader(each, spot.at(key));
      else if (!ignored.includes(key)) spot.at(key).strange(meant(key, Object.keys(fields)));
    }
    // Every key was read by its own reader.
    return read as Read<F>;
  };

/** Either of two formats. */
export const either =
  <A, B>(
    first: (value: unknown) => boolean,
    one: ValueReader<A>,
    other: ValueReader<B>,
  ): ValueReader<A | B> =>
  (value, spot) =>
    first(value) ? one(value, spot) : other(value, spot);

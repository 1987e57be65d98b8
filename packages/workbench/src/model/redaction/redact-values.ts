/**
 * Finds values that were taken out at one place wherever else they are: an argument comes back in results, messages and texts.
 *
 * @module
 */
import { REDACTED } from "./redacted.js";

/** Shorter values are in many texts by chance: to take them out everywhere would leave nothing to read. */
const SHORTEST = 4;
/** Values that are looked for. */
const MOST = 1_000;
/** What messages need to be messages: no value of these names is anybody's data. */
const WIRE = new Set(["jsonrpc", "method", "id", "type", "mimeType", "protocolVersion", "role"]);

/** Collects values that were taken out. */
export class RedactedValues {
  readonly #found = new Set<string>();

  /** A value, or all that is in it. */
  add(value: unknown): void {
    if (typeof value === "object" && value !== null) for (const each of Object.values(value)) this.add(each);
    else if (typeof value === "string" || typeof value === "number") {
      const text = `${value}`.trim();
      if (text.length >= SHORTEST && text !== REDACTED && this.#found.size < MOST) this.#found.add(text);
    }
  }

  /** What becomes of a value in which some of them may be; undefined if none can be. */
  get change(): ((value: unknown, path: readonly (string | number)[]) => unknown) | undefined {
    if (this.#found.size === 0) return undefined;
    // The longest first: one value may be the beginning of another.
    const longestFirst = [...this.#found].sort((a, b) => b.length - a.length);
    const pattern = new RegExp(longestFirst.map(escaped).join("|"), "g");
    return (value, path) => {
      // Of an event itself, numbers are times.
      if (WIRE.has(`${path.at(-1)}`) || (path.length === 1 && typeof value === "number")) return undefined;
      if (typeof value === "number") return this.#found.has(`${value}`) ? REDACTED : undefined;
      return typeof value === "string" ? value.replace(pattern, REDACTED) : undefined;
    };
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

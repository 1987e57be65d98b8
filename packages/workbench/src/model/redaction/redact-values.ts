/**
 * Finds redacted values in other places too: an argument comes back in results, messages and texts.
 *
 * @module
 */
import { REDACTED } from "./redacted.js";

/** Shorter values occur by chance in many texts: redacting them everywhere would leave nothing readable. */
const SHORTEST = 4;
/** Maximum number of values. */
const MOST = 1_000;
/** Protocol fields, whose values are never personal data. */
const WIRE = new Set(["jsonrpc", "method", "id", "type", "mimeType", "protocolVersion", "role"]);

/** Collects redacted values. */
export class RedactedValues {
  readonly #found = new Set<string>();

  /** Adds a value, or all values inside it. */
  add(value: unknown): void {
    if (typeof value === "object" && value !== null) for (const each of Object.values(value)) this.add(each);
    else if (typeof value === "string" || typeof value === "number") {
      const text = `${value}`.trim();
      if (text.length >= SHORTEST && text !== REDACTED && this.#found.size < MOST) this.#found.add(text);
    }
  }

  /** A function that redacts collected values; undefined if there are none. */
  get change(): ((value: unknown, path: readonly (string | number)[]) => unknown) | undefined {
    if (this.#found.size === 0) return undefined;
    // Longest first, because one value may be the start of another.
    const longestFirst = [...this.#found].sort((a, b) => b.length - a.length);
    const pattern = new RegExp(longestFirst.map(escaped).join("|"), "g");
    return (value, path) => {
      // Numbers directly in an event are times.
      if (WIRE.has(`${path.at(-1)}`) || (path.length === 1 && typeof value === "number")) return undefined;
      if (typeof value === "number") return this.#found.has(`${value}`) ? REDACTED : undefined;
      return typeof value === "string" ? value.replace(pattern, REDACTED) : undefined;
    };
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

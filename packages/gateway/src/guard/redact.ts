/**
 * Redacts payloads for the record.
 *
 * @module
 */
import { JsonText } from "@vitrine/protocol";

/** Options of {@link redacted}. */
export interface RedactOptions {
  /** Names of fields whose values are never stored, at any depth, ignoring case. */
  fields: readonly string[];
  /** Maximum characters of JSON; 64,000 by default. The rest is marked as left out. */
  limit?: number | undefined;
}

const LIMIT = 64_000;
/** Maximum characters of a string. */
const MAX_STRING = 8_000;
const MAX_DEPTH = 50;
/** Characters of a string whose own JSON is parsed to find fields. */
const MAX_INNER = 65_536;
/** Characters above which a text is not parsed, because so little of it would be kept. */
const MAX_TEXT = 4_000_000;

/** Replace a redacted value, and parts that did not fit. */
const REDACTED = "[redacted]";
const LEFT_OUT = "[left out]";

/**
 * The JSON of a value with redacted fields, also within strings that are JSON themselves. A large one
 * that names such a field is left out. Always valid JSON, and longer than its limit only by the marks of
 * omitted parts. Never throws: unreadable parts are left out.
 */
export function redacted(value: unknown, { fields, limit = LIMIT }: RedactOptions): string {
  const secret = new Set(fields.map((field) => field.toLowerCase()));
  const above = new Set<object>();
  const namesSecret = (text: string): boolean =>
    [...text.matchAll(/["']([^"'\\]{1,500})\\*["']\s*:/g)].some(([, name = ""]) =>
      secret.has(name.toLowerCase()),
    );
  let left = limit;
  /** Parts that are not shown as they are. */
  let hidden = 0;

  const copy = (part: unknown): unknown => {
    if (left <= 0) return hide(LEFT_OUT);
    if (part instanceof JsonText) return part.text.length > MAX_TEXT ? hide(LEFT_OUT) : copy(parsed(part));
    if (typeof part === "string") {
      const inner = copyInner(part);
      if (inner !== undefined) return inner;
      const kept = Math.min(part.length, MAX_STRING, left);
      left -= kept + 2;
      return kept === part.length ? part : `${part.slice(0, kept)}… (${part.length} characters)`;
    }
    left -= 5;
    if (typeof part !== "object" || part === null)
      return typeof part === "number" || typeof part === "boolean" ? part : null;
    // A cycle is not JSON, and real data is not nested that deeply.
    if (above.has(part) || above.size >= MAX_DEPTH) return hide(LEFT_OUT);
    above.add(part);
    try {
      return Array.isArray(part) ? copyList(part) : copyFields(part);
    } finally {
      above.delete(part);
    }
  };

  /** A string that is a JSON object or list with redacted fields; undefined for a string that is shown as it is. */
  const copyInner = (text: string): string | undefined => {
    if (!/^\s*[[{]/.test(text)) return undefined;
    const inner = text.length > MAX_INNER ? LEFT_OUT : parsed(new JsonText(text));
    // Not parsed, because it is large or no JSON: hidden if the part that would be kept names a field.
    if (inner === LEFT_OUT) return namesSecret(text.slice(0, MAX_STRING)) ? hide(LEFT_OUT) : undefined;
    const before = { left, hidden };
    const kept = copy(inner);
    // Parts that were not reached may contain fields too.
    if (hidden > before.hidden) return JSON.stringify(kept);
    ({ left } = before);
    return undefined;
  };

  const hide = (mark: string): string => {
    hidden++;
    return mark;
  };

  const copyList = (list: readonly unknown[]): unknown[] => {
    const kept: unknown[] = [];
    for (const item of list) {
      kept.push(copy(item));
      if (left > 0) continue;
      hidden++;
      break;
    }
    return kept;
  };

  const copyFields = (from: object): object => {
    // Without a prototype, because a field may be named `__proto__`.
    const kept: Record<string, unknown> = Object.create(null);
    for (const [name, item] of Object.entries(from)) {
      const key = name.slice(0, 500);
      left -= key.length + 4;
      if (left <= 0) {
        hidden++;
        break;
      }
      kept[key] = secret.has(name.toLowerCase()) ? hide(REDACTED) : copy(item);
    }
    return kept;
  };

  try {
    return JSON.stringify(copy(value));
  } catch {
    return JSON.stringify(LEFT_OUT);
  }
}

/**
 * Whether JSON contains a field with one of these names, at any depth, ignoring case. True for unreadable
 * text.
 */
export function hasField(json: string, fields: readonly string[]): boolean {
  const secret = new Set(fields.map((field) => field.toLowerCase()));
  let found = false;
  try {
    JSON.parse(json, (name, value) => {
      found ||= secret.has(name.toLowerCase());
      return value;
    });
  } catch {
    return true;
  }
  return found;
}

function parsed(text: JsonText): unknown {
  try {
    return text.parse();
  } catch {
    return LEFT_OUT;
  }
}

/**
 * Takes out of a recording what must not be passed on. What was taken out is marked: `compare` takes the mark for any
 * value, so a mark is also how to say that a value differs from time to time.
 *
 * @module
 */
import { plainOf } from "./message-json.js";
import { type RecordedEvent, type Recording, record } from "./recording.js";

/** What stands in place of a value. */
export const REDACTED = "[redacted]";

/** What is taken out. */
export type RedactionRule =
  /** Values of these keys, wherever they are; upper and lower case, `-` and `_` are the same. */
  | { readonly keys: readonly string[] }
  /** Values at these places of a message, such as `params.arguments.user` or `result.content.*.text`. */
  | { readonly paths: readonly string[] }
  /** Parts of text: e-mail addresses, or what looks like a token. */
  | { readonly text: "emails" | "tokens" }
  /** All that is asked and answered by these methods, or said by these notifications. */
  | { readonly methods: readonly string[] };

/** Names of keys whose values are secrets. */
export const SECRETS: RedactionRule = {
  keys: [
    "accessToken",
    "apiKey",
    "authorization",
    "clientSecret",
    "cookie",
    "credentials",
    "idToken",
    "password",
    "privateKey",
    "refreshToken",
    "secret",
    "sessionId",
    "token",
  ],
};
export const TOKENS: RedactionRule = { text: "tokens" };
export const EMAILS: RedactionRule = { text: "emails" };
/** What tools were asked and answered, by the app and for it. */
export const CALLS: RedactionRule = {
  methods: [
    "tools/call",
    "ui/notifications/tool-input",
    "ui/notifications/tool-input-partial",
    "ui/notifications/tool-result",
  ],
};

const PATTERNS = {
  emails: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g,
  // Bearer tokens, JSON Web Tokens, and keys with the prefixes that their makers gave them.
  tokens:
    /\bBearer\s+[\w.~+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[opsur]_\w{20,}|\bxox[abprs]-[\w-]{10,}|\bAKIA[A-Z\d]{16}\b/g,
};

type Path = readonly (string | number)[];
/** What becomes of a value: another one, or `undefined` to look further into it. */
type Change = (value: unknown, path: Path) => unknown;

/**
 * A copy without what the rules name; its header says what was done. The document is never changed: it is the
 * server's published app, and would not run any more.
 */
export function redact(recording: Recording, rules: readonly RedactionRule[]): Recording {
  const { header } = recording;
  const notes = [...(header.redacted ?? [])];
  let events = recording.events;
  let { context, tool, title } = header;
  for (const rule of rules) {
    let count = 0;
    const change = changeOf(rule);
    const counted: Change = (value, path) => {
      const next = change(value, path);
      if (next !== undefined && next !== value) count++;
      return next;
    };
    const apply = <T>(value: T): T => walk(value, [], counted) as T;
    events = "methods" in rule ? withoutMethods(events, rule.methods, () => count++) : events.map(apply);
    if (!("paths" in rule) && !("methods" in rule)) {
      context = apply(context);
      tool = apply(tool);
      title = apply(title);
    }
    notes.push(`${describe(rule)}: ${count}`);
  }
  return { ...recording, header: { ...header, context, tool, title, redacted: notes }, events };
}

function changeOf(rule: RedactionRule): Change {
  if ("keys" in rule) {
    const names = new Set(rule.keys.map(plainName));
    return (_value, path) => {
      const key = path.at(-1);
      return typeof key === "string" && names.has(plainName(key)) ? REDACTED : undefined;
    };
  }
  if ("paths" in rule) {
    const paths = rule.paths.map((path) => ["m", ...path.split(".")]);
    const fits = (wanted: readonly string[], path: Path): boolean =>
      wanted.length === path.length && wanted.every((part, at) => part === "*" || part === `${path[at]}`);
    return (_value, path) => (paths.some((wanted) => fits(wanted, path)) ? REDACTED : undefined);
  }
  if (!("text" in rule)) return () => undefined;
  const pattern = PATTERNS[rule.text];
  return (value) => (typeof value === "string" ? value.replace(pattern, REDACTED) : undefined);
}

/** All that these methods carry. The messages stay: that something was asked is part of how the app behaves. */
function withoutMethods(
  events: readonly RecordedEvent[],
  methods: readonly string[],
  count: () => void,
): RecordedEvent[] {
  const asked = { in: new Set<unknown>(), out: new Set<unknown>() };
  return events.map((event) => {
    if (!("m" in event)) return event;
    const { d, m } = event;
    const { method, id } = m;
    const isAnswer = typeof method !== "string";
    const other = d === "in" ? "out" : "in";
    const isMeant = isAnswer ? asked[other].delete(id) : methods.includes(method);
    if (!isMeant) return event;
    if (!isAnswer && id !== undefined) asked[d].add(id);
    count();
    return { ...event, m: isAnswer ? withoutAnswer(m) : { ...m, params: { [REDACTED]: true } } };
  });
}

const withoutAnswer = (m: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  "error" in m
    ? { ...m, error: { code: record(m["error"])["code"], message: REDACTED } }
    : { ...m, result: { [REDACTED]: true, content: [] } };

function walk(value: unknown, path: Path, change: Change): unknown {
  const part = plainOf(value);
  const changed = path.length > 0 || typeof part === "string" ? change(part, path) : undefined;
  if (changed !== undefined) return changed;
  if (Array.isArray(part)) return part.map((item, at) => walk(item, [...path, at], change));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, item]) => [key, walk(item, [...path, key], change)]),
  );
}

const plainName = (name: string): string => name.replace(/[-_]/g, "").toLowerCase();

function describe(rule: RedactionRule): string {
  if ("text" in rule) return rule.text === "emails" ? "e-mail addresses" : "tokens";
  if ("keys" in rule) return `values of ${rule.keys.join(", ")}`;
  if ("paths" in rule) return `values at ${rule.paths.join(", ")}`;
  return `all of ${rule.methods.join(", ")}`;
}

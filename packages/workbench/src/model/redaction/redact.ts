/**
 * Redacts recordings. Redacted values are marked; `compare` accepts any value for a mark, so marks can also
 * stand for values that vary.
 *
 * @module
 */
import { isSecretName, recordOf, SECRET_ENDINGS } from "@vitrine/protocol";
import { plainOf } from "../messages/message-json.js";
import { isShown, type RecordedEvent, type Recording } from "../recording/recording.js";
import { jsonIn } from "./json-in.js";
import { withoutPath } from "./redact-paths.js";
import { RedactedValues } from "./redact-values.js";
import { REDACTED } from "./redacted.js";

/** A redaction rule. */
export type RedactionRule =
  /** Values of these keys, anywhere; case, `-` and `_` are ignored. */
  | { readonly keys: readonly string[] }
  /** Values of keys with these endings, such as `userToken` for `token`. */
  | { readonly endings: readonly string[] }
  /**
   * Values at these paths of a message, such as `params.arguments.user` or `result.content.*.text`; see
   * `wrongPath`.
   */
  | { readonly paths: readonly string[] }
  /**
   * Parts of text: e-mail addresses, tokens, or values in URL queries; within longer text only those with a
   * name like a secret's.
   */
  | { readonly text: "emails" | "tokens" | "queries" }
  /** All contents of requests, answers and notifications of these methods. */
  | { readonly methods: readonly string[] };

export const SECRETS: RedactionRule = { endings: SECRET_ENDINGS };
export const QUERIES: RedactionRule = { text: "queries" };
export const TOKENS: RedactionRule = { text: "tokens" };
export const EMAILS: RedactionRule = { text: "emails" };
/** Arguments and results of tools, called by the app or for it. */
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
  // Bearer tokens, JSON Web Tokens, and keys with well-known prefixes.
  tokens:
    /\bBearer\s+[\w.~+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[opsur]_\w{20,}|\bxox[abprs]-[\w-]{10,}|\bAKIA[A-Z\d]{16}\b/g,
};

/**
 * A URL within text, with its query or fragment. Schemes are short, so that long words are skipped quickly.
 */
const ADDRESS = /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>]+/gi;
/** A name and value in a query, or in a fragment of that form. */
const PAIR = /([?&#])([^=?&#\s]+)=([^&#\s]+)/g;
/** `user:password@` of a URL. */
const PASSWORD = /(:\/\/[^\s/:@?#]*):[^\s/@?#]+@/g;
/** Names of keys whose values are URLs. */
const ADDRESS_KEY = /(uri|url|href|src|link|blocked)$/;
/** Maximum depth: deeper values are redacted as a whole. */
const DEEPEST = 500;

type Path = readonly (string | number)[];
/** Returns the new value, or `undefined` to continue inside it. */
type Change = (value: unknown, path: Path) => unknown;

/**
 * Returns a redacted copy; its header describes the redactions. A value that was redacted by name or path is
 * redacted everywhere, if it has at least four characters. The document is never changed: it is the server's
 * published app, and would no longer run.
 */
export function redact(recording: Recording, rules: readonly RedactionRule[]): Recording {
  const { header } = recording;
  const notes = [...(header.redacted ?? [])];
  // The app's visible text repeats values of the messages at unknown places.
  let events = rules.length > 0 ? recording.events.map(withoutText) : recording.events;
  let { context, tool, title, uri } = header;
  const values = new RedactedValues();
  for (const rule of rules) {
    let count = 0;
    const add = (): void => void count++;
    const change = changeOf(rule);
    const counted: Change = (value, path) => {
      const next = change(value, path);
      if (next !== undefined && next !== value) count++;
      if (next === REDACTED && !("text" in rule)) values.add(value);
      return next;
    };
    const apply = <T>(value: T): T => walk(value, [], counted) as T;
    if ("methods" in rule) events = withoutMethods(events, rule.methods, add);
    else if ("paths" in rule)
      events = rule.paths.reduce<readonly RecordedEvent[]>(
        (left, path) =>
          withoutPath(left, path, (value) => {
            values.add(value);
            add();
          }),
        events,
      );
    else events = events.map(apply);
    if (!("paths" in rule) && !("methods" in rule)) {
      context = apply(context);
      tool = apply(tool);
      title = apply(title);
      ({ uri } = apply({ uri }));
    }
    notes.push(`${describe(rule)}: ${count}`);
  }
  const elsewhere = values.change;
  if (elsewhere) {
    let count = 0;
    const counted: Change = (value, path) => {
      const next = elsewhere(value, path);
      if (next !== undefined && next !== value) count++;
      return next;
    };
    const apply = <T>(value: T): T => walk(value, [], counted) as T;
    events = events.map(apply);
    context = apply(context);
    ({ title, uri } = apply({ title, uri }));
    if (count > 0) notes.push(`the same values elsewhere: ${count}`);
  }
  return { ...recording, header: { ...header, context, tool, title, uri, redacted: notes }, events };
}

const withoutText = (event: RecordedEvent): RecordedEvent =>
  isShown(event) ? { t: event.t, shown: { isDrawn: event.shown.isDrawn } } : event;

function changeOf(rule: RedactionRule): Change {
  if ("keys" in rule) {
    const names = new Set(rule.keys.map(plainName));
    return (_value, path) => {
      const key = path.at(-1);
      return typeof key === "string" && names.has(plainName(key)) ? REDACTED : undefined;
    };
  }
  if ("endings" in rule) {
    const isMeant = endsWith(rule.endings);
    return (_value, path) => {
      const key = path.at(-1);
      return typeof key === "string" && isMeant(key) ? REDACTED : undefined;
    };
  }
  if (!("text" in rule)) return () => undefined;
  if (rule.text === "queries") return withoutQueries;
  const pattern = PATTERNS[rule.text];
  return (value) => (typeof value === "string" ? value.replace(pattern, REDACTED) : undefined);
}

function endsWith(endings: readonly string[]): (key: string) => boolean {
  const names = endings.map(plainName);
  return (key) => {
    const name = plainName(key);
    // A progress token only correlates a call with its progress; it is not a secret.
    return name !== "progresstoken" && names.some((ending) => name.endsWith(ending));
  };
}

/** Whether a key with this name holds a secret. */
export const isSecret = isSecretName;

function withoutQueries(value: unknown, path: Path): unknown {
  // A data or blob URL has no query.
  if (typeof value !== "string" || /^(data|blob):/i.test(value)) return undefined;
  const clean = (address: string, isTaken: (name: string) => boolean): string =>
    address
      .replace(PASSWORD, `$1:${REDACTED}@`)
      .replace(PAIR, (pair, before: string, name: string) =>
        isTaken(name) ? `${before}${name}=${REDACTED}` : pair,
      );
  const key = path.findLast((part) => typeof part === "string") ?? "";
  if (ADDRESS_KEY.test(plainName(`${key}`)) && !/\s/.test(value)) return clean(value, () => true);
  return value.replace(ADDRESS, (address) => clean(address, isSecret));
}

/**
 * Redacts all contents of these methods. The messages stay: that they were sent is part of the app's
 * behaviour.
 */
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
    ? { ...m, error: { code: recordOf(m["error"])["code"], message: REDACTED } }
    : { ...m, result: { [REDACTED]: true, content: [] } };

function walk(value: unknown, path: Path, change: Change): unknown {
  const part = plainOf(value);
  const changed = path.length > 0 || typeof part === "string" ? change(part, path) : undefined;
  if (typeof part === "string") return insideOf(changed ?? part, path, change);
  if (changed !== undefined) return changed;
  if (typeof part !== "object" || part === null) return part;
  if (path.length > DEEPEST) return REDACTED;
  if (Array.isArray(part)) return part.map((item, at) => walk(item, [...path, at], change));
  return Object.fromEntries(
    Object.entries(part).map(([key, item]) => [key, walk(item, [...path, key], change)]),
  );
}

/** Redacts inside a JSON string, as in many tool results. Without a match, the text stays as it was. */
function insideOf(text: unknown, path: Path, change: Change): unknown {
  const inner = jsonIn(text);
  if (inner === undefined) return text;
  try {
    const clean = walk(inner, [...path, ""], change);
    if (clean === REDACTED) return REDACTED;
    const written = JSON.stringify(clean);
    return written === JSON.stringify(inner) ? text : written;
  } catch {
    // Too deep.
    return REDACTED;
  }
}

function plainName(name: string): string {
  return name.replace(/[-_]/g, "").toLowerCase();
}

const NAMES = { emails: "e-mail addresses", tokens: "tokens", queries: "values in addresses" };

function describe(rule: RedactionRule): string {
  if ("text" in rule) return NAMES[rule.text];
  if ("endings" in rule) return `values of names that end with ${rule.endings.join(", ")}`;
  if ("keys" in rule) return `values of ${rule.keys.join(", ")}`;
  if ("paths" in rule) return `values at ${rule.paths.join(", ")}`;
  return `all of ${rule.methods.join(", ")}`;
}

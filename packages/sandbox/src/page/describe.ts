/**
 * Describes console arguments briefly. The values come from the app and may be cyclic, endless, or throw. It
 * calls no code of a value, except for unavoidable proxy traps and the `stack` of an error.
 */

/** Maximum characters of a line: in JSON each may become six, and a report has room for 10,000. */
const LONGEST = 1500;
/** Maximum depth and members of a value. */
const DEEPEST = 3;
const MOST = 50;

/**
 * Describes a console call; never throws.
 *
 * @param stack the call's stack, for `trace`
 */
export function describeCall(method: string, values: readonly unknown[], stack = ""): string {
  if (method === "trace") return cut(`${describeLine(values) || "Trace"}${stack && ` ${stack}`}`, LONGEST);
  // The columns only select from the data.
  if (method === "table") return describeLine(values.slice(0, 1));
  if (method !== "assert") return describeLine(values);
  const [, first, ...rest] = values;
  if (values.length < 2) return "Assertion failed";
  // The first string may contain format specifiers, so it must stay first.
  return describeLine(
    typeof first === "string"
      ? [`Assertion failed: ${first}`, ...rest]
      : ["Assertion failed:", first, ...rest],
  );
}

/** The arguments of a call on one line; never throws. */
export function describeLine(values: readonly unknown[]): string {
  let line = "";
  let next = 0;
  const [first] = values;
  if (typeof first === "string") {
    next++;
    let left = LONGEST;
    // `%s` and other specifiers; `%c` is style, not text.
    line = first.slice(0, LONGEST).replace(/%[sdifoOc%]/g, (sign) => {
      if (sign === "%%") return "%";
      if (next >= values.length) return sign;
      const value = values[next++];
      if (sign === "%c" || left <= 0) return "";
      const text = describe(value, left);
      left -= text.length;
      return text;
    });
  }
  for (; next < values.length && line.length < LONGEST; next++)
    line += `${line && " "}${describe(values[next], LONGEST - line.length)}`;
  return cut(line, LONGEST);
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, Math.max(0, most - 1))}…` : text;

/**
 * Describes one value in about `most` characters. A string is shown as it is; inside another value it is
 * quoted.
 */
function describe(value: unknown, most: number): string {
  /** The enclosing objects, outermost first. */
  const open: object[] = [];
  let left = most;

  /** An error costs only its own part. */
  const safely = (make: () => string): string => {
    const { length } = open;
    try {
      return make();
    } catch {
      open.length = length;
      return "(cannot be shown)";
    }
  };
  const write = (each: unknown): string => {
    const text = safely(() => form(each));
    left -= text.length;
    return text;
  };
  const form = (each: unknown): string => {
    if (typeof each === "string") return open.length > 0 ? JSON.stringify(cut(each, left)) : cut(each, left);
    if (typeof each === "bigint") return `${cut(String(each), left)}n`;
    if (typeof each === "function") return `ƒ ${nameOf(each)}`;
    if (typeof each !== "object" || each === null) return String(each);
    if (each instanceof Error) return cut(stackOf(each), left);
    if (each instanceof Date) return timeOf(each);
    if (open.includes(each)) return "(itself)";
    const isList = Array.isArray(each) || (ArrayBuffer.isView(each) && "length" in each);
    const name = isList ? "" : kindOf(each);
    if (open.length >= DEEPEST) return isList ? "[…]" : `${name}{…}`;
    open.push(each);
    const members = isList ? items(each as ArrayLike<unknown>) : fields(each);
    open.pop();
    return isList ? `[${members.join(", ")}]` : `${name}{${members.join(", ")}}`;
  };
  /** Members, until there are enough. */
  const gather = function* <T>(all: Iterable<T>, text: (member: T) => string): Generator<string> {
    let count = 0;
    for (const member of all) {
      if (count++ >= MOST || left <= 0) {
        yield "…";
        return;
      }
      yield text(member);
    }
  };
  const items = (list: ArrayLike<unknown>): string[] => [
    ...gather(indexes(list.length), (index) => property(list, `${index}`)),
  ];
  const fields = (from: object): string[] => {
    const texts: string[] = [];
    if (from instanceof Map)
      texts.push(
        ...gather(Map.prototype.entries.call(from), ([key, each]) => `${write(key)} => ${write(each)}`),
      );
    else if (from instanceof Set) texts.push(...gather(Set.prototype.values.call(from), write));
    texts.push(...gather(Object.keys(from), (key) => `${key.slice(0, 100)}: ${property(from, key)}`));
    return texts;
  };
  /** Getters are not called, because that could change the app. */
  const property = (from: object, key: string): string => {
    left -= key.length;
    return safely(() => {
      const found = Object.getOwnPropertyDescriptor(from, key);
      return found && !("value" in found) ? "(getter)" : write(found?.value);
    });
  };

  return write(value);
}

function* indexes(length: number): Generator<number> {
  for (let index = 0; index < length; index++) yield index;
}

const textAt = (from: unknown, key: string): string => {
  const value: unknown = Object.getOwnPropertyDescriptor(Object(from), key)?.value;
  return typeof value === "string" ? value.slice(0, 100) : "";
};

const nameOf = (from: unknown): string => textAt(from, "name");

/** The kind of an object, if its members do not show it. */
function kindOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  const { value: maker } = Object.getOwnPropertyDescriptor(Object(prototype), "constructor") ?? {};
  const name = maker === Object ? "" : nameOf(maker);
  return name && `${name} `;
}

const timeOf = (date: Date): string =>
  Number.isNaN(Date.prototype.getTime.call(date)) ? "Invalid Date" : Date.prototype.toISOString.call(date);

/** The stack of an error, which in some browsers lacks the message. */
function stackOf(error: Error): string {
  const { stack } = error;
  const message = textAt(error, "message");
  const text = typeof stack === "string" ? stack : "";
  return text.includes(message) ? text || "Error" : `Error: ${message} at ${text}`;
}

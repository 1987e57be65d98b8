/**
 * What a script handed to its console, in short. The values are the app's, and may be anything: cyclic, endless, or made
 * to throw. Nothing is called that the value brings along, but for what a proxy cannot be asked without and the `stack` of
 * an error.
 */

/** Most characters of a line: written as JSON each may become six, and a report has room for 10,000. */
const LONGEST = 1500;
/** Most levels of a value, and most of its members. */
const DEEPEST = 3;
const MOST = 50;

/**
 * What a call of a console says; never throws.
 *
 * @param stack where the call was made, for one of `trace`
 */
export function describeCall(method: string, values: readonly unknown[], stack = ""): string {
  if (method === "trace") return cut(`${describeLine(values) || "Trace"}${stack && ` ${stack}`}`, LONGEST);
  // Its columns only choose from what the data has.
  if (method === "table") return describeLine(values.slice(0, 1));
  if (method !== "assert") return describeLine(values);
  const [, first, ...rest] = values;
  if (values.length < 2) return "Assertion failed";
  // A first text may have signs in it, and must stay the first.
  return describeLine(
    typeof first === "string"
      ? [`Assertion failed: ${first}`, ...rest]
      : ["Assertion failed:", first, ...rest],
  );
}

/** The arguments of a call as one line; never throws. */
export function describeLine(values: readonly unknown[]): string {
  let line = "";
  let next = 0;
  const [first] = values;
  if (typeof first === "string") {
    next++;
    let left = LONGEST;
    // `%s` and its like, of which `%c` is style and not text.
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

/** One value, in about so many characters at most. Text is as it is; inside of another value it is in quotes. */
function describe(value: unknown, most: number): string {
  /** What is written at this moment, from the outermost on. */
  const open: object[] = [];
  let left = most;

  /** What throws costs only its own place. */
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
  /** Members until there are enough of them. */
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
  /** A getter is not asked: that could change the app. */
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

/** What kind of object it is, if that is not plain from its members. */
function kindOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  const { value: maker } = Object.getOwnPropertyDescriptor(Object(prototype), "constructor") ?? {};
  const name = maker === Object ? "" : nameOf(maker);
  return name && `${name} `;
}

const timeOf = (date: Date): string =>
  Number.isNaN(Date.prototype.getTime.call(date)) ? "Invalid Date" : Date.prototype.toISOString.call(date);

/** Where it was thrown, which in some browsers does not say what was. */
function stackOf(error: Error): string {
  const { stack } = error;
  const message = textAt(error, "message");
  const text = typeof stack === "string" ? stack : "";
  return text.includes(message) ? text || "Error" : `Error: ${message} at ${text}`;
}

/**
 * URI templates (RFC 6570): their variables, and the address for given values.
 *
 * @module
 */

interface Expression {
  readonly first: string;
  readonly separator: string;
  /** Whether names are written too, such as `?city=Oslo`. */
  readonly isNamed: boolean;
  /** Text after the name of an empty value. */
  readonly empty: string;
  /** Whether reserved characters stay as they are. */
  readonly isReserved: boolean;
}

const plain = { isNamed: false, empty: "", isReserved: false };
const OPERATORS: Readonly<Record<string, Expression>> = {
  "": { ...plain, first: "", separator: "," },
  "+": { ...plain, first: "", separator: ",", isReserved: true },
  "#": { ...plain, first: "#", separator: ",", isReserved: true },
  ".": { ...plain, first: ".", separator: "." },
  "/": { ...plain, first: "/", separator: "/" },
  ";": { ...plain, first: ";", separator: ";", isNamed: true },
  "?": { ...plain, first: "?", separator: "&", isNamed: true, empty: "=" },
  "&": { ...plain, first: "&", separator: "&", isNamed: true, empty: "=" },
};
const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

interface Variable {
  readonly name: string;
  /** The most characters of its value. */
  readonly prefix: number | undefined;
}

function variablesIn(list: string): Variable[] {
  return list.split(",").map((spec) => {
    const [, name = "", prefix] = /^([^:*]*)(?::(\d+))?\*?$/.exec(spec.trim()) ?? [undefined, spec];
    return { name, prefix: prefix === undefined ? undefined : Number(prefix) };
  });
}

/** The names of the variables, each once. */
export const templateVariables = (template: string): string[] => [
  ...new Set(
    [...template.matchAll(EXPRESSION)].flatMap(([, , list = ""]) =>
      variablesIn(list).map(({ name }) => name),
    ),
  ),
];

/** The address with the values filled in. A variable without a value is left out. */
export const expandTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(EXPRESSION, (_, operator: string, list: string) => {
    const { first, separator, isNamed, empty, isReserved } =
      OPERATORS[operator] ?? (OPERATORS[""] as Expression);
    const parts = variablesIn(list).flatMap(({ name, prefix }) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined || value === "") return [];
      const text = encoded([...value].slice(0, prefix).join(""), isReserved);
      return [isNamed ? `${name}${text === "" ? empty : `=${text}`}` : text];
    });
    return parts.length > 0 ? first + parts.join(separator) : "";
  });

/** Everything but unreserved characters is encoded; with `isReserved`, reserved ones and `%41` stay. */
const encoded = (text: string, isReserved: boolean): string =>
  isReserved
    ? text.replace(/%[0-9a-f]{2}|[^\w\-.~:/?#[\]@!$&'()*+,;=]/giu, (part) =>
        part.length === 3 && part.startsWith("%") ? part : encodeURIComponent(part),
      )
    : encodeURIComponent(text).replace(
        /[!'()*]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
      );

/**
 * Shapes of protocol data, as data. A shape gives TypeScript its type ({@link Infer}) and the decoder its
 * rules ({@link decode}), so the two cannot differ.
 *
 * @module
 */

/** A shape. The type parameter is the TypeScript type of its values. */
export type Shape<T = unknown> = { readonly [TYPE]?: T } & (
  | { readonly kind: "string" | "number" | "integer" | "boolean" | "unknown" }
  | { readonly kind: "literal"; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: "array"; readonly items: Shape }
  | { readonly kind: "record"; readonly values: Shape }
  | { readonly kind: "union"; readonly options: readonly Shape[] }
  | { readonly kind: "object"; readonly fields: Fields; readonly optional: Fields }
);
declare const TYPE: unique symbol;

type Fields = { readonly [key: string]: Shape };
type Flat<T> = { [K in keyof T]: T[K] };

/** The TypeScript type of a shape. */
export type Infer<S> = S extends Shape<infer T> ? T : never;

type InferFields<F extends Fields, O extends Fields> = Flat<
  { -readonly [K in keyof F]: Infer<F[K]> } & { -readonly [K in keyof O]?: Infer<O[K]> | undefined }
>;

/** Any string. */
export const string: Shape<string> = { kind: "string" };
/** Any finite number. */
export const number: Shape<number> = { kind: "number" };
/** An integer that JavaScript represents exactly. */
export const integer: Shape<number> = { kind: "integer" };
/** `true` or `false`. */
export const boolean: Shape<boolean> = { kind: "boolean" };
/** Any value; its contents are not checked. */
export const unknown: Shape<unknown> = { kind: "unknown" };
/** A value from a fixed list. */
export const literal = <const V extends readonly (string | number | boolean)[]>(
  ...values: V
): Shape<V[number]> => ({ kind: "literal", values });
/** A list. */
export const array = <S extends Shape>(items: S): Shape<Infer<S>[]> => ({ kind: "array", items });
/** An object with any keys. */
export const record = <S extends Shape>(values: S): Shape<{ [key: string]: Infer<S> }> => ({
  kind: "record",
  values,
});
/** A value of one of these shapes. */
export const union = <const S extends readonly Shape[]>(...options: S): Shape<Infer<S[number]>> => ({
  kind: "union",
  options,
});
/** An object with required and optional fields; other fields are allowed and untyped. */
export const object = <const F extends Fields, const O extends Fields = Record<never, Shape>>(
  fields: F,
  optional: O = {} as O,
): Shape<InferFields<F, O>> => ({ kind: "object", fields, optional });
/** Same as {@link object}, but the type allows other fields. */
export const open = object as <const F extends Fields, const O extends Fields = Record<never, Shape>>(
  fields: F,
  optional?: O,
) => Shape<InferFields<F, O> & { [key: string]: unknown }>;

/** Result of {@link decode}: the typed value, or the wrong field. */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly code: "invalid";
      /** Path of the wrong field, such as `params.content[0].text`. */
      readonly field: string;
      /** A message with the field and the expected value. */
      readonly message: string;
    };

/**
 * Checks an external value against a shape. Never throws: throwing getters and revoked proxies count as wrong
 * values.
 *
 * @example
 * ```ts source="./protocol.examples.ts#decode"
 * const decoded = decode(REQUESTS["ui/open-link"].params, input);
 * if (!decoded.ok) return decoded.message; // "value.url must be a string, not number"
 * return decoded.value.url;
 * ```
 *
 * @param path what to call the value
 * @param read makes of the value what it means, before it is checked
 */
export function decode<T>(
  schema: Shape<T>,
  value: unknown,
  path = "value",
  read = (value: unknown) => value,
): Decoded<T> {
  let wrong: Wrong | undefined;
  try {
    const meant = read(value);
    wrong = check(schema, meant, path);
    if (!wrong) return { ok: true, value: meant as T };
  } catch {
    wrong = { field: path, message: `${path} could not be read` };
  }
  const { field, message } = wrong;
  return { ok: false, code: "invalid", field, message };
}

type Wrong = {
  field: string;
  message: string;
  /** The expected and the actual value; absent for a missing field. */
  what?: string;
  value?: unknown;
};

function check(schema: Shape, value: unknown, path: string): Wrong | undefined {
  switch (schema.kind) {
    case "unknown":
      return undefined;
    case "string":
    case "boolean":
      return typeof value === schema.kind ? undefined : expected(path, `a ${schema.kind}`, value);
    case "number":
      return Number.isFinite(value) ? undefined : expected(path, "a finite number", value);
    case "integer":
      return Number.isSafeInteger(value) ? undefined : expected(path, "a whole number", value);
    case "literal":
      return schema.values.includes(value as string)
        ? undefined
        : expected(path, schema.values.map((option) => JSON.stringify(option)).join(" or "), value);
    case "array":
      return Array.isArray(value)
        ? firstWrong(value.keys(), (index) => check(schema.items, value[index], `${path}[${index}]`))
        : expected(path, "an array", value);
    case "union":
      return checkUnion(schema.options, value, path);
    case "record":
    case "object":
      if (!isObject(value)) return expected(path, "an object", value);
      return schema.kind === "record"
        ? firstWrong(Object.keys(value), (key) => check(schema.values, value[key], `${path}.${key}`))
        : checkFields(schema, value, path);
  }
}

function checkFields(
  schema: { fields: Fields; optional: Fields },
  value: Record<string, unknown>,
  path: string,
): Wrong | undefined {
  return (
    firstWrong(Object.entries(schema.fields), ([key, field]) =>
      Object.hasOwn(value, key)
        ? check(field, value[key], `${path}.${key}`)
        : { field: `${path}.${key}`, message: `${path}.${key} is missing` },
    ) ??
    firstWrong(Object.entries(schema.optional), ([key, field]) =>
      Object.hasOwn(value, key) && value[key] !== undefined
        ? check(field, value[key], `${path}.${key}`)
        : undefined,
    )
  );
}

/**
 * Finds the most useful error of several options: among the options that the value was meant for, the one
 * that matched furthest. If they all fail at the same field, the message lists everything the field could be.
 */
function checkUnion(options: readonly Shape[], value: unknown, path: string): Wrong | undefined {
  const meant = options.filter((option) => !isOtherKind(option, value));
  const wrongs: Wrong[] = [];
  for (const option of meant.length > 0 ? meant : options) {
    const wrong = check(option, value, path);
    if (!wrong) return undefined;
    wrongs.push(wrong);
  }
  const best = wrongs.reduce((a, b) => (b.field.length > a.field.length ? b : a));
  const all = new Set(wrongs.flatMap(({ field, what }) => (field === best.field && what ? what : [])));
  return best.what ? expected(best.field, [...all].join(" or "), best.value) : best;
}

/**
 * Whether a discriminating field, such as a content block's `type`, shows that the value is of another kind.
 */
const isOtherKind = (option: Shape, value: unknown): boolean =>
  option.kind === "object" &&
  isObject(value) &&
  Object.entries(option.fields).some(
    ([key, field]) => field.kind === "literal" && check(field, value[key], key) !== undefined,
  );

function firstWrong<T>(items: Iterable<T>, look: (item: T) => Wrong | undefined): Wrong | undefined {
  for (const item of items) {
    const wrong = look(item);
    if (wrong) return wrong;
  }
  return undefined;
}

function expected(field: string, what: string, value: unknown): Wrong {
  const got = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  return { field, message: `${field} must be ${what}, not ${got}`, what, value };
}

/** Whether a value is a plain object as JSON knows it (not null, not an array). */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The members of a value of unknown type. A value that is not an object has none.
 *
 * ```ts
 * const { code } = recordOf(error);
 * ```
 */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/**
 * Finds secret arguments: those that a schema marks as secret, and those with a name like a secret's.
 *
 * @module
 */

/**
 * Endings of key names whose values are secrets. The list errs on the safe side: `maxTokens` matches as well
 * as `accessTokens`.
 */
export const SECRET_ENDINGS: readonly string[] = [
  ...[
    "authorization",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "key",
    "keys",
    "passphrase",
    "passwd",
  ],
  ...["password", "passwords", "pwd", "secret", "secrets", "sessionId", "token", "tokens"],
];

const plainName = (name: string): string => name.replace(/[-_]/g, "").toLowerCase();

const PLAIN_ENDINGS = SECRET_ENDINGS.map(plainName);

/** Whether a key with this name holds a secret. */
export function isSecretName(key: string): boolean {
  const name = plainName(key);
  // A progress token only correlates a call with its progress; it is not a secret.
  return name !== "progresstoken" && PLAIN_ENDINGS.some((ending) => name.endsWith(ending));
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

const isSecret = (schema: Schema): boolean =>
  schema["format"] === "password" || schema["writeOnly"] === true || Object.entries(schema).some(isMark);

/**
 * Whether a schema keyword marks a secret, such as `"x-widget": "password"`, `"ui:widget": "password"` or
 * `"x-secret": true`.
 */
const isMark = ([key, value]: [string, unknown]): boolean =>
  /^(x-|ui:)/.test(key) &&
  (value === "password" || (value === true && /secret|sensitive|password/i.test(key)));

/** Numbers and booleans are not secrets, whatever their name: `maxTokens`. */
const isNamedSecret = (name: string, value: unknown): boolean =>
  (typeof value === "string" || isSchema(value)) && isSecretName(name);

/**
 * Removes secrets from arguments: fields that a schema marks as a password or `writeOnly`, and fields with a
 * name like a secret's. Secrets are never stored.
 *
 * @example
 * ```ts source="./protocol.examples.ts#withoutSecrets"
 * const schema = { properties: { user: { type: "string" }, pin: { type: "string", format: "password" } } };
 * const kept = withoutSecrets(schema, { user: "ana", pin: "1234", apiKey: "k" });
 * // { user: "ana" }
 * ```
 */
export function withoutSecrets(schema: unknown, input: Record<string, unknown>): Record<string, unknown> {
  const shown = shownOf(input, [schema], schema);
  return isSchema(shown) && !Array.isArray(shown) ? shown : {};
}

/**
 * Returns a value without secrets; undefined if the value is a secret itself. Every schema that may apply
 * counts.
 */
function shownOf(value: unknown, meant: readonly unknown[], root: unknown): unknown {
  const schemas = new Set<Schema>();
  for (const each of meant) gather(each, root, schemas);
  if ([...schemas].some(isSecret)) return undefined;
  if (Array.isArray(value)) {
    const parts = [...schemas].flatMap(
      ({ items, prefixItems, additionalItems, contains, unevaluatedItems }) => [
        ...listOf(items),
        ...listOf(prefixItems),
        additionalItems,
        contains,
        unevaluatedItems,
      ],
    );
    return value.map((each) => shownOf(each, parts, root)).filter((each) => each !== undefined);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => !isNamedSecret(name, each))
      .map(([name, each]) => [
        name,
        shownOf(
          each,
          [...schemas].flatMap((schema) => partsOf(schema, name)),
          root,
        ),
      ])
      .filter(([, each]) => each !== undefined),
  );
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * The schemas of a property. All `patternProperties` count, because a server's regular expression could take
 * forever to test.
 */
function partsOf(schema: Schema, name: string): unknown[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  const patterns = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  const isNamed = isSchema(properties) && Object.hasOwn(properties, name);
  return [...patterns, ...(isNamed ? [properties[name]] : [additionalProperties, unevaluatedProperties])];
}

/** Collects a schema and all schemas that it refers to or combines. */
function gather(value: unknown, root: unknown, schemas: Set<Schema>): void {
  if (!isSchema(value) || schemas.has(value)) return;
  schemas.add(value);
  const { $ref, $dynamicRef, dependentSchemas, allOf, anyOf, oneOf } = value;
  for (const each of [$ref, $dynamicRef])
    if (typeof each === "string") gather(referred(each, root), root, schemas);
  for (const list of [allOf, anyOf, oneOf, dependentSchemas, [value["if"], value["then"], value["else"]]])
    for (const each of isSchema(list) ? Object.values(list) : []) gather(each, root, schemas);
}

/** Resolves a reference such as `#/$defs/name`. */
function referred(reference: string, root: unknown): unknown {
  const [, ...names] = reference.split("/");
  let at = root;
  for (const name of names) {
    const key = decode(name).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

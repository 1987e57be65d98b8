/**
 * Values by reference, so that settings files contain no secrets: `${env:NAME}`, `${NAME}`,
 * `${NAME:-default}` and `${secret:NAME}`. `$${` stands for `${`.
 *
 * @module
 */
import { isSecretName } from "@vitrine/protocol";
import { anyText, isObject, text, type ValueReader } from "./reader.js";

const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const SECRET = /\$\$\{|\$\{secret:([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** U+E000 is for private use. */
const NAMED = "\uE000";
const SECRET_NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** The values of references. */
export interface Sources {
  env: Readonly<Record<string, string | undefined>>;
  /** The secrets that {@link secretNames} found. */
  secrets: ReadonlyMap<string, string>;
  /** See `ReadOptions.repeat`. */
  repeat?: string | undefined;
}

/** The command that stores a secret where these settings look for it. */
export const secretCommandFor = (name: string, { repeat }: Sources): string =>
  `vitrine secret set ${name}${repeat ? ` ${repeat}` : ""}`;

/** Text with every reference resolved. Values are inserted literally: references in them are not resolved. */
export const referring =
  (sources: Sources): ValueReader<string> =>
  (value, spot) => {
    const { env, secrets } = sources;
    const written = anyText(value, spot);
    if (written === undefined) return undefined;
    let complete = true;
    const missing = (message: string, fix: string): string => {
      complete = false;
      spot.wrong(message, fix);
      return "";
    };
    const resolved = written.replace(REFERENCE, (whole, inside?: string) => {
      if (inside === undefined) return "${";
      // On one line, and shortened if the closing bracket is far away.
      const shown = JSON.stringify(whole.slice(0, 80)).slice(1, -1);
      const [, kind, rest = inside] = /^([a-z]+):(?!-)(.*)$/s.exec(inside) ?? [];
      if (kind === "secret") {
        const secret = secrets.get(rest);
        if (!SECRET_NAME.test(rest))
          return missing(`${shown} names no secret`, 'use 1 to 64 letters, digits, ".", "_" and "-"');
        return (
          secret ??
          missing(
            `there is no secret ${rest}`,
            `store it with ${secretCommandFor(rest, sources)}, or remove ${shown}`,
          )
        );
      }
      if (kind !== undefined && kind !== "env")
        return missing(
          `${shown} is not known`,
          `write \${env:NAME} or \${secret:NAME}, or $\${ for a plain \${`,
        );
      const [, name = rest, fallback] = /^([^:]*):-(.*)$/s.exec(rest) ?? [];
      if (!NAME.test(name))
        return missing(`${shown} names no variable`, `write \${NAME}, or $\${ for a plain \${`);
      return (
        env[name] ??
        fallback ??
        missing(`the environment variable ${name} is not set`, `set it, or write \${${name}:-default}`)
      );
    });
    return complete ? anyText(resolved, spot) : undefined;
  };

/**
 * The same sources, except that secrets, and variables with names like secrets, resolve to their own names. A
 * mark that cannot occur in a settings file distinguishes a name from the same characters in plain text.
 */
export const withNamedSecrets = ({ env, secrets, ...others }: Sources): Sources => ({
  ...others,
  env: Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, isSecretName(name) ? `${NAMED}{${name}}` : value]),
  ),
  secrets: new Map([...secrets.keys()].map((name) => [name, `${NAMED}{secret:${name}}`])),
});

/** The same for text that must not be empty. */
export const referringText =
  (sources: Sources): ValueReader<string> =>
  (value, spot) => {
    const resolved = referring(sources)(value, spot);
    return resolved === undefined ? undefined : text(resolved, spot);
  };

/** The names of all secrets that are referred to. */
export function secretNames(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value === "string") {
    for (const [, name] of value.matchAll(SECRET)) if (name && SECRET_NAME.test(name)) found.add(name);
  } else if (Array.isArray(value)) {
    for (const item of value) secretNames(item, found);
  } else if (isObject(value)) {
    // A disabled server needs no secrets.
    if (value["disabled"] !== true) for (const item of Object.values(value)) secretNames(item, found);
  }
  return found;
}

/**
 * Values by reference, so that no secret stands in a settings file: `${env:NAME}`, `${NAME}`, `${NAME:-default}` and
 * `${secret:NAME}`. `$${` stands for `${`.
 *
 * @module
 */
import { isObject, type Reader, text } from "./reader.js";

const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const SECRET = /\$\$\{|\$\{secret:([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SECRET_NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Where references lead. */
export interface Sources {
  env: Readonly<Record<string, string | undefined>>;
  /** The secrets that {@link secretNames} found. */
  secrets: ReadonlyMap<string, string>;
}

/** Text with every reference resolved. Values are put in as they are: references in them are plain text. */
export const referring =
  ({ env, secrets }: Sources): Reader<string> =>
  (value, spot) => {
    if (typeof value !== "string") return spot.wrong("must be text");
    let complete = true;
    const missing = (message: string): string => {
      complete = false;
      spot.wrong(message);
      return "";
    };
    const resolved = value.replace(REFERENCE, (whole, inside?: string) => {
      if (inside === undefined) return "${";
      const [, kind, rest = inside] = /^([a-z]+):(?!-)(.*)$/s.exec(inside) ?? [];
      if (kind === "secret") {
        const secret = secrets.get(rest);
        if (!SECRET_NAME.test(rest)) return missing(`${whole}: no name of a secret`);
        return secret ?? missing(`there is no secret ${rest}; store it first, or take ${whole} out`);
      }
      if (kind !== undefined && kind !== "env")
        return missing(
          `${whole}: only \${env:NAME} and \${secret:NAME} are known; write $\${ for a plain \${`,
        );
      const [, name = rest, fallback] = /^([^:]*):-(.*)$/s.exec(rest) ?? [];
      if (!NAME.test(name)) return missing(`${whole}: no name of a variable; write $\${ for a plain \${`);
      return env[name] ?? fallback ?? missing(`the environment variable ${name} is not set`);
    });
    if (!complete) return undefined;
    return resolved.includes("\0") ? spot.wrong("must not contain a NUL character") : resolved;
  };

/** The same, of text that must not be empty. */
export const referringText =
  (sources: Sources): Reader<string> =>
  (value, spot) => {
    const resolved = referring(sources)(value, spot);
    return resolved === undefined ? undefined : text(resolved, spot);
  };

/** The names of all secrets that are referred to, anywhere. */
export function secretNames(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value === "string") {
    for (const [, name] of value.matchAll(SECRET)) if (name && SECRET_NAME.test(name)) found.add(name);
  } else if (Array.isArray(value)) {
    for (const item of value) secretNames(item, found);
  } else if (isObject(value)) {
    // What is switched off needs nothing.
    if (value["disabled"] !== true) for (const item of Object.values(value)) secretNames(item, found);
  }
  return found;
}

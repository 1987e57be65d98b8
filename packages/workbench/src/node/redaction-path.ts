/**
 * Paths of values to redact in messages.
 *
 * @module
 */

/** Fields of a message. */
const BEGINNINGS = /^(params|result|error)$/;

/**
 * The problem with a path, as the end of a sentence; undefined if it is valid: names and numbers separated by
 * dots, starting with `params`, `result` or `error`. `*` matches every name and number, and an empty part, as
 * in `result.content.*.text..user`, leads into a JSON string.
 */
export function wrongPath(path: string): string | undefined {
  const parts = path.split(".");
  if (!BEGINNINGS.test(parts[0] ?? ""))
    return "begin with params, result or error, such as params.arguments.user";
  if (parts.length < 2) return "name a value in it, such as params.arguments.user or result.content.*.text";
  if (parts.at(-1) === "" || /\.\.\./.test(path) || /\s/.test(path))
    return "put names, numbers or * between single dots, such as result.content.*.text; two dots lead into JSON that is text";
  return undefined;
}

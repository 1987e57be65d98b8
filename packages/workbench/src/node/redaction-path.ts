/**
 * Where in a message a value is, as people write it to have it taken out of a recording.
 *
 * @module
 */

/** What a message carries. */
const BEGINNINGS = /^(params|result|error)$/;

/**
 * What is wrong with a path, as the end of a sentence; undefined for one that is right: names and numbers with dots between
 * them, from `params`, `result` or `error` on. `*` is every name and every number, and an empty part, as in
 * `result.content.*.text..user`, leads into a text that is JSON.
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

/** Whether a page's origin is the one that a policy's source names, or one of those. */
export function matchesHost(source: string, origin: string): boolean {
  const [before = "", after] = source.split("*");
  if (after) return origin.startsWith(before) && origin.endsWith(after);
  // Browsers disagree on the origin of files.
  if (source.endsWith(":")) return origin.startsWith(source) || (source === "file:" && origin === "null");
  return source === origin;
}

/**
 * Addresses in a page or a style sheet, as names of files.
 *
 * @module
 */

/**
 * An address as a name in the folder that a bundler wrote.
 *
 * @param from the file that has it
 */
export function nameInFolder(from: string, address: string): string {
  const path = decoded(address.replace(/[?#].*$/, ""));
  if (path.startsWith("/")) return path.slice(1);
  const names = from.split("/").slice(0, -1);
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.length === 0) return path;
      names.pop();
    } else if (name !== ".") names.push(name);
  }
  return names.join("/");
}

/** What is no encoding stands for itself. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

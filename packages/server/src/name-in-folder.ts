/**
 * Resolves addresses in a page or style sheet to file names.
 *
 * @module
 */

/**
 * Resolves an address to a name inside the bundler's output folder.
 *
 * @param from the file that contains the address
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

/** An invalid encoding is used literally. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

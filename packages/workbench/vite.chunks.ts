/**
 * The files into which the page's script is divided.
 *
 * @module
 */

/**
 * Puts everything that the page needs before its first app into one file, and everything that `vitrine render`
 * needs too into another. Sixty small files compress worse and take longer to load.
 *
 * @param pages the page for users, and that of `vitrine render`
 */
export function startChunks(
  pages: readonly string[],
): (id: string, graph: { getModuleInfo: ModuleInfoOf }) => string | undefined {
  let closures: Set<string>[] | undefined;
  return (id, { getModuleInfo }) => {
    closures ??= pages.map((entry) => closureOf(entry, getModuleInfo));
    const [isStart, isShared] = closures.map((closure) => closure.has(id));
    if (!isStart) return undefined;
    return isShared ? "shared" : "start";
  };
}

type ModuleInfoOf = (id: string) => { importedIds: readonly string[] } | null;

/** A module, and all that it imports statically. */
function closureOf(entry: string, infoOf: ModuleInfoOf): Set<string> {
  const closure = new Set([entry]);
  for (const id of closure) for (const imported of infoOf(id)?.importedIds ?? []) closure.add(imported);
  return closure;
}

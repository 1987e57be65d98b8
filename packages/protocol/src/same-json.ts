/**
 * Maximum depth, more than any real message has. Deeper values count as different: at worst, something is
 * sent again.
 */
const MAX_DEPTH = 100;

/** Whether two JSON values have the same content. A cycle ends at {@link MAX_DEPTH}. */
export function sameJson(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (!a || !b || typeof a !== "object" || typeof b !== "object") return false;
  if (depth > MAX_DEPTH || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth + 1),
    )
  );
}

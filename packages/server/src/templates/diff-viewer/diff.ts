/**
 * Finds equal lines of two texts: the shortest difference (Myers), as long as that is fast.
 *
 * @module
 */

/** Maximum number of changes in the search, which takes quadratic time. Beyond it, the rest is one block. */
const MAX_CHANGES = 2000;

/** For each line of the left text, its index on the right, or -1. */
export function matchLines(left: readonly string[], right: readonly string[]): Int32Array {
  const pairs = new Int32Array(left.length).fill(-1);
  let [start, n, m] = [0, left.length, right.length];
  while (start < n && start < m && left[start] === right[start]) pairs[start] = start++;
  while (n > start && m > start && left[n - 1] === right[m - 1]) pairs[--n] = --m;
  // Lines that only one side has are excluded from the search, so texts that share little are fast.
  const shared = (
    lines: readonly string[],
    end: number,
    others: readonly string[],
    othersEnd: number,
  ): number[] => {
    const known = new Set(others.slice(start, othersEnd));
    return [...lines.keys()].filter((at) => at >= start && at < end && known.has(lines[at] as string));
  };
  const [a, b] = [shared(left, n, right, m), shared(right, m, left, n)];
  const isSame = (x: number, y: number): boolean => left[a[x] as number] === right[b[y] as number];
  for (const [x, y] of shortest(a.length, b.length, isSame)) pairs[a[x] as number] = b[y] as number;
  return pairs;
}

/** Extends each diagonal per number of changes, then walks back to collect the pairs. */
function shortest(n: number, m: number, isSame: (x: number, y: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  const middle = Math.min(n + m, MAX_CHANGES) + 1;
  const far = new Int32Array(2 * middle + 1);
  const isDown = (diagonal: number, changes: number): boolean =>
    diagonal === -changes || (diagonal !== changes && at(diagonal - 1) < at(diagonal + 1));
  const at = (diagonal: number): number => far[middle + diagonal] as number;
  const before: Int32Array[] = [];
  for (let changes = 0; changes < middle; changes++) {
    before.push(far.slice(middle - changes, middle + changes + 1));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = isDown(diagonal, changes) ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < n && x - diagonal < m && isSame(x, x - diagonal)) x++;
      far[middle + diagonal] = x;
      if (x < n || x - diagonal < m) continue;
      let y = m;
      for (x = n; ; changes--) {
        far.set(before[changes] as Int32Array, middle - changes);
        const last = x - y + (isDown(x - y, changes) ? 1 : -1);
        const oldX = changes ? at(last) : 0;
        const oldY = changes ? oldX - last : 0;
        while (x > oldX && y > oldY) found.push([--x, --y]);
        if (changes === 0) return found;
        [x, y] = [oldX, oldY];
      }
    }
  }
  return found;
}

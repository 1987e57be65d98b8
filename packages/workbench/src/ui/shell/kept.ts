/**
 * Small choices of the person's, kept in this browser.
 *
 * @module
 */

/** What was kept under a name; a browser that keeps nothing has nothing. */
export function readKept(name: string): string | undefined {
  try {
    return localStorage.getItem(`vitrine-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps it, if the browser lets it. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`vitrine-${name}`, value);
  } catch {
    // Then it is as it was by default after a reload.
  }
}

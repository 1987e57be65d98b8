/**
 * Small user preferences, stored in this browser.
 *
 * @module
 */

/** The stored value; undefined in a browser without storage. */
export function readKept(name: string): string | undefined {
  try {
    return localStorage.getItem(`vitrine-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value, if the browser allows it. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`vitrine-${name}`, value);
  } catch {
    // Without storage, a reload uses the default.
  }
}

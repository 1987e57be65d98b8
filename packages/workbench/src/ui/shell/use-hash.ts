/**
 * Which of its screens the page shows, by its address.
 *
 * @module
 */
import { useSyncExternalStore } from "react";

const subscribe = (listener: () => void): (() => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

/** What stands behind `#` in the address. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1));

/** Goes to another screen, so that the browser's way back leads out of it. */
export function go(hash: string): void {
  location.hash = hash;
}

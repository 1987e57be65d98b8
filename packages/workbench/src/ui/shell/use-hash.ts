/**
 * Routes by the fragment of the address.
 *
 * @module
 */
import { useSyncExternalStore } from "react";

const subscribe = (listener: () => void): (() => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

/** The fragment of the address. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1));

/** Goes to another screen; the browser's back button returns. */
export function go(hash: string): void {
  location.hash = hash;
}

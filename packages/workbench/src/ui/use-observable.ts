/**
 * From the model to React.
 *
 * @module
 */
import { useSyncExternalStore } from "react";
import type { Observable } from "../model/observable.js";

/** Renders again whenever it changes. */
export function useObservable(model: Pick<Observable, "subscribe" | "version">): void {
  useSyncExternalStore(model.subscribe, () => model.version);
}

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

/**
 * What is read from a model. Renders again only when that is another value: a word of the model's is no reason to draw
 * what is around it.
 */
export function useObserved<M extends Pick<Observable, "subscribe">, T>(model: M, read: (model: M) => T): T {
  return useSyncExternalStore(model.subscribe, () => read(model));
}

/**
 * From the model to React.
 *
 * @module
 */
import { startTransition, useEffect, useState, useSyncExternalStore } from "react";
import { type Observable, whenCalm } from "../model/observable.js";

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

/**
 * Renders again after what is read was changed, when there is time and a piece at a time: for what is looked at beside the thing
 * that somebody waits for. Not around fields: what is typed must be there at once.
 *
 * @param read by default all of it: whether it changed at all
 */
export function useObservedCalmly<M extends Pick<Observable, "subscribe" | "version">>(
  model: M,
  read: (model: M) => unknown = ({ version }) => version,
): void {
  const [, setKnown] = useState(() => ({ model, value: read(model) }));
  useEffect(() => {
    const know = (before: { model: M; value: unknown }) => {
      const value = read(model);
      // What was read from another model says nothing of this one, even if it is the same.
      return before.model === model && Object.is(before.value, value) ? before : { model, value };
    };
    const draw = (): void => startTransition(() => setKnown(know));
    // After what is drawn at once: an app may be about to start in it.
    const tell = (): void => void setTimeout(() => whenCalm(draw));
    // It may have changed before anybody listened.
    tell();
    return model.subscribe(tell);
  }, [model, read]);
}

/**
 * Connects observable models to React.
 *
 * @module
 */
import { startTransition, useEffect, useState, useSyncExternalStore } from "react";
import { type Observable, whenCalm } from "../model/observable.js";

/** Renders again on every change. */
export function useObservable(model: Pick<Observable, "subscribe" | "version">): void {
  const version = (): number => model.version;
  useSyncExternalStore(model.subscribe, version, version);
}

/**
 * A value read from a model. Renders again only when that value changes, so that a chunk of the model's text
 * does not redraw everything.
 */
export function useObserved<M extends Pick<Observable, "subscribe">, T>(model: M, read: (model: M) => T): T {
  return useSyncExternalStore(model.subscribe, () => read(model));
}

/**
 * Renders again some time after a change, at low priority: for content beside the thing that the user waits
 * for. Not around fields, where typed text must appear immediately.
 *
 * @param read by default the version, which changes with any change
 */
export function useObservedCalmly<M extends Pick<Observable, "subscribe" | "version">>(
  model: M,
  read: (model: M) => unknown = ({ version }) => version,
): void {
  const [, setKnown] = useState(() => ({ model, value: read(model) }));
  useEffect(() => {
    const know = (before: { model: M; value: unknown }) => {
      const value = read(model);
      // A value read from another model says nothing about this one, even if it is equal.
      return before.model === model && Object.is(before.value, value) ? before : { model, value };
    };
    const draw = (): void => startTransition(() => setKnown(know));
    // After immediate rendering, in which an app may be about to start.
    const tell = (): void => void setTimeout(() => whenCalm(draw));
    // It may have changed before the subscription.
    tell();
    return model.subscribe(tell);
  }, [model, read]);
}

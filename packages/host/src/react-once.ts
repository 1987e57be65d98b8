/**
 * Sends the props of `<McpApp>` to the app: each once, without ever throwing out of an effect.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { type RefObject, useEffect, useRef } from "react";
import type { Bridge } from "./bridge.js";
import type { McpAppElement } from "./element.js";

/** Receives errors: the `onError` of the last render. */
type LatestProps = RefObject<{ onError?: ((error: VitrineError) => void) | undefined }>;

/**
 * Sends the first value of a prop, once. A refused value is retried on later renders, for example a result
 * that came before its input; the refusal is reported once.
 */
export function useOnce<T>(
  { element, latest }: { element: RefObject<McpAppElement | null>; latest: LatestProps },
  value: T | undefined,
  send: (bridge: Bridge, value: T) => void,
): void {
  const isSent = useRef(false);
  const isReported = useRef(false);
  useEffect(() => {
    if (value === undefined || isSent.current) return;
    const error = element.current?.bridge?.attempt((bridge) => send(bridge, value));
    isSent.current = !error;
    if (!error || isReported.current) return;
    isReported.current = true;
    tellError(latest, error);
  });
}

/** Calls `onError` after React's effects, because an error in it must not unmount the chat either. */
export function tellError(latest: LatestProps, thrown: unknown): void {
  const error =
    thrown instanceof VitrineError ? thrown : new VitrineError("invalid", `${thrown}`, { cause: thrown });
  queueMicrotask(() => latest.current.onError?.(error));
}

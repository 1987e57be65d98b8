/**
 * Sends the props of `<McpApp>` to the app: each once, without ever throwing out of an effect.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Bridge } from "./bridge.js";
import type { McpAppElement } from "./element.js";

/** The app, and the call that it shows. */
export interface OnceTarget {
  element: RefObject<McpAppElement | null>;
  latest: LatestProps;
  call: unknown;
  /** Whether the app is ready for the call of this render. */
  isReady: boolean;
}

/** Receives errors: the `onError` of the last render. */
type LatestProps = RefObject<{ onError?: ((error: VitrineError) => void) | undefined }>;

/**
 * The call that the app is ready for: that of the last render, once the app has left the one before. The first is
 * there at once.
 */
export function useCall(element: RefObject<McpAppElement | null>, call: unknown): unknown {
  const [ready, setReady] = useState(call);
  useEffect(() => {
    if (call === ready) return undefined;
    let isCurrent = true;
    void element.current?.frame?.nextCall().then(() => isCurrent && setReady(call));
    return () => {
      isCurrent = false;
    };
  }, [element, call, ready]);
  return ready;
}

/**
 * Sends the first value of a prop, once for each call. A refused value is retried on later renders, for example a result
 * that came before its input; the refusal is reported once, and so is another value after the first.
 */
export function useOnce<T>(
  { element, latest, isReady, call }: OnceTarget,
  name: string,
  value: T | undefined,
  send: (bridge: Bridge, value: T) => void,
): void {
  const sent = useRef<{ value: T; call: unknown; text?: string | undefined }>(undefined);
  const isReported = useRef(false);
  useEffect(() => {
    if (value === undefined || !isReady) return;
    if (sent.current && sent.current.call !== call) {
      sent.current = undefined;
      isReported.current = false;
    }
    let error: VitrineError | undefined;
    if (!sent.current) {
      error = element.current?.bridge?.attempt((bridge) => send(bridge, value));
      if (!error) sent.current = { value, call };
    } else if (sent.current.value !== value) {
      // Callers often write the same object anew in each render.
      sent.current.text ??= JSON.stringify(sent.current.value);
      if (JSON.stringify(value) !== sent.current.text) error = changed(name);
      else sent.current.value = value;
    }
    if (!error || isReported.current) return;
    isReported.current = true;
    tellError(latest, error);
  });
}

const changed = (name: string): VitrineError =>
  new VitrineError(
    "out-of-order",
    `${name} was not sent again: an app shows one tool call; use another \`call\` or \`key\` for another one`,
  );

/** Calls `onError` after React's effects, because an error in it must not unmount the chat either. */
export function tellError(latest: LatestProps, thrown: unknown): void {
  const error =
    thrown instanceof VitrineError ? thrown : new VitrineError("invalid", `${thrown}`, { cause: thrown });
  queueMicrotask(() => latest.current.onError?.(error));
}

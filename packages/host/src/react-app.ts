/**
 * The React component. It is a module of its own, because frameworks with server components accept no
 * `export *` in a client module.
 *
 * @module
 */
"use client";

import type { HostHandlers } from "@vitrine/guard";
import type { CallToolResult, JsonText, VitrineError } from "@vitrine/protocol";
import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type ReactNode,
  type RefAttributes,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from "react";
import type { Bridge } from "./bridge.js";
import { defineMcpApp, type McpAppElement } from "./element.js";
import type { AppFrameOptions } from "./frame/frame.js";
import { attributesOf, type ElementAttributes } from "./react-attributes.js";
import { tellError, useCall, useOnce } from "./react-once.js";

/**
 * Props of {@link McpApp}. `context`, `dimensions`, handlers, `fallback` and the attributes of the element follow
 * every render. An app gets each message of its tool call once: to show another call, use another `key` for another app,
 * or another `call` for the same one. All other props are read only on the first render.
 *
 * The adapter never throws while React renders or runs effects, so a wrong prop cannot unmount the chat
 * around it. Failures go to `onError`, and to the bridge's `report` listeners.
 */
export interface McpAppProps extends AppFrameOptions, ElementAttributes {
  /** Names the call. Another one is shown in place of the last: the app loads again, where it is. */
  call?: string | number | undefined;
  /** The tool's arguments so far, while the model writes them. */
  partialInput?: Record<string, unknown> | undefined;
  /** The tool's complete arguments: `{}` for a tool without any. An app gets no result before them. */
  input?: Record<string, unknown> | undefined;
  /** The tool's result. Without `input` it waits, and `onError` reports `out-of-order`. */
  result?: CallToolResult | JsonText | undefined;
  /** Why there will be no result. */
  cancelled?: string | undefined;
  /**
   * Receives each error once. `out-of-order`: the tool call does not allow this message now, such as a result after
   * `cancelled`, or another input. `closed`: the app was torn down. `invalid`: the props cannot make an app.
   */
  onError?: ((error: VitrineError) => void) | undefined;
  /** Elements with a `slot` replace words of the frame: see {@link McpAppElement}. */
  children?: ReactNode;
}

/**
 * An app in a React tree. It keeps running while the component is mounted, whatever is rendered around it. Its `ref`
 * is the app's bridge.
 *
 * @example
 * ```tsx source="./react.examples.tsx#mcpApp"
 * export function Weather({ view, upstream, guard, input, result, say }: WeatherProps) {
 *   return (
 *     <McpApp
 *       title="Weather"
 *       info={info}
 *       view={view}
 *       upstream={upstream}
 *       guard={guard}
 *       input={input}
 *       result={result}
 *       handlers={{ message: ({ content }) => say(JSON.stringify(content)) }}
 *       fallback={() => JSON.stringify(result?.content)}
 *     />
 *   );
 * }
 * ```
 */
export const McpApp: ForwardRefExoticComponent<McpAppProps & RefAttributes<Bridge | undefined>> = forwardRef<
  Bridge | undefined,
  McpAppProps
>(function McpApp(props, ref) {
  const { partialInput, input, result, cancelled, context, dimensions } = props;
  const element = useRef<McpAppElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const mounted = useRef(false);

  // Before the ref is set: the bridge exists as soon as the element does.
  useBrowserEffect(() => {
    const app = element.current;
    if (!app) return undefined;
    mounted.current = true;
    try {
      defineMcpApp();
      // StrictMode mounts twice; the app exists after the first.
      app.app ??= current(latest);
    } catch (error) {
      tellError(latest, error);
    }
    return () => {
      mounted.current = false;
      // If it is still in the page, it is only hidden, and continues.
      queueMicrotask(() => mounted.current || app.isConnected || app.close("unmounted"));
    };
  }, []);
  useImperativeHandle(ref, () => element.current?.bridge);

  useEffect(() => {
    if (context) element.current?.frame?.setContext(context);
  }, [context]);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the object, which callers often write inline.
  useEffect(() => {
    if (!isFirst.current) element.current?.frame?.setDimensions(dimensions);
    isFirst.current = false;
  }, [JSON.stringify(dimensions)]);
  const call = useCall(element, props.call);
  const isReady = call === props.call;
  useEffect(() => {
    if (!partialInput || input || !isReady) return;
    const error = element.current?.bridge?.attempt((bridge) => bridge.sendToolInputPartial(partialInput));
    if (error) tellError(latest, error);
  }, [partialInput, input, isReady]);
  const target = { element, latest, call, isReady };
  useOnce(target, "input", input, (bridge, value) => bridge.sendToolInput(value));
  useOnce(target, "result", result, (bridge, value) => bridge.sendToolResult(value));
  useOnce(target, "cancelled", cancelled, (bridge, value) => bridge.sendToolCancelled(value));
  return createElement("mcp-app", { ...attributesOf(props), ref: element }, props.children);
});

/** A server renders only the element. React 18 complains there about layout effects. */
const useBrowserEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/** The options, with functions that always use the last render. */
function current(latest: RefObject<McpAppProps>): AppFrameOptions {
  const { handlers = {}, ...options } = latest.current;
  const names = Object.keys(handlers) as (keyof HostHandlers)[];
  const call = (name: keyof HostHandlers, args: unknown[]): unknown =>
    (latest.current.handlers?.[name] as ((...args: unknown[]) => unknown) | undefined)?.(...args);
  return {
    ...options,
    handlers: Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, args)])),
    fallback: () => latest.current.fallback?.() ?? "",
    onstate: (...args) => latest.current.onstate?.(...args),
    onreport: (report) => latest.current.onreport?.(report),
  };
}

/**
 * `@vitrine/host/react`: an app in a React tree.
 *
 * @module
 */

import type { HostHandlers } from "@vitrine/guard";
import type { CallToolResult, JsonText, VitrineError } from "@vitrine/protocol";
import {
  createElement,
  type ReactElement,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from "react";
import type { Bridge } from "./bridge.js";
import { defineMcpApp, type McpAppElement } from "./element.js";
import type { AppFrameOptions } from "./frame/frame.js";
import { tellError, useOnce } from "./react-once.js";

export * from "./index.js";

/**
 * Props of {@link McpApp}. `context`, the tool call, handlers and `fallback` follow every render. All other
 * props are read only on the first render: use another `key` to show another app.
 *
 * The adapter never throws while React renders or runs effects, so a wrong prop cannot unmount the chat
 * around it. Failures go to `onError`, and to the bridge's `report` listeners.
 */
export interface McpAppProps extends AppFrameOptions {
  className?: string | undefined;
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
   * `cancelled`. `closed`: the app was torn down. `invalid`: the props cannot make an app.
   */
  onError?: ((error: VitrineError) => void) | undefined;
  /** The app's bridge. */
  ref?: Ref<Bridge | undefined> | undefined;
}

/**
 * An app in a React tree. It keeps running while the component is mounted, whatever is rendered around it.
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
export function McpApp(props: McpAppProps): ReactElement {
  const { className, ref, partialInput, input, result, cancelled, context } = props;
  const element = useRef<McpAppElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const mounted = useRef(false);

  // Before the ref is set: the bridge exists as soon as the element does.
  useLayoutEffect(() => {
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
  useEffect(() => {
    if (!partialInput || input) return;
    const error = element.current?.bridge?.attempt((bridge) => bridge.sendToolInputPartial(partialInput));
    if (error) tellError(latest, error);
  }, [partialInput, input]);
  const target = { element, latest };
  useOnce(target, input, (bridge, value) => bridge.sendToolInput(value));
  useOnce(target, result, (bridge, value) => bridge.sendToolResult(value));
  useOnce(target, cancelled, (bridge, value) => bridge.sendToolCancelled(value));
  return createElement("mcp-app", { ref: element, class: className });
}

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

/**
 * `@vitrine/host/react`: an app in a React tree.
 *
 * @module
 */
import type { CallToolResult, JsonText } from "@vitrine/protocol";
import {
  createElement,
  type ReactElement,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from "react";
import type { Bridge } from "./bridge.js";
import { defineMcpApp, type McpAppElement } from "./element.js";
import type { AppFrameOptions } from "./frame/frame.js";
import type { HostHandlers } from "./handlers.js";

export * from "./index.js";

/**
 * Props of {@link McpApp}. `context`, the tool call, handlers and `fallback` follow every render; the rest is that of
 * the first one: give the component another `key` for another app.
 */
export interface McpAppProps extends AppFrameOptions {
  className?: string | undefined;
  /** The tool's arguments so far, while the model writes them. */
  partialInput?: Record<string, unknown> | undefined;
  /** The tool's complete arguments. */
  input?: Record<string, unknown> | undefined;
  /** What the tool call came to. */
  result?: CallToolResult | JsonText | undefined;
  /** Why there will be no result. */
  cancelled?: string | undefined;
  /** How to speak to the app. */
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

  // Before the ref is given: a bridge is there as soon as the element is.
  useLayoutEffect(() => {
    defineMcpApp();
    const app = element.current;
    if (!app) return undefined;
    mounted.current = true;
    // StrictMode mounts twice, and the app is there after the first.
    app.app ??= current(latest);
    return () => {
      mounted.current = false;
      // Still in the page, it is only hidden, and goes on.
      queueMicrotask(() => mounted.current || app.isConnected || app.close("unmounted"));
    };
  }, []);
  useImperativeHandle(ref, () => element.current?.bridge);

  useEffect(() => {
    if (context) element.current?.frame?.setContext(context);
  }, [context]);
  useEffect(() => {
    if (partialInput && !input) element.current?.bridge?.sendToolInputPartial(partialInput);
  }, [partialInput, input]);
  useOnce(input, (value) => element.current?.bridge?.sendToolInput(value));
  useOnce(result, (value) => element.current?.bridge?.sendToolResult(value));
  useOnce(cancelled, (value) => element.current?.bridge?.sendToolCancelled(value));
  return createElement("mcp-app", { ref: element, class: className });
}

/** Sends a value when it is there for the first time. */
function useOnce<T>(value: T | undefined, send: (value: T) => void): void {
  const sent = useRef(false);
  useEffect(() => {
    if (value === undefined || sent.current) return;
    sent.current = true;
    send(value);
  });
}

/** The options, with functions that are always those of the last render. */
function current(latest: { current: McpAppProps }): AppFrameOptions {
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

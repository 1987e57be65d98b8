/**
 * `@vitrine/view/react`: hooks over {@link App}.
 *
 * @module
 */
import type { DisplayMode, HostContext, Theme } from "@vitrine/protocol";
import { type RefObject, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { App } from "./app.js";
import {
  type AdapterOptions,
  connect,
  createApp,
  documentTheme,
  hostContext,
  latest,
  type ServerToolState,
  type Store,
  serverTool,
} from "./store.js";
import { applyHostContext } from "./theme.js";
import type { ToolResult, ToolTypes, UntypedTool } from "./typed-app.js";
import type { ViewEvent, ViewEventMap } from "./view.js";

export * from "./index.js";
export type { ServerToolState };

/** Options of {@link useApp}. Only those of the first render are used. */
export type UseAppOptions = AdapterOptions;

/** Result of {@link useApp}. */
export interface AppState {
  /** The app, once connected. */
  app: App | null;
  isConnected: boolean;
  error: Error | null;
}

/**
 * Creates an app and connects it. Closes it when the component unmounts.
 *
 * @example
 * ```tsx source="./react.examples.tsx#useApp"
 * export function Weather() {
 *   const { app, error } = useApp({ appInfo: { name: "weather", version: "1.0.0" } });
 *   const [input, result] = [useToolInput(app), useToolResult(app)];
 *   if (error) return <p role="alert">{error.message}</p>;
 *   return <p>{result ? JSON.stringify(result.structuredContent) : `Looking at ${input?.city ?? "…"}`}</p>;
 * }
 * ```
 */
export function useApp(options: UseAppOptions): AppState {
  const [state, setState] = useState<AppState>({ app: null, isConnected: false, error: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the options of the first render count
  useEffect(() => {
    const app = createApp(options);
    let gone = false;
    // Connect one microtask later: StrictMode undoes its first mount before then, so the host never sees it.
    queueMicrotask(() => {
      if (gone) return;
      connect(app).then(
        () => gone || setState({ app, isConnected: true, error: null }),
        (error) => gone || setState({ app: null, isConnected: false, error }),
      );
    });
    return () => {
      gone = true;
      app.close();
    };
  }, []);
  return state;
}

const NOTHING: Store<undefined> = { get: () => undefined, subscribe: () => () => {} };
const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get, store.get);

/** The params of the last event with this name. */
export const useAppEvent = <E extends ViewEvent>(app: App | null, event: E): ViewEventMap[E] | undefined =>
  useStore<ViewEventMap[E] | undefined>(app ? latest(app, event) : NOTHING);
/** The tool's complete arguments. `useToolInput<Tools["forecast"]>(app)` gives them that tool's types. */
export const useToolInput = <T extends ToolTypes = UntypedTool>(app: App | null): T["input"] | undefined =>
  useAppEvent(app, "toolinput")?.arguments;
/** The arguments received so far; undefined once they are complete. */
export function useToolInputPartial<T extends ToolTypes = UntypedTool>(
  app: App | null,
): T["partial"] | undefined {
  const partial = useAppEvent(app, "toolinputpartial")?.arguments;
  return useAppEvent(app, "toolinput") ? undefined : partial;
}
/** The result of the tool call. */
export const useToolResult = <T extends ToolTypes = UntypedTool>(
  app: App | null,
): ToolResult<T> | undefined => useAppEvent(app, "toolresult") as ToolResult<T> | undefined;
/** The whole host context. */
export const useHostContext = (app: App | null): HostContext | undefined =>
  useStore<HostContext | undefined>(app ? hostContext(app) : NOTHING);
/** The theme that the document shows. */
export const useDocumentTheme = (): Theme => useStore(documentTheme);

/** The current display mode, the modes that the host offers, and a function to request another. */
export function useDisplayMode(app: App | null): {
  mode: DisplayMode;
  available: readonly DisplayMode[];
  request: (mode: DisplayMode) => Promise<DisplayMode>;
} {
  const { displayMode = "inline", availableDisplayModes = [] } = useHostContext(app) ?? {};
  const request = useCallback(
    async (mode: DisplayMode) => (app ? (await app.requestDisplayMode({ mode })).mode : "inline"),
    [app],
  );
  return { mode: displayMode, available: availableDisplayModes, request };
}

/** Calls one tool of the server and keeps the result of the last call. Does nothing while `app` is null. */
export function useServerTool<T extends ToolTypes = UntypedTool>(
  app: App | null,
  name: string,
): ServerToolState<T> & { call: (args?: T["input"]) => Promise<ToolResult<T> | undefined> } {
  const tool = useMemo(() => app && serverTool<T>(app, name), [app, name]);
  const state = useStore<ServerToolState<T> | undefined>(tool ?? NOTHING) ?? { isPending: false };
  const call = useCallback(async (args?: T["input"]) => tool?.call(args), [tool]);
  return { ...state, call };
}

/** State that survives a remount of the view. */
export function useAppState<T>(app: App | null, initial: T): [T, (value: T) => void] {
  const [own, setOwn] = useState<{ value: T }>();
  const kept = useMemo(() => app?.state.get<T>(), [app]);
  useEffect(() => own && app?.state.set(own.value), [app, own]); // Also stores a value set before `app` existed.
  const set = useCallback(
    (value: T) => {
      app?.state.set(value);
      setOwn({ value });
    },
    [app],
  );
  return [own ? own.value : kept === undefined ? initial : kept, set];
}

/** Applies the host's theme and styles, for an app with `autoTheme` off. */
export function useHostStyles(app: App | null, initial?: HostContext | null): void {
  const context = useHostContext(app) ?? initial ?? undefined;
  useEffect(() => applyHostContext(context), [context]);
}
export { useHostStyles as useHostFonts, useHostStyles as useHostStyleVariables };

/** Reports the size while the component is mounted, for an app with `autoResize` off. */
export function useAutoResize(app: App | null, _element?: RefObject<HTMLElement | null>): void {
  useEffect(() => app?.setupSizeChangedNotifications(), [app]);
}

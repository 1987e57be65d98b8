/**
 * `@vitrine/view/vue`: composables over {@link App}. Call them in `setup`.
 *
 * @module
 */
import type { DisplayMode, HostContext } from "@vitrine/protocol";
import {
  type ComputedRef,
  computed,
  markRaw,
  onMounted,
  onScopeDispose,
  type Ref,
  ref,
  shallowRef,
  type WritableComputedRef,
} from "vue";
import type { App } from "./app.js";
import {
  type AdapterOptions,
  appState,
  connect,
  createApp,
  hostContext,
  latest,
  partialInput,
  type Store,
  serverTool,
} from "./store.js";
import type { ToolResult, ToolTypes, UntypedTool } from "./typed-app.js";
import type { ViewEvent, ViewEventMap } from "./view.js";

export * from "./index.js";

/** Options of {@link useApp}. */
export type UseAppOptions = AdapterOptions;

/**
 * Creates an app, connects it when the component mounts, and closes it when the component unmounts.
 *
 * @example
 * ```ts source="./vue.examples.ts#useApp"
 * export const Weather = defineComponent(() => {
 *   const { app, error } = useApp({ appInfo: { name: "weather", version: "1.0.0" } });
 *   const result = useToolResult(app);
 *   const forecast = useServerTool(app, "forecast");
 *   return () => {
 *     if (error.value) return h("p", { role: "alert" }, error.value.message);
 *     const shown = JSON.stringify((forecast.result.value ?? result.value)?.structuredContent);
 *     return h("button", { onClick: () => forecast.call({ days: 1 }) }, shown ?? "Loading");
 *   };
 * });
 * ```
 */
export function useApp(options: UseAppOptions): {
  app: App;
  isConnected: Ref<boolean>;
  error: Ref<Error | undefined>;
} {
  // Raw, because a reactive proxy could not reach the app's private fields.
  const app = markRaw(createApp(options));
  const isConnected = ref(false);
  const error = shallowRef<Error>();
  onMounted(async () => {
    try {
      await connect(app);
      isConnected.value = true;
    } catch (reason) {
      error.value = reason as Error;
    }
  });
  onScopeDispose(() => app.close());
  return { app, isConnected, error };
}

function useStore<T>(store: Store<T>): Ref<T> {
  const value = shallowRef(store.get());
  onScopeDispose(
    store.subscribe(() => {
      value.value = store.get();
    }),
  );
  return value;
}

/** The params of the last event with this name. */
export const useAppEvent = <E extends ViewEvent>(app: App, event: E): Ref<ViewEventMap[E] | undefined> =>
  useStore(latest(app, event));
/** The tool's complete arguments. `useToolInput<Tools["forecast"]>(app)` gives them that tool's types. */
export function useToolInput<T extends ToolTypes = UntypedTool>(
  app: App,
): ComputedRef<T["input"] | undefined> {
  const input = useAppEvent(app, "toolinput");
  return computed(() => input.value?.arguments);
}
/** The arguments received so far; undefined once they are complete. */
export const useToolInputPartial = <T extends ToolTypes = UntypedTool>(
  app: App,
): Ref<T["partial"] | undefined> => useStore(partialInput(app));
/** The result of the tool call. */
export const useToolResult = <T extends ToolTypes = UntypedTool>(app: App): Ref<ToolResult<T> | undefined> =>
  useAppEvent(app, "toolresult") as Ref<ToolResult<T> | undefined>;

/** The whole host context, from the handshake on. */
export function useHostContext(app: App): Ref<HostContext | undefined> {
  return useStore(hostContext(app));
}

/** The current display mode, the modes that the host offers, and a function to request another. */
export function useDisplayMode(app: App): {
  mode: ComputedRef<DisplayMode>;
  available: ComputedRef<readonly DisplayMode[]>;
  request: (mode: DisplayMode) => Promise<DisplayMode>;
} {
  const context = useHostContext(app);
  return {
    mode: computed(() => context.value?.displayMode ?? "inline"),
    available: computed(() => context.value?.availableDisplayModes ?? []),
    request: async (mode) => (await app.requestDisplayMode({ mode })).mode,
  };
}

/** Calls one tool of the server and keeps the result of the last call. */
export function useServerTool<T extends ToolTypes = UntypedTool>(
  app: App,
  name: string,
): {
  call: (args?: T["input"]) => Promise<ToolResult<T>>;
  result: ComputedRef<ToolResult<T> | undefined>;
  error: ComputedRef<Error | undefined>;
  isPending: ComputedRef<boolean>;
} {
  const tool = serverTool<T>(app, name);
  const state = useStore(tool);
  return {
    call: tool.call,
    result: computed(() => state.value.result),
    error: computed(() => state.value.error),
    isPending: computed(() => state.value.isPending),
  };
}

/** Readable and writable state that survives a remount of the view. */
export function useAppState<T>(app: App, initial: T): WritableComputedRef<T> {
  const state = appState(app, initial);
  const value = useStore(state);
  return computed({ get: () => value.value, set: state.set });
}

/**
 * `@vitrine/view/vue`: composables over {@link App}. Call them in `setup`.
 *
 * @module
 */
import type { CallToolResult, DisplayMode, HostContext } from "@vitrine/protocol";
import { type ComputedRef, computed, onMounted, onScopeDispose, type Ref, ref, shallowRef } from "vue";
import type { App } from "./app.js";
import { type AdapterOptions, connect, createApp, hostContext, latest, type Store } from "./store.js";
import type { ViewEvent, ViewEventMap } from "./view.js";

export * from "./index.js";

/** Options of {@link useApp}. */
export type UseAppOptions = AdapterOptions;

/**
 * Creates the app, connects it when the component mounts, and closes it when the component goes.
 *
 * @example
 * ```ts source="./vue.examples.ts#useApp"
 * ```
 */
export function useApp(options: UseAppOptions): {
  app: App;
  isConnected: Ref<boolean>;
  error: Ref<Error | undefined>;
} {
  const app = createApp(options);
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

/** The params of the last event of that name. */
export const useAppEvent = <E extends ViewEvent>(app: App, event: E): Ref<ViewEventMap[E] | undefined> =>
  useStore(latest(app, event));
/** The tool's complete arguments. */
export function useToolInput(app: App): ComputedRef<Record<string, unknown> | undefined> {
  const input = useAppEvent(app, "toolinput");
  return computed(() => input.value?.arguments);
}
/** The arguments so far; undefined once they are complete. */
export function useToolInputPartial(app: App): ComputedRef<Record<string, unknown> | undefined> {
  const [partial, input] = [useAppEvent(app, "toolinputpartial"), useAppEvent(app, "toolinput")];
  return computed(() => (input.value ? undefined : partial.value?.arguments));
}
/** What the tool call came to. */
export const useToolResult = (app: App): Ref<CallToolResult | undefined> => useAppEvent(app, "toolresult");

/** The whole host context, from the handshake on. */
export function useHostContext(app: App): Ref<HostContext | undefined> {
  return useStore(hostContext(app));
}

/** The display mode in force, those that the host has, and a function to ask for another. */
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

/** Calls one tool of the server, and keeps what came back last. */
export function useServerTool(app: App, name: string) {
  const result = shallowRef<CallToolResult>();
  const error = shallowRef<Error>();
  const isPending = ref(false);
  const call = async (args?: Record<string, unknown>): Promise<CallToolResult> => {
    isPending.value = true;
    error.value = undefined;
    try {
      return (result.value = await app.callServerTool({ name, arguments: args }));
    } catch (reason) {
      error.value = reason as Error;
      throw reason;
    } finally {
      isPending.value = false;
    }
  };
  return { call, result, error, isPending };
}

/** State that outlives a remount of the view: read it, or set it. */
export function useAppState<T>(app: App, initial: T): ComputedRef<T> & { value: T } {
  const own = shallowRef<T>();
  const context = useHostContext(app);
  return computed({
    // The instance is known with the context, and with it what was kept.
    get: () => own.value ?? (context.value && app.state.get<T>()) ?? initial,
    set: (value) => {
      app.state.set(value);
      own.value = value;
    },
  });
}

/**
 * `@vitrine/view/svelte`: stores over {@link App}, for Svelte 3 and later. Call these functions during
 * component initialization.
 *
 * @module
 */
import type { DisplayMode, HostContext } from "@vitrine/protocol";
import { onDestroy } from "svelte";
import type { App } from "./app.js";
import {
  type AdapterOptions,
  connect,
  createApp as create,
  hostContext,
  latest,
  partialInput,
  type ServerToolState,
  type Store,
  appState as state,
  serverTool as tool,
  variable,
} from "./store.js";
import type { ToolResult, ToolTypes, UntypedTool } from "./typed-app.js";
import type { ViewEvent, ViewEventMap } from "./view.js";

export * from "./index.js";

/** A readable Svelte store: `$store` in a component. */
export interface Readable<T> {
  subscribe(run: (value: T) => void): () => void;
}
/** A writable Svelte store. */
export interface Writable<T> extends Readable<T> {
  set(value: T): void;
  update(change: (value: T) => T): void;
}

function readable<T>(store: Store<T>): Readable<T> {
  return {
    subscribe: (run) => {
      run(store.get());
      return store.subscribe(() => run(store.get()));
    },
  };
}

/** Options of {@link createApp}. */
export type CreateAppOptions = AdapterOptions;

/**
 * Creates an app and connects it. Closes it when the component is destroyed.
 *
 * @example
 * ```ts source="./svelte.examples.ts#createApp"
 * const { app, error } = createApp({ appInfo: { name: "weather", version: "1.0.0" } });
 * const input = toolInput(app);
 * const result = toolResult(app);
 * const forecast = serverTool(app, "forecast");
 * const tomorrow = () => forecast.call({ days: 1 });
 * // <h1>{$input?.city}</h1>
 * // <p>{$error?.message ?? $result?.structuredContent?.temperature}</p>
 * // <button onclick={tomorrow} disabled={$forecast.isPending}>Tomorrow</button>
 * ```
 */
export function createApp(options: CreateAppOptions): {
  app: App;
  isConnected: Readable<boolean>;
  error: Readable<Error | undefined>;
} {
  const app = create(options);
  const isConnected = variable(false);
  const error = variable<Error | undefined>(undefined);
  connect(app).then(() => isConnected.set(true), error.set);
  onDestroy(() => void app.close());
  return { app, isConnected: readable(isConnected), error: readable(error) };
}

const map = <T, U>(store: Store<T>, get: (value: T) => U): Readable<U> =>
  readable({ get: () => get(store.get()), subscribe: store.subscribe });

/** The params of the last event with this name. */
export const appEvent = <E extends ViewEvent>(app: App, event: E): Readable<ViewEventMap[E] | undefined> =>
  readable(latest(app, event));
/** The tool's complete arguments. `toolInput<Tools["forecast"]>(app)` gives them that tool's types. */
export const toolInput = <T extends ToolTypes = UntypedTool>(app: App): Readable<T["input"] | undefined> =>
  map(latest(app, "toolinput"), (params) => params?.arguments);
/** The arguments received so far; undefined once they are complete. */
export const toolInputPartial = <T extends ToolTypes = UntypedTool>(
  app: App,
): Readable<T["partial"] | undefined> => readable(partialInput(app));
/** The result of the tool call. */
export const toolResult = <T extends ToolTypes = UntypedTool>(
  app: App,
): Readable<ToolResult<T> | undefined> => appEvent(app, "toolresult") as Readable<ToolResult<T> | undefined>;
/** The whole host context, from the handshake on. */
export const appContext = (app: App): Readable<HostContext | undefined> => readable(hostContext(app));
/** The current display mode. To change it, call `app.requestDisplayMode`. */
export const displayMode = (app: App): Readable<DisplayMode> =>
  map(hostContext(app), (context) => context?.displayMode ?? "inline");

/** Calls one tool of the server and keeps the result of the last call. */
export function serverTool<T extends ToolTypes = UntypedTool>(
  app: App,
  name: string,
): Readable<ServerToolState<T>> & { call: (args?: T["input"]) => Promise<ToolResult<T>> } {
  const calls = tool<T>(app, name);
  return { ...readable(calls), call: calls.call };
}

/** State that survives a remount of the view. */
export function appState<T>(app: App, initial: T): Writable<T> {
  const { get, set, subscribe } = state(app, initial);
  return { ...readable({ get, subscribe }), set, update: (change) => set(change(get())) };
}

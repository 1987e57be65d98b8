/**
 * Shared by the framework adapters: the latest value of each event, as a store to read and subscribe to.
 *
 * @module
 */
import type { AppCapabilities, HostContext, Implementation, Theme } from "@vitrine/protocol";
import { App, type AppOptions } from "./app.js";
import { getDocumentTheme } from "./theme.js";
import type { ToolResult, ToolTypes, UntypedTool } from "./typed-app.js";
import type { ViewEvent, ViewEventMap } from "./view.js";

/** An observable value. */
export interface Store<T> {
  get(): T;
  /** Calls the listener on every change. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}
/** An observable value that can be set. */
export interface Variable<T> extends Store<T> {
  set(value: T): void;
}

export function variable<T>(initial: T): Variable<T> {
  const listeners = new Set<() => void>();
  let current = initial;
  return {
    get: () => current,
    set: (value) => {
      current = value;
      // An error in one listener does not affect others.
      for (const listener of [...listeners]) (async () => listener())().catch(reportError);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const stores = new WeakMap<App, Map<ViewEvent, Variable<unknown>>>();

/**
 * The params of the last event with this name; undefined before the first. Each app has one store per event.
 */
export function latest<E extends ViewEvent>(app: App, event: E): Variable<ViewEventMap[E] | undefined> {
  let own = stores.get(app);
  if (!own) stores.set(app, (own = new Map()));
  let store = own.get(event) as Variable<ViewEventMap[E] | undefined> | undefined;
  if (!store) {
    store = variable<ViewEventMap[E] | undefined>(undefined);
    own.set(event, store);
    app.on(event, store.set);
  }
  return store;
}

/** The whole host context. */
export function hostContext(app: App): Store<HostContext | undefined> {
  const { subscribe } = latest(app, "hostcontextchanged");
  return { get: () => app.getHostContext(), subscribe };
}

/** A store computed from other stores. */
export const derived = <T>(stores: readonly Store<unknown>[], get: () => T): Store<T> => ({
  get,
  subscribe: (listener) => {
    const ends = stores.map((store) => store.subscribe(listener));
    return () => {
      for (const end of ends) end();
    };
  },
});

/** The arguments received so far; undefined once they are complete. */
export function partialInput(app: App): Store<Record<string, unknown> | undefined> {
  const [partial, input] = [latest(app, "toolinputpartial"), latest(app, "toolinput")];
  return derived([partial, input], () => (input.get() ? undefined : partial.get()?.arguments));
}

/** State of the calls to one tool. */
export interface ServerToolState<Tool extends ToolTypes = UntypedTool> {
  result?: ToolResult<Tool>;
  error?: Error;
  isPending: boolean;
}
/** Calls one tool and exposes the state of the last call. */
export interface ServerTool<Tool extends ToolTypes = UntypedTool> extends Store<ServerToolState<Tool>> {
  call(args?: Tool["input"]): Promise<ToolResult<Tool>>;
}

/** Calls one tool of the server. Keeps the result of the last call, even if results arrive out of order. */
export function serverTool<Tool extends ToolTypes = UntypedTool>(app: App, name: string): ServerTool<Tool> {
  const state = variable<ServerToolState<Tool>>({ isPending: false });
  let last: Promise<ToolResult<Tool>>;
  const call = (args?: Tool["input"]): Promise<ToolResult<Tool>> => {
    // The server checks the arguments; they have the type it expects.
    const params = { name, arguments: args as Record<string, unknown> | undefined };
    const own = (last = app.callServerTool(params) as Promise<ToolResult<Tool>>);
    const settle = (outcome: Partial<ServerToolState<Tool>>): void => {
      if (own === last) state.set({ ...outcome, isPending: false });
    };
    state.set({ ...state.get(), isPending: true });
    own.then(
      (result) => settle({ result }),
      (error) => settle({ error }),
    );
    return own;
  };
  return { get: state.get, subscribe: state.subscribe, call };
}

/** State that survives a remount: the value set here, else the stored one, else the initial value. */
export function appState<T>(app: App, initial: T): Variable<T> {
  const own = variable<{ value: T } | undefined>(undefined);
  let kept: T | undefined;
  const get = (): T => {
    const changed = own.get();
    if (changed) return changed.value;
    kept ??= app.state.get<T>(); // Read only once: callers rely on getting the same object.
    return kept === undefined ? initial : kept;
  };
  const set = (value: T): void => {
    app.state.set(value);
    own.set({ value });
  };
  return { ...derived([own, hostContext(app)], get), set };
}

/** Options that every adapter needs to create an app. */
export interface AdapterOptions extends AppOptions {
  appInfo: Implementation;
  capabilities?: AppCapabilities;
  /** Called before the handshake: register handlers and tools here. */
  onAppCreated?: (app: App) => void;
}

/** Creates an app without connecting it. */
export function createApp({ appInfo, capabilities, onAppCreated, ...options }: AdapterOptions): App {
  const app = new App(appInfo, capabilities, options);
  onAppCreated?.(app);
  return app;
}

/** Connects an app and publishes the first host context to subscribers. */
export async function connect(app: App): Promise<void> {
  await app.connect();
  latest(app, "hostcontextchanged").set(app.getHostContext());
}

/** The theme that the document shows, no matter which code set it. */
export const documentTheme: Store<Theme> = {
  get: getDocumentTheme,
  subscribe: (listener) => {
    const observer = new MutationObserver(listener);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
    return () => observer.disconnect();
  },
};

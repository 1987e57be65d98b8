/**
 * What the framework adapters share: the latest of each event, as something to read and to subscribe to.
 *
 * @module
 */
import type { AppCapabilities, HostContext, Implementation } from "@vitrine/protocol";
import { App } from "./app.js";
import type { ViewEvent, ViewEventMap, ViewOptions } from "./view.js";

/** A value that changes. */
export interface Store<T> {
  get(): T;
  /** Calls the listener on every change; returns what ends it. */
  subscribe(listener: () => void): () => void;
}
/** A value that is changed by hand. */
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
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const stores = new WeakMap<App, Map<ViewEvent, Variable<unknown>>>();

/** The params of the last event of that name; undefined before the first. One store per app and event. */
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

/** What every adapter needs to know to create an app. */
export interface AdapterOptions extends ViewOptions {
  appInfo: Implementation;
  capabilities?: AppCapabilities;
  /** Called before the handshake: the place for handlers and tools. */
  onAppCreated?: (app: App) => void;
}

/** Creates an app that is not connected yet. */
export function createApp({ appInfo, capabilities, onAppCreated, ...options }: AdapterOptions): App {
  const app = new App(appInfo, capabilities, options);
  onAppCreated?.(app);
  return app;
}

/** Connects an app; those who read the context hear of the first one, too. */
export async function connect(app: App): Promise<void> {
  await app.connect();
  latest(app, "hostcontextchanged").set(app.getHostContext());
}

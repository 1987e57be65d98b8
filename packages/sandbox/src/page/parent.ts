/**
 * Works around Vue, which checks everything in a `ref` for markers. The official Vue example puts its `App`
 * there, which holds `window.parent`. Reading a cross-origin window throws, so every call of that app and of
 * later ones would fail. If Vue runs, `parent` is a proxy of the same window that Vue skips. Otherwise
 * nothing is changed.
 */

/** The proxy's window itself. */
export const PARENT: Window = parent;

let seen = PARENT;

/** A stand-in for the proxy's window, safe for Vue. With `post`, messages go through it. */
export const standInFor = (post?: (message: unknown, ...rest: unknown[]) => void): Window =>
  // With an empty target: with the window as target, the browser would check it after every trap, and throw.
  new Proxy({} as Window, {
    get(_, key) {
      if (typeof key === "string" && key.startsWith("__v_")) return key === "__v_skip";
      if (key === "postMessage" && post) return post;
      const value = Reflect.get(PARENT, key);
      return typeof value === "function" ? value.bind(PARENT) : value;
    },
    set(_, key, value) {
      // Adapters inside of documents replace it; the real window would refuse that.
      if (key !== "postMessage" || !post) return Reflect.set(PARENT, key, value);
      post = value;
      return true;
    },
  });

/** Waits for Vue, which registers itself in the window before any component is created. */
export function awaitVue(): void {
  const define = (key: string, property: PropertyDescriptor): unknown =>
    Object.defineProperty(window, key, { configurable: true, enumerable: true, ...property });
  if (seen === PARENT)
    define("__VUE__", {
      set(value) {
        define("__VUE__", { value, writable: true });
        seen = standInFor();
        define("parent", { get: () => seen });
      },
    });
  // Makes the sender of a message equal to `parent`. Runs before any other listener.
  addEventListener(
    "message",
    (event) => {
      if (event.source === PARENT && seen !== PARENT) Object.defineProperty(event, "source", { value: seen });
    },
    true,
  );
}

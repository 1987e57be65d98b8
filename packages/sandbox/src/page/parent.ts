/**
 * T07: Vue looks for marks on everything that is put into a `ref`, and the official Vue example puts its `App` there,
 * which holds `window.parent`. To look at a window of another origin throws, so every call of that app, and of each
 * that was made after it, would fail here. Where Vue runs, `parent` is a stand-in: the same window, and Vue passes it by.
 * Everywhere else nothing is touched.
 */

/** The proxy's window itself. */
export const PARENT: Window = parent;

let seen = PARENT;

const standIn = (): Window =>
  // Over an empty object: over the window itself the browser would look there after every answer, and throw.
  new Proxy({} as Window, {
    get(_, key) {
      if (typeof key === "string" && key.startsWith("__v_")) return key === "__v_skip";
      const value = Reflect.get(PARENT, key);
      return typeof value === "function" ? value.bind(PARENT) : value;
    },
    set: (_, key, value) => Reflect.set(PARENT, key, value),
  });

/** Waits for Vue, which names itself to the window before any component is made. */
export function awaitVue(): void {
  const define = (key: string, property: PropertyDescriptor): unknown =>
    Object.defineProperty(window, key, { configurable: true, enumerable: true, ...property });
  if (seen === PARENT)
    define("__VUE__", {
      set(value) {
        define("__VUE__", { value, writable: true });
        seen = standIn();
        define("parent", { get: () => seen });
      },
    });
  // Whoever compares finds the sender of a message to be the parent. Before any other listener.
  addEventListener(
    "message",
    (event) => {
      if (event.source === PARENT && seen !== PARENT) Object.defineProperty(event, "source", { value: seen });
    },
    true,
  );
}

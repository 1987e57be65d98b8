/**
 * Finds the route of a request.
 *
 * @module
 */
import { HttpError } from "./http-error.js";
import type { GuardedRoute, Route } from "./route.js";

/** A route, and the `{server}` in the path, if any. */
export interface FoundRoute {
  readonly route: Route;
  readonly server?: string | undefined;
}

const FILES = "/{file}";

/** The routes by path. There is always a result: unknown addresses are checked like all others. */
export class Router {
  /** By method and path, for paths without `{server}`. */
  readonly #plain = new Map<string, FoundRoute>();
  readonly #named: { route: Route; pattern: RegExp }[] = [];
  readonly #routes: readonly Route[];
  readonly #files: Route | undefined;

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
    this.#files = routes.find(({ path }) => path === FILES);
    for (const route of routes) {
      if (route === this.#files) continue;
      if (route.path.includes("{")) this.#named.push({ route, pattern: patternOf(route.path) });
      else this.#plain.set(`${route.method} ${route.path}`, { route });
    }
  }

  /** The route of a method and an address (a path, optionally with a query). */
  find(method: string, address: string): FoundRoute {
    const end = address.indexOf("?");
    const path = end < 0 ? address : address.slice(0, end);
    return (
      this.#plain.get(`${method} ${path}`) ?? this.#findNamed(method, path) ?? this.#findElse(method, path)
    );
  }

  #findNamed(method: string, path: string): FoundRoute | undefined {
    for (const { route, pattern } of this.#named) {
      const found = route.method === method ? pattern.exec(path) : null;
      if (found) return { route, server: decoded(found[1] ?? "") };
    }
    return undefined;
  }

  #findElse(method: string, path: string): FoundRoute {
    const allowed = this.#routes
      .filter((route) => route !== this.#files && patternOf(route.path).test(path))
      .map((route) => route.method);
    if (method === "GET" && this.#files && allowed.length === 0) return { route: this.#files };
    return { route: nowhere(method, allowed) };
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "([^/]+)")}$`);

/** Decodes a name. An invalid one is returned unchanged, and matches nothing. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The route of an unknown address. Like all others, it answers only authenticated callers. */
function nowhere(method: string, allowed: readonly string[]): GuardedRoute {
  return {
    method: method === "POST" || method === "DELETE" ? method : "GET",
    path: "",
    id: "nowhere",
    summary: "",
    auth: "required",
    changes: method !== "GET",
    at: "any-node",
    accepts: method === "POST" ? "application/json" : undefined,
    limit: 65_536,
    replies: {},
    handle: () => {
      if (allowed.length === 0) throw new HttpError("not-found", "nothing exists at this address");
      const allow = allowed.join(", ");
      throw new HttpError("method-not-allowed", `only ${allow} is allowed here`, { headers: { allow } });
    },
  };
}

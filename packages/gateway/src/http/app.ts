/**
 * The routes in Hono.
 *
 * @module
 */
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { failureOf, HttpError } from "./http-error.js";
import type { GuardedRoute, Route } from "./route.js";
import { answerFailure, type Serving, serve } from "./serve.js";

/** Hono, on Node. */
export type App = Hono<{ Bindings: HttpBindings }>;

/** The path as Hono writes it. */
export const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

/**
 * Makes Hono's routes. Each has one handler and no middleware around it: {@link serve} is all that a request passes, and
 * there is no way around it, not even for an address that leads nowhere.
 */
export function createApp(routes: readonly Route[], serving: Serving): App {
  const app: App = new Hono();
  const handler = (route: Route) => (c: Context<{ Bindings: HttpBindings }>) =>
    serve(
      route,
      {
        request: c.req.raw,
        incoming: c.env.incoming,
        outgoing: c.env.outgoing,
        server: c.req.param("server"),
      },
      serving,
    );
  for (const route of routes) {
    if (route.path !== "/{file}") app.on(route.method, honoPath(route.path), handler(route));
  }
  const files = routes.find(({ path }) => path === "/{file}");
  const serveFiles = files && handler(files);
  app.notFound((c) => {
    const { method = "" } = c.env.incoming;
    const allowed = methodsOf(c.req.path, routes);
    if (method === "GET" && serveFiles && allowed.length === 0) return serveFiles(c);
    return handler(nowhere(method, allowed))(c);
  });
  // What fails in Hono itself: `serve` never does.
  app.onError((error) => {
    serving.services.log.error({ err: error }, "failed");
    return answerFailure(failureOf(error));
  });
  return app;
}

/** The methods that a path has. */
function methodsOf(path: string, routes: readonly Route[]): string[] {
  return routes
    .filter(
      (route) =>
        route.path !== "/{file}" && new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
    )
    .map(({ method }) => method);
}

/** Where there is no route: told only to those who are known, as everything else. */
function nowhere(method: string, allowed: readonly string[]): GuardedRoute {
  return {
    method: method === "POST" || method === "DELETE" ? method : "GET",
    path: "",
    id: "nowhere",
    summary: "",
    auth: "required",
    changes: method !== "GET",
    accepts: method === "POST" ? "application/json" : undefined,
    limit: 65_536,
    replies: {},
    handle: () => {
      if (allowed.length === 0) throw new HttpError("not-found", "there is nothing at this address");
      const allow = allowed.join(", ");
      throw new HttpError("method-not-allowed", `only ${allow} is served here`, { headers: { allow } });
    },
  };
}

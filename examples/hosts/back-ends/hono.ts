import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";

/** Hono, and every framework whose handlers get a `Request`. */
export function honoListener(rpc: (request: Request) => Promise<Response>): RequestListener {
  const app = new Hono();
  app.all("/rpc", (c) => rpc(c.req.raw));
  // Without the option, it replaces the global `Request` and `Response`.
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

import type { RequestListener } from "node:http";
import { type FetchHandler, nodeListener } from "@vitrine/guard/node";
import Koa from "koa";

/** Koa 3. With a body parser, pass `context.request.body` as the third argument. */
export function koaListener(rpc: FetchHandler): RequestListener {
  const app = new Koa();
  const listener = nodeListener(rpc);
  app.use((context, next) => {
    if (context.path !== "/rpc") return next();
    context.respond = false;
    return listener(context.req, context.res);
  });
  return app.callback();
}

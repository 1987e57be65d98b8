import type { RequestListener } from "node:http";
import { type FetchHandler, nodeListener } from "@vitrine/guard/node";
import fastify from "fastify";

/** Fastify 5. Its `bodyLimit` applies before the endpoint's `maxBody`. */
export async function fastifyListener(rpc: FetchHandler): Promise<RequestListener> {
  const app = fastify();
  const listener = nodeListener(rpc);
  app.all("/rpc", (request, reply) => {
    reply.hijack();
    return listener(request.raw, reply.raw, request.body);
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
}

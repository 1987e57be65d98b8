import type { RequestListener } from "node:http";
import { type FetchHandler, nodeListener } from "@vitrine/guard/node";

/** Node's own `http`. */
export function httpListener(rpc: FetchHandler): RequestListener {
  const listener = nodeListener(rpc);
  return (request, response) => {
    if (request.url === "/rpc") void listener(request, response);
    else response.writeHead(404).end("No such page");
  };
}

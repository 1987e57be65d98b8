import type { Sandbox } from "@vitrine/sandbox";

/** The sandbox and the endpoint in a single fetch handler: Workers, Deno, Bun. */
export function worker(sandbox: Sandbox, rpc: (request: Request) => Promise<Response>) {
  return {
    async fetch(request: Request): Promise<Response> {
      const { host, pathname } = new URL(request.url);
      if (sandbox.handles(host)) return sandbox.fetch(request);
      return pathname === "/rpc" ? rpc(request) : new Response("No such page", { status: 404 });
    },
  };
}

/**
 * Serves the companion over Streamable HTTP, for local programs with its token.
 *
 * @module
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
} from "@modelcontextprotocol/server";
import { portError } from "../free-ports.js";
import type { Companion } from "./companion.js";
import { companionServer } from "./companion-server.js";
import { HttpSessions, refusal } from "./http-sessions.js";
import { InboxReader } from "./inbox.js";
import { MAX_MESSAGE, type RunningService } from "./serving.js";

/** Options of {@link serveByHttp}. */
export interface HttpOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Clients must send it as `Authorization: Bearer …`. */
  readonly token: string;
  onerror?: ((error: Error) => void) | undefined;
}

const HOST = "127.0.0.1";
const PATH = "/mcp";

/**
 * Serves both MCP generations at `/mcp`, on the loopback interface. Clients of the newer one have no
 * connection, so they share one news position.
 *
 * @throws {CliError} `port-in-use`, `port-forbidden`
 */
export async function serveByHttp(
  companion: Companion,
  { port, token, onerror }: HttpOptions,
): Promise<RunningService & { readonly url: string }> {
  const sessions = new HttpSessions(companion);
  const reader = new InboxReader(companion.inbox);
  const modern = createMcpHandler(
    () => companionServer(companion, { reader, isLasting: false, isModern: true }),
    { legacy: "reject", maxRequestBodySize: MAX_MESSAGE, ...(onerror && { onerror }) },
  );
  const stop = companion.attend(modern.notify);
  const fetch = async (request: Request): Promise<Response> => {
    const isOld = await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_MESSAGE });
    return isOld ? sessions.fetch(request) : modern.fetch(request);
  };
  const answer = toNodeHandler(
    { fetch: async (request) => refused(request, token) ?? (await fetch(request)) },
    { maxRequestBodySize: MAX_MESSAGE, ...(onerror && { onerror }) },
  );
  const listener = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  listener.listen(port, HOST);
  await once(listener, "listening").catch((error: unknown) => {
    const hint = "choose another with --http <port>, or stop the program that uses it";
    throw portError(Object(error)["code"], port, hint) ?? error;
  });
  const { port: taken } = listener.address() as AddressInfo;
  return {
    url: `http://${HOST}:${taken}${PATH}`,
    async close() {
      stop();
      await sessions.close();
      await modern.close();
      const closed = once(listener, "close");
      listener.close();
      listener.closeAllConnections();
      await closed;
    },
  };
}

/** The refusal of a request; undefined if it is allowed. */
function refused(request: Request, token: string): Response | undefined {
  // Protects against DNS rebinding: then the host name differs.
  const wrongHost = hostHeaderValidationResponse(request, localhostAllowedHostnames());
  if (wrongHost) return wrongHost;
  // Only browsers send it, and no page may use the companion.
  if (request.headers.has("origin")) return refusal(403, -32000, "pages cannot use the companion");
  if (new URL(request.url).pathname !== PATH) return refusal(404, -32000, `unknown path: use ${PATH}`);
  const [, given = ""] = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (isSame(given, token)) return undefined;
  const response = refusal(401, -32000, "send the token that the companion printed: Authorization: Bearer …");
  response.headers.set("www-authenticate", "Bearer");
  return response;
}

/** Compares in constant time. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * A server behind a {@link hostEndpoint}, as an {@link Upstream} for the page.
 *
 * @module
 */
import { encodeRequest, JsonText, type Result, recordOf, VitrineError } from "@vitrine/protocol";
import { resultText } from "../endpoint/http-answer.js";
import type { ServerCapabilities, Upstream } from "./upstream.js";

/** Options of {@link httpUpstream}. */
export interface HttpUpstreamOptions {
  /** Address of the endpoint. */
  url: string | URL;
  /** See {@link Upstream.server}. */
  server: string;
  /** The server's capabilities: the back end knows them, and must pass them to the page. */
  capabilities: ServerCapabilities;
  /** Sent with every request; a function is called each time, for short-lived tokens. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/**
 * Characters of an answer above which it is not parsed here, because two frames on its way would parse it
 * again.
 */
const LARGE = 100_000;

/**
 * Sends a view's requests to a back end, each with one POST. Aborting a request aborts its POST.
 *
 * Plain HTTP only carries answers. `listen` receives nothing, so `listChanged` and `subscribe` are removed
 * from the capabilities. There is no progress either.
 *
 * @example
 * ```ts source="../endpoint/http-endpoint.examples.ts#httpUpstream"
 * const upstream = httpUpstream({
 *   url: "/views",
 *   server: "weather",
 *   capabilities: { tools: {}, resources: {} },
 *   headers: async () => ({ authorization: `Bearer ${await token()}` }),
 * });
 * // The guard is in the back end: new Bridge({ info, upstream, guard: "behind-upstream" })
 * ```
 */
export function httpUpstream(options: HttpUpstreamOptions): Upstream {
  const { url, server, headers } = options;
  const { tools, resources, prompts } = options.capabilities;
  const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  let lastId = 0;

  return {
    server,
    capabilities: {
      ...(tools && { tools: {} }),
      ...(resources && { resources: {} }),
      ...(prompts && { prompts: {} }),
    },
    async request(method, params, { signal } = {}) {
      const id = ++lastId;
      const body = writeBody(encodeRequest(id, method, params));
      let status: number;
      let text: string;
      try {
        signal?.throwIfAborted();
        const own = new Headers(typeof headers === "function" ? await headers() : headers);
        own.set("content-type", "application/json");
        // A redirect target would get the headers and their authorization.
        const init: RequestInit = { method: "POST", headers: own, body, redirect: "error" };
        const response = await send(url, signal ? { ...init, signal } : init);
        status = response.status;
        text = await response.text();
      } catch (cause) {
        // The address stays in the cause, because a view may read the message.
        throw signal?.aborted
          ? new VitrineError("aborted", `${method}: aborted`, { cause })
          : new VitrineError("closed", "the server could not be reached: the connection failed", { cause });
      }
      const raw = status === 200 && text.length > LARGE ? resultText(text, id) : undefined;
      return raw === undefined ? (readAnswer(text, id, status) as Result<typeof method>) : new JsonText(raw);
    },
    listen: () => () => {},
  };
}

function writeBody(message: object): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw new VitrineError("send-failed", "cannot be sent: this is not JSON", { cause });
  }
}

function readAnswer(text: string, id: number, status: number): object {
  const answer = parse(text);
  const { code, message, data } = recordOf(answer.error);
  // An unreadable request is refused without an id.
  if (Number.isInteger(code) && (answer.id === id || answer.id === null)) {
    throw new VitrineError(Number(code), String(message), { data });
  }
  const { result } = answer;
  if (answer.id === id && typeof result === "object" && result !== null) return result;
  throw new VitrineError("invalid", `the answer (HTTP ${status}) is not a JSON-RPC answer to this request`);
}

function parse(text: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}

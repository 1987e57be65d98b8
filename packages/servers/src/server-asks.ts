/**
 * Requests that a server makes to the client: sampling and elicitation.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";
import type { RequestTimeouts } from "./request-timeouts.js";

/** Client capabilities for requests of servers. */
export interface AskCapabilities {
  sampling?: Record<string, never>;
  elicitation?: { form?: Record<string, never>; url?: Record<string, never> };
  roots?: { listChanged: boolean };
  /** Replaces the extensions that are declared otherwise. */
  extensions?: Record<string, { mimeTypes?: string[] }>;
}

/** A folder or address that a server may work in. */
export interface Root {
  /** Usually `file://…`. */
  readonly uri: string;
  readonly name?: string | undefined;
}

/** Answers one request. The params come from the server and are not validated yet. */
type AnswerAsk = (params: unknown, signal: AbortSignal) => Promise<object>;

/** Answers the requests of a server. */
export interface ServerAsks {
  /**
   * Capabilities declared in the handshake, and with every request from revision 2026-07-28 on. Must be fast.
   */
  capabilities(): AskCapabilities;
  /** `sampling/createMessage` */
  readonly sample?: AnswerAsk | undefined;
  /** `elicitation/create` */
  readonly elicit?: AnswerAsk | undefined;
  /** `roots/list`: declared only while somebody has set roots for this server. */
  readonly roots?: (() => readonly Root[]) | undefined;
  /** `notifications/elicitation/complete` */
  completed?(elicitationId: string): void;
}

/**
 * Answers one request of a server, and suspends timeouts meanwhile: the call that it belongs to waits for a
 * user.
 *
 * @throws {VitrineError} −32601 for an unsupported method; otherwise why there is no answer
 */
export async function answerAsk(
  asks: ServerAsks | undefined,
  timeouts: RequestTimeouts,
  { method, params }: { method: unknown; params?: unknown },
  signal: AbortSignal,
): Promise<object> {
  const answer =
    method === "sampling/createMessage"
      ? asks?.sample
      : method === "elicitation/create"
        ? asks?.elicit
        : method === "roots/list" && asks?.roots
          ? async () => ({ roots: asks.roots?.() ?? [] })
          : undefined;
  if (!answer) {
    throw new VitrineError(
      METHOD_NOT_FOUND,
      `${String(method).slice(0, 100)} is not supported by this client`,
    );
  }
  const release = timeouts.hold();
  try {
    return await answer(params, signal);
  } finally {
    release();
  }
}

/** Registers handlers with the client for its declared capabilities. */
export function takeAsks(
  client: Client,
  asks: ServerAsks,
  capabilities: AskCapabilities,
  timeouts: RequestTimeouts,
): void {
  const handle = (request: { method: string; params?: unknown }, signal: AbortSignal): Promise<never> =>
    // The services and the client validate the result.
    answerAsk(asks, timeouts, request, signal) as Promise<never>;
  if (capabilities.sampling) {
    client.setRequestHandler("sampling/createMessage", (request, { mcpReq }) =>
      handle(request, mcpReq.signal),
    );
  }
  if (capabilities.roots) {
    client.setRequestHandler("roots/list", (request, { mcpReq }) => handle(request, mcpReq.signal));
  }
  if (!capabilities.elicitation) return;
  client.setRequestHandler("elicitation/create", (request, { mcpReq }) => handle(request, mcpReq.signal));
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
    asks.completed?.(params.elicitationId);
  });
}

/**
 * What a server asks of us: to have the model asked, and the person.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";
import type { Patience } from "./patience.js";

/** What this client can do for servers. */
export interface AskCapabilities {
  sampling?: Record<string, never>;
  elicitation?: { form: Record<string, never>; url: Record<string, never> };
}

/** Answers one question. The params are the server's words, and checked by nobody yet. */
type AnswerAsk = (params: unknown, signal: AbortSignal) => Promise<object>;

/** Who answers what a server asks. */
export interface ServerAsks {
  /**
   * What the server is told: in the handshake, and with every request from revision 2026-07-28 on, so that it must be
   * quick.
   */
  capabilities(): AskCapabilities;
  /** `sampling/createMessage` */
  readonly sample?: AnswerAsk | undefined;
  /** `elicitation/create` */
  readonly elicit?: AnswerAsk | undefined;
  /** `notifications/elicitation/complete` */
  completed?(elicitationId: string): void;
}

/**
 * Answers one question of a server's, and lets nothing time out meanwhile: the call that it belongs to waits for a person.
 *
 * @throws {VitrineError} −32601 for what cannot be asked here; or why there is no answer
 */
export async function answerAsk(
  asks: ServerAsks | undefined,
  patience: Patience,
  { method, params }: { method: unknown; params?: unknown },
  signal: AbortSignal,
): Promise<object> {
  const answer =
    method === "sampling/createMessage"
      ? asks?.sample
      : method === "elicitation/create"
        ? asks?.elicit
        : undefined;
  if (!answer) {
    throw new VitrineError(
      METHOD_NOT_FOUND,
      `${String(method).slice(0, 100)} cannot be asked of this client`,
    );
  }
  const release = patience.hold();
  try {
    return await answer(params, signal);
  } finally {
    release();
  }
}

/** Has the client answer what it says it can. */
export function takeAsks(
  client: Client,
  asks: ServerAsks,
  capabilities: AskCapabilities,
  patience: Patience,
): void {
  const handle = (request: { method: string; params?: unknown }, signal: AbortSignal): Promise<never> =>
    // What it must look like is checked by the desks, and by the client.
    answerAsk(asks, patience, request, signal) as Promise<never>;
  if (capabilities.sampling) {
    client.setRequestHandler("sampling/createMessage", (request, { mcpReq }) =>
      handle(request, mcpReq.signal),
    );
  }
  if (!capabilities.elicitation) return;
  client.setRequestHandler("elicitation/create", (request, { mcpReq }) => handle(request, mcpReq.signal));
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
    asks.completed?.(params.elicitationId);
  });
}

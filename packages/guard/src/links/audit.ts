/**
 * What every view did, and what it was not let do.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { readLink } from "../link-policy.js";
import type { Link } from "./link.js";
import { isRefusal } from "./refusal.js";
import { payloadSize } from "./size.js";

/** One call of a view, when it is over. */
export interface AuditRow {
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  readonly view: string;
  readonly server: string;
  readonly method: string;
  /** The tool, the prompt, the resource's URI, or the link's host. */
  readonly target?: string | undefined;
  readonly outcome: "allowed" | "refused" | "failed";
  /** Why not: a refusal's word, or an error's code. */
  readonly code?: string | number | undefined;
  /** In milliseconds. */
  readonly duration: number;
  /** Of params and result together, in characters of JSON, or somewhat above a limit that they exceed. */
  readonly size: number;
  /** What was asked; only if the host wants payloads recorded (D22). */
  readonly params?: Record<string, unknown> | undefined;
}

/** Options of {@link writeAudit}. */
export interface AuditOptions {
  /** Hears one row for each call. */
  sink: (row: AuditRow) => void | Promise<void>;
  /** Record params too. They may hold anything, secrets included. */
  payloads?: boolean | undefined;
  /** Hears that the sink failed. Calls go on. */
  onerror?: ((error: unknown) => void) | undefined;
}

const MAX_TARGET = 500;

/**
 * Tells the sink about every call, the refused ones too. Put it first, so that it sees what all others do. A flood of
 * dropped notifications is one row (D03).
 *
 * @example
 * ```ts source="./guard.examples.ts#writeAudit"
 * const link = writeAudit({ sink: save, onerror: warn });
 * ```
 */
export const writeAudit =
  ({ sink, payloads, onerror }: AuditOptions, now: () => number = Date.now): Link =>
  async (call, next) => {
    const time = now();
    const write = (outcome: AuditRow["outcome"], code?: string | number, result?: unknown) => {
      const { view, server, method, params } = call;
      const size = payloadSize(params) + payloadSize(result);
      const row = {
        time,
        view,
        server,
        method,
        target: targetOf(call),
        outcome,
        code,
        duration: now() - time,
        size,
      };
      // `async`: what throws at once, or later, ends in the same place, and stops nothing.
      (async () => sink(payloads ? { ...row, params } : row))().catch((error) => onerror?.(error));
    };
    try {
      const result = await next(call);
      write("allowed", undefined, result);
      return result;
    } catch (error) {
      if (!isRefusal(error)) write("failed", error instanceof VitrineError ? error.code : undefined);
      else if (!error.data.repeated) write("refused", error.data.code);
      throw error;
    }
  };

/**
 * What a call is about, for a record: the tool, the prompt, the resource's URI, or the link's host.
 *
 * @example
 * ```ts source="./guard.examples.ts#targetOf"
 * const target = targetOf({ method: "ui/open-link", params: { url: "https://evil.example/?secret" } });
 * // "evil.example"
 * ```
 */
export function targetOf({
  method,
  params,
}: {
  method: string;
  params: Record<string, unknown>;
}): string | undefined {
  // Of a link the host alone: the rest may be what an app wants to carry off (attack A42).
  const link = method === "ui/open-link" ? readLink(params["url"]) : undefined;
  const target = link ? link.ok && link.host : (params["uri"] ?? params["name"]);
  return typeof target === "string" ? target.slice(0, MAX_TARGET) : undefined;
}

/**
 * Audits the calls of views, including refused ones.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { readLink } from "../link-policy.js";
import type { Link } from "./link.js";
import { isRefusal } from "./refusal.js";
import { payloadSize } from "./size.js";

/** A completed call of a view. */
export interface AuditRow {
  /** Start time, in milliseconds since 1970. */
  readonly time: number;
  readonly view: string;
  readonly server: string;
  readonly method: string;
  /** The tool, the prompt, the resource's URI, or the link's host. */
  readonly target?: string | undefined;
  readonly outcome: "allowed" | "refused" | "failed";
  /** Why it failed: a refusal's code, or an error's. */
  readonly code?: string | number | undefined;
  /** In milliseconds. */
  readonly duration: number;
  /** Size of params and result together, in characters of JSON, or somewhat above an exceeded limit. */
  readonly size: number;
  /** The params; only if the host wants payloads recorded. */
  readonly params?: Record<string, unknown> | undefined;
}

/** Options of {@link writeAudit}. */
export interface AuditOptions {
  /** Called with one row per call. */
  sink: (row: AuditRow) => void | Promise<void>;
  /** Also record params. They may contain secrets. */
  payloads?: boolean | undefined;
  /** Called when the sink failed. Calls go on. */
  onerror?: ((error: unknown) => void) | undefined;
}

const MAX_TARGET = 500;

/**
 * Passes every call to the sink, including refused ones. Put it first, so that it sees the effects of all
 * others. A flood of dropped notifications is one row.
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
      // `async`, so that synchronous and asynchronous errors are handled the same, and stop nothing.
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
 * The target of a call for a record: the tool, the prompt, the resource's URI, or the link's host.
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
  // Only the host of a link: the rest may be data that an app exfiltrates.
  const link = method === "ui/open-link" ? readLink(params["url"]) : undefined;
  // A request may have both, of which its server reads one.
  const [subject, other] = method.startsWith("resources/") ? ["uri", "name"] : ["name", "uri"];
  const target = link ? link.ok && link.host : (params[`${subject}`] ?? params[`${other}`]);
  return typeof target === "string" ? target.slice(0, MAX_TARGET) : undefined;
}

/**
 * The gateway's audit log.
 *
 * @module
 */
import { askGateway } from "../../model/ask-gateway.js";

/** The displayed part of an audit log row. */
export interface ShownAuditRow {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly kind: "entry" | "outcome" | "mark";
  /** For an outcome: the entry's `seq`. */
  readonly of?: number | undefined;
  readonly actor?: string | undefined;
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  readonly decision?: string | undefined;
  readonly reason?: string | undefined;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly duration?: number | undefined;
  /** Of an entry: the trace id of its call, from the click to the server. */
  readonly trace?: string | undefined;
}

/** Rows per request. */
export const PAGE = 100;

/** Rows of the audit log, newest first; `to` is the time of the last known one. */
export async function readAudit(query: {
  server: string;
  view?: string | undefined;
  method?: string | undefined;
  to?: number | undefined;
  limit?: number | undefined;
}): Promise<ShownAuditRow[]> {
  const search = new URLSearchParams({ newestFirst: "true" });
  for (const [name, value] of Object.entries({ limit: PAGE, ...query }))
    if (value !== undefined) search.set(name, `${value}`);
  const { rows } = (await askGateway(`/api/audit?${search}`)) as { rows: ShownAuditRow[] };
  return rows;
}

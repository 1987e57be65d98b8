/**
 * The gateway's records: audit log and consents.
 *
 * @module
 */

/** A stored answer. */
export interface Consent {
  readonly server: string;
  readonly method: string;
  readonly subject: string;
  /** Of an answer about tools: who may call them. */
  readonly actor?: "app" | "model" | undefined;
  readonly answer: "allow" | "deny";
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
  readonly expiresAt?: number | undefined;
}

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

/** The stored consents of a server. */
export async function readConsents(server: string): Promise<Consent[]> {
  const { consents } = (await ask("GET", "/api/consents")) as { consents: Consent[] };
  return consents.filter((consent) => consent.server === server);
}

/** Revokes consents: one, or all of a server. */
export async function revokeConsents(key: {
  server: string;
  method?: string;
  subject?: string;
  actor?: string;
}): Promise<void> {
  await ask("DELETE", `/api/consents?${new URLSearchParams(key)}`);
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
  const { rows } = (await ask("GET", `/api/audit?${search}`)) as { rows: ShownAuditRow[] };
  return rows;
}

async function ask(method: "GET" | "DELETE", path: string): Promise<unknown> {
  const answer = await fetch(path, { method, headers: { accept: "application/json" } });
  if (answer.ok) return answer.json();
  const { error } = (await answer.json().catch(() => ({}))) as {
    error?: { message?: string; data?: { trace?: string } };
  };
  const message = error?.message ?? `the gateway answered with status ${answer.status}`;
  throw Object.assign(new Error(message), { data: error?.data });
}

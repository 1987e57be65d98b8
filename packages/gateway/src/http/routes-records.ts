/**
 * Routes of the audit log and of approvals.
 *
 * @module
 */
import type { ToolVisibility } from "@vitrine/protocol";
import { ASK_LEVELS, isAskLevel } from "../guard/ask-level.js";
import type { AuditQuery, StoredAuditRow } from "../store/store.js";
import { json } from "./answer.js";
import { CLOSED } from "./headers.js";
import type { GuardedRoute } from "./route.js";
import type { ObjectSchema, OpenApiSchema } from "./schema.js";

const name: OpenApiSchema = { type: "string", minLength: 1, maxLength: 500 };
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const time: OpenApiSchema = { ...count, description: "Milliseconds since 1970." };

const filters = {
  user: name,
  view: name,
  server: name,
  identity: name,
  trace: name,
  method: name,
  decision: { type: "string", enum: ["allowed", "refused"] },
  outcome: { type: "string", enum: ["ok", "failed", "cancelled", "indeterminate"] },
  from: time,
  to: time,
  after: { ...count, description: "Only rows after this one." },
} as const satisfies Record<string, OpenApiSchema>;

const exportQuery: ObjectSchema = { type: "object", properties: filters, additionalProperties: false };
const auditQuery: ObjectSchema = {
  ...exportQuery,
  properties: {
    ...filters,
    limit: { type: "integer", minimum: 1, maximum: 1000 },
    newestFirst: { type: "boolean" },
  },
};
const consentQuery: ObjectSchema = {
  type: "object",
  properties: {
    server: name,
    identity: name,
    method: name,
    subject: { type: "string", maxLength: 2000 },
    actor: { type: "string", enum: ["app", "model"], description: "Of tools: who may call them." },
  },
  required: ["server"],
  additionalProperties: false,
};

const levelBody = {
  type: "object",
  properties: {
    server: name,
    identity: {
      ...name,
      description: "The server that is meant; by default, the one that has the name now.",
    },
    level: {
      type: "string",
      enum: [...ASK_LEVELS],
      description:
        "`always`: before every action of its apps. `changes`: before every call of a tool that is not declared read-only. `important`: as the policy and remembered approvals say.",
    },
  },
  required: ["server", "level"],
  additionalProperties: false,
  example: { server: "weather", level: "changes" },
} as const satisfies ObjectSchema & { example: unknown };

const row = {
  seq: 1,
  time: 1_794_000_000_000,
  kind: "entry",
  user: "local",
  actor: "http",
  server: "weather",
  method: "tools/call",
  target: "forecast",
  decision: "allowed",
  reason: "policy",
  hash: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
};

export const RECORD_ROUTES: readonly GuardedRoute[] = [
  {
    method: "GET",
    path: "/api/audit",
    id: "audit",
    summary: "Rows of the audit log.",
    auth: "required",
    changes: false,
    at: "users-node",
    query: auditQuery,
    replies: {
      200: { description: "Rows; at most 100, unless `limit` is higher.", example: { rows: [row] } },
    },
    handle: async ({ query }, { api }, caller) =>
      json({ rows: await api.audit.query(caller, readFilter(query)) }),
  },
  {
    method: "GET",
    path: "/api/audit/export",
    id: "exportAudit",
    summary: "All rows of the audit log, as JSON lines.",
    auth: "required",
    changes: false,
    at: "users-node",
    query: exportQuery,
    replies: { 200: { description: "JSON lines.", type: "application/jsonl" } },
    handle: async ({ query }, { api }, caller) => {
      const lines = linesOf(api.audit.rows(caller, readFilter(query)));
      // An error at the start is reported like any other.
      const first = await lines.next();
      const headers = {
        ...CLOSED,
        "content-type": "application/jsonl; charset=utf-8",
        "content-disposition": 'attachment; filename="audit.jsonl"',
      };
      return { status: 200, headers, body: beginningWith(first, lines) };
    },
  },
  {
    method: "GET",
    path: "/api/audit/verify",
    id: "verifyAudit",
    summary: "Checks the chain of the audit log.",
    auth: "required",
    changes: false,
    at: "any-node",
    replies: {
      200: { description: "The result of the check.", example: { ok: true, rows: 1, head: row.hash } },
    },
    handle: async (_asked, { api }, caller) => json(await api.audit.verify(caller)),
  },
  {
    method: "GET",
    path: "/api/consents",
    id: "consents",
    summary: "The caller's remembered approvals.",
    auth: "required",
    changes: false,
    at: "users-node",
    replies: {
      200: {
        description: "The stored answers, and those that end with a browser session or an app.",
        example: { consents: [], session: [] },
      },
    },
    handle: async (_asked, { api }, caller) =>
      json({ consents: await api.consents.list(caller), session: api.consents.session(caller) }),
  },
  {
    method: "DELETE",
    path: "/api/consents",
    id: "revokeConsents",
    summary: "Revokes answers: all of a server, or those for a method, subject or actor.",
    auth: "required",
    changes: true,
    at: "users-node",
    repeatable: true,
    query: consentQuery,
    replies: { 200: { description: "The number of revoked answers.", example: { revoked: 1 } } },
    handle: async ({ query }, { api }, caller) => {
      const { server, identity, method, subject, actor } = query;
      const key = {
        server: String(server),
        identity: text(identity),
        method: text(method),
        subject: text(subject),
        actor: visibility(actor),
      };
      return json({ revoked: await api.consents.revoke(caller, key) });
    },
  },
  {
    method: "POST",
    path: "/api/consents/level",
    id: "setAskLevel",
    summary: "Sets how often the apps of a server ask the caller.",
    auth: "required",
    changes: true,
    at: "users-node",
    repeatable: true,
    accepts: "application/json",
    body: levelBody,
    limit: 5000,
    replies: { 200: { description: "The level in force.", example: { level: "changes" } } },
    handle: async ({ body }, { api }, caller) => {
      const { server, identity, level } = body;
      // The schema was checked.
      if (!isAskLevel(level)) throw new Error("a level that the schema does not allow");
      await api.consents.setLevel(caller, { name: String(server), identity: text(identity) }, level);
      return json({ level });
    },
  },
];

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const visibility = (value: unknown): ToolVisibility | undefined =>
  value === "app" || value === "model" ? value : undefined;
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** The schema was checked: only types are distinguished here. */
function readFilter(query: Readonly<Record<string, unknown>>): AuditQuery {
  const { decision, outcome } = query;
  return {
    user: text(query["user"]),
    view: text(query["view"]),
    server: text(query["server"]),
    identity: text(query["identity"]),
    trace: text(query["trace"]),
    method: text(query["method"]),
    decision: decision === "allowed" || decision === "refused" ? decision : undefined,
    outcome:
      outcome === "ok" || outcome === "failed" || outcome === "cancelled" || outcome === "indeterminate"
        ? outcome
        : undefined,
    from: number(query["from"]),
    to: number(query["to"]),
    after: number(query["after"]),
    limit: number(query["limit"]),
    newestFirst: query["newestFirst"] === true ? true : undefined,
  };
}

/** Characters that are sent together. */
const CHUNK = 32_768;

async function* beginningWith(
  first: IteratorResult<string>,
  rest: AsyncIterable<string>,
): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** Rows as lines. */
async function* linesOf(rows: AsyncIterable<StoredAuditRow>): AsyncGenerator<string> {
  let lines = "";
  for await (const row of rows) {
    lines += `${JSON.stringify(row)}\n`;
    if (lines.length < CHUNK) continue;
    yield lines;
    lines = "";
  }
  yield lines;
}

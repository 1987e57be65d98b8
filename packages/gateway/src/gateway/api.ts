/**
 * Implements the HTTP API with the parts of a gateway.
 *
 * @module
 */
import type { UpstreamMethod } from "@vitrine/guard";
import type { Params } from "@vitrine/protocol";
import { ASK_LEVEL_METHOD } from "@vitrine/wire";
import { answerView } from "../http/answer-view.js";
import type { GatewayApi } from "../http/api.js";
import { AuditAccess } from "./audit-access.js";
import { type GatewayParts, INFO } from "./parts.js";

/** Implements the routes. Users see their own rows and approvals only. */
export function gatewayApi(parts: GatewayParts): GatewayApi {
  const { log, oauth, options, servers } = parts;
  const { audit, consents } = parts.disk.store;
  const access = new AuditAccess(audit);
  return {
    servers: ({ user }) => servers.summaries(user),
    catalogue: ({ user }, server, who) => servers.catalogue(user, server, who),
    start: ({ user }, server) => servers.start(user, server),
    request: async ({ user }, name, method, params, { key, identity, signal, trace }) => {
      const call = {
        actor: "http" as const,
        user,
        view: "",
        server: name,
        identity,
        method,
        params,
        key,
        signal,
        trace,
      };
      const result = await servers.pass(call, ({ server }, passed) =>
        server.upstream.request(method, passed.params as Params<UpstreamMethod>, { signal }),
      );
      return result ?? {};
    },
    host: (caller, name, request) => {
      const { user } = caller;
      return answerView(request, {
        user,
        info: INFO,
        at: servers.get(user, name),
        host: options.host?.(caller, name),
        onerror: (error) => log.error({ err: error, user }, "the host endpoint failed"),
      });
    },
    authorized: (query, caller) => oauth.authorized(query, caller?.user),
    audit: {
      query: ({ user }, query) => audit.query({ ...query, user }),
      rows: ({ user }, query) => access.rows(user, query),
      verify: () => access.verify(),
    },
    consents: {
      list: ({ user }) => consents.list(user),
      session: ({ user }) => servers.sessionConsents(user),
      revoke: async ({ user }, key) => {
        // Without a level, the user may be asked less often.
        if (key.method === ASK_LEVEL_METHOD)
          await audit.mark({
            user,
            server: key.server,
            ...(key.identity !== undefined && { identity: key.identity }),
            method: ASK_LEVEL_METHOD,
            target: "important",
            reason: "revoked",
          });
        const count = await consents.revoke(user, key);
        servers.consentsRevoked(user);
        return count;
      },
      setLevel: async ({ user }, { name, identity = servers.identityOf(name) }, level) => {
        const at =
          identity === undefined ? servers.get(user, name) : servers.getSame(user, { name, identity });
        await at.guard.setAskLevel(level);
      },
    },
    ready: () => {
      const { isDraining } = parts.drain;
      const problems = audit.healthy ? [] : ["the audit log cannot be written: side effects are refused"];
      const { nodes } = parts.disk.store;
      if (nodes && !nodes.isLeased)
        problems.push("this node has no lease: it cannot write to the database, so it serves nobody");
      if (isDraining) problems.push("the gateway is stopping: send requests elsewhere");
      return { ok: problems.length === 0, ...(isDraining && { reason: "draining" as const }), problems };
    },
  };
}

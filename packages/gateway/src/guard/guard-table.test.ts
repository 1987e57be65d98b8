/** The table of attacks against the guard itself. */
import type { Question } from "@vitrine/guard";
import { recordOf, VitrineError } from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import { tool } from "../../../../testing/fake-upstream.js";
import { memoryStore, STAGE_TOOLS, stageServer } from "../../../../testing/gateway/guard-stage.js";
import {
  type Before,
  type EntryPoint,
  GUARD_CONTROLS,
  GUARD_TABLE,
  type GuardCase,
  notedOf,
} from "../../../../testing/gateway/guard-table.js";
import { gatewayGuard } from "./gateway-guard.js";
import type { GuardedCall } from "./guarded-call.js";

const ACTORS = { view: "view", direct: "http", page: "host" } as const;

function setUp(entryPoint: EntryPoint) {
  const store = memoryStore();
  const server = stageServer();
  const open = new Set(["v1"]);
  let isHome = false;
  const asked: Question[] = [];
  const guard = gatewayGuard({
    server,
    user: "ann",
    store,
    views: (view) => (open.has(view) ? {} : undefined),
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
    ask: async (question) => {
      asked.push(question);
      return isHome ? { answer: "allow", remember: "always" } : { answer: "deny" };
    },
  });
  const send = ({ method, params, key }: GuardCase["call"]) => {
    const call: GuardedCall = {
      actor: ACTORS[entryPoint],
      user: "ann",
      view: "v1",
      server: "shop",
      method,
      params,
      key,
    };
    if (/^ui\/(?!notif)/.test(method)) return guard.permit(call);
    return guard.pass(call, (passed) =>
      server.upstream.request(method as "tools/call", passed.params as { name: string }),
    );
  };
  const before: Record<Before, () => Promise<unknown>> = {
    "view-closed": async () => open.delete("v1"),
    "tool-added": async () => {
      await send({ method: "tools/call", params: { name: "look" } });
      server.upstream.answers["tools/list"] = () => ({ tools: [...STAGE_TOOLS, tool("late")] });
    },
    "key-used": () => send({ method: "tools/call", params: { name: "look", arguments: {} }, key: "nonce.1" }),
    "tool-changed": async () => {
      isHome = true;
      await send({ method: "tools/call", params: { name: "change" } });
      await send({ method: "tools/call", params: { name: "change" } });
      isHome = false;
      const tools = STAGE_TOOLS.map((each) =>
        each.name === "change" ? tool("change", { description: "Changes everything" }) : each,
      );
      server.upstream.answers["tools/list"] = () => ({ tools });
      server.upstream.say("notifications/tools/list_changed");
    },
  };
  return { store, server, send, before, asked };
}

const codeOf = (error: unknown): unknown => {
  if (!(error instanceof VitrineError)) return error;
  const { code } = recordOf(error.data);
  return [code ?? (error.code === -32602 ? "invalid-params" : error.code), error.code];
};

const rows = GUARD_TABLE.flatMap((each) =>
  each.entryPoints.map(
    (entryPoint) => [`attack ${each.id}: ${each.title}`.slice(0, 120), entryPoint, each] as const,
  ),
);

describe("requests of hostile apps", () => {
  it.each(rows)(
    "%s (%s) is refused before it reaches the server, with one row",
    async (_title, entryPoint, each) => {
      const { store, server, send, before, asked } = setUp(entryPoint);
      if (each.before) await before[each.before]();
      const earlier = { calls: server.calls.length, rows: store.rows.length };
      const error = await send(each.call).catch((reason: unknown) => reason);
      expect(codeOf(error)).toEqual([each.expect.code, each.expect.rpcCode]);
      expect(server.calls.slice(earlier.calls)).toHaveLength(each.expect.upstreamCalls);
      const { question } = each.expect;
      if (question) expect(asked).toMatchObject([question]);
      const written = store.rows.slice(earlier.rows);
      expect(written).toHaveLength(each.expect.auditRows);
      expect(written[0]).toMatchObject({
        kind: "entry",
        user: "ann",
        server: "shop",
        decision: "refused",
        reason: each.expect.code,
      });
      expect(JSON.stringify(written).length).toBeLessThan(2000);
    },
  );

  const controls = GUARD_CONTROLS.flatMap((each) =>
    each.entryPoints.map((entryPoint) => [each.title, entryPoint, each] as const),
  );

  it.each(controls)(
    "control: %s (%s) runs, with one entry and one outcome",
    async (_title, entryPoint, each) => {
      const { store, server, send } = setUp(entryPoint);
      await expect(send(each.call)).resolves.toMatchObject(each.answer ?? {});
      expect(server.calls).toEqual(notedOf(each.call));
      expect(server.upstream.asked).toContain(each.call.method);
      await vi.waitFor(() => expect(store.rows).toHaveLength(2));
      expect(store.rows.map(({ kind, decision, outcome }) => [kind, decision ?? outcome])).toEqual([
        ["entry", "allowed"],
        ["outcome", "ok"],
      ]);
    },
  );
});

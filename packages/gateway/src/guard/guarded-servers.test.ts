import { fileURLToPath } from "node:url";
import { launch, ServerPool, type ServerSettings } from "@vitrine/servers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tool } from "../../../../testing/fake-upstream.js";
import { memoryStore } from "../../../../testing/gateway/guard-stage.js";
import { FAULTY, nodeServer, serverSettings } from "../../../../testing/gateway/servers.js";
import { GuardedServers, summaryOf } from "./guarded-servers.js";
import { Idempotency } from "./idempotency.js";

const pools: ServerPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close(0)));
});

function setUp(own: Partial<ServerSettings> = {}) {
  const store = memoryStore();
  const pool = new ServerPool({ launch });
  pools.push(pool);
  const settings = (more: Partial<ServerSettings> = {}) =>
    new Map([["a", { ...serverSettings("a", nodeServer(FAULTY)), ...own, ...more }]]);
  pool.update(settings());
  const guardOf = vi.fn((user: string) => ({ views: (view: string) => (view === user ? {} : undefined) }));
  const servers = new GuardedServers({
    pool,
    store,
    guardOf,
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
    idempotency: new Idempotency({ audit: store.audit }),
  });
  return { servers, pool, store, settings, guardOf };
}

/** A server with tools for everybody, for views and for the model, each with a UI. */
function shopServer() {
  const shown = (name: string, visibility?: string[]) =>
    tool(name, { _meta: { ui: { resourceUri: `ui://a/${name}`, visibility } } });
  const tools = [shown("both"), shown("app", ["app"]), shown("model", ["model"])];
  const script = fileURLToPath(new URL("../../../../testing/gateway/shop-server.mjs", import.meta.url));
  const env = { SHOP: JSON.stringify({ tools, documents: {}, calls: "/dev/null" }) };
  return { ...nodeServer(script), env };
}

describe("GuardedServers", () => {
  it("have one guard per user and server, even if users share the server", () => {
    for (const stateless of [false, true]) {
      const { servers, guardOf } = setUp({ stateless });
      const mine = servers.get("me", "a");
      expect(servers.get("me", "a")).toEqual(mine);
      expect(servers.get("me", "a").guard).toBe(mine.guard);
      const yours = servers.get("you", "a");
      expect(yours.guard).not.toBe(mine.guard);
      expect(yours.server === mine.server).toBe(stateless);
      expect(guardOf.mock.calls).toEqual([
        ["me", expect.objectContaining({ name: "a", identity: expect.any(String) })],
        ["you", expect.objectContaining({ name: "a", identity: expect.any(String) })],
      ]);
    }
  });

  it("are not created by looking them up, asking, or ending a session", async () => {
    const { servers, pool, settings, guardOf } = setUp({ start: "lazy" });
    const { server } = servers.get("me", "a");
    const { identity } = server.settings;
    expect([pool.all().length, guardOf.mock.calls.length]).toEqual([1, 1]);
    servers.checkSame({ name: "a", identity });
    expect(() => servers.checkSame({ name: "a", identity: "other" })).toThrow(/different server/);
    expect(() => servers.checkSame({ name: "b", identity })).toThrow('no server "b"');
    expect(() => servers.getSame("you", { name: "a", identity: "other" })).toThrow(/different server/);
    servers.endSession("you", "s1");
    servers.consentsRevoked("you");
    servers.guardOf("me", server);
    expect([pool.all().length, guardOf.mock.calls.length]).toEqual([1, 1]);
    // A late question of a server that was replaced does not create its successor.
    pool.update(settings({ trusted: true }));
    await expect.poll(() => server.status.state).toBe("stopped");
    expect(() => servers.guardOf("me", server)).toThrow("has stopped");
    expect([pool.all().length, guardOf.mock.calls.length]).toEqual([0, 1]);
  });

  it("know each user's views only, although the server is shared", async () => {
    const { servers, store } = setUp({ stateless: true });
    const { guard } = servers.get("me", "a");
    const call = {
      actor: "view",
      user: "me",
      server: "a",
      method: "ui/update-model-context",
      params: {},
    } as const;
    await expect(guard.permit({ ...call, view: "you" })).rejects.toMatchObject({
      data: { code: "view-unknown" },
    });
    await expect(guard.permit({ ...call, user: "you", view: "you" })).rejects.toMatchObject({
      data: { code: "not-allowed" },
    });
    await expect(guard.permit({ ...call, view: "me" })).resolves.toMatchObject({ permit: 3 });
    expect(store.entries).toHaveLength(3);
  });

  it("have a new guard for a server with new settings, and end the permits of the old one", async () => {
    const { servers, pool, settings, store } = setUp();
    const before = servers.get("me", "a");
    const call = { actor: "view", user: "me", view: "me", server: "a" } as const;
    await before.guard.permit({ ...call, method: "ui/update-model-context", params: {} });
    pool.update(settings({ trusted: true }));
    const after = servers.get("me", "a");
    expect(after.server).not.toBe(before.server);
    expect(after.guard).not.toBe(before.guard);
    await expect.poll(() => store.outcomes).toMatchObject([{ outcome: "indeterminate" }]);
    pool.update(new Map());
    expect(() => servers.get("me", "a")).toThrow('no server "a"');
  });

  it("end the permits of all guards when they are closed", async () => {
    const { servers, store } = setUp();
    for (const user of ["me", "you"]) {
      const { guard } = servers.get(user, "a");
      const call = { actor: "view", user, view: user, server: "a", params: {} } as const;
      await guard.permit({ ...call, method: "ui/update-model-context" });
    }
    await servers.close();
    expect(store.outcomes).toMatchObject([{ outcome: "indeterminate" }, { outcome: "indeterminate" }]);
  });

  it("summarize servers with their problems, and without their processes", async () => {
    const { servers } = setUp({ transport: nodeServer("/no/such/script.mjs") });
    expect(servers.summaries("me")).toEqual([expect.objectContaining({ name: "a", state: "idle" })]);
    const failed = await servers.start("me", "a");
    expect(failed).toMatchObject({ name: "a", problem: { message: expect.any(String) } });
    expect(failed.state).not.toBe("ready");
    await expect(servers.catalogue("me", "a")).rejects.toThrow();
    const status = {
      name: "a",
      state: "ready",
      capabilities: {},
      pid: 7,
      starts: 1,
      driver: "process",
    } as const;
    expect(summaryOf(status)).toEqual({ name: "a", state: "ready", capabilities: {}, isolation: "process" });
  });

  it("C02: hide app-only tools from a model, and model-only tools from views", async () => {
    const { servers } = setUp({ transport: shopServer() });
    const offered = async (who?: "model" | "app") => {
      const { tools, views } = await servers.catalogue("me", "a", who);
      return { tools: tools.map(({ name }) => name), views: views.map((view) => view.tool) };
    };
    expect(await offered()).toEqual({ tools: ["both", "app", "model"], views: ["both", "app", "model"] });
    expect(await offered("model")).toEqual({ tools: ["both", "model"], views: ["both", "model"] });
    expect(await offered("app")).toEqual({ tools: ["both", "app"], views: ["both", "app"] });
  });

  it("list everything that a server offers, and which UIs cannot be shown", async () => {
    const { servers } = setUp();
    const { tools, views } = await servers.catalogue("me", "a");
    expect(tools.length).toBeGreaterThan(0);
    expect(Array.isArray(views)).toBe(true);
  });

  it("report which list a server did not deliver, and why", async () => {
    const { transport, limits } = serverSettings("a", nodeServer(FAULTY, ["huge-list"]), {
      message: 1 << 20,
    });
    const { servers } = setUp({ transport, limits });
    expect((await servers.catalogue("me", "a")).missing).toEqual([
      expect.stringMatching(/^Its resources could not be listed: .* 1048576 bytes/),
    ]);
  });
});

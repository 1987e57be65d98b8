import { JsonText } from "@vitrine/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { manualClock } from "../../../testing/gateway/manual-clock.ts";
import { FAULTY, isAlive, nodeServer, serverSettings } from "../../../testing/gateway/servers.ts";
import { launch } from "./isolation/launch.js";
import { ServerPool } from "./pool.js";
import type { Server } from "./server.js";
import type { RemoteSettings, ServerSettings } from "./settings.js";

const pools: ServerPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close(0)));
});

function poolOf(settings: Record<string, Partial<ServerSettings>>, users: string[] = []) {
  const onerror = vi.fn();
  const clock = manualClock();
  const pool = new ServerPool({ launch, users, onerror, clock });
  pools.push(pool);
  const update = (all: typeof settings) =>
    pool.update(
      new Map(
        Object.entries(all).map(([name, own]) => [
          name,
          { ...serverSettings(name, nodeServer(FAULTY)), ...own },
        ]),
      ),
    );
  update(settings);
  return { pool, update, onerror, clock };
}

const pidOf = async (server: Server): Promise<number> => {
  await server.start();
  return server.status.pid ?? 0;
};

describe("ServerPool", () => {
  it("gives every user their own process", async () => {
    const { pool } = poolOf({ a: {} });
    const mine = pool.get("me", "a");
    expect(pool.get("me", "a")).toBe(mine);
    const [first, second] = await Promise.all([pidOf(mine), pidOf(pool.get("you", "a"))]);
    expect(first).not.toBe(second);
    expect(pool.all().length).toBe(2);
  });

  it("shares a stateless server among all users, and no user name collides with the shared owner", async () => {
    const { pool } = poolOf({ a: { stateless: true }, b: {} });
    expect(pool.get("me", "a")).toBe(pool.get("you", "a"));
    expect(pool.get("*", "b")).not.toBe(pool.get("", "b"));
  });

  it("does not share a server that a user signs in to, even if it is stateless", () => {
    const transport: RemoteSettings = {
      type: "http",
      url: "https://far.example/mcp",
      headers: {},
      oauth: true,
      privateNetwork: false,
    };
    const fixed = { ...transport, headers: { Authorization: "Bearer of the operator" } };
    const { pool } = poolOf({ a: { stateless: true, transport }, b: { stateless: true, transport: fixed } });
    expect(pool.get("me", "a")).not.toBe(pool.get("you", "a"));
    expect(pool.get("me", "b")).toBe(pool.get("you", "b"));
  });

  it.each(["", "A", "a ", "__proto__", "constructor"])('does not know a server "%s"', (name) => {
    const { pool } = poolOf({ a: {} });
    expect(() => pool.get("me", name)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ code: "server-unknown" }) }),
    );
  });

  it("starts eager servers for known users, and reports every server that it creates", async () => {
    const { pool, update } = poolOf({ lazy: {} }, ["me"]);
    const made: unknown[] = [];
    pool.onCreate((server, user) => made.push([server.settings.name, user]));
    update({ lazy: {}, eager: { start: "eager" }, shared: { start: "eager", stateless: true } });
    expect(made).toEqual([
      ["eager", "me"],
      ["shared", undefined],
    ]);
    await expect.poll(() => pool.get("me", "eager").status.state).toBe("ready");
    expect(pool.list("me").map(({ settings }) => settings.name)).toEqual(["lazy", "eager", "shared"]);
    expect(pool.get("me", "lazy").status.state).toBe("idle");
  });

  it("replaces changed servers, ends removed ones after their calls, and keeps the others", async () => {
    const { pool, update, clock } = poolOf({ same: {}, changed: {}, gone: {} });
    const [same, changed, gone] = ["same", "changed", "gone"].map((name) => pool.get("me", name)) as [
      Server,
      Server,
      Server,
    ];
    const pids = await Promise.all([same, changed, gone].map(pidOf));
    const call = gone.upstream.request("tools/call", {
      name: "progress",
      arguments: { steps: 4, every: 50 },
    });
    expect(update({ same: {}, changed: { trusted: true }, added: {} })).toEqual({
      added: ["added"],
      changed: ["changed"],
      removed: ["gone"],
    });
    expect(pool.get("me", "same")).toBe(same);
    expect(pool.get("me", "changed")).not.toBe(changed);
    expect(pool.get("me", "changed").settings.trusted).toBe(true);
    expect(() => pool.get("me", "gone")).toThrow(/no server/);
    // However long they take.
    clock.pass(60_000);
    expect(await call).toEqual(new JsonText('{"content":[{"type":"text","text":"done"}]}'));
    await expect.poll(() => pids.map(isAlive)).toEqual([true, false, false]);
  });

  it("restarts one user's server, or every started instance; unknown names fail", async () => {
    const { pool } = poolOf({ a: {}, shared: { stateless: true } });
    const [mine, yours, unused] = ["me", "you", "them"].map((user) => pool.get(user, "a")) as [
      Server,
      Server,
      Server,
    ];
    const before = await Promise.all([mine, yours].map(pidOf));
    await pool.restart("a", "me");
    const then = await Promise.all([mine, yours].map(pidOf));
    expect([then[0] === before[0], then[1]]).toEqual([false, before[1]]);
    expect(isAlive(before[0] ?? 0)).toBe(false);
    await pool.restart("a");
    const now = await Promise.all([mine, yours].map(pidOf));
    expect([now[0] === then[0], now[1] === then[1]]).toEqual([false, false]);
    expect([pool.get("me", "a"), unused.status.starts]).toEqual([mine, 0]);
    await pool.restart("shared", "me");
    expect(pool.get("you", "shared").status).toMatchObject({ state: "ready", starts: 1 });
    for (const user of ["me", undefined])
      await expect(pool.restart("b", user)).rejects.toMatchObject({ data: { code: "server-unknown" } });
  });

  it("ends the servers of removed users, and starts eager servers of new users", async () => {
    const { pool } = poolOf({ eager: { start: "eager" }, shared: { stateless: true } }, ["ann", "ben"]);
    const gone = pool.get("ben", "eager");
    const stays = pool.get("ann", "eager");
    const shared = pool.get("ben", "shared");
    const pid = await pidOf(gone);
    pool.setUsers(["ann", "cleo"]);
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(pool.all()).toEqual(expect.arrayContaining([stays, shared]));
    expect(pool.all()).not.toContain(gone);
    expect(pool.all()).toHaveLength(3);
  });

  it("closes servers that still wait for the calls of their old settings", async () => {
    const { pool, update, clock } = poolOf({ a: {} });
    const { upstream } = pool.get("me", "a");
    const pid = await pidOf(pool.get("me", "a"));
    const call = expect(upstream.request("tools/call", { name: "slow" })).rejects.toThrow();
    update({});
    const closed = pool.close(1_000);
    clock.pass(999);
    expect(isAlive(pid)).toBe(true);
    clock.pass(1);
    await Promise.all([closed, call]);
    expect([isAlive(pid), clock.waiting]).toEqual([false, []]);
  });

  it("closes all servers permanently", async () => {
    const { pool } = poolOf({ a: {}, b: {} });
    const pids = await Promise.all(
      [pool.get("me", "a"), pool.get("you", "a"), pool.get("me", "b")].map(pidOf),
    );
    await pool.close();
    expect(pids.map(isAlive)).toEqual([false, false, false]);
    expect(() => pool.get("me", "a")).toThrow(/stopping/);
  });
});

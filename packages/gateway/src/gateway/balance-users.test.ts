/** A node joins others that have all users: it gets its share, and nobody loses anything. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WholeNodes } from "../../../../testing/gateway/whole-nodes.ts";
import type { RunningGateway } from "./gateway.js";

const WAIT = { timeout: 60_000, interval: 100 };
const USERS = Array.from({ length: 8 }, (_, n) => `user-${n}`);
const nodes = { listen: "127.0.0.1:0", secret: "0123456789abcdef0123456789abcdef", balance: "1500ms" };

let stage: WholeNodes | undefined;
beforeAll(async () => {
  stage = await WholeNodes.open(USERS);
});
beforeEach(({ skip }) => {
  if (!stage) skip("PostgreSQL is missing");
});
afterEach(() => stage?.close());
afterAll(() => stage?.remove());

const needed = (): WholeNodes => {
  if (!stage) throw new Error("no PostgreSQL");
  return stage;
};

/** Running programs of servers. */
const programs = ({ metrics }: RunningGateway): number =>
  [...metrics.text().matchAll(/^vitrine_processes\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );

describe("a node that joins", () => {
  it("gets its share; calls end where they began, and run once", async () => {
    const all = needed();
    const database = all.database();
    const a = await all.start("a", database, { nodes });
    for (const user of USERS) expect(await all.servers(a, user)).toContain("of-a");
    const [busy = "", paged = ""] = USERS;
    let isPending = true;
    const slow = all.call(a, "slow", busy, 12_000).finally(() => {
      isPending = false;
    });
    const b = await all.start("b", database, { nodes });
    const gateways = [a, b];
    const page = all.page(gateways, paged);
    // Pages and programs call all the time, through both nodes.
    const keys: string[] = [];
    let isOver = false;
    const loops = USERS.slice(1).map(async (user, n) => {
      for (let turn = n; !isOver; turn++) {
        const at = turn % 2 === 0 ? a : b;
        const key = `${user}-${turn}`;
        let answer = await all.call(at, key, user);
        const patience = performance.now() + 15_000;
        while (answer.status === 503 && performance.now() < patience) answer = await all.call(at, key, user);
        expect(answer, answer.text).toMatchObject({ status: 200 });
        keys.push(key);
        await new Promise((resolve) => setTimeout(resolve, 700));
      }
    });
    const stop = (): Promise<unknown> => {
      isOver = true;
      return Promise.all(loops);
    };
    all.onEnd(stop);
    const [before] = all.shares(database);
    expect(before).toBe(8);
    await vi.waitFor(() => expect(all.shares(database)).toEqual([4, 4]), WAIT);
    // The user with a pending call has stayed.
    const place = await all.servers(b, busy);
    if (isPending) expect(place).toContain("of-a");
    // Their pages and programs are gone where they came from.
    const names = (await page.request("gateway/servers", {})).servers.map(({ name }) => name);
    expect(await all.servers(a, paged)).toContain(names.includes("of-b") ? "of-b" : "of-a");
    await vi.waitFor(() => expect([programs(a), programs(b)]).toEqual([4, 4]), WAIT);
    // It stays as it is: nobody moves back.
    const settled = all.shares(database);
    expect(await slow).toMatchObject({ status: 200 });
    expect(all.shares(database)).toEqual(settled);
    await stop();
    const effects = all.effects();
    expect(effects.sort()).toEqual([...keys, "slow"].sort());
    const { text } = await all.ask(a, "/api/audit/verify", busy);
    expect(JSON.parse(text)).toMatchObject({ ok: true });
    const metrics = a.metrics.text();
    expect(metrics).toMatch(/^vitrine_node_shards_left_total\{why="balance"\} 4$/m);
    expect(b.metrics.text()).toMatch(/^vitrine_node_shards_taken_total\{from="given"\} 4$/m);
  });
});

describe("a node that stops", () => {
  it("hands users over while the call of another one still runs", async () => {
    const all = needed();
    const database = all.database();
    const drain = { time: "60s" };
    const a = await all.start("a", database, { nodes, drain });
    const b = await all.start("b", database, { nodes, drain });
    const [busy = "", idle = ""] = USERS;
    for (const user of [busy, idle]) expect(await all.servers(b, user)).toContain("of-b");
    let isPending = true;
    const slow = all.call(b, "slow", busy, 20_000).finally(() => {
      isPending = false;
    });
    const begun = "select count(*) from vitrine_audit where method = 'tools/call' and kind = 'entry'";
    await vi.waitFor(() => expect(all.run(database, begun)).toBe("1"), WAIT);
    const stopping = b.close();
    await vi.waitFor(async () => expect(await all.servers(a, idle)).toContain("of-a"), WAIT);
    expect(isPending).toBe(true);
    expect(await slow).toMatchObject({ status: 200 });
    await stopping;
    expect(await all.servers(a, busy)).toContain("of-a");
  });
});

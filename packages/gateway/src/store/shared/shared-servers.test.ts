/** Names of servers that two nodes take at the same time. */
import { identityOf } from "@vitrine/servers";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startNodesDatabase } from "../../../../../testing/gateway/shared-nodes.js";
import { StoredServers } from "../stored-servers.js";

const { nodesOn, postgres } = await startNodesDatabase();

afterAll(() => postgres?.remove(), 60_000);
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const server = (name: string, at: string) => ({
  name,
  identity: identityOf({ url: `https://${at}.example/mcp` }),
});

describe.each(nodesOn(open))("names of servers of nodes on %s", (_, twoNodes) => {
  it("two nodes with the same settings record each server once, and report each change once", async () => {
    const [a, b] = await twoNodes();
    const [one, two] = [await StoredServers.open(a), await StoredServers.open(b)];
    const before = [server("mail", "old"), server("files", "old")];
    expect(await one.take(before)).toEqual([]);
    const after = [server("mail", "new"), server("files", "new"), server("chat", "new")];
    const changes = (await Promise.all([one.take(after), two.take(after)])).flat();
    expect(changes.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
      "files replaced",
      "mail replaced",
    ]);
    const rows = await a.db.selectFrom("vitrine_servers").selectAll().execute();
    expect(rows).toHaveLength(5);
    expect(new Set(rows.map(({ turn }) => turn)).size).toBe(5);
  });

  it("a node that did not see a change decides on the current state", async () => {
    const [a, b] = await twoNodes();
    const [one, two] = [await StoredServers.open(a), await StoredServers.open(b)];
    await one.take([server("mail", "x")]);
    await one.take([server("mail", "y")]);
    // To the second node, the name is new; in truth, the server had it before.
    expect(await two.take([server("mail", "x")])).toMatchObject([{ name: "mail", kind: "back" }]);
    await one.reload();
    expect(one.unannounced()).toMatchObject([{ name: "mail", kind: "back" }]);
    expect(await one.take([server("mail", "x")])).toEqual([]);
  });

  it("many changes at once end with a single holder that both nodes know", async () => {
    const [a, b] = await twoNodes();
    const [one, two] = [await StoredServers.open(a), await StoredServers.open(b)];
    await Promise.all(
      Array.from({ length: 12 }, (_unused, n) =>
        (n % 2 === 0 ? one : two).take([server("mail", `s${n % 3}`)]),
      ),
    );
    const rows = await a.db.selectFrom("vitrine_servers").selectAll().orderBy("turn", "desc").execute();
    expect(new Set(rows.map(({ turn }) => turn)).size).toBe(rows.length);
    await Promise.all([one.reload(), two.reload()]);
    expect(one.unannounced()).toEqual(two.unannounced());
  });
});

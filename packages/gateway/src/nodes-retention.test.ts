/** Retention, archives and legal holds of several nodes, with the commands of the gateway. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type NodesDatabase, WholeNodes } from "../../../testing/gateway/whole-nodes.ts";
import { auditCommand } from "./commands/audit.js";
import { holdCommand } from "./commands/hold.js";

const USERS = ["ana", "bob", "eve"];
let all: WholeNodes;
let hasPostgres = false;
beforeAll(async () => {
  const opened = await WholeNodes.open(USERS);
  if (!opened) return;
  all = opened;
  hasPostgres = true;
});
beforeEach(({ skip }) => {
  if (!hasPostgres) skip("PostgreSQL is missing");
});
afterEach(() => all?.close());
afterAll(() => all?.remove());

/** Runs a command in this process, as an operator would beside the nodes. */
async function said(command: (line: { database: string; data: string }) => Promise<number>, url: string) {
  const data = await all.folder();
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const code = await command({ database: url, data });
    return { code, out: write.mock.calls.map(([chunk]) => `${chunk}`).join("") };
  } finally {
    write.mockRestore();
  }
}

/** Rows that nobody keeps for longer than a few seconds. */
const old = { retentionDays: 1e-9 };

/** Three nodes with a call each, of which none is left. Slot n had the call of user n. */
async function threeChains(database: NodesDatabase): Promise<void> {
  const gateways = [];
  for (const [n, user] of USERS.entries()) {
    const gateway = await all.start(`n${n}`, database);
    gateways.push(gateway);
    expect((await all.call(gateway, `key-${n}`, user)).status).toBe(200);
  }
  for (const gateway of gateways) await gateway.close(0);
  expect(slotsWith(database, "tools/call")).toEqual(["0", "1", "2"]);
}

const slotsWith = (database: NodesDatabase, method: string): string[] =>
  all
    .run(
      database,
      `select seq / 1099511627776 from vitrine_audit where method = '${method}' group by 1 order by 1`,
    )
    .split("\n")
    .filter(Boolean);

const archived = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".gz"))
    .sort()
    .flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trimEnd()
        .split("\n")
        .slice(1),
    );

it("every chain is archived, also those of nodes that are gone, each by one node; one command verifies all", async () => {
  const database = all.database();
  await threeChains(database);
  const archive = await all.folder();
  // Both find the chains of slots without a node at the same time.
  const nodes = await Promise.all(
    ["d", "e"].map((id) => all.start(id, database, { audit: { ...old, archive } })),
  );
  await vi.waitFor(() => expect(slotsWith(database, "tools/call")).toEqual([]), { timeout: 90_000 });
  await vi.waitFor(
    () =>
      expect(
        all.run(database, `select count(*) from vitrine_nodes where state = 'free' and "expiresAt" = 0`),
      ).toBe("1"),
    { timeout: 60_000 },
  );
  const marks = all.run(
    database,
    `select seq / 1099511627776, count(*) from vitrine_audit where method = 'audit/prune' group by 1 order by 1`,
  );
  expect(marks.split("\n")).toEqual(["0|1", "1|1", "2|1"]);
  for (const [slot, user] of USERS.entries()) {
    const rows = archived(slot === 0 ? archive : join(archive, `slot-${slot}`));
    const of = rows.filter((row) => row.includes('"method":"tools/call"'));
    expect(of).toHaveLength(2);
    for (const row of of) expect(row).toContain(`"user":"${user}"`);
  }
  const verify = () => said((line) => auditCommand(["verify"], { ...line, archive }), database.url);
  // While nodes run, some of which have no archive.
  nodes.push(await all.start("f", database));
  const last = await all.start("g", database);
  nodes.push(last);
  expect((await all.call(last, "key-g")).status).toBe(200);
  const right = await verify();
  expect(right.out).toMatch(
    /^1 archive file, .* intact\nslot 1: 1 archive file, .* intact\nslot 2: 1 archive file, .* intact\n\d+ rows, intact/,
  );
  expect(right.code).toBe(0);
  // A change in the archive, and one in the database.
  const folder = join(archive, "slot-2");
  const [name = ""] = readdirSync(folder);
  const file = readFileSync(join(folder, name));
  writeFileSync(join(folder, name), gzipSync(gunzipSync(file).toString().replace("eve", "ana")));
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringMatching(/slot 2: .* BROKEN at row/) });
  writeFileSync(join(folder, name), file);
  const change = (from: string, to: string) =>
    all.run(
      database,
      `update vitrine_audit set params = replace(params, '${from}', '${to}') where seq / 1099511627776 = 2 and method = 'audit/prune'`,
    );
  change('"removed":', '"removed":1');
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringMatching(/\nBROKEN at row 219902/) });
  change('"removed":1', '"removed":');
  // The same without nodes: each file is right, but the newest is missing.
  for (const node of nodes) await node.close(0);
  expect(await verify()).toMatchObject({ code: 0 });
  rmSync(join(folder, name));
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringMatching(/\nBROKEN at row .* missing/) });
}, 240_000);

it("a legal hold that is set beside the nodes keeps rows of every chain, is recorded once, and ends for all", async () => {
  const database = all.database();
  await threeChains(database);
  const beside = await all.start("d", database);
  const hold = await said(
    (line) => holdCommand(["add"], { server: "faulty", reason: "case 1" }, line),
    database.url,
  );
  const [id = ""] = hold.out.split(" ");
  await beside.close(0);
  const archive = await all.folder();
  const audit = { ...old, archive };
  const nodes = await Promise.all(["e", "f"].map((name) => all.start(name, database, { audit })));
  await vi.waitFor(() => expect(slotsWith(database, "tools/call")).toEqual([]), { timeout: 90_000 });
  const held = () => all.run(database, `select distinct "user" from vitrine_held order by 1`).split("\n");
  expect(held()).toEqual(USERS);
  // The mark is old as soon as it is written, so it may be in the archive.
  const recorded = (method: string) =>
    Number(all.run(database, `select count(*) from vitrine_audit where method = '${method}'`)) +
    [archive, join(archive, "slot-1"), join(archive, "slot-2")]
      .flatMap(archived)
      .filter((row) => row.includes(`"method":"${method}"`)).length;
  await vi.waitFor(() => expect(recorded("audit/hold")).toBe(1), { timeout: 60_000 });
  const verified = () => said((line) => auditCommand(["verify"], line), database.url);
  expect(await verified()).toMatchObject({ code: 0 });
  expect(await said((line) => holdCommand(["remove", id], {}, line), database.url)).toMatchObject({
    code: 0,
  });
  for (const node of nodes) await node.close(0);
  await Promise.all(["g", "h"].map((name) => all.start(name, database, { audit })));
  await vi.waitFor(() => expect(held()).toEqual([""]), { timeout: 90_000 });
  await vi.waitFor(() => expect(recorded("audit/hold-end")).toBe(1), { timeout: 60_000 });
  expect(await verified()).toMatchObject({ code: 0 });
}, 240_000);

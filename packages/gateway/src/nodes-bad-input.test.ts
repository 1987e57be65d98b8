/** Nodes that do not fit, cannot be reached, or have another time or no space; and a user who claims the session of another. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "../../../testing/free-port.ts";
import { SECRET, WholeNodes } from "../../../testing/gateway/whole-nodes.ts";

const WAIT = { timeout: 30_000, interval: 100 };
const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

let stage: WholeNodes | undefined;
beforeAll(async () => {
  stage = await WholeNodes.open();
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

describe("a node that does not fit", () => {
  it("by its secret does not start, holds nothing, and disturbs nobody", async () => {
    const all = needed();
    const database = all.database();
    const a = await all.start("a", database);
    expect(await all.servers(a)).toContain("of-a");
    const nodes = { listen: "127.0.0.1:0", secret: `${SECRET}, but different` };
    await expect(all.start("b", database, { nodes })).rejects.toMatchObject({
      data: { code: "config-invalid" },
      message: expect.stringMatching(/does not fit the node at 127\.0\.0\.1:\d+ .*nodes\.secret/),
    });
    expect(all.run(database, "select count(*) from vitrine_nodes where state = 'live'")).toBe("1");
    expect(await all.servers(a)).toContain("of-a");
  });

  it("because a newer version has changed the tables does not start, and says so", async () => {
    const all = needed();
    const database = all.database();
    const a = await all.start("a", database);
    all.run(database, "insert into vitrine_migration (name, timestamp) values ('999-later', '2999-01-01')");
    await expect(all.start("b", database)).rejects.toMatchObject({
      data: { code: "config-invalid" },
      message: expect.stringMatching(/newer version/),
    });
    expect(await all.servers(a)).toContain("of-a");
  });

  it("by its version only shares users with the others", async () => {
    const all = needed();
    const database = all.database();
    const a = await all.start("a", database);
    expect(await all.servers(a)).toContain("of-a");
    all.run(database, "update vitrine_nodes set version = '0.0.1'");
    expect(await all.servers(await all.start("b", database))).toContain("of-a");
  });
});

describe("a node that nobody can reach", () => {
  it("serves its own callers; others get node-unreachable, and nobody moves there", async () => {
    const all = needed();
    const database = all.database();
    const listen = { listen: "127.0.0.1:0", secret: SECRET, balance: "500ms" };
    const a = await all.start("a", database, { nodes: listen });
    for (const user of ["ana", "bob"]) expect(await all.servers(a, user)).toContain("of-a");
    const b = await all.start("b", database, { nodes: { ...listen, address: "127.0.0.1:1" } });
    await vi.waitFor(() => expect(all.logged.join()).toContain("users could not be handed over"), WAIT);
    expect(all.shares(database)).toEqual([2, 0]);
    // Its callers are served through the node that it reaches.
    expect(await all.servers(b)).toContain("of-a");
    all.run(database, "delete from vitrine_shards");
    await vi.waitFor(async () => expect(await all.servers(b)).toContain("of-b"), WAIT);
    await vi.waitFor(
      async () => expect((await all.ask(a, "/api/servers")).code).toBe("node-unreachable"),
      WAIT,
    );
    const answer = await all.call(a, "unreachable");
    expect(answer).toMatchObject({ status: 503, code: "node-unreachable" });
    expect(answer.text).toContain("at 127.0.0.1:1 cannot be reached");
    expect(all.effects()).toEqual([]);
    expect((await all.call(b, "reached")).status).toBe(200);
    expect(a.metrics.text()).toMatch(/vitrine_forward_failures_total\{code="node-unreachable"\} [1-9]/);
  });
});

describe("a node whose clock is wrong", () => {
  let child: ChildProcess | undefined;
  afterEach(async () => {
    if (!child) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    child = undefined;
  });

  it("keeps its lease and its users; requests between the nodes fail with both times, and nothing runs", async () => {
    const all = needed();
    const database = all.database();
    const a = await all.start("a", database);
    expect(await all.servers(a)).toContain("of-a");
    const folder = await all.folder();
    const port = await freePort();
    const file = join(folder, "settings.json");
    const { listen } = await all.settings("late", database);
    const settings = {
      mcpServers: { "of-late": { command: "never-started" } },
      users: listen.users,
      listen: { port },
      sandbox: { port: 0 },
      nodes: { listen: "127.0.0.1:0", secret: SECRET },
      database: database.url,
      dataFolder: folder,
    };
    writeFileSync(file, JSON.stringify(settings));
    const shift = "const now = Date.now; Date.now = () => now() - 120_000;";
    child = spawn(process.execPath, ["--import", `data:text/javascript,${shift}`, MAIN, "--config", file], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, VITRINE_LOG_LEVEL: "silent" },
    });
    await once(child.stdout ?? child, "data");
    const late = { origin: `http://127.0.0.1:${port}` };
    expect(await all.servers(late, "bob")).toContain("of-late");
    for (const [at, user] of [
      [late, "ana"],
      [a, "bob"],
    ] as const) {
      const answer = await all.call(at, "skewed", user);
      expect(answer, answer.text).toMatchObject({ status: 503, code: "clock-skew" });
      expect(answer.text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g)).toHaveLength(2);
    }
    expect(all.effects()).toEqual([]);
    // Longer than a lease: its time is the database's.
    await new Promise((resolve) => setTimeout(resolve, 3500));
    expect(await all.servers(late, "bob")).toContain("of-late");
    expect(JSON.parse((await all.ask(a, "/api/audit/verify")).text)).toMatchObject({ ok: true });
  });
});

describe("a disk that is full", () => {
  it("on one node stops no call, and this node starts again", async ({ skip }) => {
    const all = needed();
    const database = all.database();
    const dataFolder = join(await all.folder(), "small");
    mkdirSync(dataFolder);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", dataFolder], { stdio: "pipe" });
    } catch {
      skip("file systems cannot be mounted here");
    }
    all.onEnd(() => execFileSync("umount", ["--lazy", dataFolder]));
    const a = await all.start("a", database, { dataFolder });
    expect((await all.call(a, "before")).status).toBe(200);
    expect(() => writeFileSync(join(dataFolder, "filler"), Buffer.alloc(1_000_000))).toThrow(/ENOSPC/);
    const b = await all.start("b", database);
    for (const [at, key] of [
      [a, "here"],
      [b, "there"],
    ] as const)
      expect((await all.call(at, key)).status).toBe(200);
    await a.close();
    expect((await all.callUntilDone(b, "elsewhere")).status).toBe(200);
    const again = await all.start("a", database, { dataFolder });
    expect((await all.callUntilDone(again, "again")).status).toBe(200);
    expect(all.effects()).toEqual(["before", "here", "there", "elsewhere", "again"]);
    expect(JSON.parse((await all.ask(b, "/api/audit/verify")).text)).toMatchObject({ ok: true });
  });
});

describe("a user who claims the session of another through a node that forwards", () => {
  it("gets a session of their own, over a WebSocket and over HTTP", async () => {
    const all = needed();
    const database = all.database();
    const [a, b] = [await all.start("a", database), await all.start("b", database)];
    for (const user of ["ana", "bob"]) expect(await all.servers(b, user)).toContain("of-b");
    /** The answer to a hello of a user, at the node that forwards. */
    const hello = (user: string, fields: object): Promise<Record<string, unknown>> =>
      new Promise((resolve, reject) => {
        const url = `${a.origin.replace("http", "ws")}/api/session`;
        const socket = new WebSocket(url, { headers: all.headers(a, user) });
        all.onEnd(() => socket.terminate());
        socket.on("open", () =>
          socket.send(`hello ${JSON.stringify({ version: 1, received: 0, ...fields })}`),
        );
        socket.on("message", (data) => {
          const [, word = "", json = ""] = /^(\w+) (.*)$/s.exec(String(data)) ?? [];
          if (word === "welcome" || word === "bye") resolve({ word, ...JSON.parse(json) });
        });
        socket.on("error", reject);
      });
    const ofAna = await hello("ana", {});
    expect(ofAna).toMatchObject({ word: "welcome", resumed: false });
    const { session, key } = ofAna;
    const claimed = { session, key, fresh: true };
    const ofBob = await hello("bob", claimed);
    expect(ofBob).toMatchObject({ word: "welcome", resumed: false });
    expect(ofBob["session"]).not.toBe(session);
    const posted = await all.ask(a, "/api/session", "bob", {
      hello: `hello ${JSON.stringify({ version: 1, received: 0, ...claimed })}`,
    });
    expect(posted.text).not.toContain(`"resumed":true`);
    expect(posted.text).not.toContain(`${session}`);
    // It is still Ana's.
    expect(await hello("ana", claimed)).toMatchObject({ word: "welcome", session, resumed: true });
  });
});

/** A gateway that cannot start leaves nothing open. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Libsql from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { readSettings, readSettingsFile } from "./config/read.js";
import { startGateway } from "./gateway/gateway.js";
import { createLog } from "./http/logging.js";
import { openStore } from "./store/open.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a gateway in the folder, with these settings. */
const start = async (settings: Parameters<typeof startTestGateway>[0] = {}) =>
  (await startTestGateway(settings, folder)).gateway;

describe("a start that fails", () => {
  it.each([
    ["the list of signed-in browsers", "browsers.json"],
    ["the chosen model", "model.json"],
  ])("because of %s releases the database and the folder", async (_what, name) => {
    // A folder instead of a file cannot be read.
    mkdirSync(join(folder, name));
    await expect(start()).rejects.toThrow(name);
    rmdirSync(join(folder, name));
    const store = await openStore(`sqlite:${join(folder, "gateway.db")}`, { ownerTimeout: 0 });
    await store.close();
    await (await start()).close(0);
  });

  it.each([
    ["a folder", (file: string) => mkdirSync(file)],
    ["not a lock file", (file: string) => writeFileSync(file, "something else ".repeat(100))],
  ])("because a lock is %s says so, and not that another gateway runs", async (_what, make) => {
    const data = mkdtempSync(join(folder, "lock-"));
    make(join(data, "owner"));
    await expect(start({ dataFolder: data })).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot use the lock file \S+owner: /),
      data: { code: "config-invalid" },
    });
    rmSync(join(data, "owner"), { recursive: true });
    await (await start({ dataFolder: data })).close(0);
  });

  it("because of the note about its owner releases the folder", async () => {
    const data = mkdtempSync(join(folder, "note-"));
    mkdirSync(join(data, "owner.txt"));
    await expect(start({ dataFolder: data })).rejects.toMatchObject({ data: { code: "config-invalid" } });
    rmdirSync(join(data, "owner.txt"));
    await (await start({ dataFolder: data })).close(0);
  });

  it("because of the database releases the folder", async () => {
    mkdirSync(join(folder, "no.db"));
    await expect(start({ database: `sqlite:${join(folder, "no.db")}` })).rejects.toMatchObject({
      data: { code: "config-invalid" },
    });
    await (await start()).close(0);
  });

  it("because of a used port releases the database and the folder", async () => {
    const first = await start();
    const port = Number(new URL(first.origin).port);
    await first.close(0);
    const other = mkdtempSync(join(folder, "other-"));
    const taken = await start({ dataFolder: other, listen: { port } });
    await expect(start({ listen: { port } })).rejects.toThrow(/EADDRINUSE/);
    await taken.close(0);
    await (await start()).close(0);
  });
});

describe("a page that reconnects while the gateway starts", () => {
  it("finds its servers, however long the database takes", async () => {
    const data = mkdtempSync(join(folder, "early-"));
    const asked: Promise<Response>[] = [];
    let release = (): void => {};
    // Everything that the gateway writes after it listens waits for this lock.
    const lock = new Libsql(join(data, "gateway.db"));
    const write = (line: string): void => {
      const { msg, port } = JSON.parse(line);
      if (msg !== "listening") return;
      lock.exec("begin immediate");
      release = () => void lock.exec("rollback");
      asked.push(fetch(`http://127.0.0.1:${port}/api/servers`, { headers: { authorization } }));
    };
    const token = "a-token-of-twenty-characters-or-more";
    const authorization = `Bearer ${token}`;
    const users = [{ name: "ann", tokenHash: createHash("sha256").update(token).digest("hex") }];
    const mcpServers = { one: { command: "one" } };
    const ports = { listen: { port: 0 }, sandbox: { port: 0 } };
    const settings = await readSettings({ ...ports, dataFolder: data, users, mcpServers });
    const starting = startGateway(settings, { log: createLog({ stream: { write } }) });
    try {
      await expect.poll(() => asked.length).toBe(1);
      expect(await (await asked[0])?.json()).toMatchObject({ servers: [{ name: "one" }] });
    } finally {
      release();
      lock.close();
      await (await starting).close(0);
    }
  });
});

describe("a data folder", () => {
  it("has one gateway: the second gets an error with the process of the first", async () => {
    const first = await start();
    const database = `sqlite:${join(folder, "second.db")}`;
    await expect(start({ database })).rejects.toMatchObject({
      message: expect.stringContaining(`in use by process ${process.pid} `),
      data: { code: "config-invalid", inUse: true },
    });
    await first.close(0);
  });

  it("has two gateways if one has its database in memory: a settings file can select that, and no file is written", async () => {
    const first = await start();
    const file = join(mkdtempSync(join(folder, "memory-")), "mcp.json");
    writeFileSync(file, JSON.stringify({ database: "sqlite::memory:", dataFolder: folder }));
    const second = await startGateway(
      await readSettingsFile(file, { overrides: { listen: { port: 0 }, sandbox: { port: 0 } } }),
      { log: createLog({ level: "silent" }) },
    );
    await second.close(0);
    await first.close(0);
    expect(readdirSync(dirname(file))).toEqual(["mcp.json"]);
  });
});

// Other systems have no second address of loopback.
describe.skipIf(process.platform !== "linux")("the address of apps", () => {
  it("is the one in the settings", async () => {
    const host = "127.0.0.2";
    const settings = { listen: { port: 0 }, sandbox: { host, port: 0 }, dataFolder: folder };
    const gateway = await startGateway(await readSettings({ ...settings, database: "sqlite::memory:" }), {
      log: createLog({ level: "silent" }),
    });
    try {
      const { sandboxPort } = gateway;
      expect((await fetch(`http://${host}:${sandboxPort}/`)).status).toBe(403);
      await expect(fetch(`http://127.0.0.1:${sandboxPort}/`)).rejects.toThrow("fetch failed");
    } finally {
      await gateway.close(0);
    }
  });
});

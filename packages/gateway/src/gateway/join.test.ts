/** A node needs nothing but the database and the master key. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secretKey } from "@vitrine/servers";
import type { GatewayError } from "@vitrine/wire";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { startNodesDatabase } from "../../../../testing/gateway/shared-nodes.js";
import { nodeSettings } from "../commands/join.js";
import { withNodeSecrets } from "../commands/node-secrets.js";
import { secretCommand } from "../commands/secret.js";
import type { GatewaySettings } from "../config/config.js";
import { createLog } from "../http/logging.js";
import { startGateway } from "./gateway.js";
import { joinSettings } from "./join.js";

const { newSchema, postgres } = await startNodesDatabase();

afterAll(() => postgres?.remove(), 60_000);
const open: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of open.splice(0).reverse()) await close();
});

const TOKEN = "a-token-of-at-least-twenty-characters";
const WEATHER = ["$", "{secret:WEATHER}"].join("");
const silent = createLog({ level: "silent" });
const SOON = { timeout: 5000, interval: 50 };

async function folderOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-node-"));
  open.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function keyFile(key = randomBytes(32).toString("hex")): Promise<string> {
  const file = join(await folderOf(), "key");
  await writeFile(file, key, { mode: 0o600 });
  return file;
}

const settingsText = (more: object = {}) =>
  JSON.stringify({
    mcpServers: { weather: { url: "http://127.0.0.1:1/mcp", headers: { "x-key": WEATHER } } },
    listen: { port: 0 },
    sandbox: { port: 0 },
    ...more,
  });

describe.skipIf(!postgres)("settings that are published in the database", () => {
  async function makeNode(database: string, key: string, text?: string) {
    const applied: GatewaySettings[] = [];
    const errors: GatewayError[] = [];
    const joined = await joinSettings(
      (settings) => void applied.push(settings),
      {
        database,
        node: { keyFile: key },
        log: silent,
        onerror: (error) => errors.push(error),
        overrides: { dataFolder: await folderOf() },
      },
      text,
    );
    open.push(() => joined.close());
    return { applied, errors, joined };
  }

  it("reach a node that has only the URL and the key; secrets stay references", async () => {
    const [database, key] = [newSchema(), await keyFile()];
    vi.stubEnv("VITRINE_KEY_FILE", key);
    await expect(makeNode(database, key)).rejects.toThrow(/no settings are published/);
    const place = { database, dataFolder: await folderOf() };
    await withNodeSecrets(place, (secrets) => secrets.set(secretKey("WEATHER"), "s3cret"));
    const text = settingsText({ database: "postgres://ann:pass-word@db/x", dataFolder: "/somewhere" });
    await makeNode(database, key, text);
    const { joined } = await makeNode(database, key);
    expect(joined.current.servers.get("weather")?.transport).toMatchObject({
      headers: { "x-key": "s3cret" },
    });
    expect(joined.current.database).toBe(database);
    const schema = /search_path%3D(\w+)/.exec(database)?.[1] ?? "";
    const stored = postgres?.run(schema, "select value from vitrine_state where name = 'settings'") ?? "";
    expect(stored).toContain(WEATHER);
    expect(stored).not.toMatch(/s3cret|pass-word|somewhere/);
  });

  it("the newest version wins on every node; an invalid one is rejected, and the previous stays", async () => {
    const [database, key] = [newSchema(), await keyFile()];
    const first = await makeNode(database, key, settingsText({ mcpServers: {} }));
    const second = await makeNode(database, key, settingsText({ mcpServers: {}, strict: true }));
    // Published already: the file of a node that starts later does not win.
    expect(second.joined.current.strict).toBe(false);
    await second.joined.publish(settingsText({ mcpServers: {}, strict: true }));
    await vi.waitFor(() => expect(first.joined.current.strict).toBe(true), SOON);
    expect([first.applied.length, first.joined.version, second.joined.version]).toEqual([1, 2, 2]);
    await expect(second.joined.publish('{"listen": {"port": "many"}}')).rejects.toThrow(/port/);
    const schema = /search_path%3D(\w+)/.exec(database)?.[1] ?? "";
    postgres?.run(
      schema,
      `update vitrine_state set value = '{"version":3,"text":"{\\"strict\\":7}"}' where name = 'settings'; insert into vitrine_changes (topic, key, at) values ('settings', '', 0)`,
    );
    await vi.waitFor(() => expect(first.errors).toHaveLength(1), SOON);
    expect(first.errors[0]?.message).toMatch(
      /version 3 of the published settings: .*strict[\s\S]*stay in force/,
    );
    expect(first.joined.current.strict).toBe(true);
    await first.joined.publish(settingsText({ mcpServers: {} }));
    await vi.waitFor(() => expect(second.joined.current.strict).toBe(false), SOON);
  });

  it("are published again when the file of a node changes", async () => {
    const [database, key] = [newSchema(), await keyFile()];
    vi.stubEnv("VITRINE_KEY_FILE", key);
    const config = join(await folderOf(), "mcp.json");
    await writeFile(config, settingsText({ mcpServers: {} }));
    const line = { join: database, config, data: await folderOf() };
    const one = await nodeSettings(line, () => {}, silent);
    open.push(() => one.close());
    const two = await makeNode(database, key);
    await writeFile(config, `// a comment\n${settingsText({ mcpServers: {}, strict: true })}`);
    await vi.waitFor(
      () => expect([one.current.strict, two.joined.current.strict]).toEqual([true, true]),
      SOON,
    );
    await expect(nodeSettings({ ...line, "node-address": "10.0.0.5" }, () => {}, silent)).rejects.toThrow(
      /host:port/,
    );
  });
});

describe.skipIf(!postgres)("secret rotate", () => {
  it("replaces the master key, and says when the old one can go", async () => {
    const [old, next] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
    const line = { join: newSchema(), data: await folderOf() };
    const place = { database: line.join, dataFolder: line.data };
    vi.stubEnv("VITRINE_KEY", old);
    await withNodeSecrets(place, (secrets) => secrets.set(secretKey("WEATHER"), "s3cret"));
    vi.stubEnv("VITRINE_KEY", next);
    await expect(secretCommand(["rotate"], line)).rejects.toThrow(/encrypted with the master key/);
    vi.stubEnv("VITRINE_KEY", `${next},${old}`);
    let said = "";
    const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      said += `${chunk}`;
      return true;
    });
    const code = await secretCommand(["rotate"], line).finally(() => write.mockRestore());
    expect(code).toBe(0);
    expect(said).toMatch(/^1 secret uses the master key [0-9a-f]{16} now\n/);
    expect(said).toContain("remove the old one from every node");
    vi.stubEnv("VITRINE_KEY", next);
    expect(await withNodeSecrets(place, (secrets) => secrets.get(secretKey("WEATHER")))).toBe("s3cret");
    await expect(secretCommand(["rotate"], { data: line.data })).rejects.toThrow(/--join/);
  });
});

describe.skipIf(!postgres)("a gateway on the state of nodes", () => {
  it("a second node knows the browsers and links of the first; one with another key is refused", async () => {
    const [database, key] = [newSchema(), await keyFile()];
    const settings = async () =>
      (
        await makeSettings(
          database,
          key,
          settingsText({ mcpServers: {}, users: [{ name: "ana", token: TOKEN }] }),
        )
      ).joined.current;
    const visit = (origin: string, path: string, cookie?: string) =>
      fetch(`${origin}${path}`, {
        redirect: "manual",
        headers: { origin, ...(cookie && { cookie: `vitrine-${new URL(origin).port}=${cookie}` }) },
      });
    const one = await startGateway(await settings(), {
      log: silent,
      node: { keyFile: key, listen: "127.0.0.1:0" },
    });
    const link = new URL(one.loginUrl("ana"));
    const login = await visit(one.origin, link.pathname + link.search);
    expect(login.status).toBe(303);
    const cookie = /=([^;]+)/.exec(login.headers.get("set-cookie") ?? "")?.[1];
    expect((await visit(one.origin, "/api/servers", cookie)).status).toBe(200);
    const unused = new URL(one.loginUrl("ana"));
    await one.close();

    const two = await startGateway(await settings(), {
      log: silent,
      node: { keyFile: key, listen: "127.0.0.1:0" },
    });
    open.push(() => two.close());
    expect((await visit(two.origin, "/api/servers", cookie)).status).toBe(200);
    expect((await visit(two.origin, "/api/servers", "x".repeat(65))).status).toBe(401);
    expect((await visit(two.origin, unused.pathname + unused.search)).status).toBe(303);
    await expect(
      startGateway(await settings(), {
        log: silent,
        node: { keyFile: await keyFile(), listen: "127.0.0.1:0" },
      }),
    ).rejects.toThrow(/encrypted with the master key [0-9a-f]{16}, and this node has [0-9a-f]{16}/);
  });

  async function makeSettings(database: string, key: string, text: string) {
    const joined = await joinSettings(
      () => {},
      {
        database,
        node: { keyFile: key },
        log: silent,
        onerror: () => {},
        overrides: { dataFolder: await folderOf() },
      },
      text,
    );
    open.push(() => joined.close());
    return { joined };
  }
});

import { describe, expect, it } from "vitest";
import { readSettings } from "./read.js";

const secret = "0123456789abcdef0123456789abcdef";
const tokenHash = "0".repeat(64);
const read = (nodes: unknown, more: Record<string, unknown> = {}) =>
  readSettings(
    {
      mcpServers: {},
      users: [{ name: "ana", tokenHash }],
      database: "postgres://db.example.com/vitrine",
      nodes,
      ...more,
    },
    { env: { HOME: "/home/ana", NODES: secret } },
  );

describe("the settings of a node", () => {
  it("are its addresses and the secret of all nodes", async () => {
    expect((await read({ listen: "10.0.0.5:8092", secret: `\${NODES}` })).nodes).toEqual({
      host: "10.0.0.5",
      port: 8092,
      address: undefined,
      secret,
    });
    expect((await read({ listen: "[::]:0", address: "[fd00::5]:8092", secret })).nodes).toEqual({
      host: "::",
      port: 0,
      address: "[fd00::5]:8092",
      secret,
    });
    expect((await read(undefined)).nodes).toBeUndefined();
  });

  it.each([
    ["1m", 60_000],
    [0, 0],
    ["0s", 0],
  ])("have the time %j after which users move to a node that has fewer", async (balance, milliseconds) => {
    expect((await read({ listen: "10.0.0.5:8092", balance })).nodes?.balance).toBe(milliseconds);
  });

  it.each([
    [{}, 'nodes: has no listen; add "listen"'],
    [{ listen: "10.0.0.5", secret }, "nodes.listen: must be a host and a port"],
    [{ listen: "10.0.0.5:99999", secret }, "nodes.listen: must be a host and a port"],
    [{ listen: "user@host:1", secret }, "nodes.listen: must be a host and a port"],
    [{ listen: "10.0.0.5:8092", secret: "short" }, "nodes.secret: is too short"],
    [{ listen: "0.0.0.0:8092", secret }, "nodes: other nodes cannot find this one"],
    [{ listen: "10.0.0.5:8092", address: "0.0.0.0:8092", secret }, "nodes.address: cannot be reached"],
    [{ listen: "10.0.0.5:8092", address: "a:0", secret }, "nodes.address: cannot be reached"],
    [{ listen: "10.0.0.5:8092", secret, port: 1 }, "nodes.port: unknown setting"],
    [{ listen: "10.0.0.5:8092", balance: -1 }, "nodes.balance: must be a time"],
    [{ listen: "10.0.0.5:8092", balance: "soon" }, "nodes.balance: must be a time"],
    ["10.0.0.5:8092", "nodes: must be an object"],
  ])("%j are refused, and the message says what to do", async (nodes, message) => {
    const error = await read(nodes).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ data: { code: "config-invalid" } });
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain(secret);
  });

  it("need users and PostgreSQL", async () => {
    const nodes = { listen: "10.0.0.5:8092", secret };
    await expect(read(nodes, { users: [] })).rejects.toThrow("several nodes need users");
    await expect(read(nodes, { database: "sqlite:/tmp/x.db" })).rejects.toThrow(
      "share one PostgreSQL database",
    );
    await expect(read(nodes, { database: undefined })).rejects.toThrow("share one PostgreSQL database");
  });
});

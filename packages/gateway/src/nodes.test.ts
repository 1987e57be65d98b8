/** Whole gateways as nodes of one PostgreSQL database. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { startPostgres, type TestPostgres } from "../../../testing/postgres.ts";
import { connectGateway } from "../../host/src/gateway/index.js";
import { createLog, type GatewayOptions, RunningGateway, readSettings } from "./index.js";
import { shardOf } from "./store/shards.js";

const TOKEN = "a-token-of-at-least-twenty-characters";
const SECRET = "0123456789abcdef0123456789abcdef";
let postgres: TestPostgres;
let hasPostgres = false;
let key: string | undefined;
beforeAll(async () => {
  const started = await startPostgres();
  if (!started) return;
  postgres = started;
  hasPostgres = true;
  key = process.env["VITRINE_KEY"];
  process.env["VITRINE_KEY"] = "ab".repeat(32);
});
beforeEach(({ skip }) => {
  if (!hasPostgres) skip("PostgreSQL is missing");
});
afterAll(async () => {
  if (!hasPostgres) return;
  if (key === undefined) delete process.env["VITRINE_KEY"];
  else process.env["VITRINE_KEY"] = key;
  await postgres.remove();
});
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let count = 0;
const schema = () => `whole_${++count}`;

async function startNode(id: string, database: string, more: object = {}, options: GatewayOptions = {}) {
  const dataFolder = await mkdtemp(join(tmpdir(), "vitrine-node-"));
  closers.push(() => rm(dataFolder, { recursive: true, force: true }));
  const settings = await readSettings({
    mcpServers: { [`of-${id}`]: { command: "never-started" } },
    users: [
      { name: "ana", token: TOKEN },
      { name: "bob", token: `${TOKEN}-of-bob` },
    ],
    listen: { port: 0 },
    sandbox: { port: 0 },
    nodes: { listen: "127.0.0.1:0", secret: SECRET },
    drain: { time: "2s" },
    database,
    dataFolder,
    ...more,
  });
  const gateway = await RunningGateway.start(settings, {
    log: createLog({ level: "silent" }),
    ...options,
  });
  closers.push(() => gateway.close(0));
  return gateway;
}

const headersOf = ({ origin }: RunningGateway) => ({ authorization: `Bearer ${TOKEN}`, origin });
const ask = (gateway: RunningGateway, path: string): Promise<Response> =>
  fetch(`${gateway.origin}${path}`, { headers: headersOf(gateway) });
const serversOf = async (gateway: RunningGateway): Promise<string> =>
  (await ask(gateway, "/api/servers")).text();

function openPage(gateways: readonly RunningGateway[]) {
  // A load balancer without sticky sessions: each connection goes to the next node.
  let turn = 0;
  const next = (): RunningGateway => {
    const gateway = gateways[turn++ % gateways.length];
    if (!gateway) throw new Error("no gateway");
    return gateway;
  };
  class Socket extends WebSocket {
    constructor() {
      const gateway = next();
      super(`${gateway.origin.replace("http", "ws")}/api/session`, { headers: headersOf(gateway) });
    }
  }
  const page = connectGateway({
    url: `${gateways[0]?.origin}/api/session`,
    WebSocket: Socket as unknown as typeof globalThis.WebSocket,
    storage: { getItem: () => null, setItem() {}, removeItem() {} },
  });
  closers.push(async () => page.close());
  return async () => (await page.request("gateway/servers", {})).servers.map(({ name }) => name);
}

it("programs and pages reach the node that has their user, through any node", async () => {
  const database = postgres.schema(schema());
  const [a, b] = [await startNode("a", database), await startNode("b", database)];
  // The first node that is asked takes the user.
  expect(await serversOf(b)).toContain("of-b");
  expect(await serversOf(a)).toContain("of-b");
  const names = openPage([a, b]);
  expect(await names()).toEqual(["of-b"]);
});

it("when a node stops, its users are handed over, and their pages continue", async () => {
  const database = postgres.schema(schema());
  const [a, b] = [await startNode("a", database), await startNode("b", database)];
  expect(await serversOf(b)).toContain("of-b");
  const names = openPage([b, a]);
  expect(await names()).toEqual(["of-b"]);
  const stopping = b.close();
  await vi.waitFor(async () => expect(await names()).toEqual(["of-a"]), { timeout: 20_000, interval: 50 });
  await stopping;
  expect(await serversOf(a)).toContain("of-a");
});

it("a node whose lease was taken acts no more, says so, and its users are elsewhere", async () => {
  const name = schema();
  const database = postgres.schema(name);
  let lost = 0;
  const a = await startNode("a", database);
  const b = await startNode("b", database, {}, { onlost: () => lost++ });
  expect(await serversOf(b)).toContain("of-b");
  // As after a pause that is longer than its lease.
  postgres.run(
    name,
    `update vitrine_nodes set fence = fence + 1, state = 'lost', "expiresAt" = 0 where slot = 1`,
  );
  await vi.waitFor(() => expect(lost).toBe(1), { timeout: 10_000 });
  expect(await serversOf(a)).toContain("of-a");
  // The node that lost its lease forwards, or refuses: it never serves the user itself.
  expect(await serversOf(b)).not.toContain("of-b");
});

it("users whom another node has taken leave at once", async () => {
  const name = schema();
  const database = postgres.schema(name);
  const [a, b] = [await startNode("a", database), await startNode("b", database)];
  expect(await serversOf(b)).toContain("of-b");
  const names = openPage([b, a]);
  expect(await names()).toEqual(["of-b"]);
  postgres.run(name, `update vitrine_shards set slot = null, fence = 0 where shard = ${shardOf("ana")}`);
  expect(await serversOf(a)).toContain("of-a");
  await vi.waitFor(async () => expect(await names()).toEqual(["of-a"]), { timeout: 20_000, interval: 50 });
});

it("a link that one node made signs a browser in at another, once", async () => {
  const database = postgres.schema(schema());
  const [a, b] = [await startNode("a", database), await startNode("b", database)];
  const code = new URL(a.loginUrl("ana")).searchParams.get("code");
  const open = () => fetch(`${b.origin}/login?code=${code}`, { redirect: "manual" });
  // The link is stored in the background.
  const login = await vi.waitFor(
    async () => {
      const answer = await open();
      expect(answer.status).toBeLessThan(400);
      return answer;
    },
    { timeout: 10_000, interval: 100 },
  );
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await open()).status).toBe(401);
  // The cookie's name has the port of its node: behind a load balancer all nodes have one origin.
  expect(cookie).toMatch(/=/);
});

it("two nodes with different secrets do not share users: the second does not start, and says why", async () => {
  const database = postgres.schema(schema());
  await startNode("a", database);
  const other = { nodes: { listen: "127.0.0.1:0", secret: `${SECRET}, but different` } };
  await expect(startNode("b", database, other)).rejects.toThrow(/does not fit the node at/);
});

it("without a secret in the settings, nodes share one in the database", async () => {
  const database = postgres.schema(schema());
  const more = { nodes: { listen: "127.0.0.1:0" } };
  const [a, b] = [await startNode("a", database, more), await startNode("b", database, more)];
  expect(await serversOf(b)).toContain("of-b");
  expect(await serversOf(a)).toContain("of-b");
});

/** The guide's node without containers: its settings, on PostgreSQL, behind HAProxy. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createLog, type RunningGateway, readSettings, startGateway } from "@vitrine/gateway";
import { connectGateway } from "@vitrine/host/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import { findPostgres } from "../../scripts/postgres.mjs";
import { findHaproxy } from "../../scripts/proxies.mjs";
import { freePort } from "../free-port.ts";
import { startPostgres, type TestPostgres } from "../postgres.ts";
import { settingsProblems } from "./settings-problems.ts";

const path = (name: string): string => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));
const FILE = path("local/gateway.json");
const NODE = "127.0.0.2";
const TOKEN = "0123456789abcdef0123456789abcdef";

it("the settings are ones that the gateway accepts", async () => {
  expect(await settingsProblems(readFileSync(FILE, "utf8"))).toEqual([]);
});

describe.skipIf(!findHaproxy() || !findPostgres())("a node behind HAProxy", () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-local-"));
  let postgres: TestPostgres | undefined;
  let gateway: RunningGateway | undefined;
  let proxy: ChildProcess | undefined;
  let pages = 0;
  let apps = 0;

  beforeAll(async () => {
    postgres = await startPostgres();
    if (!postgres) throw new Error("PostgreSQL did not start");
    pages = await freePort();
    apps = await freePort();
    // With several nodes, each gateway would also open a port for the others.
    const { nodes: _, ...written } = parse(readFileSync(FILE, "utf8"));
    const env = {
      VITRINE_NODE: NODE,
      VITRINE_TOKEN_ANA: TOKEN,
      VITRINE_DATABASE: postgres.schema("local"),
      PATH: process.env["PATH"],
    };
    const overrides = {
      listen: { host: NODE, port: pages, origin: `http://localhost:${pages}` },
      dataFolder: folder,
    };
    const text = JSON.stringify({ ...written, sandbox: { ...written.sandbox, port: apps } });
    const settings = await readSettings(text, { env, overrides, file: join(dirname(FILE), "gateway.json") });
    gateway = await startGateway(settings, { log: createLog({ level: "silent" }) });
    const config = readFileSync(path("haproxy/haproxy.cfg"), "utf8")
      .replaceAll(":8090", `:${pages}`)
      .replaceAll(":8091", `:${apps}`);
    writeFileSync(join(folder, "haproxy.cfg"), config);
    const variables = { BIND: "127.0.0.1", PAGES_HOST: `localhost:${pages}` };
    const nodes = { NODE_1: NODE, NODE_2: "127.0.0.3", NODE_3: "127.0.0.4" };
    proxy = spawn(`${findHaproxy()}`, ["-f", join(folder, "haproxy.cfg")], {
      env: { ...process.env, ...variables, ...nodes },
      stdio: "ignore",
    });
    while ((await ask("/healthz").catch(() => 0)) !== 200) await pause(50);
  });

  afterAll(async () => {
    await gateway?.close(0);
    proxy?.kill("SIGKILL");
    if (proxy) await once(proxy, "close");
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const headers = () => ({ authorization: `Bearer ${TOKEN}`, origin: `http://localhost:${pages}` });

  /** The status of an answer at an address of the proxy, under the host that browsers use. */
  async function ask(
    address: string,
    port = pages,
    host = `localhost:${pages}`,
  ): Promise<number | undefined> {
    const sent = request({ host: "127.0.0.1", port, path: address, headers: { host }, agent: false }).end();
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  }

  it("signs the guide's user in, and starts the guide's demo server", async () => {
    const post = {
      method: "POST",
      headers: { ...headers(), "content-type": "application/json" },
      body: "{}",
    };
    const link = await fetch(`http://localhost:${pages}/api/login-link`, post);
    expect(await link.json()).toEqual({
      url: expect.stringContaining(`http://localhost:${pages}/login?code=`),
    });
    const tools = await fetch(`http://localhost:${pages}/api/servers/weather/tools/list`, post);
    expect(await tools.json()).toMatchObject({ tools: expect.arrayContaining([expect.anything()]) });
  });

  it("opens an app over a WebSocket, and serves its document under its own host", async () => {
    class Socket extends WebSocket {
      constructor(url: string | URL) {
        super(url, { headers: headers() });
      }
    }
    const page = connectGateway({
      url: `http://localhost:${pages}/api/session`,
      WebSocket: Socket as unknown as typeof globalThis.WebSocket,
      storage: { getItem: () => null, setItem() {}, removeItem() {} },
    });
    try {
      const { views } = await page.request("gateway/catalogue", { server: "weather" });
      const [{ tool } = { tool: "" }] = views;
      const view = await page.openView({ server: "weather", tool, arguments: {} });
      expect(page.state).toMatchObject({ phase: "open", over: "websocket" });
      const { host, pathname, port } = new URL(`${view.opened.place?.src}`);
      expect(Number(port)).toBe(apps);
      expect(await ask(pathname, apps, host)).toBe(200);
      expect(await ask(pathname, apps, `p.none.localhost:${apps}`)).toBe(403);
    } finally {
      page.close();
    }
    expect(await ask("/healthz", pages, "elsewhere.example")).toBe(403);
  });

  it("is not ready when the database is away, and ready when it is back", async () => {
    await postgres?.stop("immediate");
    await expect.poll(() => ask("/readyz")).toBe(503);
    await postgres?.start();
    await expect.poll(() => ask("/readyz")).toBe(200);
  });
});

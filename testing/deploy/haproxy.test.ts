/** HAProxy with the configuration of `deploy`: what it does with nodes that work, drain, freeze and die. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { findHaproxy } from "../../scripts/proxies.mjs";
import { freePort } from "../free-port.ts";

const CONFIG = fileURLToPath(new URL("../../deploy/haproxy/haproxy.cfg", import.meta.url));
const haproxy = findHaproxy();
if (!haproxy)
  console.warn("no HAProxy: its tests are skipped; `node scripts/proxies.mjs` installs it where it can");

const HOSTS = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
const VARIABLES = {
  BIND: "127.0.0.1",
  PAGES_HOST: "localhost:8090",
  NODE_1: `${HOSTS[0]}`,
  NODE_2: `${HOSTS[1]}`,
  NODE_3: `${HOSTS[2]}`,
};

/** Stands in for a node: only its answers to HAProxy matter here. */
class StandIn {
  readonly host: string;
  isReady = true;
  isFrozen = false;
  readonly checkedHosts = new Set<string | undefined>();
  checks = 0;
  calls = 0;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(host: string) {
    this.host = host;
    this.#server = createServer((request, response) => {
      if (this.isFrozen) return;
      if (request.url === "/readyz") {
        this.checks++;
        this.checkedHosts.add(request.headers.host);
      } else this.calls++;
      if (request.url === "/lost") return void request.socket.destroy();
      const status = request.url === "/readyz" && !this.isReady ? 503 : 200;
      response.writeHead(status).end(host);
    });
    this.#server.on("upgrade", (request, socket, head) =>
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.on("message", () => this.isFrozen || opened.send(host));
        opened.send(host);
      }),
    );
  }

  async listen(port: number): Promise<void> {
    await once(this.#server.listen(port, this.host), "listening");
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

describe.skipIf(!haproxy)("HAProxy", () => {
  let folder: string;
  let pages: number;
  let proxy: ChildProcess | undefined;
  let log = "";
  let nodes: StandIn[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "vitrine-haproxy-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  afterEach(async () => {
    proxy?.kill("SIGKILL");
    if (proxy) await once(proxy, "close");
    proxy = undefined;
    for (const node of nodes) await node.close();
    nodes = [];
  });

  /** Starts nodes, and HAProxy with the configuration on free ports. */
  async function start(): Promise<StandIn[]> {
    pages = await freePort();
    const apps = await freePort();
    nodes = HOSTS.map((host) => new StandIn(host));
    for (const node of nodes) await node.listen(pages);
    const text = readFileSync(CONFIG, "utf8")
      .replaceAll(":8090", `:${pages}`)
      .replaceAll(":8091", `:${apps}`);
    const file = join(folder, "haproxy.cfg");
    writeFileSync(file, text);
    log = "";
    proxy = spawn(`${haproxy}`, ["-f", file], { env: { ...process.env, ...VARIABLES } });
    for (const stream of [proxy.stdout, proxy.stderr]) {
      stream?.setEncoding("utf8").on("data", (part: string) => {
        log += part;
      });
    }
    await expect.poll(() => nodes.every((node) => node.checkedHosts.size > 0)).toBe(true);
    return nodes;
  }

  const ask = (path = "/") => fetch(`http://127.0.0.1:${pages}${path}`);
  /** The nodes that answer some requests. */
  async function answering(): Promise<Set<string>> {
    const seen = new Set<string>();
    for (let count = 0; count < 12; count++) {
      const response = await ask();
      const text = await response.text();
      if (response.ok) seen.add(text);
    }
    return seen;
  }

  /** Opens WebSockets until one is with the node. */
  async function socketAt(host: string): Promise<WebSocket> {
    for (let count = 0; count < 20; count++) {
      const socket = new WebSocket(`ws://127.0.0.1:${pages}/api/session`);
      const [message] = await once(socket, "message");
      if (`${message}` === host) return socket;
    }
    throw new Error(`no WebSocket reached ${host}`);
  }

  it("accepts the configuration, and refuses it with a mistake", () => {
    const check = (file: string) =>
      execFileSync(`${haproxy}`, ["-c", "-f", file], {
        env: { ...process.env, ...VARIABLES },
        stdio: "pipe",
      });
    expect(`${check(CONFIG)}`).toContain("Configuration file is valid");
    const broken = join(folder, "broken.cfg");
    writeFileSync(
      broken,
      readFileSync(CONFIG, "utf8").replace("default_backend nodes", "default_backend node"),
    );
    expect(() => check(broken)).toThrow();
  });

  it("spreads requests over all nodes, and asks whether they are ready with the Host of the pages", async () => {
    const started = await start();
    expect(await answering()).toEqual(new Set(HOSTS));
    for (const node of started) expect([...node.checkedHosts]).toEqual([VARIABLES.PAGES_HOST]);
  });

  it("sends a node that drains nothing new, and keeps its WebSockets", async () => {
    const [first] = await start();
    const socket = await socketAt(HOSTS[0] ?? "");
    if (first) first.isReady = false;
    await expect.poll(answering).toEqual(new Set(HOSTS.slice(1)));
    // HAProxy has seen it several times, and has had time to close the connection.
    const seen = first?.checks ?? 0;
    await expect.poll(() => (first?.checks ?? 0) > seen + 2).toBe(true);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.send("are you there?");
    expect(`${(await once(socket, "message"))[0]}`).toBe(HOSTS[0]);
    socket.terminate();
  });

  it("closes the WebSockets of a node that is frozen, so that pages reconnect", async () => {
    const [first] = await start();
    const socket = await socketAt(HOSTS[0] ?? "");
    const closed = once(socket, "close");
    socket.on("error", () => {});
    if (first) first.isFrozen = true;
    await closed;
    expect(await answering()).toEqual(new Set(HOSTS.slice(1)));
  });

  it("tries another node if one cannot be reached, and never sends a request twice", async () => {
    const [first, ...others] = await start();
    await first?.close();
    nodes = others;
    for (let count = 0; count < 12; count++) expect((await ask()).status).toBe(200);
    const before = others.map((node) => node.calls).reduce((sum, each) => sum + each, 0);
    // HAProxy answers 502, or closes the connection if the node had kept its own open.
    const lost = await fetch(`http://127.0.0.1:${pages}/lost`, { method: "POST" }).catch(() => undefined);
    expect(lost?.status ?? 502).toBe(502);
    expect(others.map((node) => node.calls).reduce((sum, each) => sum + each, 0)).toBe(before + 1);
  });

  it("logs paths without the queries, which may be credentials", async () => {
    await start();
    await ask("/login?code=secret-code");
    await expect.poll(() => log).toContain("GET /login 200");
    expect(log).not.toContain("secret-code");
  });
});

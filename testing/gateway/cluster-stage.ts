/**
 * Three gateway processes as nodes of one PostgreSQL database, behind HAProxy, with clients that call tools and a history
 * of all calls. A test kills nodes, freezes them, and cuts them off from the database and from each other.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectGateway, type GatewayClient } from "@vitrine/host/gateway";
import { JsonText, recordOf } from "@vitrine/protocol";
import { WebSocket } from "ws";
import { findHaproxy } from "../../scripts/proxies.mjs";
import { freePort } from "../free-port.ts";
import { startPostgres, type TestPostgres } from "../postgres.ts";
import { FaultLine } from "./fault-line.ts";
import { faultyServer, tabStorage } from "./fault-stage.ts";

const MAIN = fileURLToPath(new URL("../../packages/gateway/dist/main.js", import.meta.url));
const SECRET = "a secret of all nodes, with 32 bytes or more";
const MARK = "CLUSTER_STAGE";
const SCHEMA = "cluster";

/** Errors after which the call was not made, and may be sent again under its key. */
const AGAIN = /^(stopping|overloaded|node-unreachable|audit-failed|rate-limited|server-failed|unanswered)$/;

/** A call of a client, and how it ended for the client. */
export interface HistoryEntry {
  readonly key: string;
  readonly user: string;
  readonly by: "program" | "page";
  /** Undefined while it is pending. `ok`, or an error code. */
  end?: string;
  /** The error says that the call may have run. */
  mayHaveRun?: boolean;
}

/** A node's process and the lines to it. */
export class ClusterNode {
  readonly id: number;
  readonly port: number;
  /** To the database, and from other nodes. */
  readonly toDatabase: FaultLine;
  readonly fromNodes: FaultLine;
  child: ChildProcess | undefined;
  log = "";

  constructor(id: number, port: number, toDatabase: FaultLine, fromNodes: FaultLine) {
    this.id = id;
    this.port = port;
    this.toDatabase = toDatabase;
    this.fromNodes = fromNodes;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }
}

export class ClusterStage {
  readonly folder = mkdtempSync(join(tmpdir(), "vitrine-cluster-"));
  readonly history: HistoryEntry[] = [];
  readonly nodes: ClusterNode[] = [];
  readonly users: readonly string[];
  readonly postgres: TestPostgres;
  origin = "";
  readonly #mark = randomBytes(8).toString("hex");
  readonly #effects = join(this.folder, "effects");
  readonly #tokens = new Map<string, string>();
  readonly #pages: GatewayClient[] = [];
  readonly #database: string;
  #haproxy: ChildProcess | undefined;
  #count = 0;
  #isOver = false;

  private constructor(postgres: TestPostgres, users: number) {
    this.postgres = postgres;
    this.#database = postgres.schema(SCHEMA);
    this.users = Array.from({ length: users }, (_, n) => `user-${n}`);
    for (const user of this.users) this.#tokens.set(user, randomBytes(24).toString("base64url"));
  }

  /** Starts everything. Undefined if PostgreSQL or HAProxy is missing here. */
  static async open({ nodes = 3, users = 12 } = {}): Promise<ClusterStage | undefined> {
    const haproxy = findHaproxy();
    const postgres = haproxy === undefined ? undefined : await startPostgres();
    if (!postgres || haproxy === undefined) return undefined;
    const stage = new ClusterStage(postgres, users);
    const port = await freePort();
    stage.origin = `http://127.0.0.1:${port}`;
    for (let n = 0; n < nodes; n++) await stage.#addNode();
    await Promise.all(stage.nodes.map((node) => stage.start(node)));
    await stage.#balance(haproxy, port);
    return stage;
  }

  async #addNode(): Promise<void> {
    const [toDatabase, fromNodes] = [await FaultLine.open(), await FaultLine.open()];
    toDatabase.target = Number(new URL(this.#database).port);
    this.nodes.push(new ClusterNode(this.nodes.length, await freePort(), toDatabase, fromNodes));
  }

  /** Starts a node's process, for the first time or again. */
  async start(node: ClusterNode): Promise<void> {
    const nodePort = await freePort();
    node.fromNodes.target = nodePort;
    const database = new URL(this.#database);
    database.port = String(node.toDatabase.port);
    const file = join(this.folder, `node-${node.id}.json`);
    const server = faultyServer();
    const settings = {
      listen: { port: node.port, origin: this.origin },
      sandbox: { port: await freePort() },
      nodes: {
        listen: `127.0.0.1:${nodePort}`,
        address: `127.0.0.1:${node.fromNodes.port}`,
        secret: SECRET,
      },
      drain: { time: "3s" },
      database: database.href,
      dataFolder: join(this.folder, `data-${node.id}`),
      audit: { payloads: "arguments" },
      session: { grace: "30s", perUser: 100 },
      users: this.users.map((name) => ({ name, tokenHash: hashOf(this.#tokens.get(name) ?? "") })),
      mcpServers: {
        faulty: { ...server, env: { LOG: this.#effects, [MARK]: this.#mark, MODES: "" } },
      },
    };
    writeFileSync(file, JSON.stringify(settings));
    const child = spawn(process.execPath, [MAIN, "--config", file], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, VITRINE_KEY: "cd".repeat(32), [MARK]: this.#mark },
    });
    node.child = child;
    child.once("exit", () => {
      if (node.child === child) node.child = undefined;
    });
    child.stderr.on("data", (data) => {
      node.log = (node.log + data).slice(-200_000);
    });
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`node ${node.id} ended with ${code}: ${node.log}`)));
      child.stdout.on("data", (data) => `${data}`.includes("→") && resolve());
    });
  }

  /** HAProxy as in `deploy/haproxy`, with this stage's ports. */
  async #balance(haproxy: string, port: number): Promise<void> {
    const file = join(this.folder, "haproxy.cfg");
    const host = new URL(this.origin).host;
    writeFileSync(
      file,
      `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout check 1s
  retries 3
  retry-on conn-failure
  option redispatch 1
frontend pages
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host "${host}"
  http-check expect status 200 error-status L7OKC
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${this.nodes.map(({ id, port: at }) => `  server node-${id} 127.0.0.1:${at}`).join("\n")}
`,
    );
    const child = spawn(haproxy, ["-f", file], { stdio: ["ignore", "ignore", "inherit"] });
    this.#haproxy = child;
    for (let attempt = 0; attempt < 300; attempt++) {
      const isReady = await fetch(`${this.origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      await pause(100);
    }
    throw new Error("HAProxy did not find a node that is ready");
  }

  /** Ends a node's process with a signal, and waits until it has ended. */
  async end(node: ClusterNode, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { child } = node;
    if (!child) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  /** The node that has a user, as the database says. */
  ownerOf(user: string): ClusterNode | undefined {
    const shard = Number.parseInt(hashOf(user).slice(0, 2), 16);
    const address = this.postgres.run(
      SCHEMA,
      `select n.address from vitrine_shards s join vitrine_nodes n on n.slot = s.slot and n.fence = s.fence where s.shard = ${shard}`,
    );
    return this.nodes.find(({ fromNodes }) => address === `127.0.0.1:${fromNodes.port}`);
  }

  headers(user: string): Record<string, string> {
    return { authorization: `Bearer ${this.#tokens.get(user)}`, origin: this.origin };
  }

  /** Opens a page of a user, over a WebSocket through HAProxy. */
  page(user: string): GatewayClient {
    const url = this.origin.replace("http", "ws");
    const headers = this.headers(user);
    class Socket extends WebSocket {
      constructor() {
        super(`${url}/api/session`, { headers, perMessageDeflate: false });
      }
    }
    const page = connectGateway({
      url: `${this.origin}/api/session`,
      // A page falls back to HTTP when its sockets fail. A browser sends its cookie and origin by itself.
      fetch: (address, init) =>
        fetch(address, { ...init, headers: { ...Object(init?.headers), ...headers } }),
      WebSocket: Socket as unknown as typeof globalThis.WebSocket,
      storage: tabStorage(),
      heartbeat: 1000,
    });
    this.#pages.push(page);
    return page;
  }

  /** A program calls a tool. It sends the call again under its key, as docs/gateway/http.md says, until it has an outcome. */
  async callByProgram(user: string, tool = "echo"): Promise<HistoryEntry> {
    const entry = this.#begin(user, "program");
    while (!this.#isOver) {
      const { code, mayHaveRun } = await this.#post(user, tool, entry.key);
      if (AGAIN.test(code)) {
        await pause(100);
        continue;
      }
      entry.end = code;
      entry.mayHaveRun = mayHaveRun;
      break;
    }
    return entry;
  }

  async #post(user: string, tool: string, key: string): Promise<{ code: string; mayHaveRun: boolean }> {
    try {
      const response = await fetch(`${this.origin}/api/servers/faulty/tools/call`, {
        method: "POST",
        headers: { ...this.headers(user), "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ name: tool, arguments: { key, text: key, after: 5 } }),
        signal: AbortSignal.timeout(30_000),
      });
      const body = recordOf(await response.json());
      const error = recordOf(body["error"]);
      if (body["error"] === undefined) return { code: response.ok ? "ok" : "unanswered", mayHaveRun: true };
      const mayHaveRun = recordOf(error["data"])["indeterminate"] === true;
      return { code: String(error["code"]), mayHaveRun };
    } catch {
      // The connection was cut, or HAProxy answered with a page of its own.
      return { code: "unanswered", mayHaveRun: true };
    }
  }

  /** A page calls a tool. The page's client sends it again by itself. */
  async callByPage(page: GatewayClient, user: string, tool = "echo"): Promise<HistoryEntry> {
    const entry = this.#begin(user, "page");
    try {
      const args = { key: entry.key, text: entry.key, after: 5 };
      const result = await page.request("gateway/call", { server: "faulty", name: tool, arguments: args });
      entry.end = "ok";
      const text = result instanceof JsonText ? result.text : JSON.stringify(result);
      if (!text.includes(entry.key)) entry.end = "wrong answer";
    } catch (error) {
      const { code, data } = recordOf(error);
      entry.end = String(recordOf(data)["code"] ?? code);
      entry.mayHaveRun = recordOf(data)["indeterminate"] === true || entry.end === "indeterminate";
    }
    return entry;
  }

  #begin(user: string, by: HistoryEntry["by"]): HistoryEntry {
    const entry: HistoryEntry = { key: `${this.#mark}-${++this.#count}`, user, by };
    this.history.push(entry);
    return entry;
  }

  /** The keys of all effects, in the order in which they happened. */
  effects(): string[] {
    const lines = existsSync(this.#effects) ? readFileSync(this.#effects, "utf8") : "";
    return [...lines.matchAll(/ effect (\S+)/g)].map(([, key = ""]) => key);
  }

  /** Processes of this stage: nodes, servers, and whatever they started. */
  processes(): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${MARK}=${this.#mark}`);
        } catch {
          return false;
        }
      });
  }

  /** Verifies the chains of all nodes, through any node. */
  async verify(): Promise<unknown> {
    return (
      await fetch(`${this.origin}/api/audit/verify`, { headers: this.headers(this.users[0] ?? "") })
    ).json();
  }

  /** Everything that contradicts the promises; see docs/gateway/faults.md. */
  async violations(): Promise<string[]> {
    const found: string[] = [];
    const counts = new Map<string, number>();
    for (const key of this.effects()) counts.set(key, (counts.get(key) ?? 0) + 1);
    const recorded = new Set(
      this.postgres
        .run(
          SCHEMA,
          `select substring("params" from '"key":"([^"]+)"') from vitrine_audit where kind = 'entry' and decision = 'allowed'`,
        )
        .split("\n"),
    );
    for (const { key, end, mayHaveRun, by } of this.history) {
      const count = counts.get(key) ?? 0;
      if (end === undefined) found.push(`${key} (${by}) has no outcome`);
      if (end === "wrong answer") found.push(`${key} (${by}) got the answer of another call`);
      if (count > 1) found.push(`${key} (${by}, ${end}) ran ${count} times`);
      if (end === "ok" && count === 0) found.push(`${key} (${by}) was acknowledged, and is lost`);
      if (end !== "ok" && end !== "indeterminate" && !mayHaveRun && count > 0)
        found.push(`${key} (${by}) ended with ${end}, as if it had not run, and ran`);
      if (count > 0 && !recorded.has(key)) found.push(`${key} (${by}) ran without an entry in the audit log`);
    }
    const open = this.postgres.run(
      SCHEMA,
      `select count(*) from vitrine_audit e left join vitrine_audit o on o.of = e.seq where e.kind = 'entry' and e.decision = 'allowed' and o.seq is null`,
    );
    if (open !== "0") found.push(`${open} entries have no outcome`);
    const twice = this.postgres.run(
      SCHEMA,
      `select count(*) from (select of from vitrine_audit where of is not null group by of having count(*) > 1) as many`,
    );
    if (twice !== "0") found.push(`${twice} entries have several outcomes`);
    const verified = recordOf(await this.verify());
    if (verified["ok"] !== true) found.push(`the chains are broken: ${JSON.stringify(verified)}`);
    return found;
  }

  /** Ends pending retries of clients: for a test that failed. */
  giveUp(): void {
    this.#isOver = true;
  }

  /** Stops everything. Returns the processes that are left. */
  async close(): Promise<number[]> {
    this.#isOver = true;
    for (const page of this.#pages) page.close();
    await Promise.all(
      this.nodes.map((node) => {
        node.child?.kill("SIGCONT");
        return this.end(node, "SIGTERM");
      }),
    );
    this.#haproxy?.kill("SIGTERM");
    for (const { toDatabase, fromNodes } of this.nodes)
      await Promise.all([toDatabase.close(), fromNodes.close()]);
    await this.postgres.remove();
    const deadline = performance.now() + 20_000;
    while (this.processes().length > 0 && performance.now() < deadline) await pause(100);
    const left = this.processes();
    rmSync(this.folder, { recursive: true, force: true });
    return left;
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

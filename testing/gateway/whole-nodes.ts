/** Whole gateways in this process, as nodes of one PostgreSQL database that all cases of a test file share. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordOf } from "@vitrine/protocol";
import { WebSocket } from "ws";
import {
  createLog,
  type GatewayOptions,
  RejoiningGateway,
  RunningGateway,
  readSettings,
} from "../../packages/gateway/src/index.js";
import { connectGateway, type GatewayClient } from "../../packages/host/src/gateway/index.js";
import { freePort } from "../free-port.ts";
import { startPostgres, type TestPostgres } from "../postgres.ts";
import { faultyServer } from "./fault-stage.ts";

const TOKEN = "a-token-of-at-least-twenty-characters";
export const SECRET = "0123456789abcdef0123456789abcdef";

/** The database of a test. */
export interface NodesDatabase {
  readonly name: string;
  readonly url: string;
}

/** The answer to a request of a program. */
export interface NodeAnswer {
  readonly status: number;
  readonly text: string;
  /** The code of an error. */
  readonly code: string | undefined;
}

export class WholeNodes {
  readonly postgres: TestPostgres;
  readonly users: readonly string[];
  /** The lines of all nodes' logs, since the test began. */
  readonly logged: string[] = [];
  readonly #key = process.env["VITRINE_KEY"];
  readonly #closers: (() => unknown)[] = [];
  #effects = "";
  #count = 0;

  private constructor(postgres: TestPostgres, users: readonly string[]) {
    this.postgres = postgres;
    this.users = users;
    process.env["VITRINE_KEY"] = "ab".repeat(32);
  }

  /** Undefined if PostgreSQL cannot run here. */
  static async open(users: readonly string[] = ["ana", "bob"]): Promise<WholeNodes | undefined> {
    const postgres = await startPostgres();
    return postgres && new WholeNodes(postgres, users);
  }

  database(): NodesDatabase {
    const name = `whole_${++this.#count}`;
    return { name, url: this.postgres.schema(name) };
  }

  /** Runs a statement in a database, and returns the rows as text. */
  run({ name }: NodesDatabase, sql: string): string {
    return this.postgres.run(name, sql);
  }

  /** A folder that is removed after the test. */
  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-node-"));
    this.#closers.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** The settings of a node. Its server `of-<id>` never runs, and shows which node answered. */
  async settings(id: string, { url }: NodesDatabase, more: object = {}) {
    const dataFolder = await this.folder();
    if (this.#effects === "") this.#effects = join(dataFolder, "effects");
    const { env, ...faulty } = faultyServer();
    return readSettings({
      mcpServers: {
        [`of-${id}`]: { command: "never-started" },
        faulty: { ...faulty, env: { ...recordOf(env), LOG: this.#effects } },
      },
      users: this.users.map((name) => ({ name, token: `${TOKEN}-of-${name}` })),
      listen: { port: 0 },
      sandbox: { port: 0 },
      nodes: { listen: "127.0.0.1:0", secret: SECRET },
      drain: { time: "2s" },
      database: url,
      dataFolder,
      ...more,
    });
  }

  async start(id: string, database: NodesDatabase, more: object = {}, options: GatewayOptions = {}) {
    const settings = await this.settings(id, database, more);
    const gateway = await RunningGateway.start(settings, { log: this.log(), ...options });
    this.#closers.push(() => gateway.close(0));
    return gateway;
  }

  /** A node that joins again when it has lost its lease, at the same origin. */
  async rejoining(id: string, database: NodesDatabase, more: object = {}) {
    const port = await freePort();
    const settings = await this.settings(id, database, { ...more, listen: { port } });
    const log = this.log();
    const rejoining = await RejoiningGateway.start({
      log,
      start: (onlost) => RunningGateway.start(settings, { log, onlost }),
    });
    this.#closers.push(() => rejoining.close(0));
    return { origin: `http://127.0.0.1:${port}`, rejoining };
  }

  /** Calls until the call has an outcome, as docs/gateway/http.md says. Each attempt has the same key. */
  async callUntilDone(at: { readonly origin: string }, key: string, user = "ana"): Promise<NodeAnswer> {
    const patience = performance.now() + 30_000;
    for (;;) {
      const answer = await this.call(at, key, user).catch(() => undefined);
      if (answer && (answer.status !== 503 || performance.now() > patience)) return answer;
      if (performance.now() > patience) throw new Error("the gateway does not listen");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  log() {
    return createLog({ level: "info", stream: { write: (line) => void this.logged.push(line) } });
  }

  headers({ origin }: { readonly origin: string }, user = "ana"): Record<string, string> {
    return {
      authorization: `Bearer ${TOKEN}-of-${user}`,
      origin,
      "content-type": "application/json",
    };
  }

  async ask(at: { readonly origin: string }, path: string, user = "ana", body?: object, key?: string) {
    const answer = await fetch(`${at.origin}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...this.headers(at, user), ...(key !== undefined && { "idempotency-key": key }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = text.startsWith("{") ? recordOf(JSON.parse(text)) : {};
    const code = recordOf(parsed["error"])["code"];
    return {
      status: answer.status,
      text,
      code: code === undefined ? undefined : `${code}`,
    } satisfies NodeAnswer;
  }

  /** The names of the servers of the node that has the user. */
  servers = async (at: { readonly origin: string }, user = "ana"): Promise<string> =>
    (await this.ask(at, "/api/servers", user)).text;

  /** Calls a tool whose effects {@link effects} has. */
  call(at: { readonly origin: string }, key: string, user = "ana", after = 0): Promise<NodeAnswer> {
    const body = { name: after > 0 ? "slow" : "echo", arguments: { key, text: key, after } };
    return this.ask(at, "/api/servers/faulty/tools/call", user, body, key);
  }

  /** The keys of calls that ran, in their order. */
  effects(): string[] {
    const lines = existsSync(this.#effects) ? readFileSync(this.#effects, "utf8") : "";
    return [...lines.matchAll(/ effect (\S+)/g)].map(([, key = ""]) => key);
  }

  /** A page behind a load balancer without sticky sessions: each connection goes to the next node. */
  page(gateways: readonly { readonly origin: string }[], user = "ana"): GatewayClient {
    let turn = 0;
    const next = (): { readonly origin: string } => {
      const gateway = gateways[turn++ % gateways.length];
      if (!gateway) throw new Error("no gateway");
      return gateway;
    };
    const headers = (at: { readonly origin: string }) => this.headers(at, user);
    class Socket extends WebSocket {
      constructor() {
        const gateway = next();
        super(`${gateway.origin.replace("http", "ws")}/api/session`, { headers: headers(gateway) });
      }
    }
    const page = connectGateway({
      url: `${gateways[0]?.origin}/api/session`,
      WebSocket: Socket as unknown as typeof globalThis.WebSocket,
      storage: { getItem: () => null, setItem() {}, removeItem() {} },
    });
    this.#closers.push(() => page.close());
    return page;
  }

  /** The number of shards of each live node, by slot. */
  shares(database: NodesDatabase): number[] {
    const counts = this.run(
      database,
      `select (select count(*) from vitrine_shards s where s.slot = n.slot and s.fence = n.fence) from vitrine_nodes n where state = 'live' order by slot`,
    );
    return counts.split("\n").map(Number);
  }

  /** Runs when the test is over. */
  onEnd(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes everything that the test opened. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
    this.#effects = "";
    this.logged.length = 0;
  }

  async remove(): Promise<void> {
    if (this.#key === undefined) delete process.env["VITRINE_KEY"];
    else process.env["VITRINE_KEY"] = this.#key;
    await this.postgres.remove();
  }
}

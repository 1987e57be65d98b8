/**
 * Gateway processes as nodes of one PostgreSQL database with a standby, behind HAProxy, with clients that note all their
 * calls. A test kills nodes, freezes them, and cuts them off from the database and from each other.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHaproxy } from "../../scripts/proxies.mjs";
import { freePort } from "../free-port.ts";
import { faultyServer } from "../gateway/fault-stage.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";
import { pause } from "../pause.ts";
import { PostgresPair } from "../postgres-pair.ts";
import { Clients, dutifulModel } from "./clients.ts";
import { effectsIn, type RunFacts } from "./facts.ts";
import { GatewayProcess, MARK, markedProcesses, orphansOf } from "./gateway-process.ts";
import { startHaproxy } from "./haproxy.ts";
import { type Line, Lines } from "./lines.ts";
import { rowsInPostgres } from "./recorded-rows.ts";

const SECRET = "a secret of all nodes, with 32 bytes or more";
const SCHEMA = "cluster";

/** A node's process and the lines to it. */
export class ClusterNode extends GatewayProcess {
  readonly id: number;
  readonly port: number;
  /** To the database, and from other nodes. */
  readonly toDatabase: Line;
  readonly fromNodes: Line;

  constructor(
    id: number,
    port: number,
    lines: readonly [Line, Line],
    stage: { folder: string; mark: string },
  ) {
    super(join(stage.folder, `node-${id}.json`), stage.mark);
    this.id = id;
    this.port = port;
    [this.toDatabase, this.fromNodes] = lines;
  }
}

/** Options of {@link ClusterStage.open}. */
export interface ClusterOptions {
  /** Nodes that run from the beginning. */
  readonly nodes?: number;
  /** Nodes that HAProxy knows, and that a test starts. */
  readonly spare?: number;
  readonly users?: number;
  /** Whether all users of a node use one process of the server. */
  readonly isShared?: boolean;
  /** Whether commits wait for the standby. */
  readonly isSynchronous?: boolean;
}

/** Parts of a stage. */
interface Parts {
  readonly lines: Lines;
  readonly postgres: PostgresPair;
  readonly model: ScriptedModel;
  readonly port: number;
}

export class ClusterStage {
  readonly folder = mkdtempSync(join(tmpdir(), "vitrine-cluster-"));
  readonly mark = randomBytes(8).toString("hex");
  readonly nodes: ClusterNode[] = [];
  readonly clients: Clients;
  readonly postgres: PostgresPair;
  readonly #lines: Lines;
  readonly #model: ScriptedModel;
  readonly #isShared: boolean;
  readonly #database: string;
  readonly #effects = join(this.folder, "effects");
  #stopHaproxy: () => Promise<void> = async () => {};

  private constructor(
    { lines, postgres, model, port }: Parts,
    { users = 12, isShared = false }: ClusterOptions,
  ) {
    this.#lines = lines;
    this.postgres = postgres;
    this.#model = model;
    this.#isShared = isShared;
    this.#database = postgres.schema(SCHEMA);
    this.clients = new Clients(Array.from({ length: users }, (_, n) => `user-${n}`));
    this.clients.origin = `http://127.0.0.1:${port}`;
  }

  /** Starts everything. Undefined if PostgreSQL or HAProxy is missing here. */
  static async open(options: ClusterOptions = {}): Promise<ClusterStage | undefined> {
    const program = findHaproxy();
    const postgres = program === undefined ? undefined : await PostgresPair.start(options.isSynchronous);
    if (!postgres || program === undefined) return undefined;
    const model = await startScriptedModel([], { otherwise: dutifulModel });
    const port = await freePort();
    const lines = await Lines.start();
    const stage = new ClusterStage({ lines, postgres, model, port }, options);
    const { nodes = 3, spare = 0 } = options;
    for (let n = 0; n < nodes + spare; n++) await stage.#addNode();
    await Promise.all(stage.nodes.slice(0, nodes).map((node) => stage.start(node)));
    const ports = stage.nodes.map((node) => node.port);
    stage.#stopHaproxy = await startHaproxy({ program, folder: stage.folder, port, nodes: ports });
    return stage;
  }

  async #addNode(): Promise<void> {
    const lines = [await this.#lines.open(), await this.#lines.open()] as const;
    await lines[0].lead(this.postgres.port);
    this.nodes.push(new ClusterNode(this.nodes.length, await freePort(), lines, this));
  }

  /** Starts a node's process, for the first time or again. */
  async start(node: ClusterNode): Promise<void> {
    const nodePort = await freePort();
    await node.fromNodes.lead(nodePort);
    const database = new URL(this.#database);
    database.port = String(node.toDatabase.port);
    const listen = `127.0.0.1:${nodePort}`;
    const address = `127.0.0.1:${node.fromNodes.port}`;
    await node.start({
      listen: { port: node.port, origin: this.clients.origin },
      sandbox: { port: await freePort() },
      nodes: { listen, address, secret: SECRET, balance: "3s" },
      drain: { time: "3s" },
      database: database.href,
      dataFolder: join(this.folder, `data-${node.id}`),
      audit: { payloads: "arguments" },
      session: { grace: "30s", perUser: 100 },
      users: this.clients.settings,
      model: { use: "local/scripted", providers: { local: { url: this.#model.url, models: ["scripted"] } } },
      mcpServers: {
        faulty: {
          ...faultyServer([], { stateless: this.#isShared }),
          env: { LOG: this.#effects, [MARK]: this.mark, MODES: "" },
        },
      },
    });
  }

  /** The node of each user whose node is known and has a lease, as the database says. */
  async owners(): Promise<Map<string, ClusterNode>> {
    const rows = await this.postgres.query(
      SCHEMA,
      `select s.shard, n.address from vitrine_shards s join vitrine_nodes n on n.slot = s.slot and n.fence = s.fence
       where n."expiresAt" > extract(epoch from clock_timestamp()) * 1000`,
    );
    const addresses = new Map(rows.split("\n").map((row) => row.split("|") as [string, string]));
    const owners = new Map<string, ClusterNode>();
    for (const user of this.clients.users) {
      const address = addresses.get(String(Number.parseInt(hashOf(user).slice(0, 2), 16)));
      const node = this.nodes.find(({ fromNodes }) => address === `127.0.0.1:${fromNodes.port}`);
      if (node) owners.set(user, node);
    }
    return owners;
  }

  /** Kills the primary, and lets all nodes reach the standby, which becomes the primary. */
  async failOver(): Promise<void> {
    await Promise.all(this.nodes.map(({ toDatabase }) => toDatabase.open(false)));
    await this.postgres.failOver();
    for (const { toDatabase } of this.nodes) {
      // Connections to a machine that is gone may never end by themselves.
      await toDatabase.reset();
      await toDatabase.lead(this.postgres.port);
      await toDatabase.open(true);
    }
  }

  /** Everything that is known, for `violations()`. */
  async facts(): Promise<RunFacts> {
    const { clients } = this;
    const conversations = await clients.conversations();
    const verified = await clients.verify();
    const rows = await rowsInPostgres((sql) => this.postgres.query(SCHEMA, sql));
    return {
      calls: clients.history,
      effects: effectsIn(existsSync(this.#effects) ? readFileSync(this.#effects, "utf8") : ""),
      ...rows,
      conversations,
      verified,
      orphans: orphansOf(this.mark, this.nodes),
    };
  }

  /** Stops everything. Returns what should not be: processes that are left, and nodes that ended by themselves. */
  async close(): Promise<string[]> {
    this.clients.close();
    const crashes = this.nodes.flatMap((node) => node.crashes);
    await Promise.all(
      this.nodes.map((node) => {
        node.child?.kill("SIGCONT");
        return node.end("SIGTERM");
      }),
    );
    await this.#stopHaproxy();
    await this.#model.close();
    await this.#lines.close();
    await this.postgres.remove();
    const deadline = performance.now() + 20_000;
    while (markedProcesses(this.mark).length > 0 && performance.now() < deadline) await pause(100);
    const left = markedProcesses(this.mark).map((pid) => `process ${pid} is left`);
    rmSync(this.folder, { recursive: true, force: true });
    return [...crashes, ...left];
  }
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

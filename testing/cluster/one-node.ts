/** A stage with one gateway process and SQLite, and the same clients and facts as a stage of several nodes. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { faultyServer } from "../gateway/fault-stage.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";
import { pause } from "../pause.ts";
import { Clients, dutifulModel } from "./clients.ts";
import { effectsIn, type RunFacts } from "./facts.ts";
import { GatewayProcess, MARK, markedProcesses, orphansOf } from "./gateway-process.ts";
import { rowsInSqlite } from "./recorded-rows.ts";

export class OneNode {
  readonly folder = mkdtempSync(join(tmpdir(), "vitrine-one-node-"));
  readonly clients: Clients;
  readonly gateway: GatewayProcess;
  readonly #mark = randomBytes(8).toString("hex");
  readonly #model: ScriptedModel;
  readonly #settings: object;

  private constructor(model: ScriptedModel, users: number, [port, sandbox]: readonly [number, number]) {
    this.#model = model;
    this.clients = new Clients(Array.from({ length: users }, (_, n) => `user-${n}`));
    this.clients.origin = `http://127.0.0.1:${port}`;
    this.gateway = new GatewayProcess(join(this.folder, "settings.json"), this.#mark);
    this.#settings = {
      listen: { port, origin: this.clients.origin },
      sandbox: { port: sandbox },
      dataFolder: join(this.folder, "data"),
      audit: { payloads: "arguments" },
      session: { grace: "30s", perUser: 100 },
      users: this.clients.settings,
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
      mcpServers: {
        faulty: { ...faultyServer(), env: { LOG: this.#effects, [MARK]: this.#mark, MODES: "" } },
      },
    };
  }

  /** Starts the gateway. */
  static async open(users: number): Promise<OneNode> {
    const model = await startScriptedModel([], { otherwise: dutifulModel });
    const stage = new OneNode(model, users, [await freePort(), await freePort()]);
    await stage.start();
    return stage;
  }

  get #effects(): string {
    return join(this.folder, "effects");
  }

  /** Starts the gateway again, with its data. */
  start(): Promise<void> {
    return this.gateway.start(this.#settings);
  }

  /** Everything that is known, for `violations()`. */
  async facts(): Promise<RunFacts> {
    const conversations = await this.clients.conversations();
    const verified = await this.clients.verify();
    return {
      calls: this.clients.history,
      effects: effectsIn(existsSync(this.#effects) ? readFileSync(this.#effects, "utf8") : ""),
      ...rowsInSqlite(join(this.folder, "data", "gateway.db")),
      conversations,
      verified,
      orphans: orphansOf(this.#mark, [this.gateway]),
    };
  }

  /** Stops everything. Returns what should not be. */
  async close(): Promise<string[]> {
    this.clients.close();
    const { crashes } = this.gateway;
    await this.gateway.end("SIGTERM");
    await this.#model.close();
    const deadline = performance.now() + 20_000;
    while (markedProcesses(this.#mark).length > 0 && performance.now() < deadline) await pause(50);
    const left = markedProcesses(this.#mark).map((pid) => `process ${pid} is left`);
    rmSync(this.folder, { recursive: true, force: true });
    return [...crashes, ...left];
  }
}

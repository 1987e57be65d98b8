/**
 * The whole chain, with invariants that hold whatever fails: pages and programs → a gateway in its own
 * process → its guard and audit log → servers that count their actions.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  connectGateway,
  type GatewayClient,
  type GatewayClientOptions,
  type GatewayView,
} from "@vitrine/host/gateway";
import { type CallToolResult, JsonText, recordOf } from "@vitrine/protocol";
import { expect, vi } from "vitest";
import { WebSocket as NodeSocket } from "ws";
import type { StoredAuditRow } from "../../packages/gateway/src/store/store.ts";
import { FaultLine } from "./fault-line.ts";
import { FAULTY } from "./servers.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = here("../../packages/gateway/dist/main.js");
const PRELOAD = here("./fault-preload.mjs");
/** Marks the environment of this stage's servers and their children, beside the gateway's own mark. */
const STAGE_MARK = "FAULT_STAGE";

const WAIT = { timeout: 60_000, interval: 50 };

export type User = "ann" | "bob";
export type Settings = Record<string, unknown>;
type Arguments = Record<string, unknown>;

/** A caller of tools: a page, a view in it, or a program. */
export type Caller = (server: string, name: string, args: Arguments, key: string) => Promise<unknown>;

/** Outcome of a call. */
export type Outcome = { ok: true; text: string } | { ok: false; code: unknown; data: Arguments };

/** A call with its outcome. */
export interface Call {
  readonly key: string;
  /** The beginning of its answer, to recognize it as its own. */
  readonly text: string;
  /** The tool only reads: running it again is not a second effect. */
  readonly isRepeatable: boolean;
  outcome?: Outcome;
}

/** Options of a page. */
export interface PageOptions {
  user?: User;
  over?: "websocket" | "http";
  storage?: Storage | ReturnType<typeof tabStorage>;
  heartbeat?: number;
  fetch?: typeof fetch;
  onask?: GatewayClientOptions["onask"];
  answers?: GatewayClientOptions["answers"];
  ontakenover?: () => void;
}

/**
 * A server that misbehaves when its tools are called, and logs its actions. It is the same server in every
 * mode.
 */
export const faultyServer = (modes: string[] = [], more: Settings = {}): Settings => ({
  command: process.execPath,
  args: [FAULTY],
  env: { MODES: modes.join(" ") },
  isolation: "process",
  ...remoteServer(undefined, more),
});

/** A remote server. */
export const remoteServer = (url?: string, { limits, ...more }: Settings = {}): Settings => ({
  ...(url !== undefined && { url, oauth: false }),
  policy: { "tools/call": "allow" },
  limits: {
    rates: { call: { burst: 100_000, perSecond: 100_000 } },
    concurrency: { perView: 1000, total: 10_000, waiting: 10_000 },
    ...Object(limits),
  },
  ...more,
});

/** Storage of a tab. */
export function tabStorage(entries: Iterable<readonly [string, string]> = []) {
  const map = new Map(entries);
  return {
    map,
    getItem: (name: string) => map.get(name) ?? null,
    setItem: (name: string, value: string) => void map.set(name, value),
    removeItem: (name: string) => void map.delete(name),
  };
}

/** A WebSocket that never connects. */
class NoSocket {
  onerror?: () => void;
  constructor() {
    setTimeout(() => this.onerror?.());
  }
  close(): void {}
}

/** A gateway, its callers, and their records. */
export class FaultStage {
  readonly folder = mkdtempSync(join(tmpdir(), "vitrine-faults-"));
  readonly calls: Call[] = [];
  /** Effects on servers that are not processes of this stage, by the calls' keys. */
  readonly remoteEffects: string[] = [];
  readonly pages = new Set<GatewayClient>();
  /** The end of what the gateway has logged. */
  log = "";
  settings: Settings;
  origin = "";
  /** The network between pages and the gateway. */
  readonly line: FaultLine;
  readonly #mark = randomBytes(8).toString("hex");
  readonly #tokens = { ann: token(), bob: token() };
  readonly #effects = join(this.folder, "effects");
  /** Rows that were seen once and must not change. */
  readonly #rows = new Map<number, string>();
  /**
   * Calls that were made before the gateway was killed. Their entries are on disk; their outcomes are
   * written with the next commit, which may not have come.
   */
  readonly #cutOff = new Set<string>();
  #child: ChildProcess | undefined;
  #keys = 0;

  private constructor(settings: Settings | ((folder: string) => Settings), line: FaultLine) {
    this.line = line;
    const users = Object.entries(this.#tokens).map(([name, secret]) => ({
      name,
      tokenHash: createHash("sha256").update(secret).digest("hex"),
    }));
    this.settings = {
      listen: { port: 0 },
      sandbox: { port: 0 },
      dataFolder: join(this.folder, "data"),
      audit: { payloads: "arguments" },
      session: { grace: 30_000, perUser: 100 },
      users,
      mcpServers: { faulty: faultyServer() },
      ...(typeof settings === "function" ? settings(this.folder) : settings),
    };
  }

  /** @param settings settings of the gateway, or a function that makes them for the stage's folder */
  static async open(settings: Settings | ((folder: string) => Settings) = {}): Promise<FaultStage> {
    const stage = new FaultStage(settings, await FaultLine.open());
    await stage.start();
    return stage;
  }

  get file(): string {
    return join(this.folder, "settings.json");
  }

  get pid(): number {
    const pid = this.#child?.pid;
    // Not 0, which would send signals to the tests themselves.
    if (pid === undefined) throw new Error("there is no gateway");
    return pid;
  }

  /** Writes the settings file, as an operator would. */
  write(settings = this.settings): void {
    this.settings = settings;
    writeFileSync(this.file, JSON.stringify(this.#marked(settings)));
  }

  /** Starts the gateway, or starts it again with its data. */
  async start(): Promise<void> {
    this.write();
    const args = ["--expose-gc", "--import", PRELOAD, MAIN, "--config", this.file];
    // Under npm, a second signal soon after the first counts as the same.
    const env = { ...process.env, npm_lifecycle_event: undefined };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#child = child;
    child.stderr?.on("data", (data) => {
      this.log = (this.log + data).slice(-100_000);
    });
    this.origin = await new Promise((resolve, reject) => {
      let said = "";
      child.once("exit", () => reject(new Error(`the gateway did not start: ${said}${this.log}`)));
      child.stdout?.on("data", (data) => {
        said += data;
        const [, found] = /→ (http:\S+)/.exec(said) ?? [];
        if (found) resolve(found);
      });
    });
    this.line.target = Number(new URL(this.origin).port);
  }

  /** Sends the gateway a signal that ends it, and returns how it ended. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    if (signal === "SIGKILL") this.cutOff();
    return this.#child ? this.signal(signal).exited : null;
  }

  /** Sends the gateway a signal that begins its end. */
  signal(signal: NodeJS.Signals): { exited: Promise<number | NodeJS.Signals | null>; again(): void } {
    const child = this.#child;
    if (!child) throw new Error("there is no gateway");
    this.#child = undefined;
    const exited = once(child, "exit").then(([code, by]) => by ?? code);
    child.kill(signal);
    return { exited, again: () => void child.kill(signal) };
  }

  /** The calls so far may end without the gateway knowing how. */
  cutOff(): void {
    for (const { key } of this.calls) this.#cutOff.add(key);
  }

  /** Bytes that the gateway's JavaScript holds, after a collection. */
  memory(): Promise<number> {
    return this.#tell({});
  }

  /** Checks that memory use is back to about the level before a flood, which may take several collections. */
  async checkMemory(before: number): Promise<void> {
    const most = before + 12 * 1024 * 1024;
    await vi.waitFor(async () => expect(await this.memory()).toBeLessThan(most), WAIT);
  }

  /** Moves the gateway's clock forwards or back from real time, in milliseconds. */
  async setClock(clock: number): Promise<void> {
    await this.#tell({ clock });
  }

  async #tell(message: object): Promise<number> {
    const child = this.#child;
    if (!child) throw new Error("there is no gateway");
    const answered = once(child, "message");
    child.send(message);
    const [{ memory }] = await answered;
    return memory;
  }

  headers(user: User = "ann"): Record<string, string> {
    return {
      authorization: `Bearer ${this.#tokens[user]}`,
      origin: this.origin,
      host: new URL(this.origin).host,
    };
  }

  /** Sends an HTTP request directly, bypassing the line. */
  async fetch(path: string, init: RequestInit = {}, user: User = "ann"): Promise<Response> {
    const { authorization = "", origin = "" } = this.headers(user);
    const headers = { ...Object(init.headers), authorization, origin };
    return fetch(new URL(path, this.origin), { ...init, headers });
  }

  /** Opens a WebSocket through the line. */
  socket(user: User = "ann"): NodeSocket {
    return new NodeSocket(`ws://127.0.0.1:${this.line.port}/api/session`, {
      headers: this.headers(user),
      perMessageDeflate: false,
    });
  }

  /** Opens a connected page. It finds the gateway wherever that is started again. */
  async page({
    user = "ann",
    over = "websocket",
    storage = tabStorage(),
    ...more
  }: PageOptions = {}): Promise<GatewayClient> {
    const stage = this;
    class Socket extends NodeSocket {
      constructor() {
        super(`ws://127.0.0.1:${stage.line.port}/api/session`, {
          headers: stage.headers(user),
          perMessageDeflate: false,
        });
      }
    }
    const page = connectGateway({
      url: `${this.origin}/api/session`,
      fetch: (_url, init) => this.fetch("/api/session", init, user),
      WebSocket: (over === "websocket" ? Socket : NoSocket) as unknown as typeof WebSocket,
      storage,
      ...more,
    });
    this.pages.add(page);
    await page.request("gateway/servers", {});
    return page;
  }

  closePage(page: GatewayClient): void {
    this.pages.delete(page);
    page.close();
  }

  /** A program, by HTTP. */
  program(user: User = "ann"): Caller {
    return async (server, name, args, key) => {
      const response = await this.fetch(
        `/api/servers/${server}/tools/call`,
        {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": key },
          body: JSON.stringify({ name, arguments: args }),
        },
        user,
      );
      const body = (await response.json()) as { error?: { code: string; data?: object } };
      if (body.error)
        throw Object.assign(new Error("refused"), { data: { ...body.error.data, code: body.error.code } });
      return body;
    };
  }

  /** Calls a tool and records the outcome. Never rejects. */
  async call(by: Caller, name: string, args: Arguments = {}, server = "faulty"): Promise<Outcome> {
    const key = `${this.#mark}-${++this.#keys}`;
    const call: Call = {
      key,
      // The last character has four bytes, so it can be cut in two.
      text: `answer to ${key} 👋`,
      isRepeatable: name === "safe" || name === "again",
    };
    this.calls.push(call);
    try {
      const result = await by(server, name, { key, text: call.text, ...args }, key);
      const { content } = (result instanceof JsonText ? result.parse() : result) as CallToolResult;
      const [block] = content;
      call.outcome = { ok: true, text: block?.type === "text" ? block.text : "" };
    } catch (error) {
      const { code, data } = recordOf(error);
      call.outcome = { ok: false, code: recordOf(data)["code"] ?? code, data: recordOf(data) };
    }
    return call.outcome;
  }

  /** The process of a server. */
  async serverPid(server = "faulty", user: User = "ann"): Promise<number> {
    const outcome = await this.call(this.program(user), "pid", {}, server);
    this.calls.pop();
    if (!outcome.ok) throw new Error(`no server: ${outcome.code}`);
    return Number(outcome.text);
  }

  /** State of a server. */
  async serverState(server = "faulty"): Promise<string | undefined> {
    const { servers } = (await (await this.fetch("/api/servers")).json()) as {
      servers: { name: string; state: string }[];
    };
    return servers.find(({ name }) => name === server)?.state;
  }

  /** Effects on servers, in order, by the calls' keys. */
  effects(): string[] {
    const lines = existsSync(this.#effects) ? readFileSync(this.#effects, "utf8") : "";
    return [...[...lines.matchAll(/ effect (\S+)/g)].map(([, key = ""]) => key), ...this.remoteEffects];
  }

  /** Number of the given or latest calls that have had an effect. */
  effectsOf(count: number, calls = this.calls.slice(-count)): number {
    const keys = new Set(calls.map(({ key }) => key));
    return this.effects().filter((key) => keys.has(key)).length;
  }

  /** Number of the given or latest calls that are recorded. */
  async recordsOf(count: number): Promise<number> {
    const keys = new Set(this.calls.slice(-count).map(({ key }) => key));
    return (await this.rows()).filter((row) => keys.has(keyOf(row))).length;
  }

  /** All rows of the audit log. */
  async rows(): Promise<StoredAuditRow[]> {
    const texts = await Promise.all(
      (["ann", "bob"] as const).map(async (user) => (await this.fetch("/api/audit/export", {}, user)).text()),
    );
    return texts.flatMap((text) =>
      text
        .split("\n")
        .filter(Boolean)
        .map((row) => JSON.parse(row) as StoredAuditRow),
    );
  }

  /** The sum of a metric. */
  async metric(name: string): Promise<number> {
    const text = await (await this.fetch("/metrics")).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Processes of this stage's servers and everything they started. */
  processes(): number[] {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map(Number).filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${STAGE_MARK}=${this.#mark}`);
      } catch {
        return false;
      }
    });
  }

  /**
   * The oracle of every case: no acknowledged row lost, no effect twice, no answer to another caller, no
   * orphan process, every call ended, memory returned. It checks all calls that were ever made on this
   * stage.
   */
  async checkOracle(): Promise<void> {
    await vi.waitFor(async () => expect(await this.#violations()).toEqual([]), WAIT);
  }

  async #violations(): Promise<string[]> {
    const found = [
      ...this.calls.filter(({ outcome }) => !outcome).map(({ key }) => `${key} is pending`),
      ...this.#wrongAnswers(),
      ...this.#wrongEffects(),
      ...(await this.#leftOvers()),
    ];
    // There are thousands of rows, so they are read once, when everything has settled.
    return found.length > 0 ? found : this.#wrongRows();
  }

  #wrongAnswers(): string[] {
    return this.calls.flatMap(({ key, text, outcome }) =>
      outcome?.ok && !outcome.text.startsWith(text) ? [`${key} got "${outcome.text.slice(0, 100)}"`] : [],
    );
  }

  #wrongEffects(): string[] {
    const counts = countBy(this.effects(), (key) => key);
    return this.calls.flatMap(({ key, outcome, isRepeatable }) => {
      const count = counts.get(key) ?? 0;
      return (count > 1 && !isRepeatable) || (count === 0 && outcome?.ok)
        ? [`${key} ran ${count} times`]
        : [];
    });
  }

  async #wrongRows(): Promise<string[]> {
    const rows = await this.rows();
    const wrong: string[] = [];
    const verified = (await (await this.fetch("/api/audit/verify")).json()) as { ok: boolean };
    if (!verified.ok) wrong.push(`the chain is broken: ${JSON.stringify(verified)}`);
    const bySeq = new Map(rows.map((row) => [row.seq, row.hash]));
    for (const [seq, hash] of this.#rows) if (bySeq.get(seq) !== hash) wrong.push(`row ${seq} is lost`);
    for (const [seq, hash] of bySeq) this.#rows.set(seq, hash);

    const outcomes = new Map<number | undefined, StoredAuditRow[]>();
    for (const row of rows)
      if (row.kind === "outcome") outcomes.set(row.of, [...(outcomes.get(row.of) ?? []), row]);
    const entries = rows.filter(({ kind, decision }) => kind === "entry" && decision === "allowed");
    for (const { seq } of entries) {
      const count = outcomes.get(seq)?.length ?? 0;
      if (count !== 1) wrong.push(`row ${seq} has ${count} outcomes`);
    }
    const byKey = new Map<string, StoredAuditRow[]>();
    for (const entry of entries) {
      const key = keyOf(entry);
      byKey.set(key, [...(byKey.get(key) ?? []), entry]);
    }
    const effects = new Set(this.effects());
    for (const { key, outcome, isRepeatable } of this.calls) {
      const own = byKey.get(key) ?? [];
      const ends = own.flatMap(({ seq }) => outcomes.get(seq) ?? []);
      const isTold = ends.some(
        (end) => end.outcome === "ok" || (end.outcome === "indeterminate" && this.#cutOff.has(key)),
      );
      if (outcome?.ok && !isTold) wrong.push(`${key} was answered, and no row says so`);
      if (effects.has(key) && own.length === 0) wrong.push(`${key} ran unrecorded`);
      // A call that was cancelled before its effect, or could not be recorded, never began and may be
      // repeated: a page does so when the gateway stops while the entry is on its way to the disk.
      const begun = ends.filter((end) => end.outcome !== "cancelled");
      if (isRepeatable) continue;
      if (effects.has(key) && ends.length > 0 && begun.length === 0) {
        wrong.push(`${key} ran, and its record says that it never began`);
      }
      if (begun.length > 1) {
        const how = begun.map((end) => [end.outcome, end.code].join(" "));
        wrong.push(`${key} is recorded ${begun.length} times: ${how.join(", ")}`);
      }
    }
    return wrong;
  }

  async #leftOvers(): Promise<string[]> {
    const [queued, sessions, transports, known] = await Promise.all(
      ["queue_depth", "sessions", "transports", "processes"].map((name) => this.metric(`vitrine_${name}`)),
    );
    const running = this.processes().length;
    const pages = this.pages.size;
    return [
      ...(queued === 0 ? [] : [`${queued} characters wait`]),
      ...(sessions === pages && transports === pages
        ? []
        : [`${pages} pages have ${sessions} sessions and ${transports} connections`]),
      ...(running === known ? [] : [`${running} processes, of which the gateway knows ${known}`]),
    ];
  }

  /** Stops everything, and checks that nothing is left. */
  async close(): Promise<void> {
    for (const page of this.pages) page.close();
    if (this.#child) expect(await this.end("SIGTERM")).toBe(0);
    await this.line.close();
    await vi.waitFor(() => expect(this.processes()).toEqual([]), WAIT);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes every program of the settings log its actions, and findable. */
  #marked(settings: Settings): Settings {
    const servers: Record<string, Settings> = Object(settings["mcpServers"]);
    const env = { LOG: this.#effects, [STAGE_MARK]: this.#mark };
    const marked = Object.entries(servers).map(([name, server]) => [
      name,
      server["command"] === undefined ? server : { ...server, env: { ...Object(server["env"]), ...env } },
    ]);
    return { ...settings, mcpServers: Object.fromEntries(marked) };
  }
}

/** A page calls, for its model or its user. */
export const byPage =
  (page: GatewayClient): Caller =>
  (server, name, args) =>
    page.request("gateway/call", { server, name, arguments: args });

/** A view calls a tool of its own server. */
export const byView =
  (view: GatewayView): Caller =>
  (_server, name, args) =>
    view.upstream.request("tools/call", { name, arguments: args });

/** Outcomes of calls: `ok`, or an error code. */
export const codes = (outcomes: readonly Outcome[]): unknown[] =>
  outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.code));

/** Whether all were answered. */
export const fine = (outcomes: readonly Outcome[]): void =>
  expect(codes(outcomes)).toEqual(outcomes.map(() => "ok"));

/** The given number of times. */
export const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** The key in a call's recorded arguments. */
const keyOf = ({ params = "" }: StoredAuditRow): string => /"key":"([^"]+)"/.exec(params)?.[1] ?? "";

const token = (): string => randomBytes(32).toString("base64url");

function countBy<T>(items: readonly T[], key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

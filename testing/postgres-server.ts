/**
 * A PostgreSQL server process for tests, with its own folder and port.
 *
 * @module
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPostgres } from "../scripts/postgres.mjs";
import { freePort } from "./free-port.ts";

/** How a server ends: after disconnecting its clients, like a crash, or without a chance to do anything. */
export type PostgresEnd = "fast" | "immediate" | "kill";

const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const;

/** Most bytes of a query's answer: the log of a soak. */
const MAX_ANSWER = 2 ** 30;

/** The user to run as, because PostgreSQL refuses to run as root. */
function runner(): { uid?: number; gid?: number; user: string } {
  if (process.getuid?.() !== 0) return { user: userInfo().username };
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g"), user: "postgres" };
}

/** A server. */
export class PostgresServer {
  readonly port: number;
  readonly folder = mkdtempSync(join(tmpdir(), "vitrine-postgres-"));
  readonly #programs: string;
  readonly #runner = runner();
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(programs: string, port: number, settings: readonly string[]) {
    this.#programs = programs;
    this.port = port;
    // Crashes of the server are tested; crashes of the machine are not.
    this.#settings = [
      "listen_addresses=127.0.0.1",
      "max_connections=100",
      "fsync=off",
      "full_page_writes=off",
      ...settings,
    ];
    const { uid, gid } = this.#runner;
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid);
  }

  /**
   * Creates and starts a server with empty data. Returns undefined, after printing why, if none can run here.
   *
   * @param settings more settings, as `name=value`
   */
  static async create(settings: readonly string[] = []): Promise<PostgresServer | undefined> {
    const programs = findPostgres();
    if (!programs) {
      console.warn(
        "no PostgreSQL: its tests are skipped; `node scripts/postgres.mjs` installs one where it can",
      );
      return undefined;
    }
    const server = new PostgresServer(programs, await freePort(), settings);
    const data = ["-D", server.#data, "-U", "vitrine", "-A", "trust", "-E", "UTF8", "--no-sync"];
    await server.#run("initdb", data);
    await server.start();
    return server;
  }

  /** Creates and starts a server that follows this one, with the same settings. */
  async createStandby(name: string): Promise<PostgresServer> {
    const standby = new PostgresServer(this.#programs, await freePort(), this.#settings);
    const from = `host=127.0.0.1 port=${this.port} user=vitrine application_name=${name}`;
    // -R writes the connection to follow, and the file that makes it a standby.
    const copy = ["-D", standby.#data, "-d", from, "-R", "-X", "stream", "-c", "fast", "--no-sync"];
    await standby.#run("pg_basebackup", copy);
    await standby.start();
    return standby;
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** Runs a statement in a schema, and returns the rows as text. Nothing else happens in this process meanwhile. */
  psql(schema: string, sql: string): string {
    return execFileSync(join(this.#programs, "psql"), this.#psql(sql), this.#options(schema)).trim();
  }

  /** The same, while this process goes on: for stages whose lines to the database are in it. */
  async query(schema: string, sql: string): Promise<string> {
    return (await this.#run("psql", this.#psql(sql), schema)).trim();
  }

  #psql(sql: string): string[] {
    const to = ["-h", this.folder, "-p", String(this.port), "-U", "vitrine"];
    return ["-XAtq", "-v", "ON_ERROR_STOP=1", ...to, "-c", sql, "postgres"];
  }

  /** Makes a standby accept writes. */
  async promote(): Promise<void> {
    await this.query("public", "select pg_promote(true, 60)");
  }

  /** Starts the process, and waits until it answers. */
  async start(): Promise<void> {
    const { user } = this.#runner;
    const settings = this.#settings.flatMap((each) => ["-c", each]);
    const args = ["-D", this.#data, "-k", this.folder, "-p", String(this.port), ...settings];
    const started = spawn(join(this.#programs, "postgres"), args, {
      ...this.#identity,
      cwd: this.folder,
      env: this.#env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    started.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
    this.#process = started;
    for (let attempt = 0; ; attempt++) {
      if (started.exitCode !== null) throw new Error(`PostgreSQL did not start as ${user}: ${said}`);
      try {
        await this.query("public", "select 1");
        return;
      } catch (error) {
        if (attempt === 300) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Ends the process. */
  async stop(how: PostgresEnd = "fast"): Promise<void> {
    const stopped = this.#process;
    this.#process = undefined;
    if (!stopped || stopped.exitCode !== null) return;
    const exited = new Promise((resolve) => stopped.once("exit", resolve));
    stopped.kill(SIGNALS[how]);
    // Its child processes end with it.
    const impatient = setTimeout(() => stopped.kill("SIGKILL"), 10_000);
    await exited;
    clearTimeout(impatient);
  }

  /** Ends the process, and removes its folder. */
  async remove(): Promise<void> {
    await this.stop("immediate");
    // Children of a process that was killed may still write for a moment.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  get #identity(): { uid?: number; gid?: number } {
    const { uid, gid } = this.#runner;
    return uid === undefined || gid === undefined ? {} : { uid, gid };
  }

  get #env(): NodeJS.ProcessEnv {
    return { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" };
  }

  /** Runs in the server's own folder, because a non-root user may be unable to enter the tests' folder. */
  #options(schema = "public") {
    return {
      ...this.#identity,
      cwd: this.folder,
      env: { ...this.#env, PGOPTIONS: `-c search_path=${schema}` },
      stdio: "pipe",
      encoding: "utf8",
      maxBuffer: MAX_ANSWER,
    } as const;
  }

  async #run(program: string, args: readonly string[], schema?: string): Promise<string> {
    const { stdio: _, ...options } = this.#options(schema);
    return (await promisify(execFile)(join(this.#programs, program), args, options)).stdout;
  }
}

/**
 * A real PostgreSQL for tests, with its own folder and port, removed after the tests.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../scripts/postgres.mjs";
import { freePort } from "./free-port.ts";

/** A running server. */
export interface TestPostgres {
  /** The URL of a new, empty schema in the database. */
  schema(name: string): string;
  /** Runs a statement in a schema, and returns the rows as text. */
  run(schema: string, sql: string): string;
  /** Stops the server: at once, like a crash (`immediate`), or after disconnecting its clients (`fast`). */
  stop(how?: "fast" | "immediate"): Promise<void>;
  /** Starts the server again, on the same port. */
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

/** The user to run as, because PostgreSQL refuses to run as root. */
function runner(): { uid?: number; gid?: number; user: string } {
  if (process.getuid?.() !== 0) return { user: userInfo().username };
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g"), user: "postgres" };
}

/** Starts a server. Returns undefined, after printing why, if none can run here. */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const programs = findPostgres();
  if (!programs) {
    console.warn(
      "no PostgreSQL: its tests are skipped; `node scripts/postgres.mjs` installs one where it can",
    );
    return undefined;
  }
  const { uid, gid, user } = runner();
  const identity = uid === undefined ? {} : { uid, gid };
  const folder = mkdtempSync(join(tmpdir(), "vitrine-postgres-"));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const data = join(folder, "data");
  // In its own folder, because a non-root user may be unable to enter the tests' folder.
  const options = { ...identity, cwd: folder, stdio: "pipe", encoding: "utf8" } as const;
  const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" };
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "vitrine", "-A", "trust", "-E", "UTF8", "--no-sync"],
    { ...options, env },
  );
  const port = await freePort();
  let server: ChildProcess | undefined;

  const psql = (schema: string, sql: string): string =>
    execFileSync(
      join(programs, "psql"),
      [
        "-XAtq",
        "-v",
        "ON_ERROR_STOP=1",
        "-h",
        folder,
        "-p",
        String(port),
        "-U",
        "vitrine",
        "-c",
        sql,
        "postgres",
      ],
      { ...options, env: { ...env, PGOPTIONS: `-c search_path=${schema}` } },
    ).trim();

  const start = async (): Promise<void> => {
    // Crashes of the server are tested; crashes of the machine are not.
    const settings = [
      "listen_addresses=127.0.0.1",
      "max_connections=100",
      "fsync=off",
      "full_page_writes=off",
    ];
    const args = ["-D", data, "-k", folder, "-p", String(port), ...settings.flatMap((each) => ["-c", each])];
    const started = spawn(join(programs, "postgres"), args, {
      ...identity,
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    started.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
    server = started;
    for (let attempt = 0; ; attempt++) {
      if (started.exitCode !== null) throw new Error(`PostgreSQL did not start as ${user}: ${said}`);
      try {
        psql("public", "select 1");
        return;
      } catch (error) {
        if (attempt === 300) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  const stop = async (how: "fast" | "immediate" = "fast"): Promise<void> => {
    const stopped = server;
    server = undefined;
    if (!stopped || stopped.exitCode !== null) return;
    const exited = new Promise((resolve) => stopped.once("exit", resolve));
    stopped.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    // Its child processes end with it.
    const impatient = setTimeout(() => stopped.kill("SIGKILL"), 10_000);
    await exited;
    clearTimeout(impatient);
  };

  await start();
  return {
    schema(name) {
      psql("public", `create schema ${name}`);
      return `postgres://vitrine@127.0.0.1:${port}/postgres?options=-csearch_path%3D${name}`;
    },
    run: psql,
    stop,
    start,
    async remove() {
      await stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The data on disk differs from what the gateway wrote: rows are missing, or another gateway is running. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConversationState } from "@vitrine/wire";
import Libsql from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { byPage, codes, FaultStage, fine } from "../../../../testing/gateway/fault-stage.ts";
import { startPostgres } from "../../../../testing/postgres.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** Size of a page in the write-ahead log, in bytes. */
const FRAME = 4096 + 24;

let stage: FaultStage;
let database: string;
beforeEach(async () => {
  stage = await FaultStage.open((folder) => {
    database = join(folder, "audit.db");
    return { database: `sqlite:${database}` };
  });
});
afterEach(() => stage.close());

/** Runs the gateway's command. */
async function command(...args: string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
  const [code] = await once(child, "close");
  return { code, said };
}

/** The database, its write-ahead log, and the note of the last row. */
const filesOf = (path: string): [string, Buffer][] =>
  ["", "-wal", "-head"].map((end) => `${path}${end}`).map((file) => [file, readFileSync(file)]);

/** Truncates the write-ahead log before the first entry of calls of this tool. */
function cutBefore(tool: string): void {
  const wal = `${database}-wal`;
  const has = (size: number): boolean => {
    // With a unique name, because the driver may still use the previous one.
    const copy = join(stage.folder, `copy-${size}.db`);
    copyFileSync(database, copy);
    writeFileSync(`${copy}-wal`, readFileSync(wal).subarray(0, size));
    const opened = new Libsql(copy);
    try {
      return opened.prepare("select seq from vitrine_audit where target = ?").all(tool).length > 0;
    } finally {
      opened.close();
    }
  };
  let size = statSync(wal).size;
  while (has(size)) size -= FRAME;
  truncateSync(wal, size);
}

const calls = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) fine([await stage.call(stage.program(), "echo")]);
};

describe("a gateway whose database lost its last rows", () => {
  it("reports that, makes no calls, and continues when the loss is accepted", async () => {
    await calls(5);
    await stage.end("SIGKILL");
    const wal = `${database}-wal`;
    truncateSync(wal, Math.floor(statSync(wal).size * 0.7));
    await stage.start();
    expect(stage.log).toMatch(/rows? \d+( to \d+ are| is) missing from its end/);
    expect(stage.log).toContain("vitrine-gateway audit accept-broken-chain");
    expect((await stage.fetch("/readyz")).status).toBe(503);
    const before = stage.effects().length;
    expect(codes([await stage.call(stage.program(), "echo")])).toEqual(["audit-failed"]);
    expect(stage.effects()).toHaveLength(before);
    expect(await stage.end("SIGTERM")).toBe(0);

    const at = ["--config", stage.file];
    expect(await command("audit", "verify", ...at)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^BROKEN at row \d+: .*missing from its end/),
    });
    expect(await command("audit", "accept-broken-chain", ...at)).toMatchObject({ code: 0 });
    expect(await command("audit", "verify", ...at)).toMatchObject({ code: 0 });
    await stage.start();
    await calls(1);
  });

  it("treats any call without an entry as one that may have run", async () => {
    const program = stage.program();
    const slow = () => program("faulty", "slow", { key: "slow" }, "slow");
    const page = await stage.page();
    const { id } = await page.request("conversation/open", {});
    const called = { id, server: "faulty", tool: "slow", arguments: { key: "said" } };
    await page.request("conversation/call", called);
    const first = slow().catch(() => {});
    await expect.poll(() => stage.effects().toSorted()).toEqual(["said", "slow"]);
    stage.closePage(page);
    await stage.end("SIGKILL");
    await first;
    cutBefore("slow");
    await stage.start();
    const lost = { data: { code: "audit-failed", indeterminate: true } };
    await expect(slow()).rejects.toMatchObject(lost);
    // The same holds for the conversation, even after the loss was accepted.
    const callOf = async () => {
      const again = await stage.page();
      const { items }: ConversationState = await again.request("conversation/open", { id });
      stage.closePage(again);
      return items.find(({ kind }) => kind === "call");
    };
    const files = filesOf(database);
    expect(await callOf()).toMatchObject({ state: "failed", isIndeterminate: true });
    await stage.end("SIGKILL");
    // As if the conversation had not been opened.
    for (const [file, bytes] of files) writeFileSync(file, bytes);
    expect(await command("audit", "accept-broken-chain", "--config", stage.file)).toMatchObject({ code: 0 });
    await stage.start();
    expect(await callOf()).toMatchObject({ state: "failed", isIndeterminate: true });
    expect(stage.effects().toSorted()).toEqual(["said", "slow"]);
  });

  it("detects a restored older copy, and runs nothing twice", async () => {
    await calls(1);
    await stage.end("SIGTERM");
    copyFileSync(database, `${database}.copy`);
    await stage.start();
    const again = () => stage.program()("faulty", "echo", { key: "later", text: "later" }, "later");
    await again();
    await stage.end("SIGTERM");
    copyFileSync(`${database}.copy`, database);
    await stage.start();
    expect(stage.log).toContain("an older backup was restored");
    await expect(again()).rejects.toMatchObject({ data: { code: "audit-failed", indeterminate: true } });
    expect(stage.effects().filter((effect) => effect === "later")).toEqual(["later"]);
  });

  it("may have run a user's call in a conversation that is repeated with its key", async () => {
    const page = await stage.page();
    const { id } = await page.request("conversation/open", {});
    await page.request("conversation/rename", { id, title: "kept" });
    await stage.end("SIGTERM");
    copyFileSync(database, `${database}.copy`);
    await stage.start();
    const call = () => {
      const asked = { id, server: "faulty", tool: "echo", arguments: { key: "said", text: "said" } };
      return page.request("conversation/call", asked, { id: "kept-by-the-page.1" });
    };
    await call();
    await expect.poll(() => stage.effects()).toEqual(["said"]);
    await stage.end("SIGTERM");
    copyFileSync(`${database}.copy`, database);
    await stage.start();
    await call();
    const repeated = async () => {
      const { items }: ConversationState = await page.request("conversation/open", { id });
      return items.find(({ kind }) => kind === "call");
    };
    await expect.poll(repeated).toMatchObject({ state: "failed", isIndeterminate: true });
    expect(stage.effects()).toEqual(["said"]);
  });

  it("detects rows that PostgreSQL lost, and runs nothing twice", async (context) => {
    const postgres = await startPostgres();
    if (!postgres) return context.skip("there is no PostgreSQL here, and none can be installed");
    try {
      await stage.end("SIGTERM");
      stage.settings = { ...stage.settings, database: postgres.schema("lost") };
      await stage.start();
      const call = (key: string) => stage.program()("faulty", "echo", { key, text: key }, key);
      await call("kept");
      await call("lost");
      await stage.end("SIGKILL");
      const first = "(select min(seq) from vitrine_audit where key = 'lost')";
      for (const sql of [
        "alter table vitrine_audit disable trigger all",
        `delete from vitrine_audit where seq >= ${first}`,
        "alter table vitrine_audit enable trigger all",
      ])
        postgres.run("lost", sql);
      await stage.start();
      expect(stage.log).toMatch(/missing from its end/);
      await expect(call("lost")).rejects.toMatchObject({
        data: { code: "audit-failed", indeterminate: true },
      });
      expect(stage.effects()).toEqual(["kept", "lost"]);
      await stage.end("SIGTERM");
    } finally {
      await postgres.remove();
    }
  });

  it("raises no false alarm after crashes at any moment", async () => {
    for (let n = 0; n < 5; n++) {
      const page = await stage.page();
      const many = Array.from({ length: 50 }, () => stage.call(byPage(page), "echo"));
      await Promise.race([many[n * 10], new Promise((resolve) => setTimeout(resolve, 5000))]);
      stage.closePage(page);
      await stage.end("SIGKILL");
      await Promise.all(many);
      await stage.start();
      expect((await stage.fetch("/readyz")).status, stage.log).toBe(200);
    }
    const [file = ""] = readdirSync(stage.folder).filter((name) => name.endsWith("-head"));
    const noted = JSON.parse(readFileSync(join(stage.folder, file), "utf8"));
    expect(noted).toMatchObject({ seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

describe("two gateways with one data folder", () => {
  it("are one too many: the second gets an error with the process of the first", async () => {
    const file = join(stage.folder, "second.json");
    const other = `sqlite:${join(stage.folder, "other.db")}`;
    writeFileSync(file, JSON.stringify({ ...stage.settings, mcpServers: {}, database: other }));
    const { code, said } = await command("--config", file);
    expect(said).toContain(`in use by process ${stage.pid} `);
    expect(said).toContain("--data");
    expect(code).toBe(1);
    // A crashed gateway blocks nobody, whatever process has its id now.
    await stage.end("SIGKILL");
    await stage.start();
    await calls(1);
  });
});

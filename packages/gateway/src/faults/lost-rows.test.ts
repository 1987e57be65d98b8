/** What is on disk is not what the gateway left there: rows are missing, or another gateway is at work. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { byPage, codes, FaultStage, fine } from "../../../../testing/gateway/fault-stage.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

let stage: FaultStage;
let database: string;
beforeEach(async () => {
  stage = await FaultStage.open();
  database = join(stage.folder, "audit.db");
  await stage.end("SIGTERM");
  stage.settings = { ...stage.settings, database: `sqlite:${database}` };
  await stage.start();
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

const calls = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) fine([await stage.call(stage.program(), "echo")]);
};

describe("a gateway whose database lost its last rows", () => {
  it("says so, does nothing, and goes on when somebody accepts it", async () => {
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

  it("is not suspected after crashes at any moment", async () => {
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
  it("are one too many: the second is told which process has it", async () => {
    const file = join(stage.folder, "second.json");
    const other = `sqlite:${join(stage.folder, "other.db")}`;
    writeFileSync(file, JSON.stringify({ ...stage.settings, mcpServers: {}, database: other }));
    const { code, said } = await command("--config", file);
    expect(said).toContain(`in use by process ${stage.pid} `);
    expect(said).toContain("--data");
    expect(code).toBe(1);
    // One that crashed is in nobody's way, whatever has its number now.
    await stage.end("SIGKILL");
    await stage.start();
    await calls(1);
  });
});

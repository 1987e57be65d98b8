/** The gateway is told to stop, or to read its settings again, while pages and programs use it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GatewayClient } from "@vitrine/host/gateway";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  byPage,
  byView,
  codes,
  FaultStage,
  fine,
  type Settings,
} from "../../../../testing/gateway/fault-stage.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

let stage: FaultStage;
let page: GatewayClient;
beforeAll(async () => {
  stage = await FaultStage.open({ drain: { time: "20s" } });
  page = await stage.page();
});
afterAll(() => stage.close());

/** Restarts the gateway, if it has other times. */
async function use(drain: Settings): Promise<void> {
  if (JSON.stringify(stage.settings["drain"]) === JSON.stringify(drain)) return;
  stage.settings = { ...stage.settings, drain };
  await stage.end("SIGTERM");
  await stage.start();
  fine([await stage.call(byPage(page), "echo")]);
}

/** A call that has begun. */
async function begun(tool: string, args: Record<string, unknown>) {
  const outcome = stage.call(byPage(page), tool, args);
  const call = stage.calls.slice(-1);
  await expect.poll(() => stage.effectsOf(1, call)).toBe(1);
  return outcome;
}

const readiness = async (): Promise<[number, unknown]> => {
  const answer = await fetch(`${stage.origin}/readyz`);
  return [answer.status, await answer.json()];
};
const NOT_READY = [503, { ok: false, reason: "draining" }];

describe("a gateway that is told to stop", () => {
  beforeEach(() => use({ time: "20s" }));

  it("reports at once that it is not ready, refuses programs, and finishes what has begun", async () => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGQUIT"] as const) {
      const started = stage.call(byPage(page), "slow", { after: 1500 });
      await expect.poll(() => stage.effectsOf(1)).toBe(1);
      const { exited } = stage.signal(signal);
      await expect.poll(readiness).toEqual(NOT_READY);
      expect((await fetch(`${stage.origin}/healthz`)).status).toBe(200);
      expect(await (await stage.fetch("/readyz")).json()).toMatchObject({
        problems: ["the gateway is stopping: send requests elsewhere"],
      });
      const refused = await stage.fetch("/api/servers");
      expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual(
        [503, "1", "close"],
      );
      expect(await refused.json()).toMatchObject({ error: { code: "stopping" } });
      expect(await stage.metric("vitrine_draining")).toBe(1);
      expect(codes([await stage.call(stage.program(), "echo")])).toEqual(["stopping"]);
      // Another user has no session here, and gets none.
      const other = stage.socket("bob");
      const [, answer] = await once(other, "unexpected-response");
      expect(answer.statusCode).toBe(503);
      expect(await exited, stage.log).toBe(0);
      fine([await started]);
      await stage.start();
      await stage.checkOracle();
    }
  });

  it("makes pages carry their new calls to the next gateway, which makes them once", async () => {
    const view = await page.openView({ server: "faulty", tool: "echo" });
    const started = stage.call(byPage(page), "slow", { after: 1500 });
    await expect.poll(() => stage.effectsOf(1)).toBe(1);
    const { exited } = stage.signal("SIGTERM");
    await expect.poll(readiness).toEqual(NOT_READY);
    // None of these is refused, and none runs here.
    const made = [byPage(page), byView(view)].map((by) => stage.call(by, "echo"));
    expect(await exited, stage.log).toBe(0);
    fine([await started]);
    expect(stage.effectsOf(2)).toBe(0);
    await stage.start();
    fine(await Promise.all(made));
    await view.close();
    await stage.checkOracle();
  });

  it("sends pages of idle users away at once, while another user's call ends", async () => {
    const idle = await stage.page({ user: "bob" });
    const started = stage.call(byPage(page), "slow", { after: 3000 });
    await expect.poll(() => stage.effectsOf(1)).toBe(1);
    const { exited } = stage.signal("SIGTERM");
    await expect.poll(() => idle.state.phase).toBe("reconnecting");
    expect(page.state.phase).toBe("open");
    expect(await exited).toBe(0);
    fine([await started]);
    await stage.start();
    fine([await stage.call(byPage(idle), "echo")]);
    stage.closePage(idle);
    await stage.checkOracle();
  });

  it("lets a page that loses its connection meanwhile come back for its answer", async () => {
    // The other page may have come back over HTTP, which the line does not carry.
    const own = await stage.page();
    const started = stage.call(byPage(own), "slow", { after: 3000 });
    await expect.poll(() => stage.effectsOf(1)).toBe(1);
    const { exited } = stage.signal("SIGTERM");
    await expect.poll(readiness).toEqual(NOT_READY);
    stage.line.reset();
    await expect.poll(() => own.state).toMatchObject({ phase: "open", resumed: true });
    expect(await exited).toBe(0);
    fine([await started]);
    stage.closePage(own);
    await stage.start();
    await stage.checkOracle();
  });

  it("is not ready before it refuses anything, if it has a delay", async () => {
    await use({ time: "20s", delay: "1500ms" });
    const { exited } = stage.signal("SIGTERM");
    await expect.poll(readiness).toEqual(NOT_READY);
    fine([await stage.call(stage.program(), "echo"), await stage.call(byPage(page), "echo")]);
    expect(await exited).toBe(0);
    await stage.start();
    await stage.checkOracle();
  });

  it("ends calls that take longer than its time; pages learn that they may have run, and repeat reads", async () => {
    await use({ time: "300ms" });
    const endless = [begun("slow", { text: undefined }), begun("safe", { after: 4000 })];
    const waiting = Promise.all(endless);
    await expect.poll(() => stage.effectsOf(2)).toBe(2);
    stage.cutOff();
    expect(await stage.end("SIGTERM"), stage.log).toBe(0);
    await stage.start();
    expect(codes(await waiting)).toEqual(["indeterminate", "ok"]);
    await stage.checkOracle();
  });

  it("twice ends at once, and its servers end with it", async () => {
    const started = begun("slow", { text: undefined });
    await expect.poll(() => stage.effectsOf(1)).toBe(1);
    stage.cutOff();
    const { exited, again } = stage.signal("SIGTERM");
    await expect.poll(readiness).toEqual(NOT_READY);
    again();
    expect(await exited).toBe(143);
    await expect.poll(() => stage.processes()).toEqual([]);
    await stage.start();
    expect(codes([await started])).toEqual(["indeterminate"]);
    await stage.checkOracle();
  });
});

describe("SIGHUP", () => {
  it("makes a service read its settings again, although the file looks the same", async () => {
    const { pid } = stage;
    process.kill(pid, "SIGHUP");
    await expect.poll(() => stage.log).toContain("settings read again: nothing changed");
    stage.log = "";
    writeFileSync(stage.file, "{");
    await expect.poll(() => stage.log).toContain("The previous settings stay in force");
    stage.log = "";
    process.kill(pid, "SIGHUP");
    await expect.poll(() => stage.log).toContain("The previous settings stay in force");
    fine([await stage.call(byPage(page), "echo")]);
    stage.write({ ...stage.settings, strict: true });
    process.kill(pid, "SIGHUP");
    await expect.poll(() => stage.log).toContain('"settings":["strict"]');
    expect(stage.pid).toBe(pid);
    await stage.checkOracle();
  });

  it("reloads in an open terminal, and stops the gateway when its terminal is closed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-terminal-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [config, log, pidFile] = ["mcp.json", "log", "pid"].map((name) => join(folder, name));
    const data = join(folder, "data");
    writeFileSync(
      `${config}`,
      JSON.stringify({ listen: { port: 0 }, sandbox: { port: 0 }, dataFolder: data }),
    );
    const line = `echo $$ > ${pidFile}; exec ${process.execPath} ${MAIN} --config ${config} 2> ${log}`;
    const terminal = spawn("script", ["-qefc", line, "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void terminal.kill("SIGKILL"));
    const logged = (): string => (existsSync(`${log}`) ? readFileSync(`${log}`, "utf8") : "");
    await expect.poll(logged).toContain("listening");
    const pid = Number(readFileSync(`${pidFile}`, "utf8"));
    const isRunning = (): boolean => existsSync(`/proc/${pid}`);
    onTestFinished(() => void (isRunning() && process.kill(pid, "SIGKILL")));
    process.kill(pid, "SIGHUP");
    await expect.poll(logged).toContain("settings read again");
    expect(logged()).not.toContain("draining");
    // The window is closed: nobody holds the other end of the terminal.
    terminal.kill("SIGKILL");
    await expect.poll(logged).toContain('"signal":"SIGHUP"');
    await expect.poll(isRunning).toBe(false);
    expect(logged()).toMatch(/"msg":"drained"/);
    expect(logged()).not.toContain("unexpected error");
  });
});

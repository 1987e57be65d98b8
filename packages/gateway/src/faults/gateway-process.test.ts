/** The gateway itself is killed, stopped, or paused while pages use it. */
import type { GatewayClient } from "@vitrine/host/gateway";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  byPage,
  byView,
  type Caller,
  codes,
  FaultStage,
  faultyServer,
  fine,
  type Outcome,
} from "../../../../testing/gateway/fault-stage.ts";

let stage: FaultStage;
let page: GatewayClient;
let callers: Caller[];

beforeAll(async () => {
  stage = await FaultStage.open();
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.page({ heartbeat: 1000 });
  const view = await page.openView({ server: "faulty", tool: "echo" });
  const others = await Promise.all([stage.page({ over: "http" }), stage.page({ user: "bob" })]);
  callers = [byPage(page), byView(view), ...others.map(byPage)];
});
afterEach(() => {
  for (const each of stage.pages) stage.closePage(each);
});

/** All callers call repeatedly, until they are stopped, or their page is closed. */
function load() {
  let isOver = false;
  const outcomes: Outcome[] = [];
  const loops = callers.flatMap((caller) =>
    ["echo", "slow", "safe"].map(async (tool) => {
      while (!isOver) {
        const outcome = await stage.call(caller, tool, { after: 20 });
        if (!outcome.ok && outcome.code === "closed") return;
        outcomes.push(outcome);
      }
    }),
  );
  return {
    outcomes,
    stop: async () => {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

/** All callers call a tool; resolves when all calls have started. */
async function begin(name: string, args: Record<string, unknown>): Promise<{ outcomes: Promise<Outcome[]> }> {
  const made = callers.map((caller) => stage.call(caller, name, args));
  const calls = stage.calls.slice(-made.length);
  await expect.poll(() => stage.effectsOf(made.length, calls)).toBe(made.length);
  return { outcomes: Promise.all(made) };
}

describe("a gateway", () => {
  it("that is killed under load and restarted repeats only reads, and reports the rest as indeterminate", async () => {
    const work = load();
    await expect.poll(() => work.outcomes.length).toBeGreaterThan(60);
    const endless = await begin("slow", { text: undefined });
    const reading = await begin("safe", { after: 2000 });
    // A process for each of the two users.
    expect(stage.processes().length).toBe(2);
    await stage.end("SIGKILL");
    // Its servers end without it.
    await expect.poll(() => stage.processes()).toEqual([]);
    await stage.start();
    expect(codes(await endless.outcomes)).toEqual(callers.map(() => "indeterminate"));
    fine(await reading.outcomes);
    const before = work.outcomes.length;
    await expect.poll(() => work.outcomes.length).toBeGreaterThan(before + 30);
    await work.stop();
    const ends = new Set(codes(work.outcomes));
    ends.delete("indeterminate");
    expect(ends).toEqual(new Set(["ok"]));
    await stage.checkOracle();
  });

  it("that is killed lets a program retry with the same key, and reports the call as indeterminate", async () => {
    const program = stage.program();
    const first = stage.call(program, "slow", { text: undefined });
    await expect.poll(() => stage.effectsOf(1)).toBe(1);
    await stage.end("SIGKILL");
    expect(await first).toMatchObject({ ok: false });
    await stage.start();
    const { key = "" } = stage.calls.at(-1) ?? {};
    await expect(program("faulty", "slow", { key }, key)).rejects.toMatchObject({
      data: { code: "indeterminate" },
    });
    await stage.checkOracle();
  });

  it("that is stopped under load finishes started calls, and exits", async () => {
    const work = load();
    await expect.poll(() => work.outcomes.length).toBeGreaterThan(60);
    const started = await begin("slow", { after: 1000 });
    expect(await stage.end("SIGTERM"), stage.log).toBe(0);
    expect(stage.processes()).toEqual([]);
    fine(await started.outcomes);
    await stage.start();
    const before = work.outcomes.length;
    await expect.poll(() => work.outcomes.length).toBeGreaterThan(before + 30);
    await work.stop();
    // Calls that came meanwhile are made by the next gateway.
    expect(new Set(codes(work.outcomes))).toEqual(new Set(["ok"]));
    await stage.checkOracle();
  });

  it("that is killed while it starts a server leaves no process, and the call is made once after all", async () => {
    stage.settings = { ...stage.settings, mcpServers: { faulty: faultyServer(["silent"]) } };
    await stage.end("SIGTERM");
    await stage.start();
    const made = Promise.all(callers.map((caller) => stage.call(caller, "echo")));
    await expect.poll(() => stage.processes().length).toBe(2);
    await stage.end("SIGKILL");
    await expect.poll(() => stage.processes()).toEqual([]);
    stage.settings = { ...stage.settings, mcpServers: { faulty: faultyServer() } };
    await stage.start();
    fine(await made);
    await stage.checkOracle();
  });

  it("that is paused and resumes has lost nothing", async () => {
    const started = await begin("slow", { after: 500 });
    process.kill(stage.pid, "SIGSTOP");
    const asked = Promise.all(callers.map((caller) => stage.call(caller, "echo")));
    await expect.poll(() => page.state.phase).toBe("reconnecting");
    process.kill(stage.pid, "SIGCONT");
    fine([...(await started.outcomes), ...(await asked)]);
    expect(page.state).toMatchObject({ resumed: true });
    await stage.checkOracle();
  });
});

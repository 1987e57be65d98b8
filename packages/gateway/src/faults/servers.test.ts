/** A local server fails in the middle of the whole chain. */
import type { GatewayClient } from "@vitrine/host/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  byPage,
  byView,
  type Caller,
  codes,
  FaultStage,
  faultyServer,
  fine,
  many,
  type Outcome,
} from "../../../../testing/gateway/fault-stage.ts";

let stage: FaultStage;
let page: GatewayClient;
/** A page over a WebSocket, a view in it, a page over HTTP, and a program. */
let callers: Caller[];

beforeAll(async () => {
  stage = await FaultStage.open({
    mcpServers: {
      faulty: faultyServer(),
      small: faultyServer([], { limits: { message: 4 * 1024 * 1024 } }),
      narrow: faultyServer([], { limits: { sizes: { result: 500_000 } } }),
      impatient: faultyServer([], { limits: { message: 4 * 1024 * 1024, timeout: 2000 } }),
    },
  });
  page = await stage.page();
  const view = await page.openView({ server: "faulty", tool: "echo" });
  callers = [byPage(page), byView(view), byPage(await stage.page({ over: "http" })), stage.program()];
});
afterAll(() => stage.close());

/** All callers call. */
const all = (name: string, args?: Record<string, unknown>): Promise<Outcome[]> =>
  Promise.all(callers.map((caller) => stage.call(caller, name, args)));

describe("a server", () => {
  it("that exits before a call is restarted for it", async () => {
    process.kill(await stage.serverPid(), "SIGKILL");
    await expect.poll(() => stage.serverState()).not.toBe("ready");
    fine(await all("echo"));
    await stage.checkOracle();
  });

  it("that exits during calls ends them, and none is repeated", async () => {
    const pid = await stage.serverPid();
    const calls = all("slow", { text: undefined });
    await expect.poll(() => stage.effectsOf(4)).toBe(4);
    process.kill(pid, "SIGKILL");
    const outcomes = await calls;
    expect(codes(outcomes)).toEqual(Array(4).fill("server-exited"));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ data: { indeterminate: true } });
    fine(await all("echo"));
    await stage.checkOracle();
  });

  it("that is paused and resumes answers the waiting calls", async () => {
    const pid = await stage.serverPid();
    process.kill(pid, "SIGSTOP");
    const calls = many(5, () => all("echo"));
    await expect.poll(() => stage.recordsOf(20)).toBe(20);
    expect(stage.calls.filter(({ outcome }) => !outcome)).toHaveLength(20);
    process.kill(pid, "SIGCONT");
    fine((await Promise.all(calls)).flat());
    await stage.checkOracle();
  });

  it("that prints garbage is still understood", async () => {
    fine(await all("garbage", { count: 1000 }));
    await stage.checkOracle();
  });

  it("that sends a line of 100 MB fails the call that it answers, and the gateway's memory does not grow", async () => {
    const before = await stage.memory();
    const other = stage.call(byPage(page), "slow", { after: 1000 }, "small");
    await expect.poll(() => stage.recordsOf(1)).toBe(1);
    const huge = await stage.call(byPage(page), "huge", { bytes: 100 * 1024 * 1024 }, "small");
    expect(codes([huge])).toEqual(["server-too-large"]);
    fine([await other, await stage.call(byPage(page), "echo", {}, "small")]);
    await stage.checkOracle();
    await stage.checkMemory(before);
  });

  it("whose result is too large for the guard, or invalid JSON, ends the call as one that may have run", async () => {
    const view = byView(await page.openView({ server: "narrow", tool: "echo" }));
    const each = (name: string, bytes: number) =>
      Promise.all(
        [byPage(page), view, stage.program()].map((caller) => stage.call(caller, name, { bytes }, "narrow")),
      );
    const outcomes = [...(await each("large", 600_000)), ...(await each("no-json", 200_000))];
    const expected = [...Array(3).fill("server-too-large"), ...Array(3).fill("invalid")];
    expect(codes(outcomes)).toEqual(expected);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ data: { indeterminate: true } });
    expect(stage.effectsOf(6)).toBe(6);
    // A conversation shows that the call ran.
    const { id } = await page.request("conversation/open", {});
    const asked = { bytes: 200_000, type: "text" };
    await page.request("conversation/call", { id, server: "narrow", tool: "no-json", arguments: asked });
    const item = async () => (await page.request("conversation/open", { id })).items[0];
    await expect.poll(item).toMatchObject({
      state: "done",
      result: { content: [{ text: expect.stringContaining("The call ran.") }] },
    });
    await stage.checkOracle();
  });

  it("that sends its answers in parts, with split characters, is understood", async () => {
    // Sequentially, because a server whose own answers overlap is not understood.
    for (const caller of callers) fine([await stage.call(caller, "halves")]);
    await stage.checkOracle();
  });

  it("that answers twice with the same id is answered for once", async () => {
    fine((await Promise.all(many(10, () => all("twice")))).flat());
    fine(await all("echo"));
    await stage.checkOracle();
  });

  it("that answers with unknown ids is ignored", async () => {
    fine((await Promise.all(many(10, () => all("strangers")))).flat());
    await stage.checkOracle();
  });

  it("that answers 1,000 calls out of order answers each caller", async () => {
    fine((await Promise.all(many(250, () => all("shuffle", { of: 1000 })))).flat());
    await stage.checkOracle();
  });

  it("that floods stderr still answers, and the gateway's memory does not grow", async () => {
    const before = await stage.memory();
    fine(await all("flood-stderr", { bytes: 5 * 1024 * 1024 }));
    await stage.checkOracle();
    await stage.checkMemory(before);
  });

  it("that stops reading has a bounded queue, and its calls end", async () => {
    const pid = await stage.serverPid("impatient");
    const before = await stage.memory();
    fine([await stage.call(byPage(page), "deaf", {}, "impatient")]);
    const padding = "x".repeat(1_000_000);
    const outcomes = await Promise.all(
      many(20, () => stage.call(byPage(page), "echo", { padding }, "impatient")),
    );
    expect(new Set(codes(outcomes))).toEqual(new Set(["timeout"]));
    process.kill(pid, "SIGKILL");
    await expect.poll(() => stage.serverState("impatient")).not.toBe("ready");
    fine([await stage.call(byPage(page), "echo", {}, "impatient")]);
    await stage.checkOracle();
    await stage.checkMemory(before);
  });
});

/** The settings file is invalid or changes while the gateway runs, and its clock jumps. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { GatewayClient } from "@vitrine/host/gateway";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  byPage,
  codes,
  FaultStage,
  faultyServer,
  fine,
  many,
} from "../../../../testing/gateway/fault-stage.ts";

const DAY = 86_400_000;

let stage: FaultStage;
let page: GatewayClient;
beforeAll(async () => {
  stage = await FaultStage.open({ session: { grace: 1000, perUser: 100 } });
  page = await stage.page();
});
afterAll(() => stage.close());

const slow = async (server = "faulty") => {
  const made = many(5, () => stage.call(byPage(page), "slow", { after: 1500 }, server));
  await expect.poll(() => stage.effectsOf(5)).toBe(5);
  return { outcomes: Promise.all(made) };
};
const setServers = (servers: Record<string, object>): void =>
  stage.write({ ...stage.settings, mcpServers: servers });

describe("settings", () => {
  it("that become invalid while the gateway runs are not applied, and the log says why", async () => {
    const pid = await stage.serverPid();
    writeFileSync(stage.file, '{ "mcpServers": { "faulty": ');
    await expect.poll(() => stage.log).toContain("The previous settings stay in force");
    fine([await stage.call(byPage(page), "echo")]);
    expect(await stage.serverPid()).toBe(pid);
    setServers({ faulty: faultyServer(), other: faultyServer() });
    await expect.poll(() => stage.serverState("other")).toBe("idle");
    fine([await stage.call(byPage(page), "echo", {}, "other")]);
    expect(await stage.serverPid()).toBe(pid);
    await stage.checkOracle();
  });

  it("without a busy server let it finish, and accept no more calls for it", async () => {
    setServers({ faulty: faultyServer(), other: faultyServer() });
    await expect.poll(() => stage.serverState("other")).not.toBe(undefined);
    const { outcomes } = await slow("other");
    setServers({ faulty: faultyServer() });
    await expect.poll(() => stage.serverState("other")).toBe(undefined);
    expect(codes([await stage.call(byPage(page), "echo", {}, "other")])).toEqual(["server-unknown"]);
    fine(await outcomes);
    await expect.poll(() => stage.processes().length).toBe(1);
    await stage.checkOracle();
  });

  it("that change a busy server let the old one finish, and start another", async () => {
    const pid = await stage.serverPid();
    const { outcomes } = await slow();
    setServers({ faulty: faultyServer([], { limits: { timeout: 30_000 } }) });
    await expect.poll(() => stage.serverPid()).not.toBe(pid);
    fine([...(await outcomes), await stage.call(byPage(page), "echo")]);
    await expect.poll(() => stage.processes().length).toBe(1);
    await stage.checkOracle();
  });

  it("that change a server keep the subscriptions of its views", async () => {
    const view = await page.openView({ server: "faulty", tool: "echo" });
    const uri = "ui://faulty/page.html";
    let updates = 0;
    view.upstream.listen((method) => method === "notifications/resources/updated" && updates++);
    await view.upstream.request("resources/subscribe", { uri });
    const pid = await stage.serverPid();
    setServers({ faulty: faultyServer([], { limits: { timeout: 31_000 } }) });
    // Something may have changed meanwhile.
    await expect.poll(() => updates).toBe(1);
    expect(await stage.serverPid()).not.toBe(pid);
    await view.upstream.request("tools/call", { name: "change", arguments: {} });
    await expect.poll(() => updates).toBe(2);
    await view.close();
    await expect.poll(() => stage.processes().length).toBe(1);
    await stage.checkOracle();
  });
});

describe("a clock", () => {
  afterEach(() => stage.setClock(0));

  it("that jumps forwards ends no call and no session in use", async () => {
    const { outcomes } = await slow();
    await stage.setClock(400 * DAY);
    fine([...(await outcomes), await stage.call(byPage(page), "echo")]);
    expect(page.state).toMatchObject({ phase: "open" });
    await stage.checkOracle();
  });

  it("that jumps back extends no session and no idle server", async () => {
    setServers({ faulty: faultyServer([], { limits: { idle: 1000 } }) });
    await expect.poll(() => stage.serverState()).not.toBe("ready");
    const { outcomes } = await slow();
    const socket = stage.socket();
    socket.once("open", () => socket.send('hello {"version":1,"received":0}'));
    await once(socket, "message");
    // Gone without closing, like a machine that is switched off.
    socket.terminate();
    await expect.poll(() => stage.metric("vitrine_transports")).toBe(1);
    await stage.setClock(-400 * DAY);
    fine(await outcomes);
    await expect.poll(() => stage.processes()).toEqual([]);
    fine([await stage.call(byPage(page), "echo")]);
    await stage.checkOracle();
  });
});

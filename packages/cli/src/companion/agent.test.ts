/** The user and the agent: connections, callers, read messages, and closed apps. */
import { afterEach, describe, expect, it } from "vitest";
import { CompanionStage, textsOf } from "../../../../testing/cli/companion-stage.ts";
import { readAgent } from "./agent.js";

let stage: CompanionStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

/** With sessions as long as a real gateway's: the result must not depend on their end. */
const open = async (...args: Parameters<typeof CompanionStage.open>): Promise<CompanionStage> =>
  (stage = await CompanionStage.open(args[0] ?? (({ shop }) => ({ ...(shop && { shop }) })), {
    grace: 120_000,
    ...args[1],
  }));

describe("a tab that is closed", () => {
  it("is noticed within seconds: the next app opens another one", async () => {
    let tabs = 0;
    const { agent, page, host, gateway } = bind(await open(undefined, { open: async () => ++tabs > 0 }));
    const client = await agent();
    const show = async () => textsOf(await client.callTool({ name: "shop__show", arguments: {} }))[1];
    expect(await show()).toMatch(/opens in the user's browser/);
    const tab = await page();
    await tab.open("shop", "show");
    await expect.poll(show).toMatch(/is open in the user's browser/);
    expect(tabs).toBe(1);
    tab.raw.leave();
    await expect.poll(async () => (await gateway.conversations.open("local", tab.id)).listenerCount).toBe(1);
    expect(await show()).toMatch(/opens in the user's browser/);
    expect(tabs).toBe(2);
    expect(host.apps.every(({ isOpen }) => !isOpen)).toBe(true);
  });

  it("closes its apps, and app_context says so", async () => {
    const { agent, page, gateway } = bind(await open());
    const client = await agent({ generation: "2025" });
    await client.callTool({ name: "shop__show", arguments: {} });
    const tab = await page();
    await tab.open("shop", "show");
    tab.raw.leave();
    const { conversations } = gateway;
    await expect.poll(async () => (await conversations.open("local", tab.id)).listenerCount).toBe(1);
    const texts = textsOf(await client.callTool({ name: "app_context", arguments: {} }));
    expect(texts.join("\n")).toMatch(/App 1 .* was closed: its tools are gone/);
    expect(texts.join("\n")).not.toContain("Nothing new");
  });

  it("does not count as closed when it only reloads", async () => {
    const { agent, page } = bind(await open());
    const client = await agent({ generation: "2025" });
    await client.callTool({ name: "shop__show", arguments: {} });
    const tab = await page();
    await tab.open("shop", "show");
    // The page connects again by itself.
    tab.raw.cut();
    const texts = textsOf(await client.callTool({ name: "app_context", arguments: {} }));
    expect(texts.join("\n")).toContain("is open.");
    expect(texts).toContain("Nothing new since your last call.");
  });
});

it("app_context reports an app that the user closes, however soon it is called", async () => {
  const { agent, page } = bind(await open());
  const client = await agent({ generation: "2025" });
  await client.callTool({ name: "shop__show", arguments: {} });
  const tab = await page();
  const view = await tab.open("shop", "show");
  await tab.raw.closeView(view);
  const texts = textsOf(await client.callTool({ name: "app_context", arguments: {} }));
  expect(texts.join("\n")).toMatch(/App 1 .* was closed/);
});

describe("the agent", () => {
  it.each(["2025", "2026"] as const)(
    "is named in the page and on its calls, by a client of %s",
    async (generation) => {
      const { agent, page } = bind(await open());
      const tab = await page();
      const state = () => tab.raw.request("conversation/open", { id: tab.id });
      expect((await state()).agents).toEqual([]);
      const client = await agent({ generation });
      await client.listTools();
      await expect.poll(async () => (await state()).agents).toEqual(["agent 1"]);
      await client.callTool({ name: "shop__look", arguments: {} });
      expect((await state()).items).toMatchObject([{ kind: "call", tool: "look", agent: "agent" }]);
      const { agents } = tab.raw
        .notices("conversation/changed")
        .flatMap(({ changes }) => changes)
        .findLast(({ kind }) => kind === "state") as { agents?: string[] };
      expect(agents).toEqual(["agent 1"]);
    },
  );

  it("is named in the question about a tool of an app", async () => {
    const { agent, page } = bind(await open());
    const client = await agent({ generation: "2025" });
    await client.callTool({ name: "shop__show", arguments: {} });
    const tab = await page();
    const view = await tab.open("shop", "show");
    await tab.tools(view, [{ name: "add" }]);
    await client.callTool({ name: "app_1__add", arguments: {} });
    expect(tab.raw.asked).toMatchObject([
      { reason: expect.stringMatching(/^The agent "agent" wants to use/) },
    ]);
  });

  it("reads what the user writes: the page shows when", async () => {
    const { agent, page } = bind(await open());
    const client = await agent({ generation: "2025" });
    const tab = await page();
    await tab.say("Stop, please.");
    const said = async () => (await tab.raw.request("conversation/open", { id: tab.id })).items[0];
    expect(await said()).toMatchObject({ kind: "user", isQueued: true });
    const texts = textsOf(await client.callTool({ name: "app_context", arguments: {} }));
    expect(texts.join("\n")).toContain("The user wrote:\n  > Stop, please.");
    expect(await said()).not.toHaveProperty("isQueued", true);
  });

  it("with wrong arguments gets an error, and nothing is called or opened", async () => {
    let tabs = 0;
    const { agent, host } = bind(await open(undefined, { open: async () => ++tabs > 0 }));
    const client = await agent();
    const wrong = await client.callTool({ name: "shop__pick", arguments: { size: "large" } });
    expect(wrong.isError).toBe(true);
    expect(textsOf(wrong).join("\n")).toMatch(/do not fit the tool's schema.*\n- size: /);
    expect(textsOf(wrong)).toHaveLength(1);
    expect([tabs, host.apps.length]).toEqual([0, 0]);
    expect((await client.callTool({ name: "shop__pick", arguments: { size: 4 } })).isError).toBeUndefined();
    expect(tabs).toBe(1);
  });

  it("whose call fails at the server gets the error, and no app is opened", async () => {
    let tabs = 0;
    const { agent, host } = bind(await open(undefined, { open: async () => ++tabs > 0 }));
    const client = await agent();
    const failed = await client.callTool({ name: "shop__show", arguments: { fails: true } });
    expect(failed.isError).toBe(true);
    expect(textsOf(failed)).toHaveLength(1);
    expect([tabs, host.apps.length]).toEqual([0, 0]);
  });
});

it("a client's name is reduced to one short line", () => {
  expect(readAgent({ name: "claude-code", version: "2.1.0" })).toEqual({
    name: "Claude Code",
    label: "Claude Code 2.1.0",
  });
  expect(readAgent({ name: "x", title: "My\nAgent\u202e", version: 3 })).toEqual({
    name: "My Agent",
    label: "My Agent",
  });
  expect(readAgent(undefined).name).toBe("An agent");
  expect(readAgent({ name: "toString" }).name).toBe("toString");
  expect(readAgent({ name: "a".repeat(500) }).name).toHaveLength(60);
});

const bind = (opened: CompanionStage) => ({
  agent: opened.agent.bind(opened),
  page: opened.page.bind(opened),
  host: opened.host,
  gateway: opened.gateway,
});

/** The companion when servers crash, change and are slow, and when the user closes things. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { replacedServer } from "@vitrine/servers";
import { afterEach, expect, it, vi } from "vitest";
import { CompanionStage, textsOf } from "../../../../testing/cli/companion-stage.ts";

const BAD = fileURLToPath(new URL("../../../../testing/cli/bad-server.mjs", import.meta.url));
const bad = (kind: string) => ({ command: process.execPath, args: [BAD, kind], isolation: "process" });

const REPLACED = replacedServer("shop").message;

let stage: CompanionStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const open = async (...args: Parameters<typeof CompanionStage.open>): Promise<CompanionStage> =>
  (stage = await CompanionStage.open(...args));

it("a server that does not start does not affect others, and the agent is notified", async () => {
  const { agent } = bind(await open(({ clock }) => ({ ...(clock && { clock }), broken: bad("exits") })));
  const client = await agent();
  // A list waits for at most ten seconds; on a slow machine the server comes later.
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await expect.poll(names).toEqual(["app_context", "clock__get-time"]);
  const texts = textsOf(await client.callTool({ name: "app_context", arguments: {} }));
  expect(texts.at(-1)).toMatch(/^Servers that do not work now.*\n- broken: .*ended with code 3/s);
});

it("a server that crashes during a call is reported, and is available for the next one", async () => {
  const { agent } = bind(await open(() => ({ shaky: bad("well") })));
  const client = await agent();
  const died = await client.callTool({ name: "shaky__exit", arguments: {} });
  expect(died.isError).toBe(true);
  expect(textsOf(died)[0]).toMatch(/ended with code 7/);
  const again = await client.callTool({ name: "shaky__echo", arguments: { text: "back" } });
  expect(textsOf(again)[0]).toBe('{"text":"back"}');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("shaky__exit");
});

it("a server that never answers delays only the first list; a result of 100 MB is reported", async () => {
  const { agent } = bind(await open(() => ({ mute: bad("silent"), shaky: bad("well") })));
  const client = await agent();
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await names();
  const begun = performance.now();
  await names();
  // The first list waits for ten seconds.
  expect(performance.now() - begun).toBeLessThan(8_000);
  await expect.poll(names).toContain("shaky__huge");
  const huge = await client.callTool({ name: "shaky__huge", arguments: {} });
  expect(huge.isError).toBe(true);
  expect(textsOf(huge)[0]).toMatch(/more than 64000000 bytes/);
});

it("new tools are listed, and clients of both generations are notified", async () => {
  const { agent } = bind(await open(({ shop }) => ({ ...(shop && { shop }) })));
  const [older, newer] = [await agent({ generation: "2025" }), await agent()];
  const told = { older: 0, newer: 0 };
  older.setNotificationHandler("notifications/tools/list_changed", () => void told.older++);
  newer.setNotificationHandler("notifications/tools/list_changed", () => void told.newer++);
  await newer.listen({ toolsListChanged: true });
  expect((await newer.listTools()).tools.some(({ name }) => name === "shop__late")).toBe(false);
  const control = { late: true, description: "Changes it all" };
  await newer.callTool({ name: "shop__control", arguments: control });
  await expect.poll(() => Math.min(told.older, told.newer)).toBeGreaterThan(0);
  // They may have received a notification before: that the server has started.
  const described = async () =>
    (await older.listTools()).tools.find(({ name }) => name === "shop__change")?.description;
  await expect.poll(described).toBe("Changes it all");
  expect((await older.listTools()).tools.some(({ name }) => name === "shop__late")).toBe(true);
});

it("new prompts are listed, and clients of both generations are notified", async () => {
  const { agent } = bind(await open(({ shop }) => ({ ...(shop && { shop }) })));
  const [older, newer] = [await agent({ generation: "2025" }), await agent()];
  await newer.listTools();
  const told = { older: 0, newer: 0 };
  older.setNotificationHandler("notifications/prompts/list_changed", () => void told.older++);
  newer.setNotificationHandler("notifications/prompts/list_changed", () => void told.newer++);
  await newer.listen({ promptsListChanged: true });
  const named = async () => (await older.listPrompts()).prompts.map(({ name }) => name);
  expect(await named()).toEqual(["shop__greet"]);
  await newer.callTool({ name: "shop__control", arguments: { prompt: "part" } });
  await expect.poll(named).toEqual(["shop__greet", "shop__part"]);
  await expect.poll(() => Math.min(told.older, told.newer)).toBeGreaterThan(0);
});

it("a changed view is announced to subscribers, and read again", async () => {
  const { agent } = bind(await open(({ shop }) => ({ ...(shop && { shop }) })));
  const client = await agent({ hasViews: true });
  const uri = "ui://shop/shop/cart.html";
  const updated: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void updated.push(params.uri),
  );
  await client.listTools();
  await client.listen({ resourceSubscriptions: [uri] });
  const text = "<!doctype html><title>Another cart</title>";
  const control = { document: { text }, updated: "ui://shop/cart.html" };
  await client.callTool({ name: "shop__control", arguments: control });
  await expect.poll(() => updated).toContain(uri);
  expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text }]);
});

it("attack E01: an agent's requests do not reach another server that took the name of the one it knows", async () => {
  const opened = await open(({ shop }) => ({ ...(shop && { shop }) }));
  const client = await opened.agent({ hasViews: true });
  const look = () => client.callTool({ name: "shop__look", arguments: {} });
  expect((await look()).isError).toBeUndefined();
  // The companion has not read the lists of the new server yet.
  const late = vi.spyOn(opened.host, "serverChanged").mockImplementation(() => {});
  await opened.update(({ shop }) => ({ shop: { ...shop, cwd: "/" } }));
  for (const name of ["shop__look", "shop__inner"]) {
    const result = await client.callTool({ name, arguments: {} });
    expect([result.isError, textsOf(result)[0]]).toEqual([true, expect.stringContaining(REPLACED)]);
  }
  await expect(client.readResource({ uri: "ui://shop/shop/cart.html" })).rejects.toThrow(REPLACED);
  await expect(client.getPrompt({ name: "shop__greet" })).rejects.toThrow(REPLACED);
  expect(readFileSync(join(opened.folder, "shop"), "utf8")).not.toContain("tools/call");
  late.mockRestore();
  opened.host.serverChanged("shop");
  await expect.poll(async () => (await look()).isError).toBeUndefined();
});

it("several apps at once open one browser; meanwhile the agent gets its address", async () => {
  const links: string[] = [];
  const { agent } = bind(
    await open(({ shop }) => ({ ...(shop && { shop }) }), {
      open: async ({ fragment }) => links.push(fragment) > 0,
    }),
  );
  const client = await agent();
  const show = async () => textsOf(await client.callTool({ name: "shop__show", arguments: {} }))[1];
  const texts = await Promise.all([show(), show(), show()]);
  expect(links).toHaveLength(1);
  expect(links[0]).toMatch(/^conversation=[\w-]+$/);
  for (const text of texts) expect(text).toMatch(/^App \d .* opens in the user's browser, at http\S+\/#conv/);
});

it("the link signs a browser in, and leads to the conversation", async () => {
  const { host } = await open(({ shop }) => ({ ...(shop && { shop }) }));
  const answer = await fetch(host.link, { redirect: "manual" });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toMatch(/^\/#conversation=[\w-]+$/);
  expect(host.address.endsWith(answer.headers.get("location") ?? "-")).toBe(true);
});

it("when the user deletes the conversation, the agent continues in another one", async () => {
  const opened = await open(({ shop }) => ({ ...(shop && { shop }) }));
  const client = await opened.agent();
  await client.callTool({ name: "shop__show", arguments: {} });
  const page = await opened.page();
  await page.open("shop", "show");
  expect(opened.host.apps.map(({ isOpen }) => isOpen)).toEqual([true]);
  await page.raw.request("conversation/delete", { id: page.id });
  const [, shown] = textsOf(await client.callTool({ name: "shop__show", arguments: {} }));
  expect(shown).toMatch(/^App 2 .* no browser shows it yet/);
  const next = await opened.page();
  expect(next.id).not.toBe(page.id);
  await next.open("shop", "show");
  expect(opened.host.apps.map(({ isOpen }) => isOpen)).toEqual([false, true]);
});

it("a call that the user stops in the page is reported to the agent", async () => {
  const opened = await open(({ shop }) => ({ ...(shop && { shop }) }));
  const client = await opened.agent();
  const waiting = client.callTool({ name: "shop__wait", arguments: {} });
  const page = await opened.page();
  await expect
    .poll(() => page.raw.request("conversation/stop", { id: page.id }).then(({ stopped }) => stopped))
    .toBe(true);
  const result = await waiting;
  expect(result.isError).toBe(true);
  expect(textsOf(result)[0]).toMatch(/cancelled: stopped by the user\. It may have been executed/);
});

const bind = (opened: CompanionStage) => ({ agent: opened.agent.bind(opened) });

/**
 * Requests that pages may make only in test mode: a real gateway, a real server, and a model behind the real
 * wire.
 */

import { METHOD_NOT_FOUND } from "@vitrine/protocol";
import type { CallItem, ModelView } from "@vitrine/wire";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../testing/gateway/entry-points.js";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../testing/model/scripted-model.js";

let model: ScriptedModel;
let gatewayEntry: EntryPoints;
let page: RawPage;

const openGateway = (testMode?: boolean): Promise<EntryPoints> => {
  const providers = { local: { url: model.url, models: ["scripted"] } };
  return EntryPoints.open(["ann"], { model: { use: "local/scripted", providers } }, { testMode });
};

beforeAll(async () => {
  model = await startScriptedModel();
  gatewayEntry = await openGateway(true);
  page = await gatewayEntry.page("ann", "websocket");
}, 60_000);
afterAll(async () => {
  await gatewayEntry?.close();
  await model?.close();
});

const begin = async (): Promise<string> => (await page.request("conversation/open", {})).id;
const viewOf = (id: string): Promise<ModelView> => page.request("conversation/model-view", { id });
const atRest = (id: string): Promise<void> =>
  expect.poll(async () => (await page.request("conversation/open", { id })).isRunning).toBe(false);
const callOf = async (id: string, item: string): Promise<CallItem> => {
  const { items } = await page.request("conversation/open", { id });
  return items.find((each) => each.id === item) as CallItem;
};

it("is reported to the page, and logged", async () => {
  expect(await page.request("gateway/servers", {})).toMatchObject({ testMode: true });
  expect(gatewayEntry.log.join("")).toContain("test mode");
});

it("the model view is the next request to the model", async () => {
  const id = await begin();
  model.add(callTool("shop__show", {}), say("There."));
  await page.request("conversation/send", { id, content: [{ type: "text", text: "Show it." }] });
  await atRest(id);
  const view = await viewOf(id);
  expect(view.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  model.add(say("Again."));
  await page.request("conversation/send", { id, content: [{ type: "text", text: "And now?" }] });
  await atRest(id);
  const asked = model.requests.at(-1)?.body;
  expect(asked?.messages.map(({ role }) => role)).toEqual([
    "system",
    ...view.messages.map(({ role }) => role),
    "user",
  ]);
  expect(asked?.tools?.map((tool) => tool.function.name)).toEqual(view.tools.map(({ name }) => name));
  expect(view.tools).toContainEqual(
    expect.objectContaining({ name: "shop__show", server: "shop", tool: "show" }),
  );
});

it("C02: app-only tools are neither in it, nor callable as the model", async () => {
  const id = await begin();
  const { tools } = await page.request("gateway/catalogue", { server: "shop" });
  const { tools: seen } = await page.request("gateway/catalogue", { server: "shop", for: "model" });
  const hidden = tools.find(({ name }) => !seen.some((each) => each.name === name))?.name ?? "";
  expect(hidden).not.toBe("");
  expect((await viewOf(id)).tools.map(({ tool }) => tool)).not.toContain(hidden);
  const { item } = await page.request("conversation/model-call", { id, name: `shop__${hidden}` });
  expect(await callOf(id, item)).toMatchObject({
    state: "failed",
    problem: expect.stringContaining("There is no tool"),
  });
});

it("a call as the model is recorded as the model's, and the model sees it", async () => {
  const id = await begin();
  const { item } = await page.request("conversation/model-call", { id, name: "shop__show", arguments: {} });
  await expect.poll(async () => (await callOf(id, item)).state).toBe("done");
  expect(await callOf(id, item)).toMatchObject({ by: "model", server: "shop", tool: "show" });
  expect((await viewOf(id)).messages).toMatchObject([
    { role: "assistant", content: [{ type: "call", name: "shop__show" }] },
    { role: "tool", content: [{ type: "result", name: "shop__show", isError: false }] },
  ]);
  const rows = await gatewayEntry.gateway.api.audit.query({ user: "ann" }, { limit: 100 });
  expect(rows.filter(({ actor }) => actor === "model").length).toBeGreaterThan(0);
});

it("without it, both requests are refused, and the page is not notified", async () => {
  const plain = await openGateway();
  try {
    const other = await plain.page("ann", "websocket");
    const { id } = await other.request("conversation/open", {});
    const refused = { code: METHOD_NOT_FOUND, message: expect.stringContaining("--test-mode") };
    await expect(other.request("conversation/model-view", { id })).rejects.toMatchObject(refused);
    await expect(other.request("conversation/model-call", { id, name: "shop__show" })).rejects.toMatchObject(
      refused,
    );
    expect(await other.request("gateway/servers", {})).not.toHaveProperty("testMode");
    expect((await other.request("conversation/open", { id })).items).toEqual([]);
    expect(plain.log.join("")).not.toContain("test mode");
  } finally {
    await plain.close();
  }
});

/** Approvals of tools that apps offer to the model. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../testing/gateway/entry-points.js";

let gatewayEntry: EntryPoints;
let page: RawPage;
let id: string;
let view: string;
/** Calls that the page got for the app. */
let called: unknown[];

beforeEach(async () => {
  gatewayEntry = await EntryPoints.open(["ann"], {}, { testMode: true });
  page = await gatewayEntry.page("ann", "websocket");
  ({ id } = await page.request("conversation/open", {}));
  const { item } = await page.request("conversation/call", {
    id,
    server: "shop",
    tool: "show",
    arguments: {},
  });
  await callsOver();
  const call = { conversation: id, item };
  ({ view } = await page.request("gateway/open", { server: "shop", tool: "show", call }));
  called = [];
  page.answers["conversation/app-tool"] = (params) => {
    called.push(params);
    return { content: [{ type: "text", text: "added" }] };
  };
  await offer({});
}, 60_000);
afterEach(() => gatewayEntry?.close());

const offer = (annotations: object) => {
  const inputSchema = { type: "object" as const };
  return page.request("conversation/app-tools", {
    id,
    view,
    tools: [{ name: "add", inputSchema, annotations }],
  });
};
const callsOver = async () => {
  await expect.poll(async () => (await page.request("conversation/open", { id })).isRunning).toBe(false);
};
const startCall = async () => {
  const { tools } = await page.request("conversation/model-view", { id });
  const name = tools.find(({ tool, app }) => tool === "add" && app)?.name ?? "";
  await page.request("conversation/model-call", { id, name, arguments: {} });
};
const callToEnd = async () => {
  await startCall();
  await callsOver();
};
/** Starts a call; returns a function that approves it. */
const callUntilAsked = async () => {
  let approve = (): void => {};
  page.answer = () => new Promise((resolve) => (approve = () => resolve({ answer: "allow" })));
  await startCall();
  await expect.poll(() => page.asked.length).toBe(1);
  return async () => {
    approve();
    await callsOver();
  };
};
const lastEntry = async () => (await gatewayEntry.rows("ann")).findLast(({ kind }) => kind === "entry");

it("an approval ends when the user revokes approvals: the next call is asked about again", async () => {
  page.answer = () => ({ answer: "allow", remember: "session" });
  await callToEnd();
  await callToEnd();
  expect([page.asked.length, called.length]).toEqual([1, 2]);
  await gatewayEntry.gateway.api.consents.revoke({ user: "ann" }, { server: "shop" });
  page.answer = () => ({ answer: "deny" });
  await callToEnd();
  expect([page.asked.length, called.length]).toEqual([2, 2]);
});

it("control: a tool that stays the same while the question is open is called", async () => {
  const approve = await callUntilAsked();
  await offer({});
  await approve();
  expect(called).toMatchObject([{ view, name: "add" }]);
});

it("attack C23: a tool that changes while the question is open is not called", async () => {
  const approve = await callUntilAsked();
  await offer({ destructiveHint: true, title: "Delete everything" });
  await approve();
  expect(called).toEqual([]);
  expect(await lastEntry()).toMatchObject({ decision: "refused", reason: "not-allowed" });
});

it("attack E01: a tool is not called if another server takes the name while the question is open", async () => {
  const approve = await callUntilAsked();
  await gatewayEntry.update({ shop: { cwd: "/" } });
  await approve();
  expect(called).toEqual([]);
  expect(await lastEntry()).toMatchObject({ decision: "refused", reason: "server-replaced" });
});

/**
 * The conversation of a page with a real gateway, a real server and a scripted model: everything except
 * rendering.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GatewayClient as PageGateway } from "@vitrine/host/gateway";
import type { Peer, Tool } from "@vitrine/protocol";
import type { GatewayQuestion, ModelItem, UserItem } from "@vitrine/wire";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startTestGateway } from "../../../../../testing/gateway/gateway-stage.js";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
  waitFor,
} from "../../../../../testing/model/scripted-model.js";
import {
  appBehind,
  storageOf,
  undrawnDocument,
} from "../../../../../testing/workbench/conversation-stage.js";
import { connectPage, signIn } from "../../../../../testing/workbench/node-page.js";
import { STRICT } from "../profiles/profile.js";
import { type PageCall, PageConversation } from "./conversation.js";

type Started = Awaited<ReturnType<typeof startTestGateway>>["gateway"];

let folder: string;
let model: ScriptedModel;
let gateway: Started;
let cookie: string;
const pages = new Set<PageGateway>();

const start = async (): Promise<void> => {
  const listen = gateway ? { port: Number(new URL(gateway.origin).port) } : { port: 0 };
  const sandbox = gateway ? { port: gateway.sandboxPort } : { port: 0 };
  const demo = new URL("../../../../../testing/gateway/demo-server.mjs", import.meta.url).pathname;
  ({ gateway } = await startTestGateway(
    {
      listen,
      sandbox,
      mcpServers: {
        demo: { command: process.execPath, args: [demo, folder], isolation: "process" },
        denied: {
          command: process.execPath,
          args: [demo, folder],
          isolation: "process",
          policy: { "tools/call": "deny" },
        },
      },
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    join(folder, "data"),
  ));
};

beforeAll(async () => {
  vi.stubGlobal("document", undrawnDocument);
  folder = await mkdtemp(join(tmpdir(), "vitrine-"));
  model = await startScriptedModel();
  await start();
  cookie = await signIn(gateway.loginUrl());
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await gateway?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});
let storage: ReturnType<typeof storageOf>;
beforeEach(() => {
  storage = storageOf();
});
afterEach(() => {
  for (const page of pages) page.close();
  pages.clear();
});

/** Servers take time to start. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 30_000 });

/** A tab. With the storage of another one it is the same tab after a reload. */
async function tab(
  kept: Storage = storage,
  onask = async (_: GatewayQuestion) => ({ answer: "allow" as const }),
) {
  const page: PageGateway = connectPage(() => gateway.origin, cookie, kept, {
    onask,
    answers: {
      "conversation/app-tool": ({ view, name, arguments: input }, signal) =>
        conversation.callAppTool(view, name, input, signal),
    },
    onstate: (state) => {
      if (state.phase === "open" && !state.resumed && conversation.id) void conversation.reopen();
    },
  });
  pages.add(page);
  const conversation: PageConversation = new PageConversation({
    gateway: page,
    storage: kept,
    look: () => ({}),
    profile: () => STRICT,
  });
  await conversation.restore();
  const calls = (): PageCall[] => conversation.items.filter((item) => item.kind === "call");
  const texts = (): string[] =>
    conversation.items.flatMap((item) =>
      item.kind === "model" ? [item.text] : item.kind === "user" ? [JSON.stringify(item.content)] : [],
    );
  return { page, conversation, calls, texts };
}

/** The app of a call, and the messages about the call that it receives. */
async function appOf(
  item: PageCall,
  tools?: () => Tool[],
): Promise<{ app: Peer<"view">; heard: unknown[][] }> {
  await until(() => expect(item.app, item.problem).toBeDefined());
  const heard: unknown[][] = [];
  const bridge = item.app?.element.bridge;
  if (!bridge) throw new Error("there is no bridge");
  const app = await appBehind(bridge, tools, (what, params) => heard.push([what, params]));
  return { app, heard };
}
const kinds = (heard: unknown[][]): unknown[] => heard.map(([what]) => what);

it("a manual call is shown, run, and sent to its app; a reload restores it with its app", async () => {
  const { conversation, calls } = await tab();
  const item = conversation.call("demo", "show", { text: "hello" }, true);
  expect(calls()).toEqual([item]);
  const { heard } = await appOf(item);
  await until(() => expect(item.state).toBe("done"));
  await until(() => expect(kinds(heard)).toEqual(["input", "result"]));
  expect(heard[0]?.[1]).toEqual({ arguments: { text: "hello" } });
  expect(item.result?.content).toEqual([{ type: "text", text: "shown hello" }]);
  const { view } = item;
  const again = await tab(storage.copy());
  const [same] = again.calls() as [PageCall];
  expect(same).toMatchObject({ id: item.id, state: "done", input: { text: "hello" }, view });
  const told = await appOf(same);
  await until(() => expect(kinds(told.heard)).toEqual(["input", "result"]));
});

it("a call that the gateway refuses shows the trace id that the audit log has", async () => {
  const { conversation } = await tab();
  const item = conversation.call("denied", "change", {}, true);
  await until(() => expect(item.state).toBe("failed"));
  const [, trace = ""] = /\(trace ([0-9a-f]{32})\)$/.exec(item.problem ?? "") ?? [];
  const rows = await gateway.api.audit.query({ user: "local" }, { trace });
  expect(rows).toMatchObject([{ target: "change", decision: "refused", trace }]);
});

it("L04, L05: the model writes arguments, and the app receives them as they come, then once, then the result", async () => {
  const { conversation, calls, texts } = await tab();
  let go = (): void => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  model.add(
    [callTool("demo__show", '{"text":"hel'), waitFor(held), { do: "arguments", index: 0, text: 'lo"}' }],
    say("It is ", "shown."),
  );
  await conversation.send("show hello");
  await until(() => expect(calls()).toMatchObject([{ by: "model", state: "writing", tool: "show" }]));
  const [item] = calls() as [PageCall];
  const { heard } = await appOf(item);
  await until(() => expect(heard).toEqual([["input-partial", { arguments: { text: "hel" } }]]));
  expect(conversation.isRunning).toBe(true);
  go();
  await until(() => expect(texts().at(-1)).toBe("It is shown."));
  await until(() => expect(conversation.isRunning).toBe(false));
  expect(kinds(heard).filter((what) => what !== "input-partial")).toEqual(["input", "result"]);
  expect(item).toMatchObject({ state: "done", input: { text: "hello" }, inputText: undefined });
});

it("I05, I06, A01: an app writes messages, sends model context, and its tools are called by the model", async () => {
  const { conversation, calls, texts } = await tab();
  const item = conversation.call("demo", "show", { text: "x" }, true);
  const zoom: Tool = { name: "zoom", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
  const { app } = await appOf(item, () => [zoom]);
  await until(() => expect(item.state).toBe("done"));
  await app.request("ui/update-model-context", { content: [{ type: "text", text: "zoomed in" }] });
  await until(() => expect(conversation.contexts).toMatchObject([{ item: item.id, isStale: false }]));
  model.add((saw) => {
    const name = saw.body.tools?.map((tool) => tool.function.name).find((each) => each.endsWith("__zoom"));
    return name ? callTool(name, {}) : say("there is no zoom");
  }, say("Zoomed."));
  await app.request("ui/message", { role: "user", content: [{ type: "text", text: "zoom, please" }] });
  await until(() => expect(texts().at(-1)).toBe("Zoomed."));
  const said = conversation.items.find((each): each is UserItem => each.kind === "user");
  expect(said?.from).toMatchObject({ item: item.id, server: "demo" });
  expect(calls().at(-1)).toMatchObject({
    by: "model",
    tool: "zoom",
    appOf: { item: item.id },
    state: "done",
  });
  expect(calls().at(-1)?.result?.content).toEqual([{ type: "text", text: "did zoom" }]);
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("zoomed in");
  await conversation.closeApp(item);
  await until(() => expect(conversation.contexts).toMatchObject([{ isStale: true }]));
});

it("two tabs receive the same, and a conversation that is left continues", async () => {
  const one = await tab();
  const id = one.conversation.id ?? "";
  await one.conversation.call("demo", "read", {}, false).over();
  const two = await tab(storageOf({ "vitrine-conversation": id }));
  expect(two.conversation.items).toHaveLength(1);
  let go = (): void => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  model.add([say("one "), waitFor(held), say("two")]);
  await one.conversation.send("count");
  await until(() => expect(two.texts().at(-1)).toBe("one "));
  await two.conversation.open();
  expect([two.conversation.items, two.conversation.id === id]).toEqual([[], false]);
  go();
  await until(() => expect(one.texts().at(-1)).toBe("one two"));
  await two.conversation.open(id);
  expect(two.texts()).toEqual(one.texts());
  model.add([say("and "), waitFor(new Promise(() => {}))]);
  await two.conversation.send("go on");
  await until(() => expect(one.texts().at(-1)).toBe("and "));
  await one.conversation.stop();
  await until(() => expect(two.conversation.isRunning).toBe(false));
  expect((two.conversation.items.at(-1) as ModelItem).state).toBe("stopped");
});

it("a gateway that was restarted: the page continues its conversation, with its app", async () => {
  const { conversation, texts } = await tab();
  const item = conversation.call("demo", "show", { text: "hello" }, true);
  const { app } = await appOf(item);
  await until(() => expect(item.state).toBe("done"));
  await app.request("ui/update-model-context", { content: [{ type: "text", text: "kept" }] });
  await gateway.close();
  await start();
  model.add(say("Still here."));
  await until(() => expect(conversation.contexts).toMatchObject([{ isStale: false }]));
  await app.request("ui/message", { role: "user", content: [{ type: "text", text: "are you there?" }] });
  await until(() => expect(texts().at(-1)).toBe("Still here."));
  expect(conversation.items[0]).toBe(item);
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("kept");
});

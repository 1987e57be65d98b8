/**
 * The gateway is killed after a call has run: nobody gets the answer that it did not, and it does not run
 * again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayClient } from "@vitrine/host/gateway";
import { type CallToolResult, VitrineError } from "@vitrine/protocol";
import type { CallItem, ConversationItem, ConversationState } from "@vitrine/wire";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  byPage,
  byView,
  type Caller,
  FaultStage,
  faultyServer,
  type Settings,
  tabStorage,
} from "../../../../testing/gateway/fault-stage.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../../testing/model/scripted-model.ts";
import { openStore } from "../store/open.ts";

let stage: FaultStage;
let model: ScriptedModel;

beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(async () => {
  const providers = { local: { url: model.url, models: ["scripted"] } };
  stage = await FaultStage.open({ model: { use: "local/scripted", providers } });
});
afterEach(() => stage.close());

/** Kills the gateway, and restarts it with these servers. */
async function restart(servers: Settings = { faulty: faultyServer() }): Promise<void> {
  await stage.end("SIGKILL");
  stage.settings = { ...stage.settings, mcpServers: servers };
  await stage.start();
}

/** With another command, it is a different server with the same name. */
const SERVERS: [string, Settings][] = [
  ["is there", { faulty: faultyServer() }],
  ["does not start", { faulty: faultyServer(["exit-at-start"], { limits: { startTimeout: 2000 } }) }],
  ["is gone from the settings", {}],
];
const indeterminate = { ok: false, code: "indeterminate", data: { indeterminate: true } };

describe("D1: a call that ran before the gateway was killed", () => {
  it.each(SERVERS)(
    "is indeterminate for pages, views and programs when its server %s",
    async (_how, servers) => {
      const pages = await Promise.all([stage.page({ heartbeat: 1000 }), stage.page({ over: "http" })]);
      const view = await pages[0].openView({ server: "faulty", tool: "echo" });
      const pending = [...pages.map(byPage), byView(view)].map((caller) =>
        stage.call(caller, "slow", { text: undefined }),
      );
      const program = stage.program();
      const first = stage.call(program, "slow", { text: undefined });
      await expect.poll(() => stage.effectsOf(4)).toBe(4);
      const { key = "" } = stage.calls.at(-1) ?? {};
      await restart(servers);
      expect(await first).toMatchObject({ ok: false });
      const [one, two, viewed] = await Promise.all(pending);
      expect([one, two]).toMatchObject([indeterminate, indeterminate]);
      expect(viewed).toMatchObject({ ok: false, data: { indeterminate: true } });
      await expect(program("faulty", "slow", { key }, key)).rejects.toMatchObject({
        data: { code: "indeterminate", indeterminate: true },
      });
      expect(stage.effectsOf(4)).toBe(4);
    },
  );

  it.each(SERVERS.filter(([how]) => how !== "does not start"))(
    "answers with its stored result when its server %s",
    async (_how, servers) => {
      const program = stage.program();
      const args = { key: "k1", text: "once" };
      const answer = await program("faulty", "echo", args, "k1");
      await expect.poll(async () => (await stage.rows()).some(({ outcome }) => outcome === "ok")).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await restart(servers);
      expect(await program("faulty", "echo", args, "k1")).toEqual(answer);
      // The same key with other arguments is refused (C20), and another user's key is a different one.
      await expect(program("faulty", "echo", { ...args, text: "twice" }, "k1")).rejects.toMatchObject({
        data: { code: "conflict" },
      });
      expect(stage.effects().filter((effect) => effect === "k1")).toEqual(["k1"]);
    },
  );

  it("does not run twice, for any number at the end of its key, and any order of keys", async () => {
    const program = stage.program();
    const most = Number.MAX_SAFE_INTEGER;
    const keys = ["s.5", "s.3", "s.9", "s.10", "s.05", "s.1.1", "s", `s.${most}`, `s.${most}0`, "s.4"];
    // An answer from memory, from the stored result, or as indeterminate is fine; a second effect is not.
    const callAll = (order: readonly string[]) =>
      Promise.allSettled(order.map((key) => program("faulty", "echo", { key, text: key }, key)));
    await callAll(keys);
    await callAll(keys);
    for (const order of [keys.toReversed(), keys]) {
      await restart();
      await callAll(order);
    }
    expect(stage.effects().toSorted()).toEqual(keys.toSorted());
  });

  it("is indeterminate for a program that disconnected and retries, before a restart and after", async () => {
    const args = { key: "gone", text: undefined };
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "gone" },
      body: JSON.stringify({ name: "slow", arguments: args }),
    };
    const leave = new AbortController();
    const first = stage.fetch("/api/servers/faulty/tools/call", { ...init, signal: leave.signal });
    await expect.poll(() => stage.effects()).toEqual(["gone"]);
    leave.abort();
    await expect(first).rejects.toThrow();
    const again = () => stage.program()("faulty", "slow", args, "gone");
    await expect.poll(() => again().catch(({ data }) => data)).toMatchObject(indeterminate.data);
    await expect(again()).rejects.toMatchObject({ data: { code: "indeterminate", indeterminate: true } });
    await restart();
    await expect(again()).rejects.toMatchObject({ data: { code: "indeterminate", indeterminate: true } });
    expect(stage.effects()).toEqual(["gone"]);
  });

  it("is indeterminate if the settings store no payloads: no result is on disk, not even an earlier one", async () => {
    const program = stage.program();
    const isOnDisk = (text: string): boolean =>
      readdirSync(stage.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.startsWith("gateway.db"))
        .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text));
    await program("faulty", "echo", { key: "kept", text: "a-kept-answer" }, "kept");
    await expect.poll(() => isOnDisk("a-kept-answer")).toBe(true);
    stage.settings = { ...stage.settings, audit: { payloads: "none" } };
    await restart();
    await program("faulty", "echo", { key: "none", text: "no-kept-answer" }, "none");
    await expect.poll(async () => (await stage.rows()).at(-1)?.outcome).toBe("ok");
    await new Promise((resolve) => setTimeout(resolve, 200));
    await restart();
    for (const [key, text] of [
      ["kept", "a-kept-answer"],
      ["none", "no-kept-answer"],
    ] as const)
      await expect(program("faulty", "echo", { key, text }, key)).rejects.toMatchObject({
        data: { code: "indeterminate", indeterminate: true },
      });
    expect(isOnDisk("no-kept-answer")).toBe(false);
    expect(stage.effects()).toEqual(["kept", "none"]);
  });

  it("is indeterminate for a page that reopens its view after its server was removed", async () => {
    const page = await stage.page();
    const open = () => {
      const call = { server: "faulty", tool: "echo", arguments: { key: "opened", text: "hello" } };
      return page.request("gateway/open", call, { id: "kept-by-the-page.1" });
    };
    await open();
    await expect.poll(() => stage.effects()).toEqual(["opened"]);
    await restart({});
    await expect(open()).rejects.toMatchObject({ data: indeterminate.data });
    expect(stage.effects()).toEqual(["opened"]);
  });

  it("is a different call if another user has the same key", async () => {
    await stage.program("ann")("faulty", "echo", { key: "a", text: "ann's" }, "k1");
    await restart();
    const answer = await stage.program("bob")("faulty", "echo", { key: "b", text: "bob's" }, "k1");
    expect(answer).toMatchObject({ content: [{ text: expect.stringContaining("bob's") }] });
  });
});

describe("D2: a page that lost its session and kept the id of a call", () => {
  /** A caller that always uses the same request id. */
  const under =
    (page: GatewayClient, id: string): Caller =>
    (server, name, args) =>
      page.request("gateway/call", { server, name, arguments: args }, { id });

  it.each([
    ["after the gateway was killed", () => restart()],
    ["of a gateway that keeps running", async () => {}],
  ])("does not run it twice, %s", async (_when, between) => {
    const page = await stage.page();
    const call = under(page, "kept-by-the-page.1");
    const args = { key: "k1", text: "once" };
    await call("faulty", "echo", args, "");
    stage.closePage(page);
    await between();
    // With its own storage, it knows no session.
    const other = under(await stage.page(), "kept-by-the-page.1");
    const again = await other("faulty", "echo", args, "").catch(({ data }) => data.code);
    expect([again]).toEqual([
      expect.toSatisfy((end) => end === "indeterminate" || JSON.stringify(end).includes("once")),
    ]);
    await expect(other("faulty", "echo", { ...args, text: "other" }, "")).rejects.toMatchObject({
      data: { code: "conflict" },
    });
    expect(stage.effects().filter((effect) => effect === "k1")).toEqual(["k1"]);
  });
});

describe("a call whose page was disconnected for too long, and lost its session", () => {
  it("may have run: the page learns that when it reconnects, and it does not run again", async () => {
    await stage.end("SIGTERM");
    stage.settings = { ...stage.settings, session: { grace: 500, perUser: 100 } };
    await stage.start();
    const page = await stage.page({ fetch: () => Promise.reject(new TypeError("offline")) });
    const pending = stage.call(byPage(page), "slow", { text: undefined });
    await expect.poll(() => stage.effectsOf(1)).toBe(1);
    stage.line.isOpen = false;
    stage.line.reset();
    await expect.poll(() => stage.metric("vitrine_sessions")).toBe(0);
    stage.line.isOpen = true;
    expect(await pending).toMatchObject(indeterminate);
    expect(stage.effectsOf(1)).toBe(1);
  });
});

describe("a call that its server does not answer in time", () => {
  it("may have run: pages, programs and the model learn that", async () => {
    const servers = { faulty: faultyServer([], { limits: { timeout: 2000 } }) };
    await restart(servers);
    const page = await stage.page();
    const outcomes = await Promise.all(
      [byPage(page), stage.program()].map((caller) => stage.call(caller, "slow", { text: undefined })),
    );
    const late = { ok: false, code: "timeout", data: { indeterminate: true } };
    expect(outcomes).toMatchObject([late, late]);
    const asked = page.request("gateway/call", { server: "faulty", name: "slow", arguments: {} });
    await expect(asked).rejects.toThrow(/the call may have run/);
    const { id } = await page.request("conversation/open", {});
    model.add(callTool("faulty__slow", { note: "x" }), say("Well."));
    await page.request("conversation/send", { id, content: [{ type: "text", text: "Do it." }] });
    await expect
      .poll(() => JSON.stringify(model.requests.at(-1)?.body.messages.at(-1)))
      .toContain("may have run");
    const { items }: ConversationState = await page.request("conversation/open", { id });
    expect(items.find(({ kind }) => kind === "call")).toMatchObject({
      state: "failed",
      isIndeterminate: true,
    });
    // A read-only tool can be called again.
    const read = page.request("gateway/call", { server: "faulty", name: "safe", arguments: {} });
    await expect(read).rejects.toMatchObject({ data: { code: "timeout", indeterminate: false } });
  });
});

describe("D3: a call in a conversation that ran before the gateway was killed", () => {
  const calls = async (page: GatewayClient, id: string): Promise<CallItem[]> => {
    const { items }: ConversationState = await page.request("conversation/open", { id });
    return items.filter((item): item is CallItem => item.kind === "call");
  };

  it("is in the conversation as indeterminate if the model made it", async () => {
    const page = await stage.page();
    for (let run = 0; run < 5; run++) {
      const key = `model-${run}`;
      const { id } = await page.request("conversation/open", {});
      // The gateway is killed before its next request to the model.
      model.add(callTool("faulty__slow", { key }));
      await page.request("conversation/send", { id, content: [{ type: "text", text: "Do it." }] });
      await expect.poll(() => stage.effects().includes(key), { interval: 1, timeout: 30_000 }).toBe(true);
      await restart();
      expect(await calls(page, id)).toMatchObject([
        { tool: "slow", by: "model", state: "failed", isIndeterminate: true },
      ]);
      expect(stage.effects().filter((effect) => effect === key)).toEqual([key]);
    }
  });

  it("is in the conversation as indeterminate if the user made it; a retry does not repeat it", async () => {
    const page = await stage.page();
    const { id } = await page.request("conversation/open", {});
    await page
      .request("conversation/send", { id, content: [{ type: "text", text: "Hello" }] })
      .catch(() => {});
    const call = (text: string) =>
      page.request(
        "conversation/call",
        { id, server: "faulty", tool: "slow", arguments: { key: "by-hand", note: text } },
        { id: "person.1" },
      );
    const { item } = await call("one");
    await expect.poll(() => stage.effects().includes("by-hand"), { interval: 1 }).toBe(true);
    await restart();
    expect(await call("one")).toEqual({ item });
    await expect(call("two")).rejects.toMatchObject({ data: { code: "conflict" } });
    expect(await calls(page, id)).toMatchObject([{ id: item, state: "failed", isIndeterminate: true }]);
    expect(stage.effects().filter((effect) => effect === "by-hand")).toEqual(["by-hand"]);
  });

  /** A page in which the model calls the tool `press` of an app; `answer` is the app's behaviour. */
  async function press(answer: () => Promise<CallToolResult>) {
    const pressed: unknown[] = [];
    const storage = tabStorage();
    const page = await stage.page({
      storage,
      onask: async () => ({ answer: "allow" }),
      answers: {
        "conversation/app-tool": ({ name }) => {
          pressed.push(name);
          return answer();
        },
      },
    });
    const { id } = await page.request("conversation/open", {});
    const call = { id, server: "faulty", tool: "echo", arguments: { key: "shown", text: "shown" } };
    const { item } = await page.request("conversation/call", call);
    await expect.poll(async () => (await calls(page, id))[0]?.state).toBe("done");
    const shown = await page.openView({ server: "faulty", tool: "echo", call: { conversation: id, item } });
    const tools = [{ name: "press", inputSchema: { type: "object" as const } }];
    await page.request("conversation/app-tools", { id, view: shown.opened.view, tools });
    model.add(callTool("app_1__press", {}));
    await page.request("conversation/send", { id, content: [{ type: "text", text: "Press it." }] });
    await expect.poll(() => pressed, { interval: 1 }).toEqual(["press"]);
    return { page, id, pressed, storage };
  }

  it("is in the conversation as indeterminate if the app did not answer in time", async () => {
    const { page, id, pressed } = await press(async () => {
      throw new VitrineError("timeout", "the app did not answer in time");
    });
    const pressing = async () => (await calls(page, id)).at(-1);
    await expect.poll(pressing).toMatchObject({ tool: "press", state: "failed", isIndeterminate: true });
    expect((await pressing())?.problem).toContain("may have run");
    const rows = (await stage.rows()).filter(({ method }) => method === "app-tools/call");
    expect(rows.at(-1)).toMatchObject({ outcome: "indeterminate", code: "timeout" });
    expect(pressed).toEqual(["press"]);
  });

  it("is in the conversation as failed if the app reported a failure", async () => {
    const { page, id } = await press(async () => {
      throw new VitrineError(-32000, "there is no such button");
    });
    const pressing = async () => (await calls(page, id)).at(-1);
    await expect.poll(pressing).toMatchObject({ state: "failed", problem: "there is no such button" });
    expect(await pressing()).not.toHaveProperty("isIndeterminate");
  });

  it("is in the conversation as indeterminate if it was a call of an app's tool", async () => {
    const { page, id, pressed } = await press(() => new Promise(() => {}));
    await restart();
    expect((await calls(page, id)).at(-1)).toMatchObject({
      tool: "press",
      by: "model",
      state: "failed",
      isIndeterminate: true,
    });
    expect(pressed).toEqual(["press"]);
  });

  it("is in the conversation as indeterminate if its page was reloaded during a call of an app's tool", async () => {
    const { id, storage } = await press(() => new Promise(() => {}));
    const pressedAgain: unknown[] = [];
    const reloaded = await stage.page({
      storage,
      answers: {
        "conversation/app-tool": async ({ name }) => {
          pressedAgain.push(name);
          throw new VitrineError("unsupported", "the app is not open in this page any more");
        },
      },
    });
    const pressing = async () => (await calls(reloaded, id)).at(-1);
    await expect.poll(pressing).toMatchObject({ tool: "press", state: "failed", isIndeterminate: true });
    expect(pressedAgain).toEqual([]);
  });

  it("is indeterminate also if the audit log no longer contains it", async () => {
    await stage.end("SIGTERM");
    stage.settings = { ...stage.settings, database: `sqlite:${join(stage.folder, "audit.db")}` };
    await stage.start();
    const page = await stage.page();
    const { id } = await page.request("conversation/open", {});
    model.add(callTool("faulty__slow", { key: "forgotten" }));
    await page.request("conversation/send", { id, content: [{ type: "text", text: "Do it." }] });
    await expect.poll(() => stage.effects().includes("forgotten"), { timeout: 30_000 }).toBe(true);
    await stage.end("SIGKILL");
    const store = await openStore(`sqlite:${join(stage.folder, "audit.db")}`);
    expect(await store.audit.prune(Date.now() + 1)).toBeGreaterThan(0);
    await store.close();
    await stage.start();
    expect(await calls(page, id)).toMatchObject([{ state: "failed", isIndeterminate: true }]);
  });

  it("has its result if the gateway stored it, although the stored conversation says that it is running", async () => {
    const database = `sqlite:${join(stage.folder, "result.db")}`;
    await stage.end("SIGTERM");
    stage.settings = { ...stage.settings, database };
    await stage.start();
    const page = await stage.page();
    const { id } = await page.request("conversation/open", {});
    await page.request("conversation/call", {
      id,
      server: "faulty",
      tool: "echo",
      arguments: { key: "quick", text: "the answer" },
    });
    await expect.poll(async () => (await calls(page, id))[0]?.state).toBe("done");
    // Stopped in order, so the result is on disk. The entry is reset to its state while the call runs.
    await stage.end("SIGTERM");
    const store = await openStore(database);
    const kept = await store.conversations.get("ann", id);
    const items = kept?.items.map((item): ConversationItem => {
      if (item.kind !== "call") return item;
      const { result: _result, endedAt: _endedAt, ...call } = item;
      return { ...call, state: "running" };
    });
    await store.conversations.put("ann", id, { items });
    await store.close();
    await stage.start();
    expect(await calls(page, id)).toMatchObject([
      { state: "done", result: { content: [{ text: expect.stringContaining("the answer") }] } },
    ]);
    expect(stage.effects()).toEqual(["quick"]);
  });
});

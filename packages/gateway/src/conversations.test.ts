/** Conversations in pages: a real gateway, a real server, and a model behind the real wire. */
import type {
  CallItem,
  ConversationItem,
  ConversationState,
  OpenedView,
  SamplingQuestion,
} from "@vitrine/wire";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../testing/gateway/entry-points.js";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
  waitFor,
} from "../../../testing/model/scripted-model.js";

let gatewayEntry: EntryPoints;
let model: ScriptedModel;
let page: RawPage;
let id: string;

beforeAll(async () => {
  model = await startScriptedModel();
  const providers = { local: { url: model.url, models: ["scripted"] } };
  gatewayEntry = await EntryPoints.open(["ann", "bea"], { model: { use: "local/scripted", providers } });
}, 60_000);
afterAll(async () => {
  await gatewayEntry?.close();
  await model?.close();
});
beforeEach(async () => {
  page = await gatewayEntry.page("ann", "websocket");
  ({ id } = await page.request("conversation/open", {}));
});

const state = (): Promise<ConversationState> => page.request("conversation/open", { id });
const tell = (text: string): Promise<unknown> =>
  page.request("conversation/send", { id, content: [{ type: "text", text }] });
const items = async (kind: ConversationItem["kind"]): Promise<ConversationItem[]> =>
  (await state()).items.filter((item) => item.kind === kind);
const calls = async (): Promise<CallItem[]> => (await items("call")) as CallItem[];
const atRest = async (): Promise<ConversationState> => {
  await expect.poll(async () => (await state()).isRunning).toBe(false);
  return state();
};
const open = (item: string, tool = "show"): Promise<OpenedView> =>
  page.request("gateway/open", { server: "shop", tool, call: { conversation: id, item } });
/** The notifications to the view of a call, by its channel. */
const reported = (view: string): [string, unknown][] =>
  page.heard
    .filter(({ channel }) => channel === view)
    .map(({ message }) => [`${message["method"]}`.replace("ui/notifications/tool-", ""), message["params"]]);
/** The last request to the model. */
const saw = () => model.requests.at(-1)?.body;

/** A gate that a test opens. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("a turn", () => {
  it("L05: shows an app while its arguments are written: partial input, the input once, the result once", async () => {
    const [half, rest] = [gate(), gate()];
    model.add(
      [
        callTool("shop__show", '{"city":"Ro', { fragment: 4 }),
        waitFor(half.opened),
        { do: "arguments", index: 0, text: "me" },
        waitFor(rest.opened),
        { do: "arguments", index: 0, text: '","days":3}' },
      ],
      say("Here ", "it is."),
    );
    await tell("What is it like in Rome?");
    await expect.poll(calls).toMatchObject([{ state: "writing", tool: "show", by: "model", hasApp: true }]);
    const [call] = await calls();
    const { view, input } = await open(`${call?.id}`);
    expect(input).toBeUndefined();
    await expect.poll(() => reported(view)).toEqual([["input-partial", { arguments: { city: "Ro" } }]]);
    half.open();
    await expect
      .poll(() => reported(view).at(-1))
      .toEqual(["input-partial", { arguments: { city: "Rome" } }]);
    rest.open();
    const { items: all } = await atRest();
    const whole = { city: "Rome", days: 3 };
    expect(all.map(({ kind }) => kind)).toEqual(["user", "model", "call", "model"]);
    expect(all.at(-1)).toMatchObject({ text: "Here it is.", state: "done", model: expect.any(String) });
    expect(reported(view).filter(([what]) => what !== "input-partial")).toEqual([
      ["input", { arguments: whole }],
      ["result", expect.objectContaining({ content: expect.any(Array) })],
    ]);
    expect(reported(view).findLastIndex(([what]) => what === "input-partial")).toBe(
      reported(view).length - 3,
    );
    // A reloaded page finds the view with all of it.
    const { views } = await page.request("gateway/views", {});
    expect(views).toMatchObject([
      { view, call: { item: call?.id }, input: whole, result: { content: [{}] } },
    ]);
    const again = await open(`${call?.id}`);
    expect(again).toMatchObject({ input: whole, result: { content: [{}] } });
    const rows = await gatewayEntry.rows("ann");
    expect(rows.find(({ actor, target }) => actor === "model" && target === "show")).toMatchObject({
      decision: "allowed",
      server: "shop",
    });
  });

  it("asks the user about changes that the model requests, and the model learns the answer", async () => {
    model.add(callTool("shop__change", {}), say("As you like."));
    page.answer = () => ({ answer: "deny" });
    await tell("Change it.");
    await atRest();
    expect(page.asked).toMatchObject([{ method: "tools/call", subject: "change", server: "shop" }]);
    expect(page.asked[0]?.reason).toMatch(/^The model wants to use a tool/);
    expect(await calls()).toMatchObject([{ state: "failed" }]);
    expect(JSON.stringify(saw()?.messages.at(-1))).toMatch(/the user declined/);
    model.add(callTool("shop__change", {}), say("Done."));
    page.answer = () => ({ answer: "allow" });
    const before = gatewayEntry.calls.length;
    await tell("Do.");
    await atRest();
    expect(gatewayEntry.calls.slice(before)).toContain("tools/call change");
  });

  it("C02: offers only tools that are visible to the model", async () => {
    model.add(say("Yes."));
    await tell("Are you there?");
    await atRest();
    const names = saw()?.tools?.map((tool) => tool.function.name) ?? [];
    expect(names).toEqual(expect.arrayContaining(["shop__look", "shop__secret", "shop__show"]));
    expect(names.filter((name) => name.includes("inner"))).toEqual([]);
  });

  it("survives endlessly nested arguments, and a flood of calls", async () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    model.add(callTool("shop__look", deep), say("Well."));
    await tell("Look.");
    const { items: all } = await atRest();
    expect(all.slice(-2)).toMatchObject([
      { kind: "call", state: "failed", problem: expect.stringContaining("nested too deep") },
      { kind: "model", text: "Well." },
    ]);
    model.add(Array.from({ length: 200 }, (_, index) => callTool("shop__look", {}, { index })));
    await tell("Look again.");
    await atRest();
    expect((await calls()).length).toBeLessThanOrEqual(101);
    expect((await items("model")).at(-1)).toMatchObject({
      state: "failed",
      problem: { code: "model-invalid" },
    });
  });

  it("can be stopped at any time: the server and the view are notified", async () => {
    model.add(callTool("shop__wait", {}));
    await tell("Wait.");
    await expect.poll(calls).toMatchObject([{ state: "running" }]);
    const before = gatewayEntry.calls.length;
    await expect.poll(() => gatewayEntry.calls).toContain("tools/call wait");
    expect(await page.request("conversation/stop", { id })).toEqual({ stopped: true });
    await expect.poll(() => gatewayEntry.calls.slice(before)).toContain("wait cancelled");
    expect((await atRest()).items.at(-1)).toMatchObject({ kind: "call", state: "cancelled" });
  });
});

describe("a page", () => {
  it("calls tools by hand, and has all of it after a reload", async () => {
    const { item } = await page.request("conversation/call", {
      id,
      server: "shop",
      tool: "show",
      arguments: { city: "Berne" },
      page: { profile: "strict" },
    });
    const { view } = await open(item);
    await atRest();
    const storage = page.storage.copy();
    page.leave();
    page = await gatewayEntry.page("ann", "websocket", storage);
    expect((await state()).items).toMatchObject([
      { id: item, by: "person", state: "done", input: { city: "Berne" }, page: { profile: "strict" } },
    ]);
    expect((await page.request("gateway/views", {})).views).toMatchObject([{ view, call: { item } }]);
    const { conversations } = await page.request("conversation/list", { search: "show" });
    expect(conversations.map((each) => each.id)).toContain(id);
  });

  it("C02: cannot call app-only tools by hand", async () => {
    await page.request("conversation/call", { id, server: "shop", tool: "inner" });
    await atRest();
    expect(await calls()).toMatchObject([{ state: "failed" }]);
    expect(gatewayEntry.calls).not.toContain("tools/call inner");
  });

  it("shows all of a result of 50 MB to the app, sends its beginning to the model, and continues", async () => {
    model.add(callTool("shop__show", { size: 50_000_000 }), say("Much."), say("I am here."));
    await tell("Show me everything.");
    await expect.poll(async () => (await calls()).at(-1)?.state).toMatch(/running|done/);
    const opened = await open(`${(await calls()).at(-1)?.id}`);
    const result = () => opened.result ?? reported(opened.view).find(([what]) => what === "result")?.[1];
    await expect.poll(() => result() !== undefined || undefined).toBe(true);
    expect(JSON.stringify(result()).length).toBeGreaterThan(50_000_000);
    await atRest();
    const [read] = saw()?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(`${read?.content}`).toMatch(/^x+\n\[[\d,]+ more characters were left out\]$/);
    await tell("And now?");
    expect((await atRest()).items.at(-1)).toMatchObject({ kind: "model", text: "I am here." });
  });

  it("sees no conversation of another user", async () => {
    await page.request("conversation/call", { id, server: "shop", tool: "look" });
    await atRest();
    const other = await gatewayEntry.page("bea", "websocket");
    await expect(other.request("conversation/open", { id })).rejects.toMatchObject({
      data: { code: "conversation-unknown" },
    });
    expect((await other.request("conversation/list", {})).conversations).toEqual([]);
    const { view } = await other.request("gateway/open", { server: "shop", tool: "show" });
    await expect(
      page.request("conversation/send", { id, content: [{ type: "text", text: "x" }], view }),
    ).rejects.toMatchObject({ data: { code: "view-unknown" } });
  });

  it("gets each change once, in order", async () => {
    model.add(say("one ", "two ", "three"));
    const before = (await state()).seq;
    const heard = () =>
      page.notices("conversation/changed").filter((each) => each.id === id && each.seq > before);
    await tell("Count.");
    // From the notifications only: opening it again would return the changes, too.
    await expect
      .poll(() =>
        heard()
          .flatMap(({ changes }) => changes)
          .findLast(({ kind }) => kind === "state"),
      )
      .toMatchObject({ isRunning: false });
    expect(heard().map(({ seq }) => seq)).toEqual(heard().map((_, at) => before + 1 + at));
    const text = heard().flatMap(({ changes }) =>
      changes.flatMap((change) => (change.kind === "text" ? change.text : [])),
    );
    expect((await items("model")).at(-1)).toMatchObject({ text: "one two three" });
    expect("one two three".endsWith(text.join(""))).toBe(true);
  });

  it("performs a repeated request with the same key once, as after a lost session", async () => {
    const before = gatewayEntry.calls.length;
    const params = { id, server: "shop", tool: "look" };
    const key = page.nextId();
    const first = await page.ask(".", "conversation/call", params, key);
    await atRest();
    expect(await page.ask(".", "conversation/call", params, key)).toEqual(first);
    await atRest();
    expect(await calls()).toHaveLength(1);
    expect(gatewayEntry.calls.slice(before).filter((each) => each === "tools/call look")).toHaveLength(1);
  });

  it("opens no view of another tool for a call", async () => {
    const { item } = await page.request("conversation/call", { id, server: "shop", tool: "show" });
    await atRest();
    await expect(open(item, "camera")).rejects.toThrow("not a call of the view's tool");
  });

  it("leaves, renames and deletes a conversation", async () => {
    await page.request("conversation/call", { id, server: "shop", tool: "look" });
    await atRest();
    await page.request("conversation/rename", { id, title: "Shopping" });
    const list = async () => (await page.request("conversation/list", { search: "shopping" })).conversations;
    expect(await list()).toMatchObject([{ id, title: "Shopping" }]);
    await page.request("conversation/delete", { id });
    expect(await list()).toEqual([]);
    await expect(state()).rejects.toMatchObject({ data: { code: "conversation-unknown" } });
  });

  it("selects a model, or none: then there is no answer, and a note says how to get one", async () => {
    const { models, current } = await page.request("model/state", {});
    expect([current, models.map((each) => each.id)]).toEqual(["local/scripted", ["local/scripted"]]);
    await page.request("model/choose", {});
    try {
      await tell("Is anybody there?");
      expect((await atRest()).items).toMatchObject([
        { kind: "user" },
        { kind: "note", code: "no-model", text: expect.stringContaining("model") },
      ]);
    } finally {
      await page.request("model/choose", { model: "local/scripted" });
    }
    await expect(page.request("model/choose", { model: "local/other" })).rejects.toMatchObject({
      data: { code: "model-unknown" },
    });
  });
});

describe("an app", () => {
  let view: string;
  let item: string;
  beforeEach(async () => {
    ({ item } = await page.request("conversation/call", { id, server: "shop", tool: "show" }));
    ({ view } = await open(item));
    await atRest();
  });

  it("I05: sends messages on the user's behalf, marked as such, and the model answers", async () => {
    model.add(say("Hello, app."));
    await page.request("conversation/send", { id, content: [{ type: "text", text: "I am full" }], view });
    const { items: all } = await atRest();
    expect(all.slice(-2)).toMatchObject([
      { kind: "user", from: { item, server: "shop" }, content: [{ text: "I am full" }] },
      { kind: "model", text: "Hello, app." },
    ]);
  });

  it("I06: gives the model its latest context until it is closed", async () => {
    for (const text of ["two eggs", "three eggs"])
      await page.request("conversation/context", { id, view, content: [{ type: "text", text }] });
    model.add(say("Noted."));
    await tell("How many?");
    await atRest();
    expect(saw() && JSON.stringify(saw()?.messages)).toContain("three eggs");
    expect(JSON.stringify(saw()?.messages)).not.toContain("two eggs");
    expect((await state()).contexts).toMatchObject([{ item, isStale: false }]);
    await page.closeView(view);
    await expect.poll(async () => (await state()).contexts).toMatchObject([{ item, isStale: true }]);
  });

  it("that floods its context is refused, by the guard and by the conversation, and the user sees a note", async () => {
    const codes = new Set<string>();
    const update = async (text: string): Promise<void> => {
      const content = [{ type: "text", text }] as const;
      try {
        // Like a page: with a permit.
        await page.ask(view, "ui/update-model-context", { content });
        await page.request("conversation/context", { id, view, content: [...content] });
      } catch (error) {
        codes.add(`${(error as { data: { code?: unknown } }).data.code}`);
      }
    };
    const isTold = async () => codes.size > 1 && (await items("note")).length > 0;
    // Many at once, so that a slow machine floods too.
    for (let n = 0; n < 30 && !(await isTold()); n++)
      await Promise.all(Array.from({ length: 20 }, (_, at) => update(`${n * 20 + at} eggs`)));
    expect([...codes].sort()).toEqual(["overloaded", "rate-limited"]);
    expect(await items("note")).toMatchObject([{ level: "warning", code: "app-flood" }]);
    // The app, the page and the conversation continue to work.
    model.add(say("Well."));
    await tell("How many?");
    expect((await atRest()).items.at(-1)).toMatchObject({ kind: "model", text: "Well." });
  });

  it("A04 to A06: offers tools, which need approval unless they are read-only, and none after it is closed", async () => {
    const asked: unknown[] = [];
    page.answers["conversation/app-tool"] = (params) => {
      asked.push(params);
      return { content: [{ type: "text", text: "added" }] };
    };
    const inputSchema = { type: "object" as const };
    await page.request("conversation/app-tools", {
      id,
      view,
      tools: [
        { name: "count", inputSchema, annotations: { readOnlyHint: true } },
        { name: "add", inputSchema },
      ],
    });
    model.add((seen) => {
      const names = seen.body.tools?.map((tool) => tool.function.name) ?? [];
      const [count, add] = ["count", "add"].map((name) => names.find((each) => each.endsWith(`__${name}`)));
      return [callTool(`${count}`, {}), callTool(`${add}`, { what: "milk" }, { index: 1 })];
    }, say("It is there."));
    page.answer = () => ({ answer: "allow", remember: "session" });
    await tell("Add milk.");
    await atRest();
    expect(asked).toEqual(
      expect.arrayContaining([
        { view, name: "count", arguments: {} },
        { view, name: "add", arguments: { what: "milk" } },
      ]),
    );
    expect(page.asked).toMatchObject([{ subject: "add", view, server: "shop" }]);
    expect((await calls()).slice(1)).toMatchObject([
      { app: { item }, tool: "count", state: "done" },
      { app: { item }, tool: "add", state: "done" },
    ]);
    const rows = (await gatewayEntry.rows("ann")).filter(
      ({ method, kind }) => kind === "entry" && method === "app-tools/call",
    );
    expect(rows.slice(-2)).toMatchObject([
      { actor: "model", view, decision: "allowed" },
      { actor: "model", view, decision: "allowed" },
    ]);
    await page.closeView(view);
    model.add(say("Gone."));
    await tell("And now?");
    await atRest();
    expect(
      saw()
        ?.tools?.map((tool) => tool.function.name)
        .filter((name) => name.endsWith("__add")),
    ).toEqual([]);
  });

  it("I11: asks the model if the user approves, with the user's changes", async () => {
    const params = {
      messages: [{ role: "user", content: { type: "text", text: "Name a fruit" } }],
      maxTokens: 50,
    };
    const questions: SamplingQuestion[] = [];
    page.answers["gateway/sample"] = (question: SamplingQuestion) => {
      questions.push(question);
      return {
        answer: "allow",
        messages: [{ role: "user", content: [{ type: "text", text: "Name a vegetable" }] }],
      };
    };
    model.add(say("A leek."));
    expect(await page.ask(view, "sampling/createMessage", params)).toMatchObject({
      role: "assistant",
      content: { type: "text", text: "A leek." },
    });
    expect(questions).toMatchObject([{ server: "shop", app: { item }, maxTokens: 50 }]);
    expect(JSON.stringify(saw()?.messages)).toContain("Name a vegetable");
    expect(JSON.stringify(saw()?.messages)).not.toContain("fruit");
    page.answers["gateway/sample"] = () => ({ answer: "deny" });
    await expect(page.ask(view, "sampling/createMessage", params)).rejects.toMatchObject({ code: -1 });
    const rows = (await gatewayEntry.rows("ann")).filter(
      ({ method, kind }) => kind === "entry" && method === "sampling/createMessage",
    );
    expect(rows.map(({ decision }) => decision)).toEqual(["allowed", "refused"]);
  });

  it("A06: its tool is not called if the user declines", async () => {
    page.answers["conversation/app-tool"] = () => ({ content: [] });
    await page.request("conversation/app-tools", {
      id,
      view,
      tools: [{ name: "add", inputSchema: { type: "object" as const } }],
    });
    model.add(
      (seen) =>
        callTool(
          `${seen.body.tools?.map((tool) => tool.function.name).find((name) => name.endsWith("__add"))}`,
          {},
        ),
      say("Well."),
    );
    page.answer = () => ({ answer: "deny" });
    await tell("Add it.");
    await atRest();
    expect((await calls()).at(-1)).toMatchObject({ tool: "add", state: "failed" });
  });
});

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallToolResult, Tool } from "@vitrine/protocol";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  Follower,
  gate,
  hearing,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { manualClock } from "../../../testing/gateway/manual-clock.js";
import { callTool, pause, say } from "../../../testing/model/scripted-model.js";
import type { ConversationStore } from "./ports.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-talk-"));
const stages: ConversationStage[] = [];
const stageOf: typeof conversationStage = async (...args) => {
  const stage = await conversationStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const forecast = { work: () => text("sunny"), hasApp: true };
const done = (page: Follower): Promise<void> =>
  expect.poll(() => page.isRunning, { interval: 5 }).toBe(false);
const unknown = { data: { code: "conversation-unknown" } };

describe("conversations", () => {
  it("are listed, searched, renamed and deleted by their owner only", async () => {
    const stage = await stageOf([]);
    stage.hasModel = false;
    const { conversations } = stage;
    const empty = await conversations.open("ana");
    const first = await conversations.open("ana");
    await first.send(words("  Will it   rain in Rome?\nOr not? "));
    const second = await conversations.open("ana");
    await second.send(words("x".repeat(300)));
    expect(first.title).toBe("Will it rain in Rome? Or not?");
    expect(second.title).toBe("x".repeat(60));
    const ids = async (user: string, search?: string): Promise<string[]> =>
      (await conversations.list(user, { search })).map(({ id }) => id);
    expect((await ids("ana")).sort()).toEqual([first.id, second.id].sort());
    expect(await ids("ana", "ROME")).toEqual([first.id]);
    expect(await ids("bob")).toEqual([]);
    await expect(conversations.open("bob", first.id)).rejects.toMatchObject(unknown);
    await expect(conversations.rename("bob", first.id, "mine")).rejects.toMatchObject(unknown);
    await expect(conversations.delete("bob", first.id)).rejects.toMatchObject(unknown);
    expect(await conversations.open("ana", empty.id)).toBe(empty);

    await conversations.rename("ana", first.id, " Rain \n ");
    await first.send(words("another"));
    expect((await conversations.list("ana", { search: "rain" }))[0]).toMatchObject({ title: "Rain" });
    await expect(first.rename("  ")).rejects.toThrow(/title/);

    await conversations.delete("ana", second.id);
    expect(await ids("ana")).toEqual([first.id]);
    await expect(conversations.open("ana", second.id)).rejects.toMatchObject(unknown);
    await expect(second.send(words("still there?"))).rejects.toMatchObject({ data: { code: "stopping" } });
    expect(stage.listed).toEqual(["ana", "ana", "ana", "ana"]);
  });

  it("do not exist for callers that open or delete them during a deletion", async () => {
    const stage = await stageOf([]);
    stage.hasModel = false;
    const { conversations } = stage;
    const conversation = await conversations.open("ana");
    await conversation.send(words("hello"));
    const { conversations: store } = stage.store;
    const deleteStored = store.delete.bind(store);
    const go = gate();
    vi.spyOn(store, "delete").mockImplementation(async (...args) => {
      await go.opened;
      return deleteStored(...args);
    });
    const deleting = conversations.delete("ana", conversation.id);
    await expect.poll(() => vi.mocked(store.delete).mock.calls.length).toBe(1);
    const others = [
      conversations.open("ana", conversation.id),
      conversations.delete("ana", conversation.id),
    ].map((other) => expect(other).rejects.toMatchObject(unknown));
    go.open();
    await Promise.all([deleting, ...others]);
    expect(await stage.store.conversations.get("ana", conversation.id)).toBeUndefined();
    await expect(conversations.open("ana", conversation.id)).rejects.toMatchObject(unknown);
  });

  it("are named after their first call until there is a message", async () => {
    const stage = await stageOf([], { tools: { forecast } });
    stage.hasModel = false;
    const conversation = await stage.conversations.open("ana");
    await conversation.call("weather", "forecast");
    expect(conversation.title).toBe("forecast");
    await conversation.send(words("hello"));
    await conversation.send(words("more"));
    expect(conversation.title).toBe("hello");
  });

  it("are loaded from the store unchanged, and continue", async () => {
    const stage = await stageOf(
      [callTool("weather__forecast", { city: "Rome" }), say("Sunny."), say("Still.")],
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("Rome?"));
    await done(page);
    await conversation.keep(page.calls[0]?.id ?? "", { width: 3 });
    await stage.conversations.close();
    const again = stage.again();
    const reopened = await again.open("ana", conversation.id);
    const { items, title, usage } = reopened.state();
    expect({ items, title, usage }).toEqual(
      JSON.parse(
        JSON.stringify({ items: conversation.state().items, title: "Rome?", usage: page.state.usage }),
      ),
    );
    expect(items).toContainEqual(expect.objectContaining({ kind: "call", page: { width: 3 } }));
    const changedAt = (await again.list("ana"))[0]?.changedAt;
    expect(changedAt).toBe(conversation.state().changedAt);
    const next = new Follower(reopened);
    await reopened.send(words("And now?"));
    await done(next);
    expect(next.models.at(-1)?.text).toBe("Still.");
    expect(stage.model.requests[2]?.body.messages.map(({ role }) => role)).toEqual([
      ...["system", "user", "assistant", "tool", "assistant", "user"],
    ]);
  });

  it("are in memory once, however often they are opened, and are dropped when idle", async () => {
    const clock = manualClock();
    const stage = await stageOf([], { clock });
    stage.hasModel = false;
    const conversation = await stage.conversations.open("ana");
    await conversation.send(words("hello"));
    const again = stage.again();
    const both = await Promise.all([again.open("ana", conversation.id), again.open("ana", conversation.id)]);
    expect(both[0]).toBe(both[1]);
    const openMany = async (): Promise<void> => {
      for (let at = 0; at < 60; at++) await again.open("ana");
    };
    await openMany();
    expect(await again.open("ana", conversation.id)).toBe(both[0]);
    clock.pass(60_001);
    await openMany();
    const watched = await again.open("ana", conversation.id);
    expect(watched).not.toBe(both[0]);
    watched.subscribe(() => {});
    clock.pass(60_001);
    await openMany();
    expect(await again.open("ana", conversation.id)).toBe(watched);
  });

  it("expire after their last change, unless a page shows them or they were just opened", async () => {
    const clock = manualClock();
    const stage = await stageOf([], { clock });
    stage.hasModel = false;
    const conversation = await stage.conversations.open("ana");
    await conversation.send(words("hello"));
    const { id } = conversation;
    const again = stage.again();
    const later = clock.now() + 1_000_000;
    const ids = async () => (await again.list("ana")).map((each) => each.id);
    const unsubscribe = (await again.open("ana", id)).subscribe(() => {});
    clock.pass(60_001);
    await again.prune(later);
    expect(await ids()).toEqual([id]);
    unsubscribe();
    await again.open("ana", id);
    await again.prune(later);
    expect(await ids()).toEqual([id]);
    clock.pass(60_001);
    await again.prune(0);
    expect(await ids()).toEqual([id]);
    await again.prune(later);
    expect(await ids()).toEqual([]);
    await expect(again.open("ana", id)).rejects.toMatchObject(unknown);
  });

  it("that were running when the gateway crashed have ended after its restart", async () => {
    const slow = { work: () => new Promise<CallToolResult>(() => {}), hasApp: true };
    const stage = await stageOf([[say("Let me see."), callTool("weather__slow", { a: 1 }), pause(60_000)]], {
      tools: { slow },
    });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("go"));
    const byHand = await conversation.call("weather", "slow", { b: 2 });
    await expect.poll(() => page.calls.map(({ state }) => state).sort()).toContain("running");
    await expect.poll(() => page.calls.length).toBe(2);
    await conversation.flush();
    // Nothing is closed, as after a power failure.
    const reopened = await stage.again().open("ana", conversation.id);
    const { items, isRunning } = reopened.state();
    expect(isRunning).toBe(false);
    expect(items.filter(({ kind }) => kind === "model")).toMatchObject([
      { state: "stopped", text: "Let me see." },
    ]);
    const calls = items.filter((item) => item.kind === "call");
    expect(calls).toHaveLength(2);
    for (const call of calls)
      expect(call).toMatchObject({ state: "failed", problem: expect.stringMatching(/gateway stopped/) });
    const view = hearing();
    reopened.shown(byHand, view);
    expect(view.heard.at(-1)).toMatchObject(["cancelled", expect.stringMatching(/gateway stopped/)]);
  });

  it("that are running when the gateway is closed end, and nothing is lost", async () => {
    const stage = await stageOf([[say("I was "), say("saying"), pause(60_000)]], {
      tools: { slow: { work: () => new Promise<CallToolResult>(() => {}) } },
    });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("go"));
    await conversation.call("weather", "slow");
    await expect.poll(() => page.models[0]?.text).toBe("I was saying");
    expect(stage.conversations.running).toBe(1);
    await stage.conversations.close();
    await expect(stage.conversations.open("ana")).rejects.toMatchObject({ data: { code: "stopping" } });
    const { items } = (await stage.again().open("ana", conversation.id)).state();
    expect(items).toMatchObject([
      { kind: "user" },
      { kind: "model", text: "I was saying", state: "stopped" },
      { kind: "call", state: "cancelled", problem: "the gateway is stopping" },
    ]);
  });

  it("report that they cannot be stored, continue, and are stored when that works again", async () => {
    const clock = manualClock();
    let isBroken = false;
    const stage = await stageOf([say("I hear you.")]);
    const inner = stage.store.conversations;
    const store: ConversationStore = {
      create: (...args) => inner.create(...args),
      get: (...args) => inner.get(...args),
      list: (...args) => inner.list(...args),
      delete: (...args) => inner.delete(...args),
      prune: (...args) => inner.prune(...args),
      put: async (...args) => {
        if (isBroken) throw new Error("the disk is full");
        await inner.put(...args);
      },
    };
    const broken = await stageOf([say("I hear you."), say("Still.")], { store, clock });
    const conversation = await broken.conversations.open("ana");
    const page = new Follower(conversation);
    isBroken = true;
    await conversation.send(words("hello"));
    await done(page);
    await expect.poll(() => page.models[0]?.text).toBe("I hear you.");
    await expect.poll(() => page.notes).toMatchObject([{ level: "error", code: "conversation-not-kept" }]);
    expect(page.notes[0]?.text).toContain("the disk is full");
    isBroken = false;
    clock.pass(60_000);
    await expect.poll(() => page.notes).toEqual([]);
    await conversation.flush();
    const kept = await inner.get("ana", conversation.id);
    expect(kept?.items.map(({ kind }) => kind)).toEqual(["user", "model"]);
  });

  it("never store secrets, whether marked by the schema or by a name", async () => {
    const file = join(folder, "secrets.db");
    const inputSchema: Tool["inputSchema"] = {
      type: "object",
      properties: { user: { type: "string" }, pin: { type: "string", format: "password" } },
    };
    const login = { tool: { inputSchema }, work: () => text("welcome"), hasApp: true };
    const input = { user: "ana", pin: "SECRET-PIN-1", apiKey: "SECRET-KEY-2" };
    const stage = await stageOf(
      [
        [callTool("weather__login", input), callTool("weather__login", '{"pin":"SECRET-3', { index: 1 })],
        say("In."),
      ],
      { url: `sqlite:${file}`, tools: { login } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("let me in"));
    await conversation.call("weather", "login", input);
    await done(page);
    expect(stage.called.map((each) => each.arguments)).toEqual([input, input]);
    await conversation.flush();
    const reopened = await stage.again().open("ana", conversation.id);
    const calls = reopened.state().items.filter((item) => item.kind === "call");
    expect(calls.filter(({ state }) => state === "done")).toMatchObject([
      { input: { user: "ana" }, isInputCut: true },
      { input: { user: "ana" }, isInputCut: true },
    ]);
    const bytes = ["", "-wal"].map((end) => readFileSync(`${file}${end}`, "latin1")).join("");
    expect(bytes).toContain("let me in");
    expect(bytes).not.toContain("SECRET");
  });

  it("lose a removed entry, and its calls are cancelled", async () => {
    const signals: AbortSignal[] = [];
    const slow = {
      work: (_input: unknown, { signal }: { signal: AbortSignal }) => {
        signals.push(signal);
        return new Promise<CallToolResult>(() => {});
      },
    };
    const stage = await stageOf([], { tools: { slow } });
    stage.hasModel = false;
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const said = await conversation.send(words("hello"));
    const item = await conversation.call("weather", "slow");
    await expect.poll(() => signals.length).toBe(1);
    await conversation.remove(item);
    await conversation.remove(said);
    expect(signals[0]?.aborted).toBe(true);
    await done(page);
    expect(page.items.map(({ kind }) => kind)).toEqual(["note"]);
    await expect(conversation.remove(item)).rejects.toMatchObject({ data: { code: "item-unknown" } });
    const reopened = await stage.again().open("ana", conversation.id);
    expect(reopened.state().items.map(({ kind }) => kind)).toEqual(["note"]);
  });
});

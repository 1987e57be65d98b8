/** How often the apps of a server ask, as the user chose: a level adds questions, and takes none away. */
import type { AskLevel, ConsentAnswer, Question } from "@vitrine/guard";
import { describe, expect, it } from "vitest";
import { memoryStore, stageServer, stageSettings } from "../../../../testing/gateway/guard-stage.js";
import type { GatewaySettings } from "../config/config.js";
import { gatewayGuard } from "./gateway-guard.js";
import type { GuardedCall } from "./guarded-call.js";
import type { Remember } from "./policy.js";

type Policy = GatewaySettings["policy"];

function setUp({
  user = "ann",
  store = memoryStore(),
  policy = {} as Policy,
  settings = stageSettings(),
  clock = { time: 1_000_000 },
} = {}) {
  const asked: { readonly question: Question; readonly remember: readonly Remember[] }[] = [];
  const person: { reply: ConsentAnswer } = { reply: { answer: "allow" } };
  const server = stageServer(settings);
  const guard = gatewayGuard({
    user,
    server,
    store,
    settings: { policy, strict: false, audit: { payloads: "none", redact: [] } },
    views: (view) => (view === "v1" ? { session: "s1", tool: "show" } : undefined),
    now: () => clock.time,
    ask: (question, remember) => {
      asked.push({ question, remember });
      return person.reply;
    },
  });
  const pass = async (more: Partial<GuardedCall>): Promise<string> => {
    const call: GuardedCall = {
      actor: "view",
      user,
      view: "v1",
      server: server.settings.name,
      method: "tools/call",
      params: {},
      ...more,
    };
    await guard.pass(call, async () => ({})).catch(() => {});
    const { decision, reason } = store.entries.at(-1) ?? {};
    return `${decision} ${reason}`;
  };
  const call = (name: string, more: Partial<GuardedCall> = {}): Promise<string> =>
    pass({ params: { name, arguments: {} }, ...more });
  return { store, guard, asked, person, pass, call, clock };
}

const MODEL = { actor: "model", view: "chat" } as const;
const LINK = { method: "ui/open-link", params: { url: "https://a.example/" } } as const;

describe("a level", () => {
  it.each([
    ["important", "look", "allowed policy"],
    ["important", "change", "allowed remembered"],
    ["important", "wipe", "allowed asked"],
    ["changes", "look", "allowed policy"],
    ["changes", "change", "allowed asked"],
    ["changes", "wipe", "allowed asked"],
    ["always", "look", "allowed asked"],
    ["always", "change", "allowed asked"],
    ["always", "wipe", "allowed asked"],
  ] as const)(
    "%s decides about the tool %s, which an earlier approval covers: %s",
    async (level, tool, how) => {
      const { guard, call, person } = setUp();
      person.reply = { answer: "allow", remember: "always" };
      await call("set");
      person.reply = { answer: "allow" };
      await guard.setAskLevel(level);
      expect(await call(tool)).toBe(how);
      expect(await call(tool)).toBe(how);
    },
  );

  it.each(["changes", "always"] as const)("%s asks about calls that a policy allows", async (level) => {
    const { guard, call, asked } = setUp({ policy: { "tools/call": "allow" } });
    expect(await call("change")).toBe("allowed policy");
    await guard.setAskLevel(level);
    expect(await call("change")).toBe("allowed asked");
    // Nothing can be remembered, and the question offers to change the level.
    expect(asked).toMatchObject([{ remember: [], question: { level, scope: "the tool change" } }]);
  });

  it.each(["changes", "always"] as const)("%s asks about calls of a trusted server", async (level) => {
    const { guard, call } = setUp({ settings: stageSettings({ trusted: true }) });
    expect(await call("change")).toBe("allowed policy");
    await guard.setAskLevel(level);
    expect(await call("change")).toBe("allowed asked");
  });

  it.each(["important", "changes", "always"] as const)(
    "%s allows nothing that an operator denies",
    async (level) => {
      const { guard, call, asked } = setUp({ policy: { "tools/call:look": "deny" } });
      await guard.setAskLevel(level);
      expect(await call("look")).toBe("refused not-allowed");
      expect(asked).toEqual([]);
    },
  );

  it.each(["important", "changes", "always"] as const)(
    "%s does not answer what an operator wants asked",
    async (level) => {
      const { guard, call, asked } = setUp({ policy: { "tools/call:look": "ask" } });
      await guard.setAskLevel(level);
      expect(await call("look")).toBe("allowed asked");
      expect(asked).toHaveLength(1);
    },
  );

  it("always asks about links again, changes does not", async () => {
    const { guard, pass, person } = setUp();
    person.reply = { answer: "allow", remember: "always" };
    expect(await pass(LINK)).toBe("allowed asked");
    await guard.setAskLevel("changes");
    expect(await pass(LINK)).toBe("allowed remembered");
    await guard.setAskLevel("always");
    expect(await pass(LINK)).toBe("allowed asked");
  });

  it("always does not ask about reads", async () => {
    const { guard, pass, asked } = setUp();
    await guard.setAskLevel("always");
    expect(await pass({ method: "resources/list" })).toBe("allowed policy");
    expect(asked).toEqual([]);
  });

  it("is for apps and programs, not for the model", async () => {
    const { guard, call } = setUp({ policy: { "tools/call": "allow" } });
    await guard.setAskLevel("always");
    expect(await call("change", MODEL)).toBe("allowed policy");
    expect(await call("change", { actor: "http", view: "" })).toBe("allowed asked");
  });

  it("keeps a remembered denial", async () => {
    const { guard, call, asked, person } = setUp();
    person.reply = { answer: "deny", remember: "always" };
    expect(await call("change")).toBe("refused denied");
    await guard.setAskLevel("always");
    person.reply = { answer: "allow" };
    expect(await call("change")).toBe("refused denied");
    expect(asked).toHaveLength(1);
  });

  it("asks about each of several identical calls", async () => {
    const { guard, call, asked } = setUp({ policy: { "tools/call": "allow" } });
    await guard.setAskLevel("always");
    await Promise.all([call("look"), call("look"), call("look")]);
    expect(asked).toHaveLength(3);
  });

  it("gives earlier approvals back when the user takes it back", async () => {
    const { guard, call, person } = setUp();
    person.reply = { answer: "allow", remember: "always" };
    await call("change");
    await guard.setAskLevel("always");
    await call("change");
    await guard.setAskLevel("important");
    expect(await call("change")).toBe("allowed remembered");
  });

  it("belongs to one user at one server identity, and is there for the next guard", async () => {
    const store = memoryStore();
    const policy: Policy = { "tools/call": "allow" };
    await setUp({ store, policy }).guard.setAskLevel("always");
    expect(await setUp({ store, policy }).call("look")).toBe("allowed asked");
    expect(await setUp({ store, policy, user: "bob" }).call("look")).toBe("allowed policy");
    const other = stageSettings({ identity: "2".repeat(64) });
    expect(await setUp({ store, policy, settings: other }).call("look")).toBe("allowed policy");
  });

  it("does not expire", async () => {
    const { guard, call, clock } = setUp({ policy: { "tools/call": "allow" } });
    await guard.setAskLevel("always");
    clock.time += 10 * 365 * 24 * 3_600_000;
    expect(await call("look")).toBe("allowed asked");
  });

  it("that another gateway stored is in force after a second", async () => {
    const store = memoryStore();
    const clock = { time: 1_000_000 };
    const policy: Policy = { "tools/call": "allow" };
    const here = setUp({ store, policy, clock });
    expect(await here.call("look")).toBe("allowed policy");
    await setUp({ store, policy, clock }).guard.setAskLevel("always");
    clock.time += 1000;
    expect(await here.call("look")).toBe("allowed asked");
  });

  it("refuses calls while it cannot be read", async () => {
    const store = memoryStore();
    const { call, asked } = setUp({ store, policy: { "tools/call": "allow" } });
    store.failing.get = new Error("locked");
    expect(await call("look")).toBe("refused not-allowed");
    expect(asked).toEqual([]);
  });

  it("is recorded before it is stored; without a record it stays as it was", async () => {
    const { guard, store, call } = setUp({ policy: { "tools/call": "allow" } });
    await guard.setAskLevel("changes");
    expect(store.rows).toMatchObject([
      { kind: "mark", user: "ann", server: "shop", method: "gateway/ask-level", target: "changes" },
    ]);
    store.failing.begin = new Error("full");
    await expect(guard.setAskLevel("important")).rejects.toThrow("full");
    store.failing.begin = undefined;
    expect(await call("change")).toBe("allowed asked");
  });
});

describe("an answer", () => {
  it("can bring the level with it, which then holds", async () => {
    const { call, person, asked, store } = setUp();
    person.reply = { answer: "allow", level: "always" };
    expect(await call("change")).toBe("allowed asked");
    expect(await call("look")).toBe("allowed asked");
    expect(asked.map(({ question }) => question.level)).toEqual(["important", "always"]);
    expect(store.rows.filter(({ kind }) => kind === "mark")).toMatchObject([
      { target: "always", reason: "chosen in a question" },
    ]);
  });

  it("that refuses can bring it too", async () => {
    const { call, person } = setUp();
    person.reply = { answer: "deny", level: "always" };
    expect(await call("change")).toBe("refused denied");
    person.reply = { answer: "allow" };
    expect(await call("look")).toBe("allowed asked");
  });

  it("with a level that asks each time is not remembered", async () => {
    const { call, person, store, guard } = setUp();
    person.reply = { answer: "allow", remember: "always", level: "changes" };
    await call("change");
    expect(store.records).toMatchObject([{ answer: "ask-changes" }]);
    await guard.setAskLevel("important");
    person.reply = { answer: "deny" };
    expect(await call("change")).toBe("refused denied");
  });

  it("can lower the level", async () => {
    const { call, person, guard, store } = setUp({ policy: { "tools/call": "allow" } });
    await guard.setAskLevel("always");
    person.reply = { answer: "allow", level: "important" };
    expect(await call("look")).toBe("allowed asked");
    expect(await call("look")).toBe("allowed policy");
    expect(store.records).toEqual([]);
  });

  it("about something that no level covers brings none", async () => {
    const { call, person, asked, store } = setUp();
    person.reply = { answer: "allow", level: "always" };
    expect(await call("change", MODEL)).toBe("allowed asked");
    expect(asked.map(({ question }) => question.level)).toEqual([undefined]);
    expect(store.records).toEqual([]);
  });

  it("does not allow if its level cannot be stored", async () => {
    const { call, person, store } = setUp();
    const level: AskLevel = "always";
    person.reply = { answer: "allow", level };
    store.failing.set = new Error("full");
    expect(await call("change")).toBe("refused not-allowed");
  });
});

/** Decisions and approvals, which are the same for all kinds of actions. */
import type { AppCall, Model } from "@vitrine/conversation";
import type { ConsentAnswer, Question } from "@vitrine/guard";
import type { ToolAnnotations } from "@vitrine/protocol";
import { replacedServer } from "@vitrine/servers";
import { describe, expect, it, vi } from "vitest";
import { memoryStore, stageServer, stageSettings } from "../../../../testing/gateway/guard-stage.js";
import { ElicitationService } from "../asks/elicitation-service.js";
import { SamplingService } from "../asks/sampling-service.js";
import type { GatewaySettings } from "../config/config.js";
import { AppCalls } from "../sessions/app-calls.js";
import { KnownViews } from "../sessions/known-views.js";
import type { PageSession } from "../sessions/page-session.js";
import { CallRecord } from "./call-record.js";
import { gatewayGuard } from "./gateway-guard.js";
import type { GuardedCall } from "./guarded-call.js";
import type { Remember } from "./policy.js";
import { RefusalLog } from "./refusal-log.js";

const never = new AbortController().signal;
const sample = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 };
const form = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };

/** A question as the user sees it. */
interface Asked {
  readonly question: Partial<Question>;
  readonly remember: readonly Remember[];
  readonly signal: AbortSignal;
}

type Reply = { answer: "allow" | "deny"; remember?: string };

function setUp(user = "ann", server = stageServer(), store = memoryStore()) {
  const asked: Asked[] = [];
  /** Effects that happened. */
  const done: string[] = [];
  const person = { reply: async (_asked: Asked): Promise<Reply> => ({ answer: "allow" }) };
  const reply = async (question: Partial<Question>, remember: readonly Remember[], signal: AbortSignal) => {
    const shown = { question, remember, signal };
    asked.push(shown);
    return person.reply(shown);
  };
  const settings: { policy: GatewaySettings["policy"]; servers?: GatewaySettings["servers"] } = {
    policy: {},
  };
  const views = new KnownViews();
  const page = {
    request: async () => {
      done.push("app tool");
      return { content: [] };
    },
  } as unknown as PageSession;
  const { name, identity } = server.settings;
  for (const view of ["v1", "v2"])
    views.add(view, { user, server: name, identity, session: "s1", uri: `ui://shop/${view}`, page });
  const guard = gatewayGuard({
    user,
    server,
    store,
    views: (view) => views.find(view, user, server.settings),
    ask: async (question, remember, signal) => (await reply(question, remember, signal)) as ConsentAnswer,
    settings: {
      strict: false,
      audit: { payloads: "none", redact: [] },
      get policy() {
        return settings.policy;
      },
      get servers() {
        return settings.servers ?? new Map();
      },
    },
  });
  const model: Model = {
    id: "local/fake",
    label: "Fake",
    async *stream() {
      done.push("model");
      yield { kind: "end", reason: "stop" };
    },
  };
  const sampling = new SamplingService({
    model: () => model,
    ask: (_user, _question, signal) => reply({ method: "sampling/createMessage" }, [], signal),
  });
  const elicitation = new ElicitationService({
    ask: async (_user, _question, signal) => {
      const { answer } = await reply({ method: "elicitation/create" }, [], signal);
      return answer === "allow" ? { action: "accept", content: {} } : { action: "decline" };
    },
  });
  const apps = new AppCalls({
    views,
    refused: async () => {},
    servers: {
      getSame: () => ({ server, guard }),
      checkSame: (wanted) => {
        if (wanted.identity !== identity) throw replacedServer(wanted.name);
      },
    },
  });
  const call = (more: Partial<GuardedCall>): GuardedCall => ({
    actor: "view",
    user,
    view: "v1",
    server: name,
    method: "tools/call",
    params: { name: "change", arguments: {} },
    ...more,
  });
  const callTool = (tool = "change", more: Partial<GuardedCall> = {}) =>
    guard.pass(call({ params: { name: tool, arguments: {} }, ...more }), async () => {
      done.push("tool");
      return {};
    });
  const callApp = (view = "v1", description = "Adds", annotations: ToolAnnotations = {}) => {
    const tool = { name: "change", description, inputSchema: { type: "object" as const }, annotations };
    const app: AppCall = { view, tool, current: () => tool, arguments: {}, conversation: "c", item: "i" };
    return apps.call(user, app, never);
  };
  const camera = async (view = "v1", hash = "1") => {
    if (await guard.permission(view, "camera", undefined, hash)) done.push("permission");
    return {};
  };
  const kinds: Record<Kind, () => Promise<unknown>> = {
    "a tool of the server": () => callTool(),
    "a tool of an app": () => callApp(),
    "a browser permission": () => camera(),
    "an app's request to the model": () =>
      sampling.fromView(guard, call({ method: "sampling/createMessage", params: sample })),
    "a server's request to the model": () => sampling.fromServer(guard, sample, never),
    "a server's question": async () => {
      const answer = await elicitation.fromServer(guard, form, never);
      if (answer.action === "accept") done.push("answer");
      return answer;
    },
  };
  /** The decision and reason of the last entry. */
  const last = () => {
    const { decision, reason } = store.entries.at(-1) ?? {};
    return `${decision} ${reason}`;
  };
  return {
    store,
    server,
    guard,
    views,
    person,
    asked,
    done,
    settings,
    kinds,
    callTool,
    callApp,
    camera,
    last,
  };
}

const METHODS = {
  "a tool of the server": "tools/call",
  "a tool of an app": "app-tools/call",
  "a browser permission": "ui/permission",
  "an app's request to the model": "sampling/createMessage",
  "a server's request to the model": "sampling/createMessage",
  "a server's question": "elicitation/create",
} as const;
type Kind = keyof typeof METHODS;
const KINDS = Object.keys(METHODS) as Kind[];

/** Says nothing until the question is withdrawn. */
const silence = ({ signal }: Asked): Promise<Reply> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("withdrawn")));
  });
const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.cause ? messageOf(error.cause) : ""}` : "";

describe.each(KINDS)("%s", (kind) => {
  it("is allowed by the user, and recorded once", async () => {
    const { kinds, asked, done, store, last } = setUp();
    await kinds[kind]();
    expect(asked).toHaveLength(1);
    expect(done).toHaveLength(1);
    expect(store.entries).toMatchObject([{ method: METHODS[kind], user: "ann", server: "shop" }]);
    expect(last()).toBe("allowed asked");
  });

  it("is refused if the operator denies it while the question is open", async () => {
    const { kinds, person, settings, done, store, last } = setUp();
    person.reply = async () => {
      settings.policy = { [METHODS[kind]]: "deny" };
      return { answer: "allow", remember: "always" };
    };
    await kinds[kind]().catch(() => {});
    expect(done).toEqual([]);
    expect(store.entries).toHaveLength(1);
    expect(last()).toBe("refused not-allowed");
  });

  it("is refused if the operator denies it to this server while the question is open", async () => {
    const { kinds, person, settings, done, last } = setUp();
    person.reply = async () => {
      settings.servers = new Map([["shop", stageSettings({ policy: { [METHODS[kind]]: "deny" } })]]);
      return { answer: "allow" };
    };
    await kinds[kind]().catch(() => {});
    expect(done).toEqual([]);
    expect(last()).toBe("refused not-allowed");
  });

  it("is refused if the user declines, and says so", async () => {
    const { kinds, person, done, last } = setUp();
    person.reply = async () => ({ answer: "deny" });
    const answer = await kinds[kind]().catch((error: unknown) => error);
    expect(done).toEqual([]);
    expect(last()).toBe("refused denied");
    if (answer instanceof Error) {
      expect(answer).toMatchObject({ data: { code: "denied" } });
      expect(messageOf(answer)).toContain("the user declined");
    } else expect(answer).toEqual(kind === "a server's question" ? { action: "decline" } : {});
  });

  it("is not asked about any more when its server ends", async () => {
    const { kinds, person, asked, guard, done, last } = setUp();
    person.reply = silence;
    const over = kinds[kind]().catch((error: unknown) => error);
    await expect.poll(() => asked.length).toBe(1);
    await guard.close();
    await over;
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(done).toEqual([]);
    expect(last()).toBe("refused aborted");
  });
});

describe.each(KINDS.filter((kind) => !kind.startsWith("a server")))("%s", (kind) => {
  it("is not asked about any more when its view closes", async () => {
    const { kinds, person, asked, guard, views, done, last } = setUp();
    person.reply = silence;
    const over = kinds[kind]().catch((error: unknown) => error);
    await expect.poll(() => asked.length).toBe(1);
    guard.closeView("v2");
    expect(asked[0]?.signal.aborted).toBe(false);
    views.remove("v1");
    guard.closeView("v1");
    await over;
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(done).toEqual([]);
    expect(last()).toMatch(/^refused (aborted|view-unknown)$/);
  });
});

describe("an approval", () => {
  it.each<[string, readonly Remember[], (stage: ReturnType<typeof setUp>) => Promise<unknown>]>([
    ["a destructive tool", [], ({ callTool }) => callTool("wipe")],
    ["a destructive tool of an app", [], ({ callApp }) => callApp("v1", "", { destructiveHint: true })],
    ["an app's request to the model", [], ({ kinds }) => kinds["an app's request to the model"]()],
    ["a server's request to the model", [], ({ kinds }) => kinds["a server's request to the model"]()],
    ["a server's question", [], ({ kinds }) => kinds["a server's question"]()],
    ["a tool of an app", ["session"], ({ callApp }) => callApp()],
    ["a tool of the server", ["session", "always"], ({ callTool }) => callTool()],
    ["a browser permission", ["session", "always"], ({ camera }) => camera()],
  ])("of %s is remembered only as offered, whatever the page says", async (_what, offered, act) => {
    for (const remember of ["session", "always"]) {
      const stage = setUp();
      stage.person.reply = async () => ({ answer: "allow", remember });
      await act(stage);
      await act(stage);
      expect(stage.asked[0]?.remember).toEqual(offered);
      expect(stage.asked).toHaveLength(offered.length === 0 ? 2 : 1);
      const isStored = remember === "always" && offered.includes("always");
      expect(stage.store.records).toHaveLength(isStored ? 1 : 0);
    }
  });

  it("of an app's tool ends when the app changes the tool, and when the app is closed", async () => {
    const { callApp, guard, person, asked } = setUp();
    person.reply = async () => ({ answer: "allow", remember: "session" });
    await callApp("v1", "Adds");
    await callApp("v1", "Adds");
    expect(asked).toHaveLength(1);
    await callApp("v1", "Adds everything");
    expect(asked).toHaveLength(2);
    guard.closeView("v1");
    await callApp("v1", "Adds");
    expect(asked).toHaveLength(3);
  });

  it("of a permission ends when the server changes the UI", async () => {
    for (const remember of ["once", "session", "always"]) {
      const { camera, person, asked, guard } = setUp();
      person.reply = async () => ({ answer: "allow", remember });
      await camera("v1", "before");
      await camera("v1", "before");
      expect(asked).toHaveLength(1);
      expect(await guard.isGranted("v1", "camera", "after")).toBe(false);
      await camera("v1", "after");
      expect(asked).toHaveLength(2);
    }
  });

  it.each([
    ["tool", ({ callApp }: ReturnType<typeof setUp>, view: string) => callApp(view)],
    ["permission", ({ camera }: ReturnType<typeof setUp>, view: string) => camera(view)],
  ] as const)("of an app's %s is not for another app", async (_what, act) => {
    for (const remember of ["session", "always"]) {
      const stage = setUp();
      stage.person.reply = async () => ({ answer: "allow", remember });
      await act(stage, "v1");
      await act(stage, "v1");
      expect(stage.asked).toHaveLength(1);
      await act(stage, "v2");
      expect(stage.asked).toHaveLength(2);
      // Nor for an app of another server.
      const other = setUp("ann", stageServer({ name: "bank", identity: "2".repeat(64) }), stage.store);
      await act(other, "v1");
      expect(other.asked).toHaveLength(1);
    }
  });

  it("of an app's tool does not answer the open question of another app", async () => {
    const { callApp, guard, person, asked, done } = setUp();
    person.reply = (shown) =>
      shown.question.view === "v1"
        ? Promise.resolve({ answer: "allow", remember: "always" })
        : silence(shown);
    const other = callApp("v2").catch((error: unknown) => error);
    await expect.poll(() => asked.length).toBe(1);
    await callApp("v1");
    expect([done.length, asked[0]?.signal.aborted]).toEqual([1, false]);
    guard.closeView("v2");
    await other;
    expect(done).toHaveLength(1);
  });

  it("of a server's tool is not for an app's tool of the same name, nor the reverse", async () => {
    const { callApp, callTool, person, asked } = setUp();
    person.reply = async () => ({ answer: "allow", remember: "session" });
    await callTool("change");
    await callTool("change", { actor: "model" });
    await callApp();
    expect(asked).toHaveLength(3);
    const second = setUp();
    second.person.reply = person.reply;
    await second.callApp();
    await second.callTool("change", { actor: "model" });
    await second.callTool("change");
    expect(second.asked).toHaveLength(3);
  });
});

describe("refusals", () => {
  it("are counted for each user: one user's flood does not hide another's row", async () => {
    const store = memoryStore();
    const onerror = vi.fn();
    const place = {
      server: "shop",
      identity: undefined,
      audit: store.audit,
      settings: { audit: { payloads: "none", redact: [] } } as const,
      refusals: new RefusalLog({ write: (entry) => store.audit.begin(entry), onerror }),
      metrics: {},
      clock: () => 0,
      onerror,
    };
    const { callApp } = setUp();
    const unknown = await callApp("gone").catch((error) => error);
    expect(unknown).toMatchObject({ data: { code: "view-unknown" } });
    const refuse = (user: string) => {
      const call = { actor: "view", user, view: "gone", server: "shop", method: "ping", params: {} } as const;
      return new CallRecord(call, place).refused(unknown);
    };
    for (let count = 0; count < 100; count++) await refuse("ann");
    await refuse("bea");
    expect(store.entries.filter(({ user }) => user === "ann")).toHaveLength(20);
    expect(store.entries.filter(({ user }) => user === "bea")).toHaveLength(1);
    await place.refusals.flush();
    expect(store.entries.at(-1)).toMatchObject({ user: "ann", reason: "view-unknown ×80" });
  });
});

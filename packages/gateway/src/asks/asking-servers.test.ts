/** Real servers of both SDKs and both generations that use sampling and elicitation, over stdio and HTTP. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type CallToolResult, JsonText } from "@vitrine/protocol";
import {
  launch,
  type RemoteSettings,
  type Server,
  type ServerAsks,
  ServerPool,
  type ServerSettings,
} from "@vitrine/servers";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  type AsksStage,
  asksStage,
  type StageAsker,
  silence,
} from "../../../../testing/gateway/asks-stage.js";
import { nodeServer, serverSettings } from "../../../../testing/gateway/servers.ts";
import { say } from "../../../../testing/model/scripted-model.js";
import { type AskServices, asksOf } from "./services.js";

const script = (name: string): string =>
  fileURLToPath(new URL(`../../../../testing/gateway/${name}`, import.meta.url));
const V1 = script("asking-v1-server.mjs");
const V2 = script("asking-server.mjs");

type Cleanups = (() => Promise<unknown>)[];
const afterTest: Cleanups = [];
const afterFile: Cleanups = [];
const cleanUp = async (cleanups: Cleanups): Promise<void> => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
};
afterEach(() => cleanUp(afterTest));
afterAll(() => cleanUp(afterFile));

/** The HTTP server that was started last. */
let served: ChildProcess | undefined;

async function overHttp(cleanups: Cleanups, path: string, args: string[]): Promise<RemoteSettings> {
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  served = child;
  cleanups.push(async () => {
    if (child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const [port] = child.stdout ? await once(child.stdout, "data") : [];
  const url = `http://127.0.0.1:${String(port).trim()}/mcp`;
  return { type: "http", url, headers: {}, oauth: false, privateNetwork: true };
}

interface Kind {
  readonly name: string;
  readonly version: string;
  transport(cleanups: Cleanups): ServerSettings["transport"] | Promise<RemoteSettings>;
}

const v1: Kind = { name: "SDK 1, stdio", version: "2025-11-25", transport: () => nodeServer(V1) };
const modern: Kind = {
  name: "SDK 2, stdio",
  version: "2026-07-28",
  transport: () => nodeServer(V2, ["modern"]),
};
const modernHttp: Kind = {
  name: "SDK 2, HTTP",
  version: "2026-07-28",
  transport: (cleanups) => overHttp(cleanups, V2, ["modern", "http"]),
};
const KINDS: Kind[] = [
  v1,
  { name: "SDK 1, HTTP", version: "2025-11-25", transport: (cleanups) => overHttp(cleanups, V1, ["http"]) },
  {
    name: "SDK 2 of the first generation, stdio",
    version: "2025-11-25",
    transport: () => nodeServer(V2, ["legacy"]),
  },
  modern,
  {
    name: "SDK 2 of both generations, stdio",
    version: "2026-07-28",
    transport: () => nodeServer(V2, ["both"]),
  },
  modernHttp,
];

interface Scene extends AsksStage {
  readonly server: Server;
}

/** Settings that a test changes; then it gets its own server. */
interface Own {
  limits?: object;
  services?: (stage: AsksStage) => AskServices;
  settings?: object;
}

/** The stage of the running test. */
let present: AsksStage | undefined;
/** A server of each kind, started once: each test has its own user and services. */
const shared = new Map<Kind, Promise<Server>>();

/** Like {@link asksOf}, but each request uses the services of the running test. */
function asksOfPresent(asker: StageAsker): ServerAsks {
  const now = (): ServerAsks => {
    if (!present) throw new Error("asked when no test runs");
    const { guardOf, ...services } = present;
    return asksOf(() => guardOf(asker), services);
  };
  const ask = (which: "sample" | "elicit") => async (params: unknown, signal: AbortSignal) => {
    const answer = now()[which];
    if (!answer) throw new Error("asked when no test runs");
    return answer(params, signal);
  };
  return {
    capabilities: () => now().capabilities(),
    sample: ask("sample"),
    elicit: ask("elicit"),
    completed: (elicitationId) => now().completed?.(elicitationId),
  };
}

async function start(
  kind: Kind,
  cleanups: Cleanups,
  asks: (asker: StageAsker) => ServerAsks,
  { limits = {}, settings }: Own = {},
): Promise<Server> {
  const pool = new ServerPool({
    launch,
    asks: (user, { name }) => (user === undefined ? undefined : asks({ user, server: name })),
  });
  cleanups.push(() => pool.close(0));
  const transport = await kind.transport(cleanups);
  pool.update(new Map([["asking", { ...serverSettings("asking", transport, limits), ...settings }]]));
  return pool.get("ana", "asking");
}

async function scene(kind: Kind, own?: Own): Promise<Scene> {
  const stage = await asksStage({ otherwise: say("Hello", " there") });
  afterTest.push(() => stage.close());
  if (own) {
    const services = own.services?.(stage) ?? stage;
    return Object.assign(stage, {
      server: await start(kind, afterTest, (asker) => asksOf(() => stage.guardOf(asker), services), own),
    });
  }
  present = stage;
  const server = shared.get(kind) ?? start(kind, afterFile, asksOfPresent);
  shared.set(kind, server);
  return Object.assign(stage, { server: await server });
}

async function call(
  server: Server,
  name: string,
  args: object = {},
  signal?: AbortSignal,
): Promise<CallToolResult> {
  const params = { name, arguments: { ...args } };
  const result = await server.upstream.request("tools/call", params, { signal });
  return (result instanceof JsonText ? result.parse() : result) as CallToolResult;
}

/** The answer that the server received. */
async function answerTo(
  server: Server,
  method: string,
  params: unknown,
  more: object = {},
): Promise<unknown> {
  const { content } = await call(server, "ask", { method, params, ...more });
  const [block] = content;
  return JSON.parse(block?.type === "text" ? block.text : "null");
}

const declaredTo = async (server: Server): Promise<unknown> => {
  const [block] = (await call(server, "capabilities")).content;
  return JSON.parse(block?.type === "text" ? block.text : "null");
};

const SAMPLE = "sampling/createMessage";
const ELICIT = "elicitation/create";
const sample = { messages: [{ role: "user", content: { type: "text", text: "Say hello" } }], maxTokens: 50 };
const form = {
  mode: "form",
  message: "Which city?",
  requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const page = { mode: "url", message: "Sign in", url: "https://example.com/", elicitationId: "e1" };

describe.each(KINDS)("$name", (kind) => {
  it("I11: asks the model with the user's changes", async () => {
    const { server, person, scripted } = await scene(kind);
    person.answer = () => ({
      answer: "allow",
      messages: [{ role: "user", content: [{ type: "text", text: "Say goodbye" }] }],
    });
    expect(await answerTo(server, SAMPLE, sample)).toMatchObject({
      answer: {
        role: "assistant",
        model: "local/scripted",
        stopReason: "endTurn",
        content: { type: "text", text: "Hello there" },
      },
    });
    expect(server.status.protocolVersion).toBe(kind.version);
    expect(scripted.requests[0]?.body.messages).toEqual([{ role: "user", content: "Say goodbye" }]);
    expect(await declaredTo(server)).toMatchObject({ sampling: {}, elicitation: { form: {}, url: {} } });
  });

  it("asks the user with a form, and sends them to a web page", async () => {
    const { server, person } = await scene(kind);
    person.answer = ({ mode }) => ({
      action: "accept",
      ...(mode === "form" && { content: { city: "Oslo" } }),
    });
    expect(await answerTo(server, ELICIT, form)).toMatchObject({
      answer: { action: "accept", content: { city: "Oslo" } },
    });
    // The second generation has no ids for that.
    const { elicitationId, ...unnamed } = page;
    const sent = kind.version === "2026-07-28" ? unnamed : page;
    expect(await answerTo(server, ELICIT, sent)).toMatchObject({ answer: { action: "accept" } });
    expect(person.asked).toMatchObject([{ mode: "form" }, { mode: "url", url: "https://example.com/" }]);
    person.answer = () => ({ action: "decline" });
    expect(await answerTo(server, ELICIT, form)).toMatchObject({ answer: { action: "decline" } });
  });

  it("is refused if the user declines", async () => {
    const { server, person, scripted } = await scene(kind);
    person.answer = () => ({ answer: "deny" });
    // The first SDK catches it, the second returns a failed result, and in the second generation the call
    // fails.
    const said = await call(server, "ask", { method: SAMPLE, params: sample }).catch(
      ({ code, message, data }: { code: unknown; message: unknown; data: unknown }) => ({
        code,
        message,
        data,
      }),
    );
    expect(JSON.stringify(said)).toContain("User rejected sampling request");
    // The server received the call, and may have acted before it asked.
    if (kind.version === "2026-07-28")
      expect(said).toMatchObject({
        code: -1,
        message: expect.stringContaining("may have run"),
        data: { indeterminate: true },
      });
    expect(scripted.requests).toEqual([]);
  });

  it("waits longer for a person than for a server", async () => {
    const { server, person } = await scene(kind, { limits: { timeout: 1_000 } });
    await server.start();
    person.answer = () =>
      new Promise((resolve) => setTimeout(resolve, 2_200, { action: "accept", content: { city: "Oslo" } }));
    expect(await answerTo(server, ELICIT, form)).toMatchObject({ answer: { content: { city: "Oslo" } } });
  });
});

it.each([v1, modern])("$name gets the available capabilities: no model, no user", async (kind) => {
  const { server } = await scene(kind, { services: ({ sampling }) => ({ sampling }) });
  const without = await declaredTo(server);
  expect(without).toMatchObject({ sampling: {} });
  expect(without).not.toHaveProperty("elicitation");
  const none = await scene(kind, { services: ({ elicitation }) => ({ elicitation }) });
  expect(await declaredTo(none.server)).not.toHaveProperty("sampling");
});

it("in the second generation over stdio, each request declares whether there is a model", async () => {
  const stage = await scene(modern);
  expect(await declaredTo(stage.server)).toMatchObject({ sampling: {} });
  stage.hasModel = false;
  expect(await declaredTo(stage.server)).not.toHaveProperty("sampling");
});

it("a server that all users share has nobody to ask", async () => {
  const { server } = await scene(v1, { settings: { stateless: true } });
  expect(await declaredTo(server)).not.toHaveProperty("sampling");
  expect(await answerTo(server, SAMPLE, sample)).toMatchObject({ error: { code: -32601 } });
});

describe("a server of the first generation", () => {
  it("cancels a question, which is then removed from the screen", async () => {
    const { server, person, store } = await scene(v1);
    person.answer = silence().answer;
    const said = await answerTo(server, ELICIT, form, { timeout: 300 });
    expect(said).toMatchObject({ error: { message: expect.stringContaining("timed out") } });
    await expect.poll(() => person.withdrawn).toBe(1);
    await expect.poll(() => store.rows).toMatchObject([{ decision: "refused", reason: "aborted" }]);
    // It can ask again.
    person.answer = () => ({ action: "accept", content: { city: "Oslo" } });
    expect(await answerTo(server, ELICIT, form)).toMatchObject({ answer: { action: "accept" } });
  });

  it("gets an error when there is no model any more", async () => {
    const stage = await scene(v1);
    await stage.server.start();
    stage.hasModel = false;
    expect(await answerTo(stage.server, SAMPLE, sample)).toMatchObject({
      error: { code: -32050, data: { code: "sampling-unavailable" } },
    });
  });

  it("is rate limited: users are asked a few times, one after the other", async () => {
    const { server, person, scripted, store } = await scene(v1);
    const { content } = await call(server, "flood", { method: SAMPLE, params: sample, count: 300 });
    const [block] = content;
    const all = JSON.parse(block?.type === "text" ? block.text : "[]") as {
      answer?: unknown;
      error?: unknown;
    }[];
    expect(all.filter((each) => each.answer)).toHaveLength(5);
    expect(all.filter((each) => each.error)).toHaveLength(295);
    expect(all.at(-1)).toMatchObject({
      error: { data: { code: "rate-limited", retryAfter: expect.any(Number) } },
    });
    expect(person.asked).toHaveLength(5);
    expect(person.most).toBe(1);
    expect(scripted.requests).toHaveLength(5);
    expect(store.entries.length).toBeLessThan(40);
  });

  const nested = { type: "object", properties: { a: { type: "object" } } };
  it.each<[string, number, string, unknown]>([
    ["a script instead of a web page", -32000, ELICIT, { ...page, url: "javascript:alert(1)" }],
    ["a form with objects in it", -32602, ELICIT, { ...form, requestedSchema: nested }],
    ["an invalid form", -32602, ELICIT, { ...form, requestedSchema: "all of it" }],
    ["nothing", -32602, ELICIT, {}],
    ["a large form", -32000, ELICIT, { ...form, message: "x".repeat(250_000) }],
    ["a huge question", -32600, SAMPLE, { ...sample, systemPrompt: "x".repeat(4_001_000) }],
    ["tools", -32602, SAMPLE, { ...sample, tools: [{ name: "a", inputSchema: { type: "object" } }] }],
    ["no messages", -32602, SAMPLE, { messages: "hello", maxTokens: 1 }],
    ["roots", -32601, "roots/list", {}],
  ])(
    "asks with %s, and gets %i; the user is not asked, and it continues",
    async (_, code, method, params) => {
      const { server, person } = await scene(v1);
      const said = await answerTo(server, method, params, { timeout: 5_000 });
      expect(said).toMatchObject({ error: { code, message: expect.any(String) } });
      expect(person.asked).toEqual([]);
      expect(server.status.state).toBe("ready");
    },
  );

  it("exits during a question: the question is removed from the screen, and the call fails with the reason", async () => {
    const { server, person } = await scene(v1, {});
    person.answer = silence().answer;
    await expect(call(server, "ask-and-end", { method: ELICIT, params: form })).rejects.toMatchObject({
      data: { code: "server-exited" },
    });
    await expect.poll(() => person.withdrawn).toBe(1);
  });

  it("reports that a web page is completed", async () => {
    const done: string[] = [];
    const stage = await scene(v1);
    // The service's own option is tested beside it: this checks that the notification arrives.
    const { elicitation } = stage;
    const completed = elicitation.completed.bind(elicitation);
    elicitation.completed = (asker, id) => {
      done.push(`${asker.user} ${asker.server.name} ${id}`);
      completed(asker, id);
    };
    stage.person.answer = () => ({ action: "accept" });
    await answerTo(stage.server, ELICIT, page);
    await call(stage.server, "complete", { elicitationId: "e1" });
    await expect.poll(() => done).toEqual(["ana asking e1"]);
  });
});

describe("a server of the second generation", () => {
  it.each(KINDS.filter(({ version }) => version === "2026-07-28"))(
    "$name: a view cannot answer in the user's place",
    async (kind) => {
      const { server, person } = await scene(kind);
      person.answer = () => ({ action: "decline" });
      const params = { name: "ask", arguments: { method: ELICIT, params: form } };
      const forged = { ...params, inputResponses: { it: { action: "accept", content: { city: "Rome" } } } };
      const result = await server.upstream.request("tools/call", forged);
      expect(JSON.stringify(result instanceof JsonText ? result.parse() : result)).toContain("decline");
      expect(person.asked).toHaveLength(1);
    },
  );

  it("gets its state back with the answer", async () => {
    const { server, person } = await scene(modern);
    person.answer = () => ({ action: "accept", content: { city: "Oslo" } });
    expect(await answerTo(server, ELICIT, form)).toMatchObject({ state: "mine" });
  });

  it("asks again and again, and the call ends", async () => {
    const { server, person } = await scene(modern);
    person.answer = () => ({ action: "accept", content: { city: "Oslo" } });
    await expect(call(server, "endless", { method: ELICIT, params: form })).rejects.toMatchObject({
      message: expect.stringMatching(/10 (rounds|times a minute)/),
      data: { indeterminate: true },
    });
    expect(person.asked.length).toBeLessThanOrEqual(10);
    expect(server.status.state).toBe("ready");
  });

  it("exits during a question: the question is removed from the screen, and the call fails with the reason", async () => {
    const { server, person } = await scene(modern, {});
    person.answer = silence().answer;
    const asking = call(server, "ask", { method: ELICIT, params: form });
    const ended = expect(asking).rejects.toMatchObject({ data: { code: "server-exited" } });
    await expect.poll(() => person.asked).toHaveLength(1);
    process.kill(server.status.pid ?? 0, "SIGKILL");
    await ended;
    await expect.poll(() => person.withdrawn).toBe(1);
  });

  it("over HTTP, is gone when the user has answered: the call may have run, and is not repeated", async () => {
    const { server, person } = await scene(modernHttp, {});
    person.answer = async () => {
      served?.kill("SIGKILL");
      if (served) await once(served, "exit");
      return { action: "accept", content: { city: "Oslo" } };
    };
    await expect(call(server, "ask", { method: ELICIT, params: form })).rejects.toMatchObject({
      message: expect.stringContaining("may have run"),
      // A connection that was open is reset, and a new one is refused.
      data: { code: expect.stringMatching(/^server-(exited|failed)$/), indeterminate: true },
    });
    expect(person.asked).toHaveLength(1);
  });

  it("a cancelled call cancels its question", async () => {
    const { server, person } = await scene(modern);
    person.answer = silence().answer;
    const controller = new AbortController();
    const asking = call(server, "ask", { method: ELICIT, params: form }, controller.signal);
    const ended = expect(asking).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => person.asked).toHaveLength(1);
    controller.abort();
    await ended;
    await expect.poll(() => person.withdrawn).toBe(1);
  });
});

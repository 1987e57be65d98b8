/**
 * Requests of hostile apps at every entry point of a real gateway: a view's channel and the page's own, over
 * a WebSocket and over HTTP, the API for programs, and the host endpoint for views that a program displays. A
 * real server behind it records the requests that reach it.
 *
 * Attacks of part C that end before the gateway are tested where they end, in `packages/host/src`: handshakes
 * out of order (C11), display modes (C12) and sizes (C13) in `bridge-hostile.test.ts`, `service.test.ts`,
 * `frame/frame.browser.test.ts` and `isolation-bridge.browser.test.ts`; tools of apps and their answers (C17,
 * C18) in `app-tools.test.ts`; clicks on the prompt (C21) in `frame/prompt.browser.test.ts`. Messages that
 * such an app could make its page forward are tested here nevertheless: `ui/initialize`, `elicitation/create`
 * (C26) and the sandbox's own messages are methods that no view has (C07).
 */
import { recordOf, VitrineError } from "@vitrine/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EntryPoints, type RawPage, TRANSPORTS } from "../../../testing/gateway/entry-points.js";
import {
  type Before,
  type EntryPoint,
  GUARD_CONTROLS,
  GUARD_TABLE,
  type GuardCase,
  notedOf,
} from "../../../testing/gateway/guard-table.js";
import { STATUSES } from "./http/http-error.js";

type Over = (typeof TRANSPORTS)[number];
type Call = GuardCase["call"];
/** `host`: the host endpoint, which answers requests of views. */
type AnyEntryPoint = EntryPoint | "host";

/**
 * Several users take turns, because refusals of a user beyond a rate are summarized in one row per second.
 */
const USERS = ["ann", "bea", "cal", "dan", "eve", "fay"];

let entryPoints: EntryPoints;
/** Actions of the host endpoint. */
const done: string[] = [];
const pages = new Map<string, Record<Over, RawPage>>();

beforeAll(async () => {
  // A single process for all of them; `cross-session.test.ts` covers several.
  const settings = { shop: { stateless: true, start: "eager" } };
  const handlers = {
    openLink: () => void done.push("openLink"),
    message: () => void done.push("message"),
    downloadFile: () => void done.push("downloadFile"),
    createMessage: () => {
      done.push("createMessage");
      throw new Error("there is no model");
    },
  };
  entryPoints = await EntryPoints.open(USERS, settings, { host: () => ({ handlers }) });
  for (const user of USERS) {
    const [websocket, http] = await Promise.all([
      entryPoints.page(user, "websocket"),
      entryPoints.page(user, "http"),
    ]);
    pages.set(user, { websocket, http });
  }
  await entryPoints.gateway.api.catalogue({ user: "ann" }, "shop");
});
afterAll(() => entryPoints.close());

/** An entry point with a caller. */
interface Caller {
  readonly user: string;
  readonly entryPoint: AnyEntryPoint;
  /** Sends a request there. */
  send(call: Call): Promise<unknown>;
  /** Closes the view. */
  close(): Promise<unknown>;
}

const pageOf = (user: string, over: Over): RawPage => {
  const page = pages.get(user)?.[over];
  if (!page) throw new Error(`${user} has no page`);
  return page;
};

async function placeOf(user: string, entryPoint: AnyEntryPoint, over: Over): Promise<Caller> {
  const page = pageOf(user, over);
  if (entryPoint === "host") {
    const send = async ({ method, params }: Call) => {
      const { body } = await entryPoints.host(user, { id: 1, method, params });
      const { code, message, data } = recordOf(body["error"]);
      if (code !== undefined) throw new VitrineError(Number(code), `${message}`, { data });
      return body["result"];
    };
    return { user, entryPoint, send, close: async () => {} };
  }
  if (entryPoint === "direct") {
    const send = async ({ method, params, key }: Call) => {
      const headers: Record<string, string> = key ? { "idempotency-key": `${user}.${key}` } : {};
      const { status, body } = await entryPoints.post(user, `/api/servers/shop/${method}`, params, headers);
      if (status === 200) return body;
      const { code, message } = body["error"] as { code: string; message: string };
      throw new VitrineError(status, message, { data: { code } });
    };
    return { user, entryPoint, send, close: async () => {} };
  }
  if (entryPoint === "page") {
    const send = ({ params, key }: Call) =>
      page.ask(".", "gateway/call", { server: "shop", ...params }, key && `${over}-${key}`);
    return { user, entryPoint, send, close: async () => {} };
  }
  const { view } = await page.request("gateway/open", { server: "shop", tool: "show" });
  const send = ({ method, params, key }: Call) => page.ask(view, method, params, key && `${view}-${key}`);
  return { user, entryPoint, send, close: () => page.request("gateway/close", { view }) };
}

const callTool = (name: string, input: object = {}): Call => ({
  method: "tools/call",
  params: { name, arguments: input },
});

/** Sets the user's answer, in all of their pages. */
const answerWith = (user: string, answer: "allow" | "deny") => {
  for (const over of TRANSPORTS) pageOf(user, over).answer = () => ({ answer, remember: "always" });
};

const BEFORE: Record<Before, (caller: Caller) => Promise<unknown>> = {
  "view-closed": (caller) => caller.close(),
  "tool-added": (caller) => caller.send(callTool("control", { late: true })),
  "key-used": (caller) => caller.send({ ...callTool("look"), key: "nonce.1" }),
  "tool-changed": async (caller) => {
    answerWith(caller.user, "allow");
    await caller.send(callTool("change"));
    answerWith(caller.user, "deny");
    // The approval must be valid, or the refusal below would prove nothing.
    await caller.send(callTool("change"));
    await caller.send(callTool("control", { description: "Changes everything" }));
  },
};

/** Restores the initial state. */
async function reset(user: string): Promise<void> {
  await entryPoints.post(user, "/api/servers/shop/tools/call", callTool("control").params);
  await entryPoints.gateway.api.consents.revoke({ user }, { server: "shop" });
  await entryPoints.gateway.api.catalogue({ user }, "shop");
}

/** Programs get a code and a status; pages get a code and a number. */
const expectedOf = (each: GuardCase, entryPoint: AnyEntryPoint): unknown[] => {
  const { code, rpcCode } = each.expect;
  if (entryPoint === "host") return hostExpectation(each).reported;
  return [code, entryPoint === "direct" ? STATUSES[code] : rpcCode];
};

/**
 * The host endpoint refuses some requests before the guard, with JSON-RPC errors. The record contains the
 * guard's codes.
 */
function hostExpectation({ call, expect: { code, rpcCode } }: GuardCase): {
  reason: string;
  reported: unknown[];
} {
  const { method } = call;
  if (JSON.stringify(call).length > 1_000_000) return { reason: "too-large", reported: [-32600, -32600] };
  // A message that can only come from the user counts as theirs, so the user is asked.
  if (method === "ui/message" && code === "invalid-params")
    return { reason: "denied", reported: ["denied", -32000] };
  // A view there could not be notified of its subscriptions.
  if (code === "method-unknown" || method === "resources/subscribe")
    return { reason: "method-unknown", reported: [-32601, -32601] };
  return { reason: code, reported: [code, rpcCode] };
}

const codeOf = (error: unknown): unknown => {
  if (!(error instanceof VitrineError)) return error;
  const { code } = recordOf(error.data);
  return [code ?? (error.code === -32602 ? "invalid-params" : error.code), error.code];
};

/** Whether the gateway itself preloads this UI. */
const isReadAhead = (call: string): boolean =>
  /^resources\/read \S+\/(cart|camera|broken|mapped)\.html$/.test(call);

/**
 * A program's request without a tool name is rejected as malformed, like any other body: it is not a call.
 */
const isFormless = ({ call }: GuardCase, entryPoint: AnyEntryPoint): boolean => {
  const { name } = call.params;
  return entryPoint === "direct" && typeof name === "string" && (name === "" || name.length > 500);
};

/** Every case at every entry point, and every page over both transports. */
const spread = <T extends { entryPoints: readonly EntryPoint[] }>(cases: readonly T[]) =>
  cases
    .flatMap((each) =>
      each.entryPoints.flatMap((entryPoint) =>
        (entryPoint === "direct" ? (["http"] as const) : TRANSPORTS).map((over) => ({
          each,
          entryPoint,
          over,
        })),
      ),
    )
    .map((row, index) => ({ ...row, user: USERS[index % USERS.length] ?? "" }));

/** The cases for the host endpoint, which has a handshake, no keys, and no views to close. */
const spreadHost = <T extends Pick<GuardCase, "entryPoints" | "call" | "before">>(cases: readonly T[]) =>
  cases
    .filter(({ entryPoints, call: { method, key }, before }) => {
      return entryPoints.includes("view") && method !== "ui/initialize" && !key && before !== "view-closed";
    })
    .map((each, index) => ({
      each,
      entryPoint: "host" as AnyEntryPoint,
      over: "http" as Over,
      user: USERS[index % USERS.length] ?? "",
    }));

const attacks = [...spread(GUARD_TABLE), ...spreadHost(GUARD_TABLE)].map(
  (row) => [`attack ${row.each.id}: ${row.each.title}`.slice(0, 120), row.entryPoint, row.over, row] as const,
);

describe("requests of hostile apps", () => {
  it.each(attacks)(
    "%s (%s, %s) is refused before it reaches the server, with one row",
    async (_title, _entryPoint, _over, { each, entryPoint, over, user }) => {
      const caller = await placeOf(user, entryPoint, over);
      if (each.before) await BEFORE[each.before](caller);
      const earlier = {
        calls: entryPoints.calls.length,
        row: await entryPoints.lastRow(user),
        done: done.length,
      };
      const error = await caller.send(each.call).catch((reason: unknown) => reason);
      const isCall = !isFormless(each, entryPoint);
      expect(codeOf(error)).toEqual(isCall ? expectedOf(each, entryPoint) : ["bad-request", 400]);
      const calls = entryPoints.calls.slice(earlier.calls).filter((call) => !isReadAhead(call));
      expect(calls).toHaveLength(each.expect.upstreamCalls);
      expect(done.slice(earlier.done)).toEqual([]);
      const { question } = each.expect;
      // A program's question is shown in the user's newest page, whichever that is.
      if (question && entryPoint === "view") expect(pageOf(user, over).asked.at(-1)).toMatchObject(question);
      const rows = (await entryPoints.rows(user, earlier.row)).filter(({ kind }) => kind === "entry");
      expect(rows).toHaveLength(isCall ? each.expect.auditRows : 0);
      if (isCall) {
        expect(rows[0]).toMatchObject({
          user,
          server: "shop",
          decision: "refused",
          reason: entryPoint === "host" ? hostExpectation(each).reason : each.expect.code,
          actor: { view: "view", direct: "http", page: "host", host: "http" }[entryPoint],
          ...(entryPoint === "host" && { view: "host" }),
        });
      }
      if (each.before) await reset(user);
      // Another view of the same program would not be asked again.
      else if (entryPoint === "host")
        await entryPoints.gateway.api.consents.revoke({ user }, { server: "shop" });
    },
  );

  const controls = [...spread(GUARD_CONTROLS), ...spreadHost(GUARD_CONTROLS)].map(
    (row) => [row.each.title, row.entryPoint, row.over, row] as const,
  );

  it.each(controls)(
    "control: %s (%s, %s) runs once, with one entry and one outcome",
    async (_title, _entryPoint, _over, { each, entryPoint, over, user }) => {
      const caller = await placeOf(user, entryPoint, over);
      const earlier = { calls: entryPoints.calls.length, row: await entryPoints.lastRow(user) };
      await expect(caller.send(each.call)).resolves.toMatchObject(each.answer ?? {});
      expect(entryPoints.calls.slice(earlier.calls)).toEqual(notedOf(each.call));
      const kinds = async () =>
        (await entryPoints.rows(user, earlier.row)).map(({ kind, decision, outcome }) => [
          kind,
          decision ?? outcome,
        ]);
      await expect.poll(kinds).toEqual([
        ["entry", "allowed"],
        ["outcome", "ok"],
      ]);
    },
  );
});

describe.each(TRANSPORTS)("a hostile page (%s)", (over) => {
  it("attack C09: only the first of two answers to a question counts", async () => {
    const page = pageOf("ann", over);
    page.answer = () => new Promise(() => {});
    const { view } = await page.request("gateway/open", { server: "shop", tool: "show" });
    const before = page.asked.length;
    const call = page.ask(view, "tools/call", { name: "change" });
    await expect.poll(() => page.asked).toHaveLength(before + 1);
    const id = page.asked.at(-1)?.id;
    page.send(".", { id, result: { answer: "deny" } });
    page.send(".", { id, result: { answer: "allow", remember: "always" } });
    await expect(call).rejects.toMatchObject({ data: { code: "denied" } });
    expect(await entryPoints.gateway.api.consents.list({ user: "ann" })).toEqual([]);
  });

  it("attack C09: a question can be answered only where it was asked", async () => {
    const page = pageOf("ann", over);
    const stranger = pageOf("bea", over);
    page.answer = () => new Promise(() => {});
    const { view } = await page.request("gateway/open", { server: "shop", tool: "show" });
    const before = page.asked.length;
    const calls = entryPoints.calls.length;
    const call = page.ask(view, "tools/call", { name: "change" });
    await expect.poll(() => page.asked).toHaveLength(before + 1);
    const id = page.asked.at(-1)?.id;
    const yes = { id, result: { answer: "allow" } };
    // Another user, another page of the same user, and the view itself.
    stranger.send(".", yes);
    pageOf("ann", over === "http" ? "websocket" : "http").send(".", yes);
    page.send(view, yes);
    for (const other of [stranger, page, pageOf("ann", "websocket"), pageOf("ann", "http")])
      await other.request("gateway/servers", {});
    page.send(".", { id, result: { answer: "deny" } });
    await expect(call).rejects.toMatchObject({ data: { code: "denied" } });
    expect(entryPoints.calls.slice(calls)).toEqual([]);
  });

  it("attack C10: an answer without a question is dropped, without a response or a row", async () => {
    const page = pageOf("cal", over);
    const { view } = await page.request("gateway/open", { server: "shop", tool: "show" });
    const row = await entryPoints.lastRow("cal");
    const { stray } = page;
    const before = stray.length;
    for (const channel of [".", view]) {
      for (const id of ["q999", 7, "__proto__"]) page.send(channel, { id, result: { answer: "allow" } });
      page.send(channel, { id: "q998", error: { code: 1, message: "no" } });
    }
    await expect(page.ask(view, "tools/call", { name: "look" })).resolves.toBeDefined();
    expect(stray.slice(before)).toEqual([]);
    const rows = await entryPoints.rows("cal", row);
    expect(rows.filter(({ kind }) => kind === "entry")).toMatchObject([{ target: "look" }]);
  });

  it("attack C15: of 100 messages at once, the user is asked about the first few, and the rest adds one row", async () => {
    const page = pageOf("dan", over);
    page.answer = () => ({ answer: "allow" });
    const { view } = await page.request("gateway/open", { server: "shop", tool: "show" });
    const row = await entryPoints.lastRow("dan");
    const message = { role: "user", content: [{ type: "text", text: "hello" }] };
    const sent = await Promise.allSettled(
      Array.from({ length: 100 }, () => page.ask(view, "ui/message", message)),
    );
    const refused = sent.filter(({ status }) => status === "rejected");
    // Ten at once, and one more for each second that this took.
    expect(refused.length).toBeGreaterThan(60);
    for (const each of refused) expect(each).toMatchObject({ reason: { data: { code: "rate-limited" } } });
    const rows = (await entryPoints.rows("dan", row)).filter(({ decision }) => decision === "refused");
    expect(rows.length).toBeLessThan(30);
    expect(rows[0]).toMatchObject({ reason: "rate-limited", method: "ui/message" });
  });

  it("attack C20: a repeated request is answered again, and runs once", async () => {
    const page = pageOf("eve", over);
    const { view } = await page.request("gateway/open", { server: "shop", tool: "show" });
    const calls = entryPoints.calls.length;
    const id = page.nextId();
    const look = { name: "look", arguments: { amount: 1 } };
    const first = await page.ask(view, "tools/call", look, id);
    expect(await page.ask(view, "tools/call", look, id)).toEqual(first);
    expect(entryPoints.calls.slice(calls)).toEqual(["tools/call look"]);
  });

  it("attack C20: another view does not get an answer with its key", async () => {
    const page = pageOf("eve", over);
    const [one, two] = await Promise.all(
      [1, 2].map(() => page.request("gateway/open", { server: "shop", tool: "show" })),
    );
    const id = page.nextId();
    const look = { name: "look", arguments: {} };
    await page.ask(one?.view ?? "", "tools/call", look, id);
    await expect(page.ask(two?.view ?? "", "tools/call", look, id)).rejects.toMatchObject({
      data: { code: "conflict" },
    });
  });
});

it("attack C20: a program's repeated request with its key is answered again, and runs once", async () => {
  const calls = entryPoints.calls.length;
  const again = () =>
    entryPoints.post("fay", "/api/servers/shop/tools/call", { name: "look" }, { "idempotency-key": "fay-1" });
  const first = await again();
  expect(first.status).toBe(200);
  expect(await again()).toEqual(first);
  expect(entryPoints.calls.slice(calls)).toEqual(["tools/call look"]);
});

it("control: an approved request runs at the host endpoint, with one entry and one outcome", async () => {
  const row = await entryPoints.lastRow("ann");
  answerWith("ann", "allow");
  const caller = await placeOf("ann", "host", "http");
  await expect(
    caller.send({ method: "ui/open-link", params: { url: "https://good.example/" } }),
  ).resolves.toEqual({});
  answerWith("ann", "deny");
  expect(done.splice(0)).toEqual(["openLink"]);
  await expect
    .poll(() => entryPoints.rows("ann", row))
    .toMatchObject([
      { kind: "entry", actor: "http", view: "host", target: "good.example", reason: "asked" },
      { kind: "outcome", outcome: "ok" },
    ]);
  await entryPoints.gateway.api.consents.revoke({ user: "ann" }, { server: "shop" });
});

it("a flood of invalid requests at the host endpoint writes a few rows, and counts all of them", async () => {
  const row = await entryPoints.lastRow("bea");
  const denials = 'vitrine_denials_total{code="method-unknown"}';
  const before = entryPoints.metric(denials);
  const nonsense = () => entryPoints.host("bea", { id: 1, method: "no/such", params: {} });
  const began = performance.now();
  for (const { status } of await Promise.all(Array.from({ length: 60 }, nonsense))) expect(status).toBe(404);
  // A window of a second may start at any moment.
  const windows = Math.ceil((performance.now() - began) / 1000) + 1;
  expect(entryPoints.metric(denials)).toBe(before + 60);
  const counted = (reason = "") => Number(/^method-unknown ×(\d+)$/.exec(reason)?.[1] ?? 1);
  const reported = async () =>
    (await entryPoints.rows("bea", row)).reduce((sum, { reason }) => sum + counted(reason), 0);
  await expect.poll(reported, { timeout: 5000 }).toBe(60);
  // 20 rows per window, and one that counts the rest.
  expect((await entryPoints.rows("bea", row)).length).toBeLessThanOrEqual(21 * windows);
});

it("requests for a closed view add one row each, and a flood adds a few", async () => {
  const page = pageOf("fay", "websocket");
  const row = await entryPoints.lastRow("fay");
  const flood = Array.from({ length: 100 }, () => page.ask("vNobody", "tools/call", { name: "look" }));
  for (const each of await Promise.allSettled(flood))
    expect(each).toMatchObject({ reason: { data: { code: "view-unknown" } } });
  const rows = () => entryPoints.rows("fay", row);
  const counted = (reason = "") => Number(/^view-unknown ×(\d+)$/.exec(reason)?.[1] ?? 1);
  const reported = async () => (await rows()).reduce((sum, { reason }) => sum + counted(reason), 0);
  await expect.poll(reported).toBe(100);
  expect((await rows()).length).toBeLessThan(80);
  expect((await rows())[0]).toMatchObject({ view: "vNobody", server: "", target: "look" });
});

describe("C02, attack C04: the list for a model contains no app-only tool", () => {
  const namesOf = ({ tools }: { tools: { name: string }[] }) => tools.map(({ name }) => name);

  it.each(TRANSPORTS)("in a page (%s)", async (over) => {
    const page = pageOf("ann", over);
    const offered = async (who?: "model" | "app") =>
      namesOf(await page.request("gateway/catalogue", { server: "shop", for: who }));
    expect(await offered("model")).toEqual(expect.arrayContaining(["look", "secret"]));
    expect(await offered("model")).not.toContain("inner");
    expect(await offered("app")).not.toContain("secret");
    expect(await offered()).toEqual(expect.arrayContaining(["inner", "secret"]));
    await expect(page.ask(".", "gateway/catalogue", { server: "shop", for: "all" })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("over HTTP", async () => {
    const { origin } = entryPoints.gateway;
    const get = (query: string) =>
      fetch(`${origin}/api/servers/shop${query}`, {
        headers: { authorization: `Bearer ${entryPoints.tokenOf("ann")}` },
      });
    const names = namesOf(await (await get("?for=model")).json());
    expect(names).toContain("secret");
    expect(names).not.toContain("inner");
    expect(namesOf(await (await get("")).json())).toContain("inner");
    expect((await get("?for=all")).status).toBe(400);
  });
});

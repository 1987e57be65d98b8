/** A user watches the HTTP requests to real servers through a whole gateway: nothing secret reaches the page. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import type { WatchedExchange } from "@vitrine/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { type HttpServer, startHttpServer } from "../../../testing/gateway/http-server.js";
import { serveProgram } from "../../../testing/gateway/served-program.js";

const WHOLE = fileURLToPath(new URL("../../../testing/gateway/whole-server.mjs", import.meta.url));
const TOKENS = { ann: "a".repeat(32), bea: "b".repeat(32) };
/** Each is sent by the gateway or by the server, and none may reach a page. */
const SECRETS = {
  bearer: "tok-8fb1c2d7",
  key: "key-5d0e77aa",
  query: "query-secret-91",
  path: "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg",
  cookie: "cookie-value-3344",
  field: "forty-two-and-a-half",
};
const SESSION = "session-4f1d9a0c-private-part";

let folder: string;
let gateway: RunningGateway;
let byHand: HttpServer;
const ends: (() => Promise<void>)[] = [];
const pages: RawPage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-watched-http-"));
  byHand = await startHttpServer();
  byHand.answer = answer;
  const remote = await serveProgram(WHOLE, ["modern", "http"]);
  ends.push(remote.close, byHand.close);
  const url = new URL(byHand.url);
  url.pathname = `/s/${SECRETS.path}/mcp`;
  url.searchParams.set("api_key", SECRETS.query);
  const headers = { Authorization: `Bearer ${SECRETS.bearer}`, "X-Odd-Name": SECRETS.key };
  ({ gateway } = await startTestGateway(
    {
      users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })),
      audit: { redact: ["shoe_size"] },
      mcpServers: {
        hand: { url: url.href, headers },
        remote: { url: remote.url, oauth: false },
        shared: { url: `${remote.url}?shared`, oauth: false, stateless: true },
        gone: { url: "http://127.0.0.1:1/mcp", oauth: false },
      },
    },
    join(folder, "data"),
  ));
}, 60_000);
afterAll(async () => {
  for (const page of pages) page.close();
  await gateway.close(0);
  for (const end of ends) await end();
  await rm(folder, { recursive: true, force: true });
});

/** A server that repeats every secret that it knows. */
const answer: HttpServer["answer"] = ({ id, method, headers, params }, response) => {
  response.setHeader("set-cookie", [`sid=${SECRETS.cookie}; HttpOnly`, `other=${SECRETS.cookie}2`]);
  response.setHeader("x-echo", `${headers["x-odd-name"]}`);
  response.setHeader("server", `by-hand ${headers["x-odd-name"]} ${SECRETS.cookie}`);
  if (method === "initialize") {
    byHand.session = SESSION;
    response.setHeader("mcp-session-id", SESSION);
    response.setHeader("content-type", "application/json");
    const result = {
      protocolVersion: params?.["protocolVersion"],
      capabilities: { tools: {} },
      serverInfo: { name: "hand", version: "1" },
    };
    return !!response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
  if (method === "tools/list") {
    response.setHeader("content-type", "application/json");
    const tools = [{ name: "fail", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];
    return !!response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { tools } }));
  }
  if (method !== "tools/call") return false;
  response.writeHead(500, { "content-type": "application/json" });
  const error = { sent: headers["authorization"], shoe_size: SECRETS.field, why: "out of order" };
  return !!response.end(JSON.stringify(error));
};

async function open(user: keyof typeof TOKENS = "ann"): Promise<RawPage> {
  const page = new RawPage({ origin: gateway.origin, token: TOKENS[user], over: "websocket" });
  pages.push(page);
  await page.request("gateway/servers", {});
  return page;
}

/** The last state of each exchange. */
function exchanges(page: RawPage): WatchedExchange[] {
  const all = page.notices("gateway/http").flatMap((notice) => notice.exchanges);
  return [...new Map(all.map((each) => [each.seq, each])).values()];
}
const call = (page: RawPage, server: string, name: string, input: Record<string, unknown> = {}) =>
  page.request("gateway/call", { server, name, arguments: input });
const ofCalls = (page: RawPage) => exchanges(page).filter(({ rpc }) => rpc?.method === "tools/call");
const headerOf = (headers: [string, string][] | undefined, name: string) =>
  headers?.flatMap(([key, value]) => (key === name ? [value] : []));

it("each request is shown with its address, status, times, size and headers, while the page watches", async () => {
  const page = await open();
  await call(page, "remote", "add", { a: 1, b: 1 });
  expect(exchanges(page)).toEqual([]);
  await page.request("gateway/watch", { server: "remote", messages: true });
  await call(page, "remote", "add", { a: 1, b: 2 });
  await expect.poll(() => ofCalls(page)[0]?.end?.isWhole).toBe(true);
  const [exchange] = ofCalls(page);
  expect(exchange).toMatchObject({
    request: { method: "POST", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/) },
    rpc: { method: "tools/call" },
    response: { status: 200, duration: expect.any(Number) },
    by: { actor: "host" },
    trace: expect.stringMatching(/^[\da-f]{32}$/),
  });
  expect(exchange?.end?.size).toBeGreaterThan(50);
  expect(headerOf(exchange?.request.headers, "mcp-protocol-version")).toEqual(["2026-07-28"]);
  expect(headerOf(exchange?.request.headers, "mcp-name")).toEqual(["add"]);
  expect(headerOf(exchange?.response?.headers, "content-type")).toHaveLength(1);
  const message = page
    .notices("gateway/traffic")
    .flatMap(({ messages }) => messages)
    .find(({ method }) => method === "tools/call");
  expect(exchange?.rpc?.id).toBe(message?.id);

  await page.request("gateway/unwatch", { server: "remote" });
  await call(page, "remote", "add", { a: 2, b: 2 });
  await page.request("gateway/watch", { server: "remote", messages: false });
  await call(page, "remote", "add", { a: 2, b: 2 });
  expect(ofCalls(page)).toHaveLength(1);
});

describe("secrets", () => {
  it("are masked in addresses, headers and errors, whatever repeats them", async () => {
    const page = await open();
    await page.request("gateway/watch", { server: "hand", messages: true });
    await page.request("gateway/restart", { server: "hand" });
    await call(page, "hand", "fail").catch(() => {});
    await expect.poll(() => ofCalls(page)[0]?.end).toBeDefined();
    const [failed] = ofCalls(page);
    expect(failed?.response?.status).toBe(500);
    expect(failed?.response?.body?.text).toContain("out of order");
    expect(headerOf(failed?.request.headers, "authorization")).toEqual(["Bearer [masked]"]);
    expect(headerOf(failed?.response?.headers, "set-cookie")).toEqual(["[masked]", "[masked]"]);
    expect(headerOf(failed?.response?.headers, "server")).toEqual(["by-hand [masked] [masked]"]);
    expect(failed?.request.url).toMatch(/\/s\/\[masked\]\/mcp\?api_key=\[masked\]$/);
    // A part of the session's id tells sessions apart.
    expect(headerOf(failed?.request.headers, "mcp-session-id")).toEqual([
      `sess… [masked] (${SESSION.length} characters)`,
    ]);
    const heard = JSON.stringify(page.notices("gateway/http"));
    for (const secret of [...Object.values(SECRETS), SESSION]) expect(heard).not.toContain(secret);
  });
});

it("a server that cannot be reached gives the reason", async () => {
  const page = await open();
  await page.request("gateway/watch", { server: "gone", messages: true });
  await page.request("gateway/start", { server: "gone" }).catch(() => {});
  await expect.poll(() => exchanges(page)[0]?.failure).toMatchObject({ code: "ECONNREFUSED" });
});

it("at a shared server, a user sees only the requests of the own calls", async () => {
  const [ann, bea] = [await open(), await open("bea")];
  for (const page of [ann, bea]) {
    await page.request("gateway/start", { server: "shared" });
    await page.request("gateway/watch", { server: "shared", messages: true });
  }
  await call(ann, "shared", "add", { a: 1, b: 1 });
  await expect.poll(() => ofCalls(ann)[0]?.end).toBeDefined();
  await call(bea, "shared", "add", { a: 2, b: 2 });
  await expect.poll(() => ofCalls(bea)[0]?.end).toBeDefined();
  // Notifications keep their order: what ann gets of bea's call would come before this.
  await call(ann, "shared", "steps");
  await expect.poll(() => ofCalls(ann).at(-1)?.request.headers).toContainEqual(["mcp-name", "steps"]);
  expect([ofCalls(ann).length, ofCalls(bea).length]).toEqual([2, 1]);
  expect(exchanges(ann).every(({ by }) => by !== undefined)).toBe(true);
});

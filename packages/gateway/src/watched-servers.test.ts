/** A user watches real servers through a whole gateway: messages, log lines, tasks and icons. */

import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import type { TrafficMessage } from "@vitrine/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { serveProgram } from "../../../testing/gateway/served-program.js";

const script = (name: string) =>
  fileURLToPath(new URL(`../../../testing/gateway/${name}.mjs`, import.meta.url));
const WHOLE = script("whole-server");
const TOKENS = { ann: "a".repeat(32), bea: "b".repeat(32) };
const program = (...args: string[]) => ({ command: process.execPath, args: [WHOLE, ...args] });

let folder: string;
let gateway: RunningGateway;
const ends: (() => Promise<void>)[] = [];
const pages: RawPage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-watched-"));
  const remote = await serveProgram(WHOLE, ["modern", "http"]);
  ends.push(remote.close);
  ({ gateway } = await startTestGateway(
    {
      users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })),
      audit: { redact: ["password"] },
      mcpServers: {
        legacy: program("legacy"),
        modern: program("modern"),
        remote: { url: remote.url, oauth: false },
        shared: { ...program("legacy"), stateless: true },
        tasks: { command: process.execPath, args: [script("tasks-server")] },
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

async function open(user: keyof typeof TOKENS = "ann"): Promise<RawPage> {
  const page = new RawPage({ origin: gateway.origin, token: TOKENS[user], over: "websocket" });
  pages.push(page);
  await page.request("gateway/servers", {});
  return page;
}

const traffic = (page: RawPage): TrafficMessage[] =>
  page.notices("gateway/traffic").flatMap(({ messages }) => messages);
const call = (page: RawPage, server: string, name: string, input: Record<string, unknown> = {}) =>
  page.request("gateway/call", { server, name, arguments: input });

describe.each(["legacy", "modern", "remote"])("messages of the server %s", (server) => {
  it("are shown in order, with their answers, times and traces, while the page watches", async () => {
    const page = await open();
    await call(page, server, "add", { a: 1, b: 1 });
    await page.request("gateway/watch", { server, messages: true });
    await call(page, server, "add", { a: 1, b: 2 });
    const ofCall = () => traffic(page).filter(({ method }) => method === "tools/call");
    await expect.poll(() => ofCall().length).toBe(2);
    const [request, answer] = ofCall();
    expect(request).toMatchObject({
      direction: "to-server",
      kind: "request",
      trace: expect.stringMatching(/^[\da-f]{32}$/),
    });
    expect(answer).toMatchObject({
      direction: "from-server",
      kind: "result",
      id: request?.id,
      trace: request?.trace,
    });
    expect(answer?.duration).toBeGreaterThanOrEqual(0);
    expect(JSON.parse(request?.text ?? "")).toMatchObject({
      params: { name: "add", arguments: { a: 1, b: 2 } },
    });
    expect(JSON.parse(answer?.text ?? "")).toMatchObject({ result: { structuredContent: { sum: 3 } } });
    expect(answer?.size).toBeGreaterThan(50);

    await page.request("gateway/unwatch", { server });
    await call(page, server, "add", { a: 2, b: 2 });
    expect(ofCall()).toHaveLength(2);
  });

  it("have their secrets masked, as in the audit log", async () => {
    const page = await open();
    await page.request("gateway/watch", { server, messages: true });
    await call(page, server, "ask", { method: "x", params: { password: "hunter2" } }).catch(() => {});
    await expect
      .poll(() =>
        traffic(page)
          .map(({ text = "" }) => text)
          .join(),
      )
      .toContain("[redacted]");
    expect(JSON.stringify(traffic(page))).not.toContain("hunter2");
  });

  it("include progress, the server's questions, and their answers", async () => {
    const page = await open();
    page.answers["gateway/elicit"] = () => ({ action: "accept", content: { city: "Oslo" } });
    await page.request("gateway/watch", { server, messages: true });
    await call(page, server, "steps");
    const requestedSchema = { type: "object", properties: { city: { type: "string" } } };
    const params = { mode: "form", message: "Where?", requestedSchema };
    const result = await call(page, server, "ask", { method: "elicitation/create", params });
    expect(JSON.stringify(result.content)).toContain("Oslo");
    await expect
      .poll(() => traffic(page).filter(({ method }) => method === "notifications/progress"))
      .toHaveLength(3);
    const trace = traffic(page).find(({ method }) => method === "tools/call")?.trace;
    const progress = traffic(page).find(({ method }) => method === "notifications/progress");
    expect(progress?.trace).toBe(trace);
    const answered = () =>
      traffic(page).filter(
        ({ text = "", direction }) => direction === "to-server" && text.includes('"action":"accept"'),
      );
    await expect.poll(answered).toHaveLength(1);
    const asked = traffic(page).filter(({ text = "" }) => text.includes("Where?"));
    expect(asked.some(({ direction }) => direction === "from-server")).toBe(true);
  });
});

it("name who caused them: the user, or an app by its view", async () => {
  const server = "legacy";
  const page = await open();
  await page.request("gateway/watch", { server, messages: true });
  const { view } = await page.request("gateway/open", { server, tool: "add" });
  await call(page, server, "add", { a: 1, b: 1 });
  await page.ask(view, "tools/call", { name: "add", arguments: { a: 2, b: 2 } });
  const by = () =>
    traffic(page)
      .filter(({ method }) => method === "tools/call")
      .map((each) => each.by);
  const [user, app] = [{ actor: "host" }, { actor: "view", view }];
  await expect.poll(by).toEqual([user, user, app, app]);
});

it("the handshake is shown when a watched server is restarted", async () => {
  const page = await open();
  await page.request("gateway/watch", { server: "legacy", messages: true });
  await page.request("gateway/restart", { server: "legacy" });
  const methods = () => traffic(page).map(({ method, kind }) => `${method} ${kind}`);
  await expect.poll(methods).toEqual(expect.arrayContaining(["initialize request", "initialize result"]));
});

it("at a shared server, a user sees only the own calls", async () => {
  const [ann, bea] = [await open(), await open("bea")];
  for (const page of [ann, bea]) {
    await page.request("gateway/start", { server: "shared" });
    await page.request("gateway/watch", { server: "shared", messages: true });
  }
  await call(ann, "shared", "add", { a: 1, b: 54_321 });
  await call(bea, "shared", "add", { a: 1, b: 98_765 });
  await call(bea, "shared", "log", { level: "error", line: "private to bea" });
  await call(bea, "shared", "steps");
  await expect.poll(() => JSON.stringify(traffic(bea))).toContain("notifications/progress");
  await expect.poll(() => JSON.stringify(traffic(ann))).toContain("54322");
  expect(JSON.stringify(traffic(bea))).not.toContain("54321");
  expect(JSON.stringify(ann.heard)).not.toContain("98765");
  expect(JSON.stringify(ann.heard)).not.toContain("private to bea");
});

describe.each(["legacy", "modern", "remote"])("log lines of the server %s", (server) => {
  it("arrive from the level on that the user has set", async () => {
    const page = await open();
    await page.request("gateway/watch", { server });
    await page.request("gateway/set-log-level", { server, level: "warning" });
    for (const level of ["debug", "error"])
      await call(page, server, "log", { level, line: `a line of ${level}` });
    const lines = () => page.notices("gateway/log").flatMap((notice) => notice.lines);
    await expect.poll(lines).toMatchObject([{ level: "error", logger: "whole", data: "a line of error" }]);
    expect(traffic(page)).toEqual([]);
  });
});

describe("tasks", () => {
  const server = "tasks";
  const start = async (page: RawPage, name: string, input: Record<string, unknown> = {}) => {
    const asked = { server, name, arguments: input, ttl: 30_000 };
    const answer = await page.request("gateway/task-start", asked);
    if (!("task" in answer)) throw new Error("no task");
    return answer;
  };

  it("are started, found by their id in another page, and give their result", async () => {
    const page = await open();
    const { task } = await start(page, "bake", { milliseconds: 50 });
    expect(task).toMatchObject({ status: "working", ttl: 30_000, pollInterval: 100 });
    const { taskId } = task;
    const other = await open();
    await expect
      .poll(async () => (await other.request("gateway/task", { server, taskId })).task.status)
      .toBe("completed");
    expect((await other.request("gateway/task-result", { server, taskId })).content).toMatchObject([
      { text: "baked" },
    ]);
    expect((await other.request("gateway/tasks", { server })).tasks.map((each) => each.taskId)).toContain(
      taskId,
    );
  });

  it("are cancelled", async () => {
    const page = await open();
    const { task } = await start(page, "bake", { milliseconds: 60_000 });
    const { taskId } = task;
    const cancelled = await page.request("gateway/task-cancel", { server, taskId });
    expect(cancelled.task.status).toBe("cancelled");
    await expect(page.request("gateway/task-cancel", { server, taskId })).rejects.toThrow();
  });

  it("ask the user while they need input", async () => {
    const page = await open();
    page.answers["gateway/elicit"] = () => ({ action: "accept", content: { what: "tea" } });
    const { task } = await start(page, "order");
    const state = async () => (await page.request("gateway/task", { server, taskId: task.taskId })).task;
    await expect.poll(async () => (await state()).status).toBe("input_required");
    const result = await page.request("gateway/task-result", { server, taskId: task.taskId });
    expect(result.content).toMatchObject([{ text: "tea" }]);
  });

  it("are refused by a server without them, and the policy of tools holds for them", async () => {
    const page = await open();
    await expect(page.request("gateway/task-start", { server: "legacy", name: "add" })).rejects.toMatchObject(
      { data: { code: "capability-missing", capability: "tasks" } },
    );
    await expect(page.request("gateway/task-start", { server, name: "none" })).rejects.toMatchObject({
      data: { code: "tool-unknown" },
    });
  });
});

describe("icons", () => {
  it("of the server arrive as data, and nothing else is fetched", async () => {
    const page = await open();
    const { servers } = await page.request("gateway/servers", {});
    const src = servers.find(({ name }) => name === "legacy")?.info?.icons?.[0]?.src ?? "";
    expect((await page.request("gateway/icon", { server: "legacy", src })).data).toBe(src);
    let visits = 0;
    const web = createServer((_, response) => {
      visits++;
      response.end();
    }).listen(0, "127.0.0.1");
    ends.push(async () => void web.close());
    await new Promise((resolve) => web.once("listening", resolve));
    const { port } = web.address() as AddressInfo;
    for (const other of [`http://127.0.0.1:${port}/x.png`, "https://example.com/x.png", "file:///etc/passwd"])
      await expect(page.request("gateway/icon", { server: "legacy", src: other })).rejects.toMatchObject({
        code: -32602,
      });
    expect(visits).toBe(0);
  });
});

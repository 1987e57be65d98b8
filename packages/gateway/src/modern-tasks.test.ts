/** A user runs tools as tasks of revision 2026-07-28 through a whole gateway, over stdio and HTTP. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import type { ServerTask } from "@vitrine/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { serveProgram } from "../../../testing/gateway/served-program.js";

const script = (name: string) =>
  fileURLToPath(new URL(`../../../testing/gateway/${name}.mjs`, import.meta.url));
const MODERN = script("modern-tasks-server");
const TOKENS = { ann: "a".repeat(32), bea: "b".repeat(32) };

let folder: string;
let gateway: RunningGateway;
const ends: (() => Promise<void>)[] = [];
const pages: RawPage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-modern-tasks-"));
  const remote = await serveProgram(MODERN, ["http"]);
  ends.push(remote.close);
  const program = { command: process.execPath, args: [MODERN] };
  const earlier = { command: process.execPath, args: [script("tasks-server")] };
  ({ gateway } = await startTestGateway(
    {
      users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })),
      mcpServers: {
        program,
        remote: { url: remote.url, oauth: false },
        "shared-program": { ...program, args: [MODERN, "stdio"], stateless: true },
        "shared-earlier": { ...earlier, stateless: true },
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

async function start(page: RawPage, server: string, name: string, input: Record<string, unknown> = {}) {
  const answer = await page.request("gateway/task-start", { server, name, arguments: input });
  if (!("task" in answer)) throw new Error("no task");
  return answer.task;
}
const stateOf = async (page: RawPage, server: string, { taskId }: ServerTask) =>
  (await page.request("gateway/task", { server, taskId })).task;

describe.each(["program", "remote"])("tasks of the server %s", (server) => {
  it("are started, found by their id in another page, and give their result", async () => {
    const page = await open();
    const task = await start(page, server, "bake", { milliseconds: 300 });
    expect(task).toMatchObject({
      status: "working",
      statusMessage: "in the oven",
      ttl: 60_000,
      pollInterval: 100,
    });
    const { taskId } = task;
    const other = await open();
    expect((await other.request("gateway/task-result", { server, taskId })).content).toMatchObject([
      { text: "baked" },
    ]);
    expect((await stateOf(other, server, task)).status).toBe("completed");
  });

  it("are cancelled, and then have no result", async () => {
    const page = await open();
    const { taskId } = await start(page, server, "bake", { milliseconds: 60_000 });
    expect((await page.request("gateway/task-cancel", { server, taskId })).task.status).toBe("cancelled");
    await expect(page.request("gateway/task-result", { server, taskId })).rejects.toThrow("cancelled");
  });

  it("ask the user each question once while they need input", async () => {
    const page = await open();
    const asked: unknown[] = [];
    page.answers["gateway/elicit"] = (params) => {
      asked.push(params);
      return { action: "accept", content: { what: asked.length === 1 ? "tea" : "cake" } };
    };
    const task = await start(page, server, "order");
    expect(task.status).toBe("input_required");
    const { taskId } = task;
    expect((await page.request("gateway/task-result", { server, taskId })).content).toMatchObject([
      { text: "tea and cake" },
    ]);
    expect(asked).toHaveLength(2);
  });

  it("fail with the error of the server", async () => {
    const page = await open();
    const task = await start(page, server, "burn");
    expect(await stateOf(page, server, task)).toMatchObject({ status: "failed", statusMessage: "it burnt" });
    const { taskId } = task;
    await expect(page.request("gateway/task-result", { server, taskId })).rejects.toMatchObject({
      code: -32050,
      message: "it burnt",
    });
  });

  it("are the server's decision: it may answer at once, and other calls declare no tasks", async () => {
    const page = await open();
    expect(await page.request("gateway/task-start", { server, name: "quick" })).toMatchObject({
      result: { content: [{ text: "at once" }] },
    });
    const call = page.request("gateway/call", { server, name: "bake", arguments: { milliseconds: 1 } });
    await expect(call).rejects.toMatchObject({ code: -32021 });
  });

  it("are not listed, and an unknown id is the server's error", async () => {
    const page = await open();
    await expect(page.request("gateway/tasks", { server })).rejects.toMatchObject({
      data: { code: "capability-missing", capability: "tasks.list" },
    });
    await expect(page.request("gateway/task", { server, taskId: "none" })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe.each(["shared-program", "shared-earlier"])("at the shared server %s", (server) => {
  it("a user reaches the own tasks, in each page, and nobody else's", async () => {
    const [ann, bea] = [await open(), await open("bea")];
    await bea.request("gateway/start", { server });
    const task = await start(ann, server, "bake", { milliseconds: 10 });
    const { taskId } = task;
    const other = await open();
    expect((await other.request("gateway/task-result", { server, taskId })).content).toMatchObject([
      { text: "baked" },
    ]);
    for (const method of ["gateway/task", "gateway/task-result", "gateway/task-cancel"] as const)
      await expect(bea.request(method, { server, taskId })).rejects.toMatchObject({ code: -32602 });
    expect((await stateOf(ann, server, task)).status).toBe("completed");
  });
});

it("a shared server that lists its tasks lists to each user the own ones", async () => {
  const [ann, bea] = [await open(), await open("bea")];
  const server = "shared-earlier";
  const { taskId } = await start(bea, server, "bake", { milliseconds: 10 });
  const idsOf = async (page: RawPage) =>
    (await page.request("gateway/tasks", { server })).tasks.map((task) => task.taskId);
  expect(await idsOf(bea)).toContain(taskId);
  expect(await idsOf(ann)).not.toContain(taskId);
});

/** A local server that misbehaves: every call ends, none gets another's answer, and no process is left. */
import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallToolResult, JsonText, type Tool } from "@vitrine/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { FAULTY, isAlive, nodeServer, serverSettings } from "../../../testing/gateway/servers.ts";
import { summaryOf } from "../../gateway/src/guard/guarded-servers.ts";
import type { Launch, Launched } from "./isolation/isolation.js";
import { launch } from "./isolation/launch.js";
import { ServerPool } from "./pool.js";
import type { ServerSettings } from "./settings.js";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Limits = Partial<ServerSettings["limits"]>;

function faulty(options: { modes?: string[]; limits?: Limits; start?: "eager" | "lazy" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-faults-"));
  const log = join(folder, "log");
  const settings: ServerSettings = {
    ...serverSettings("faulty", nodeServer(FAULTY, options.modes, { LOG: log }), options.limits),
    start: options.start ?? "lazy",
  };
  const launched: Launched[] = [];
  const counting: Launch = async (spec) => {
    const one = await launch(spec);
    launched.push(one);
    return one;
  };
  const pool = new ServerPool({ launch: counting });
  pool.update(new Map([["faulty", settings]]));
  cleanups.push(async () => {
    await pool.close(0);
    // Checked after every test: no process is left.
    for (const { pid } of launched) expect(isAlive(pid), `process ${pid}`).toBe(false);
    await rm(folder, { recursive: true });
  });
  const server = pool.get("me", "faulty");
  const call = async (name: string, args: Record<string, unknown> = {}, signal?: AbortSignal) => {
    const result = await server.upstream.request("tools/call", { name, arguments: args }, { signal });
    const value = (result instanceof JsonText ? result.parse() : result) as CallToolResult;
    const [block] = value.content;
    return block?.type === "text" ? block.text : undefined;
  };
  const logged = (): string[] => readFileSync(log, "utf8").trim().split("\n");
  return { server, call, pool, launched, logged };
}

const failure = (code: string, more: Record<string, unknown> = {}) =>
  expect.objectContaining({ data: expect.objectContaining({ code, ...more }) });

describe("a server that exits", () => {
  it("before the call: it is restarted for the next one", async () => {
    const { server, call, launched } = faulty();
    await server.start();
    const [first] = launched;
    process.kill(first?.pid ?? 0, "SIGKILL");
    await first?.exited;
    expect(await call("echo", { text: "again" })).toBe("again");
    expect(server.status.starts).toBe(2);
  });

  it("only its output: the calls fail, and its process ends before another one starts", async () => {
    const { call, launched } = faulty();
    await expect(call("mute")).rejects.toEqual(failure("server-exited", { indeterminate: true }));
    expect(await call("echo", { text: "again" })).toBe("again");
    expect(launched.map(({ pid }) => isAlive(pid))).toEqual([false, true]);
  });

  it("during calls: all of them fail, and may have run", async () => {
    const { call, server, logged } = faulty();
    const others = [call("slow"), call("slow")].map((one) => one.catch((error: unknown) => error));
    await expect.poll(() => logged().filter((line) => line.endsWith("call slow")).length).toBe(2);
    await expect(call("exit", { code: 7 })).rejects.toEqual(
      failure("server-exited", { indeterminate: true }),
    );
    for (const error of await Promise.all(others)) expect(error).toEqual(failure("server-exited"));
    expect(server.status.problem).toMatchObject({
      message: expect.stringContaining("code 7"),
      stderr: "I give up\n",
    });
    expect(await call("echo", { text: "back" })).toBe("back");
    // No call was repeated.
    expect(logged().filter((line) => line.endsWith("call slow")).length).toBe(2);
    expect(logged().filter((line) => line.endsWith("call exit")).length).toBe(1);
  });

  it("during calls of tools that may run twice: the errors say that repeating is safe", async () => {
    const { call, server, launched, logged } = faulty();
    await server.catalogue();
    const calls = ["safe", "again", "slow"].map((name) => call(name).catch((error: unknown) => error));
    await expect.poll(() => logged().filter((line) => line.includes(" call ")).length).toBe(3);
    process.kill(launched[0]?.pid ?? 0, "SIGKILL");
    expect(await Promise.all(calls)).toEqual([
      failure("server-exited", { indeterminate: false }),
      failure("server-exited", { indeterminate: false }),
      failure("server-exited", { indeterminate: true }),
    ]);
  });

  it("by SIGKILL: the status shows it and the stderr after the restart, until the server is restarted on request", async () => {
    const { server, call, launched, pool } = faulty();
    await call("flood-stderr", { bytes: 1 });
    const before = Date.now();
    process.kill(launched[0]?.pid ?? 0, "SIGKILL");
    await expect.poll(() => server.status.starts).toBe(2);
    await server.ready();
    const { state, problem, crash } = summaryOf(server.status);
    expect({ state, problem, crash }).toEqual({
      state: "ready",
      problem: undefined,
      crash: {
        at: expect.any(Number),
        message: expect.stringMatching(
          /^the server was ended by SIGKILL: it was killed, as when memory runs out\./,
        ),
        stderr: expect.stringMatching(/the last words\n$/),
      },
    });
    expect(crash?.at).toBeGreaterThanOrEqual(before);
    await pool.restart("faulty", "me");
    expect(summaryOf(server.status).crash).toBeUndefined();
  });

  it("during a listing: it is listed again, once", async () => {
    const { server, logged } = faulty({ modes: ["exit-on-prompts"] });
    await expect(server.upstream.request("prompts/list", {})).rejects.toEqual(failure("server-exited"));
    expect(logged().filter((line) => line.endsWith("prompts")).length).toBe(2);
  });

  it("before the handshake: the error contains the end of its stderr", async () => {
    const { server } = faulty({ modes: ["exit-at-start"] });
    await expect(server.start()).rejects.toEqual(failure("server-failed"));
    expect(server.status).toMatchObject({
      state: "waiting",
      problem: { code: "server-failed", stderr: "no configuration found\n" },
    });
    expect(server.status.retryAt).toBeGreaterThan(0);
  });

  it("because the program does not exist: the error says so", async () => {
    const settings = serverSettings("gone", { ...nodeServer(""), command: "/nonexistent/program", args: [] });
    const pool = new ServerPool({ launch });
    cleanups.push(() => pool.close(0));
    pool.update(new Map([["gone", settings]]));
    await expect(pool.get("me", "gone").start()).rejects.toThrow(/nonexistent/);
  });
});

describe("a server that hangs", () => {
  it("is paused and resumes: waiting calls are answered", async () => {
    const { server, call } = faulty();
    await server.start();
    const pid = Number(await call("pid"));
    process.kill(pid, "SIGSTOP");
    const calls = Array.from({ length: 20 }, (_, n) => call("echo", { text: `${n}` }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.status.state).toBe("ready");
    process.kill(pid, "SIGCONT");
    expect(await Promise.all(calls)).toEqual(calls.map((_, n) => `${n}`));
    expect(server.status.starts).toBe(1);
  });

  it("is paused for longer than the timeout: calls fail, are cancelled at the server, and later calls work", async () => {
    const { server, call, logged } = faulty({ limits: { timeout: 200 } });
    await server.start();
    const pid = Number(await call("pid"));
    process.kill(pid, "SIGSTOP");
    const calls = Array.from({ length: 5 }, () => call("slow").catch((error: unknown) => error));
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "timeout" });
    process.kill(pid, "SIGCONT");
    await expect.poll(() => logged().filter((line) => line.includes("cancelled")).length).toBe(5);
    expect(await call("echo", { text: "here" })).toBe("here");
  });

  it("never answers the handshake: the start fails in time", async () => {
    const { server } = faulty({ modes: ["silent"], limits: { startTimeout: 400 } });
    await expect(server.start()).rejects.toEqual(failure("server-failed"));
  });

  it("stops reading: the queue is bounded, and calls beyond it are rejected", async () => {
    const { call } = faulty({ limits: { timeout: 1_000 } });
    await call("deaf");
    // 16 calls of 8 MB each: 64 MB may be queued.
    const big = "x".repeat(8 * 1024 * 1024);
    const calls = Array.from({ length: 16 }, () =>
      call("echo", { text: big }).catch((error: unknown) => error),
    );
    const errors = await Promise.all(calls);
    const refused = errors.filter((error) => Object(error)["data"]?.code === "overloaded");
    expect(refused.length).toBeGreaterThanOrEqual(8);
    expect(errors.filter((error) => Object(error)["code"] === "timeout").length).toBe(16 - refused.length);
  });
});

describe("a server with unusual output", () => {
  it("prints garbage: the answer after it is received", async () => {
    const { call, server } = faulty();
    expect(await call("garbage", { count: 1_000 })).toBe("after garbage");
    expect(server.status).toMatchObject({ starts: 1, garbage: { count: 1_004, first: { length: 3 } } });
    expect(server.status.garbage?.first[0]).toBe('this is no message 0 {"jsonrpc"');
  });

  it("prints garbage: pages are notified once, with the first line", async () => {
    const { call, server } = faulty();
    await server.start();
    const notified: unknown[] = [];
    server.onStatus((status) => notified.push(summaryOf(status)));
    expect(summaryOf(server.status).garbage).toBeUndefined();
    await call("garbage", { count: 10 });
    await call("garbage", { count: 10 });
    expect(notified).toEqual([
      expect.objectContaining({ state: "ready", garbage: 'this is no message 0 {"jsonrpc"' }),
    ]);
  });

  it("prints garbage before it is ready: the first line is reported at once, truncated", async () => {
    const { server } = faulty({ modes: ["banner"] });
    const notified: unknown[] = [];
    server.onStatus((status) => notified.push([status.state, summaryOf(status).garbage]));
    await server.start();
    expect(notified).toEqual([
      ["starting", undefined],
      ["starting", "=".repeat(200)],
      ["ready", "=".repeat(200)],
    ]);
  });

  it("prints nothing but garbage: the first line is known before and after the start fails", async () => {
    const { server } = faulty({ modes: ["banner", "silent"], limits: { startTimeout: 1_500 } });
    const started = server.start().catch((error: unknown) => error);
    await expect.poll(() => summaryOf(server.status).garbage).toBe("=".repeat(200));
    expect(server.status.state).toBe("starting");
    expect(await started).toMatchObject({
      // Without the line itself, because this message is logged.
      message: expect.stringMatching(
        /it printed 2 lines that are not messages: make it write such lines to stderr$/,
      ),
    });
    expect(summaryOf(server.status).garbage).toBe("=".repeat(200));
  });

  it.each([
    ["first", "before"],
    ["last", "after"],
  ])(
    "sends a result of 100 MB, its id %s: only that call fails, and memory does not grow with it",
    async (_, idAt) => {
      const { call, server } = faulty({ limits: { message: 4 * 1024 * 1024 } });
      await call("echo", { text: "warm" });
      const other = call("slow", { text: "unharmed", after: 1_000 });
      const before = process.memoryUsage();
      await expect(call("huge", { bytes: 100 * 1024 * 1024, idAt })).rejects.toMatchObject({
        message: expect.stringMatching(
          /more than 4194304 bytes: make the server send less, or raise limits\.message/,
        ),
        data: { code: "server-too-large" },
      });
      const after = process.memoryUsage();
      expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * 1024 * 1024);
      expect(await other).toBe("unharmed");
      expect(await call("echo", { text: "next" })).toBe("next");
      expect(server.status).toMatchObject({ state: "ready", starts: 1, problem: undefined });
    },
  );

  it("sends a line of 100 MB without a recognizable id: all calls fail, and the server keeps running", async () => {
    const { call, server } = faulty({ limits: { message: 4 * 1024 * 1024 } });
    const calls = [call("slow"), call("huge", { bytes: 100 * 1024 * 1024, idAt: "nowhere" })];
    for (const one of await Promise.all(calls.map((each) => each.catch((error: unknown) => error))))
      expect(one).toEqual(failure("server-too-large"));
    expect(await call("echo", { text: "next" })).toBe("next");
    expect(server.status.starts).toBe(1);
  });

  it("sends a notification of 100 MB: no call fails", async () => {
    const { call, server } = faulty({ limits: { message: 4 * 1024 * 1024 } });
    const other = call("slow", { text: "unharmed", after: 500 });
    expect(await call("huge-notice", { bytes: 100 * 1024 * 1024 })).toBe("after the notice");
    expect(await other).toBe("unharmed");
    expect(server.status.starts).toBe(1);
  });

  it("has a UI document above the limit: its tools are listed, and the tool with that UI explains why it has none", async () => {
    const { call, server } = faulty({ modes: ["huge-page"], limits: { message: 1024 * 1024 } });
    const { tools, views } = await server.catalogue();
    expect(tools.length).toBeGreaterThan(7);
    expect(views).toMatchObject([
      {
        tool: { name: "echo" },
        document: {
          ok: false,
          code: "document-too-large",
          message: expect.stringMatching(
            /ui:\/\/faulty\/page\.html: it sent a message of more than 1048576 bytes/,
          ),
        },
      },
    ]);
    expect(await call("echo", { text: "next" })).toBe("next");
    expect(server.status).toMatchObject({ state: "ready", starts: 1, problem: undefined });
  });

  it("has a list of resources above the limit: the rest is listed, and a sentence says what is missing", async () => {
    const { server } = faulty({ modes: ["huge-list"], limits: { message: 1024 * 1024 } });
    const { tools, resources, templates, prompts, views, missing } = await server.catalogue();
    expect(tools.length).toBeGreaterThan(7);
    expect([resources, templates, prompts, views].map(({ length }) => length)).toEqual([0, 1, 1, 1]);
    expect(missing).toEqual([
      expect.stringMatching(
        /^Its resources could not be listed: it sent a message of more than 1048576 bytes: /,
      ),
    ]);
    expect(server.status).toMatchObject({ state: "ready", starts: 1, problem: undefined });
  });

  it("sends its answer byte by byte, with characters split", async () => {
    const { call } = faulty();
    expect(await call("halves")).toBe("grüße 👋 welt");
  });

  it("answers twice: the first answer counts", async () => {
    const { call } = faulty();
    const results = await Promise.all(Array.from({ length: 20 }, () => call("twice")));
    expect(new Set(results)).toEqual(new Set(["first"]));
    expect(await call("echo", { text: "own" })).toBe("own");
  });

  it("answers requests that were never made: no call gets the answer", async () => {
    const { call } = faulty();
    const texts = Array.from({ length: 20 }, (_, n) => `mine ${n}`);
    expect(await Promise.all(texts.map((text) => call("strangers", { text })))).toEqual(texts);
  });

  it("answers with the id null and the like: neither this class nor the official client accepts it", async () => {
    const { call, server } = faulty();
    expect(await call("null-ids")).toBe("after null");
    expect((await server.catalogue()).tools.length).toBeGreaterThan(7);
  });

  it("answers 1,000 calls out of order: each gets its own answer", async () => {
    const { call } = faulty();
    const texts = Array.from({ length: 1_000 }, (_, n) => `answer ${n}`);
    const answers = await Promise.all(texts.map((text) => call("shuffle", { text, of: texts.length })));
    expect(answers).toEqual(texts);
  });

  it("floods stderr: all of it is read, and the end is kept", async () => {
    const { call, server } = faulty();
    expect(await call("flood-stderr", { bytes: 20 * 1024 * 1024 })).toBe("flooded");
    await expect(call("exit")).rejects.toEqual(failure("server-exited"));
    const stderr = server.status.problem?.stderr ?? "";
    expect(stderr.endsWith("the last words\nI give up\n")).toBe(true);
    expect(stderr.length).toBeLessThanOrEqual(16 * 1024);
  });

  it("answers with an error: it is passed on unchanged", async () => {
    const { call } = faulty();
    await expect(call("fail")).rejects.toMatchObject({
      code: -32099,
      message: "as it should",
      data: { why: "test" },
    });
  });
});

describe("calls", () => {
  it("D7: progress extends a call beyond its timeout, and is reported", async () => {
    const { server } = faulty({ limits: { timeout: 400 } });
    const heard: number[] = [];
    const args = { name: "progress", arguments: { steps: 8, every: 100 } };
    const result = await server.upstream.request("tools/call", args, {
      onprogress: ({ progress }) => heard.push(progress),
    });
    expect(result).toEqual(new JsonText('{"content":[{"type":"text","text":"done"}]}'));
    expect(heard).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("D6: progress tokens of a view do not reach the server", async () => {
    const { server } = faulty();
    const heard: unknown[] = [];
    const args = { name: "progress", arguments: { steps: 1, every: 1 }, _meta: { progressToken: 0 } };
    await server.upstream.request("tools/call", args, { onprogress: (progress) => heard.push(progress) });
    expect(heard).toEqual([{ progress: 1, total: 1 }]);
  });

  it("are cancelled at the server when they are aborted", async () => {
    const { call, logged } = faulty();
    await call("echo");
    const controller = new AbortController();
    const aborted = call("slow", {}, controller.signal);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => logged().some((line) => line.includes("notifications/cancelled v2"))).toBe(true);
  });

  it("return a large result as text", async () => {
    const { server } = faulty();
    const args = { name: "large", arguments: { bytes: 200_000 } };
    const result = await server.upstream.request("tools/call", args);
    expect(result).toBeInstanceOf(JsonText);
    expect((result as JsonText).parse()).toEqual({ content: [{ type: "text", text: "y".repeat(200_000) }] });
  });
});

describe("a start", () => {
  it("happens once for all concurrent callers, in one process", async () => {
    const { call, launched } = faulty();
    await Promise.all(Array.from({ length: 10 }, () => call("echo")));
    expect(launched.length).toBe(1);
  });

  it("needs a second process only for a server that exits when probed, and only the first time", async () => {
    const { server, call, launched, pool } = faulty({ modes: ["die-on-probe"] });
    expect(await call("echo", { text: "hi" })).toBe("hi");
    expect(launched.length).toBe(2);
    expect(server.status.protocolVersion).toBe("2025-11-25");
    const other = pool.get("another", "faulty");
    await other.start();
    expect(launched.length).toBe(3);
  });

  it("treats a server that does not answer the probe as first generation", async () => {
    const { call, launched } = faulty({ modes: ["mute-on-unknown"], limits: { startTimeout: 3_000 } });
    expect(await call("echo", { text: "hi" })).toBe("hi");
    expect(launched.length).toBe(1);
  });
});

describe("a stop", () => {
  it("waits for pending calls, rejects new ones, and leaves no process", async () => {
    const { server, call, logged } = faulty({ modes: ["ignore-sigterm"] });
    const running = server.upstream.request("tools/call", {
      name: "progress",
      arguments: { steps: 3, every: 50 },
    });
    await expect.poll(() => logged().some((line) => line.endsWith("call progress"))).toBe(true);
    const stopped = server.stop();
    await expect(call("echo")).rejects.toEqual(failure("stopping"));
    expect(await running).toEqual(new JsonText('{"content":[{"type":"text","text":"done"}]}'));
    await stopped;
    expect(server.status.state).toBe("stopped");
  });

  it("ends calls that take too long", async () => {
    const { server, call, logged } = faulty();
    const endless = call("slow").catch((error: unknown) => error);
    await expect.poll(() => logged().some((line) => line.endsWith("call slow"))).toBe(true);
    await server.stop(50);
    expect(await endless).toEqual(failure("server-exited", { indeterminate: true }));
  });

  it("during a start leaves no process either", async () => {
    const { server, launched } = faulty({ modes: ["silent"] });
    const start = server.start().catch((error: unknown) => error);
    await expect.poll(() => launched.length).toBe(1);
    await server.stop(0);
    expect(await start).toBeInstanceOf(Error);
    expect(server.status.state).toBe("stopped");
  });
});

it("lists all pages of every kind", async () => {
  const { server } = faulty();
  const { tools, resources, templates, prompts, views } = await server.catalogue();
  expect(tools.map(({ name }: Tool) => name)).toContain("large");
  expect([resources.length, templates.length, prompts.length]).toEqual([1, 1, 1]);
  expect(views).toMatchObject([
    { uri: "ui://faulty/page.html", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
});

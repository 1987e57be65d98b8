/** Nodes that are gone, frozen, or cut off while they work for another node. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { nodeProgram } from "../../../../../testing/gateway/node-program.ts";
import { headersOf, NodeStage, type StageNode } from "../../../../../testing/gateway/node-stage.ts";
import type { GatewayApi } from "../../http/api.js";

const LONG = { timeout: 30_000, interval: 20 };
const CALL = "/api/servers/weather/tools/call";
const BODY = JSON.stringify({ name: "forecast", arguments: {} });
/** Faster than in production, so that a test takes no ten seconds; slow enough for a machine under load. */
const FAST = { beat: 300, connectTimeout: 2000 };
/** Milliseconds within which a caller has an answer about a lost node. */
const BOUND = 10_000;

let stage: NodeStage;
afterEach(() => stage.close());

async function openTwo(api: Partial<GatewayApi> = {}): Promise<[a: StageNode, b: StageNode]> {
  stage = new NodeStage();
  const a = await stage.add("a", FAST);
  const b = await stage.add("b", { api, ...FAST });
  stage.owners.owners.set("ada", "b");
  return [a, b];
}

/** Node `a`, and a node that only has this address. */
async function openWith(address: string): Promise<StageNode> {
  stage = new NodeStage();
  const a = await stage.add("a", FAST);
  stage.owners.nodes.set("b", { id: "b", address });
  stage.owners.owners.set("ada", "b");
  return a;
}

async function ask(node: StageNode, path = CALL, method = "POST", text = BODY) {
  const began = performance.now();
  const body = method === "POST" ? { body: text } : {};
  const answer = await fetch(`${node.listener.origin}${path}`, { method, headers: headersOf(node), ...body });
  const { error } = (await answer.json()) as { error?: { code: string; data?: { indeterminate?: boolean } } };
  const { status, headers } = answer;
  return { status, ...error, retry: headers.get("retry-after"), time: performance.now() - began };
}

/** The code of the bye, or of the end, that a new page gets. */
function pageAt(node: StageNode): { frames: string[]; socket: WebSocket; closed: Promise<number> } {
  const frames: string[] = [];
  const socket = new WebSocket(`${node.listener.origin.replace("http", "ws")}/api/session`, {
    headers: headersOf(node),
  });
  onTestFinished(() => socket.terminate());
  socket.on("open", () => socket.send('hello {"version":1,"received":0}'));
  socket.on("message", (data) => frames.push(String(data)));
  socket.on("error", () => {});
  return { frames, socket, closed: new Promise((resolve) => socket.on("close", resolve)) };
}

const UNREACHABLE = { status: 503, code: "node-unreachable", retry: "1" };

describe("a node that is gone", () => {
  it("is reported at once, and nothing was done", async () => {
    const a = await openWith("127.0.0.1:1");
    const answer = await ask(a);
    expect(answer).toMatchObject(UNREACHABLE);
    expect(answer.data?.indeterminate).toBeUndefined();
    expect(answer.time).toBeLessThan(BOUND);
    const { frames, closed } = pageAt(a);
    expect(await closed).toBe(4000);
    expect(frames[0]).toMatch(
      /^bye \{"code":"overloaded","message":"node b at 127\.0\.0\.1:1 cannot be reached/,
    );
  });

  it("is forgotten, and its users' requests go to the next owner", async () => {
    const [a, b] = await openTwo();
    a.believed.set("ada", { id: "old", address: "127.0.0.1:1" });
    expect((await ask(a)).status).toBe(200);
    expect(b.calls).toHaveLength(1);
    expect(stage.owners.forgotten).toEqual(["a ada old"]);
  });
});

describe("a node that accepts connections but does not answer", () => {
  it("is given up in bounded time, and nothing was done", async () => {
    const mute = createServer((socket) => void socket.on("error", () => {}));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void mute.close());
    const address = mute.address();
    const a = await openWith(`127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    const [answer, page] = await Promise.all([ask(a), pageAt(a).closed]);
    expect(answer).toMatchObject(UNREACHABLE);
    expect(answer.time).toBeLessThan(BOUND);
    expect(page).toBe(4000);
  });
});

it("a request whose own connection is not answered is given up, while the pages' connection works", async () => {
  const [a, b] = await openTwo();
  const { frames, socket } = pageAt(a);
  await vi.waitFor(() => expect(frames[0]).toMatch(/^welcome /), LONG);
  b.line.mute();
  // Only a large body needs a connection of its own.
  expect((await ask(a)).status).toBe(200);
  const answer = await ask(
    a,
    CALL,
    "POST",
    JSON.stringify({ name: "x", arguments: { text: "x".repeat(100_000) } }),
  );
  expect(answer).toMatchObject(UNREACHABLE);
  expect(answer.time).toBeLessThan(BOUND);
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

describe("when the connection between two nodes breaks", () => {
  const pending = (): { api: Partial<GatewayApi>; began: () => number } => {
    let count = 0;
    const hang = (): Promise<never> => new Promise(() => void count++);
    return { api: { request: hang, catalogue: hang, start: hang }, began: () => count };
  };

  it("a call that was sent may have run, and its caller is told so", async () => {
    const { api, began } = pending();
    const [a, b] = await openTwo(api);
    const answer = ask(a);
    await vi.waitFor(() => expect(began()).toBe(1), LONG);
    b.line.cut();
    expect(await answer).toMatchObject({ status: 409, code: "indeterminate", data: { indeterminate: true } });
    expect(stage.owners.forgotten).toEqual([]);
  });

  it("a request without an effect can be sent again", async () => {
    const { api, began } = pending();
    const [a, b] = await openTwo(api);
    const answers = [
      ask(a, "/api/servers/weather", "GET"),
      ask(a, "/api/servers/weather/start", "POST", "{}"),
    ];
    await vi.waitFor(() => expect(began()).toBe(2), LONG);
    b.line.cut();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject(UNREACHABLE);
  });

  it("pages are told to come back, resume their sessions, and lose nothing", async () => {
    const [a, b] = await openTwo();
    const states: string[] = [];
    const page = stage.page(a, {
      onstate: (state) => states.push(state.phase === "open" ? `resumed ${state.resumed}` : state.phase),
    });
    await page.request("gateway/servers", {});
    for (let n = 0; n < 3; n++) {
      const answers = Array.from({ length: 20 }, () => page.request("gateway/servers", {}));
      b.line.cut();
      for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ node: "b" });
    }
    expect(states.filter((state) => state.startsWith("resumed")).slice(1)).toContain("resumed true");
    expect(states).not.toContain("closed");
    expect(b.sessions).toHaveLength(1);
  });

  it("silently, calls and pages do not hang", async () => {
    const { api, began } = pending();
    const [a, b] = await openTwo(api);
    const { frames, closed } = pageAt(a);
    await vi.waitFor(() => expect(frames[0]).toMatch(/^welcome /), LONG);
    const answer = ask(a);
    await vi.waitFor(() => expect(began()).toBe(1), LONG);
    b.line.freeze();
    expect(await answer).toMatchObject({ status: 409, code: "indeterminate" });
    expect(await closed).toBe(4000);
    expect(frames.at(-1)).toMatch(/^bye \{"code":"gap"/);
    expect(await ask(a)).toMatchObject(UNREACHABLE);
    // The other node notices, too: the session waits for its page.
    await vi.waitFor(() => expect(b.sessions[0]?.isConnected).toBe(false), LONG);
  });
});

describe("a node process", () => {
  let child: ChildProcess | undefined;
  afterEach(() => void child?.kill("SIGKILL"));

  async function openProcess(): Promise<StageNode> {
    child = spawn(process.execPath, [await nodeProgram(), "b"], { stdio: ["ignore", "pipe", "inherit"] });
    const address = await new Promise<string>((resolve) =>
      child?.stdout?.once("data", (data) => resolve(String(data).trim())),
    );
    return openWith(address);
  }

  it.each(["SIGSTOP", "SIGKILL"] as const)(
    "that gets %s delays its callers for a bounded time",
    async (signal) => {
      const a = await openProcess();
      expect((await ask(a, "/api/servers", "GET")).status).toBe(200);
      const { frames, closed } = pageAt(a);
      await vi.waitFor(() => expect(frames[0]).toMatch(/^welcome /), LONG);
      child?.kill(signal);
      const before = performance.now();
      const answer = await ask(a);
      expect(["indeterminate", "node-unreachable"]).toContain(answer.code);
      expect(await closed).toBe(4000);
      expect(await ask(a)).toMatchObject(UNREACHABLE);
      expect(performance.now() - before).toBeLessThan(BOUND);
    },
  );
});

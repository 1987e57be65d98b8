import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { MAX_FRAME_BYTES, readHandshake, type Welcome } from "@vitrine/wire";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { SessionStage, type SessionStageOptions } from "../../../../../testing/session-stage.ts";

const LONG = { timeout: 60_000, interval: 20 };
const MB = 1_048_576;

let stage: SessionStage;
afterEach(() => stage.close());

/** A test page: raw frames over a WebSocket. */
class Page {
  readonly frames: string[] = [];
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | undefined;

  constructor(address: string) {
    this.socket = new WebSocket(address);
    this.socket.on("message", (data) => this.frames.push(`${data}`));
    this.socket.on("close", (code, reason) => (this.closed = { code, reason: `${reason}` }));
    this.socket.on("error", () => {});
    onTestFinished(() => this.socket.terminate());
  }

  static async open(hello: object = {}, address = stage.direct): Promise<Page> {
    const page = new Page(address);
    await new Promise((resolve) => page.socket.once("open", resolve));
    page.send(`hello ${JSON.stringify({ version: 1, received: 0, ...hello })}`);
    await vi.waitFor(() => expect(page.frames.length).toBeGreaterThan(0), LONG);
    return page;
  }

  get welcome(): Welcome {
    const welcome = readHandshake("welcome", this.frames[0] ?? "");
    if (!welcome) throw new Error(`no welcome but ${this.frames[0]}`);
    return welcome;
  }

  get bye() {
    return readHandshake("bye", this.frames.at(-1) ?? "");
  }

  send(frame: string | Buffer): void {
    this.socket.send(frame);
  }

  request(seq: number, channel = ".", params: object = {}): void {
    this.send(`${seq} 0 ${channel} ${JSON.stringify({ jsonrpc: "2.0", id: seq, method: "echo", params })}`);
  }

  untilClosed() {
    return vi.waitFor(() => {
      expect(this.closed).toBeDefined();
      return this.closed;
    }, LONG);
  }
}

const start = async (options?: SessionStageOptions) => {
  stage = await SessionStage.open(options);
};

/** Another page still works, whatever the first one does. */
async function expectOthersToWork(): Promise<void> {
  const other = await Page.open({}, `${stage.direct}?user=other`);
  other.request(1);
  await vi.waitFor(() => expect(other.frames).toHaveLength(2), LONG);
  other.socket.close();
}

describe("a WebSocket", () => {
  it("carries a session", async () => {
    await start();
    const page = await Page.open();
    page.request(1, "view-1", { a: 1 });
    await vi.waitFor(
      () => expect(page.frames[1]).toBe('1 1 view-1 {"jsonrpc":"2.0","id":1,"result":{"a":1}}'),
      LONG,
    );
  });

  it("fault: socket reset. The session waits, and continues over the next socket", async () => {
    await start();
    const page = await Page.open({}, stage.url().replace("http", "ws"));
    stage.answer = () => undefined;
    page.request(1);
    await vi.waitFor(() => expect(stage.noted).toHaveLength(1), LONG);
    stage.reset();
    await vi.waitFor(() => expect(stage.sessions[0]?.isConnected).toBe(false), LONG);
    stage.sessions[0]?.send(".", "said meanwhile");
    const { session, key } = page.welcome;
    const next = await Page.open({ session, key }, stage.url().replace("http", "ws"));
    expect(next.welcome).toMatchObject({ resumed: true, received: 1 });
    await vi.waitFor(() => expect(next.frames[1]).toBe("1 1 . said meanwhile"), LONG);
    expect(stage.sockets.size).toBe(1);
  });

  it("fault: half-open. A socket whose other end vanished is closed", async () => {
    await start({ heartbeat: 50 });
    const lively = await Page.open();
    const page = await Page.open({}, stage.url().replace("http", "ws"));
    expect(stage.sockets.size).toBe(2);
    stage.freeze();
    await vi.waitFor(() => expect(stage.sockets.size).toBe(1), LONG);
    expect(stage.sessions.map(({ isConnected }) => isConnected)).toEqual([true, false]);
    expect(lively.closed).toBeUndefined();
    expect(page.welcome.resumed).toBe(false);
  });

  it("without a hello is closed, even if it answers pings", async () => {
    await start({ heartbeat: 50 });
    const silent = new Page(stage.direct);
    await silent.untilClosed();
    expect([stage.sockets.size, stage.registry.size]).toEqual([0, 0]);
  });

  it("without a hello counts against the limit of its own user only", async () => {
    await start({ pending: 10, pendingPerUser: 2 });
    const tryOne = (user: string) =>
      new Promise<WebSocket | number>((resolve) => {
        const { socket } = new Page(`${stage.direct}?user=${user}`);
        socket.on("open", () => resolve(socket));
        socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
      });
    const [first, second] = [await tryOne("eve"), await tryOne("eve")];
    expect(await tryOne("eve")).toBe(503);
    expect(await tryOne("ann")).toBeInstanceOf(WebSocket);
    // A hello frees a slot, and so does disconnecting.
    if (first instanceof WebSocket) first.send('hello {"version":1,"received":0}');
    if (second instanceof WebSocket) second.terminate();
    await vi.waitFor(() => expect([stage.registry.size, stage.sockets.size]).toEqual([1, 2]), LONG);
    expect([await tryOne("eve"), await tryOne("eve")]).toEqual([
      expect.any(WebSocket),
      expect.any(WebSocket),
    ]);
    expect(await tryOne("eve")).toBe(503);
  });

  it("beyond the limit is refused with a code, a reason and the time to try again", async () => {
    await start({ connections: 1 });
    await Page.open();
    const { socket } = new Page(stage.direct);
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
    expect([response.statusCode, response.headers["retry-after"]]).toEqual([503, "5"]);
    expect(await json(response)).toEqual({
      error: {
        code: "overloaded",
        message: "the gateway has 1 sockets, and cannot open more: try again in 5 s",
        data: { retryAfter: 5000 },
      },
    });
  });

  it("reports now and then whether it was used; heartbeats do not count", async () => {
    await start();
    const page = await Page.open();
    const sweep = () => {
      stage.met.length = 0;
      stage.sockets.sweep();
      return stage.met;
    };
    expect(sweep()).toEqual([false]);
    page.send("- 0");
    page.send("?");
    await vi.waitFor(() => expect(page.frames.length).toBeGreaterThan(1), LONG);
    expect(sweep()).toEqual([false]);
    page.request(1);
    await vi.waitFor(() => expect(stage.noted).toHaveLength(1), LONG);
    expect(sweep()).toEqual([true]);
  });

  it("fault: two tabs. The second takes over the session, and the first is notified", async () => {
    await start();
    const first = await Page.open();
    const { session, key } = first.welcome;
    const second = await Page.open({ session, key, fresh: true });
    expect(second.welcome).toMatchObject({ session, resumed: true, received: 0 });
    expect(second.welcome.key).not.toBe(key);
    await first.untilClosed();
    expect(first.bye?.code).toBe("taken-over");
    second.request(1);
    await vi.waitFor(() => expect(second.frames).toHaveLength(2), LONG);
  });

  it("fault: slow reader. It fills only its own queue, within limits, and is then not served", async () => {
    await start();
    const page = await Page.open({}, stage.url("slow").replace("http", "ws"));
    const chunk = "x".repeat(60_000);
    stage.answer = () => ({ chunk });
    page.socket.pause();
    // A page requests 60 MB of answers, and reads none of them.
    for (let n = 1; n <= 1000; n++) page.request(n);
    await vi.waitFor(() => expect(stage.sessions[0]?.isFull).toBe(true), LONG);
    await expectOthersToWork();
    const [slow] = stage.sessions;
    expect(slow?.queuedBytes).toBeLessThan(2 * MB);
    const served = stage.noted.filter(({ session }) => session === slow?.id).length;
    expect(served).toBeLessThan(200);
    // Once it reads and acknowledges, everything arrives.
    const acknowledge = setInterval(
      () => page.send(`- ${page.frames.filter((frame) => /^\d/.test(frame)).length}`),
      5,
    );
    onTestFinished(() => clearInterval(acknowledge));
    page.socket.resume();
    await vi.waitFor(
      () => expect(stage.noted.filter(({ session }) => session === slow?.id)).toHaveLength(1000),
      LONG,
    );
    await vi.waitFor(() => expect(slow?.queuedBytes).toBe(0), LONG);
    expect(
      page.frames.filter((frame) => /^\d/.test(frame)).map((frame) => Number.parseInt(frame, 10)),
    ).toEqual(
      Array.from({ length: page.frames.filter((frame) => /^\d/.test(frame)).length }, (_, n) => n + 1),
    );
  });

  it("fault: a page that does not read but keeps sending is throttled, and buffered only up to its window", async () => {
    await start();
    const page = await Page.open({}, stage.url("slow").replace("http", "ws"));
    stage.answer = () => ({ chunk: "x".repeat(60_000) });
    page.socket.pause();
    // More than the window, of which the gateway acknowledges nothing.
    for (let n = 1; n <= 2000; n++) page.request(n, ".", { padding: "x".repeat(2000) });
    await vi.waitFor(
      () => expect(stage.events.at(-1)).toMatch(/^end slow: more than 1048576 characters/),
      LONG,
    );
    expect(stage.registry.size).toBe(0);
    await expectOthersToWork();
  });

  it("fault: flood. A client that sends too fast is throttled, and loses nothing", async () => {
    await start({
      registry: {
        rates: { frames: { burst: 100, perSecond: 500 }, characters: { burst: MB, perSecond: MB } },
      },
    });
    const page = await Page.open();
    stage.answer = () => undefined;
    const began = stage.noted.length;
    for (let n = 1; n <= 300; n++) page.request(n);
    await vi.waitFor(() => expect(stage.noted.length - began).toBeGreaterThan(99), LONG);
    await expectOthersToWork();
    await vi.waitFor(
      () => expect(stage.noted.filter(({ method }) => method === "echo").length).toBe(301),
      LONG,
    );
    expect(page.closed).toBeUndefined();
  });

  it("fault: endless pings. They are not answered for a client that does not read", async () => {
    await start();
    const page = await Page.open();
    let pongs = 0;
    page.socket.on("pong", () => pongs++);
    page.socket.pause();
    const data = Buffer.alloc(125);
    for (let n = 0; n < 200_000; n++) page.socket.ping(data);
    await vi.waitFor(() => expect(page.socket.bufferedAmount).toBe(0), LONG);
    await expectOthersToWork();
    page.socket.resume();
    page.request(1);
    await vi.waitFor(() => expect(page.frames.at(-1)).toMatch(/^1 1 [.] /), LONG);
    // Only the buffers of the sockets were filled; nothing else was kept.
    expect(pongs).toBeGreaterThan(0);
    expect(pongs).toBeLessThan(150_000);
  });

  it.each([
    ["invalid: not a frame", "nonsense", "malformed"],
    ["invalid: a malformed number", "01 0 . x", "malformed"],
    ["invalid: an acknowledgement of an unsent frame", "1 99 . x", "malformed"],
    ["invalid: a gap", "3 0 . x", "gap"],
    ["binary", Buffer.from("1 0 . x"), "malformed"],
    ["two hellos", 'hello {"version":1,"received":0}', "malformed"],
  ])("fault: %s frame. The socket is closed with a code", async (_what, frame, code) => {
    await start();
    const page = await Page.open();
    page.send(frame);
    expect(await page.untilClosed()).toEqual({ code: 4000, reason: code });
    expect(page.bye?.code).toBe(code);
    expect(stage.registry.size).toBe(code === "gap" ? 1 : 0);
    expect(stage.noted).toEqual([]);
    await expectOthersToWork();
  });

  it.each([
    ["oversize frame", () => "x".repeat(MAX_FRAME_BYTES + 1), 1009],
    ["invalid UTF-8", () => undefined, 1007],
  ])("fault: %s. The socket is closed, and the session waits for another", async (_what, make, code) => {
    await start();
    const page = await Page.open();
    const frame = make();
    if (frame) page.send(frame);
    else page.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await page.untilClosed()).toMatchObject({ code });
    await vi.waitFor(() => expect(stage.sessions[0]?.isConnected).toBe(false), LONG);
    await expectOthersToWork();
  });

  it("fault: oversize message. Its parts are not collected forever", async () => {
    await start({ registry: { limits: { message: MB } } });
    const page = await Page.open();
    for (let seq = 1; seq <= 40; seq++) page.send(`${seq} 0 .+ ${"x".repeat(60_000)}`);
    await page.untilClosed();
    expect(page.bye?.code).toBe("too-large");
    expect(stage.registry.size).toBe(0);
  });

  it("fault: 10,000 connects in 5 s. Those beyond the limits are refused cleanly, and the rest is served", async () => {
    await start({ connections: 200, pending: 100, pendingPerUser: 100, registry: { perUser: 1000 } });
    const steady = await Page.open();
    const outcomes = { open: 0, refused: 0, other: 0 };
    const sockets = new Set<WebSocket>();
    const deadline = Date.now() + 5000;
    let made = 0;
    let most = 0;
    const connectOne = () =>
      new Promise<void>((resolve) => {
        const socket = new WebSocket(stage.direct);
        sockets.add(socket);
        socket.on("open", () => {
          outcomes.open++;
          most = Math.max(most, stage.sockets.size);
          resolve();
        });
        socket.on("unexpected-response", (_request, response) => {
          if (response.statusCode === 503 && response.headers["retry-after"]) outcomes.refused++;
          else outcomes.other++;
          sockets.delete(socket);
          socket.terminate();
          resolve();
        });
        socket.on("error", () => resolve());
      });
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        while (made < 10_000 && Date.now() < deadline) {
          made++;
          await connectOne();
        }
      }),
    );
    expect(made).toBeGreaterThan(300);
    // None of them sent a hello, so the limit of pending sockets applies.
    expect(most).toBeLessThanOrEqual(101);
    expect(outcomes).toEqual({ open: 100, refused: made - 100, other: 0 });
    steady.request(1);
    await vi.waitFor(() => expect(steady.frames).toHaveLength(2), LONG);
    for (const socket of sockets) socket.terminate();
    await vi.waitFor(() => expect(stage.sockets.size).toBe(1), LONG);
    expect(stage.registry.size).toBe(1);
    await expectOthersToWork();
  });

  it("fault: many sessions of one user. The limit applies, and abandoned ones end first", async () => {
    await start({ registry: { perUser: 10 } });
    for (let n = 0; n < 30; n++) {
      const page = await Page.open();
      page.socket.terminate();
      await vi.waitFor(() => expect(stage.sessions.at(-1)?.isConnected).toBe(false), LONG);
    }
    expect(stage.registry.size).toBe(10);
    expect(stage.events.filter((event) => event.startsWith("end"))).toHaveLength(20);
  });
});

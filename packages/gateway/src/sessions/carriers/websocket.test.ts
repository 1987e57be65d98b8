import { MAX_FRAME_BYTES, readHandshake, type Welcome } from "@vitrine/wire";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { SessionStage, type SessionStageOptions } from "../../../../../testing/session-stage.ts";

const LONG = { timeout: 60_000, interval: 20 };
const MB = 1_048_576;

let stage: SessionStage;
afterEach(() => stage.close());

/** A page of a test: bare frames over a WebSocket. */
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

/** Another page can still work: whatever one of them does is no concern of the others. */
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

  it("fault: socket reset. The session waits, and goes on over the next socket", async () => {
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

  it("fault: half-open. A socket whose other end is gone without a word is ended", async () => {
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

  it("that never says hello is ended, also if it answers pings", async () => {
    await start({ heartbeat: 50 });
    const silent = new Page(stage.direct);
    await silent.untilClosed();
    expect([stage.sockets.size, stage.registry.size]).toEqual([0, 0]);
  });

  it("that has not said hello takes a place of its user, and of nobody else", async () => {
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
    // A hello makes room, and so does going away.
    if (first instanceof WebSocket) first.send('hello {"version":1,"received":0}');
    if (second instanceof WebSocket) second.terminate();
    await vi.waitFor(() => expect([stage.registry.size, stage.sockets.size]).toEqual([1, 2]), LONG);
    expect([await tryOne("eve"), await tryOne("eve")]).toEqual([
      expect.any(WebSocket),
      expect.any(WebSocket),
    ]);
    expect(await tryOne("eve")).toBe(503);
  });

  it("tells the authentication now and then whether it was used; heartbeats are no use", async () => {
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

  it("fault: two tabs. The second takes the session over, and the first is told", async () => {
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

  it("fault: slow reader. It fills its own queue and nobody's memory, and then it is not served", async () => {
    await start();
    const page = await Page.open({}, stage.url("slow").replace("http", "ws"));
    const chunk = "x".repeat(60_000);
    stage.answer = () => ({ chunk });
    page.socket.pause();
    // 60 MB of answers are asked for, by a page that reads none of them.
    for (let n = 1; n <= 1000; n++) page.request(n);
    await vi.waitFor(() => expect(stage.sessions[0]?.isFull).toBe(true), LONG);
    await expectOthersToWork();
    const [slow] = stage.sessions;
    expect(slow?.queuedBytes).toBeLessThan(2 * MB);
    const served = stage.noted.filter(({ session }) => session === slow?.id).length;
    expect(served).toBeLessThan(200);
    // Once it reads, and acknowledges, all of it comes.
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

  it("fault: a page that does not read and goes on sending is made to wait, and held only up to its window", async () => {
    await start();
    const page = await Page.open({}, stage.url("slow").replace("http", "ws"));
    stage.answer = () => ({ chunk: "x".repeat(60_000) });
    page.socket.pause();
    // More than the window, whatever the gateway does not acknowledge.
    for (let n = 1; n <= 2000; n++) page.request(n, ".", { padding: "x".repeat(2000) });
    await vi.waitFor(
      () => expect(stage.events.at(-1)).toMatch(/^end slow: more than 1048576 characters/),
      LONG,
    );
    expect(stage.registry.size).toBe(0);
    await expectOthersToWork();
  });

  it("fault: flood. Who sends too fast is read slowly, and loses nothing", async () => {
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

  it("fault: pings without end. They are not answered to somebody who does not read", async () => {
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
    // What the sockets of the machine hold was sent; nothing was kept beside it.
    expect(pongs).toBeGreaterThan(0);
    expect(pongs).toBeLessThan(150_000);
  });

  it.each([
    ["invalid: no frame", "nonsense", "malformed"],
    ["invalid: a number of its own", "01 0 . x", "malformed"],
    ["invalid: acknowledges what was never sent", "1 99 . x", "malformed"],
    ["invalid: a gap", "3 0 . x", "gap"],
    ["binary", Buffer.from("1 0 . x"), "malformed"],
    ["two hellos", 'hello {"version":1,"received":0}', "malformed"],
  ])("fault: %s frame. The socket is closed with a word", async (_what, frame, code) => {
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
    ["text that is no UTF-8", () => undefined, 1007],
  ])("fault: %s. The socket is closed, and the session waits for a better one", async (_what, make, code) => {
    await start();
    const page = await Page.open();
    const frame = make();
    if (frame) page.send(frame);
    else page.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await page.untilClosed()).toMatchObject({ code });
    await vi.waitFor(() => expect(stage.sessions[0]?.isConnected).toBe(false), LONG);
    await expectOthersToWork();
  });

  it("fault: oversize message. Its parts are not collected for ever", async () => {
    await start({ registry: { limits: { message: MB } } });
    const page = await Page.open();
    for (let seq = 1; seq <= 40; seq++) page.send(`${seq} 0 .+ ${"x".repeat(60_000)}`);
    await page.untilClosed();
    expect(page.bye?.code).toBe("too-large");
    expect(stage.registry.size).toBe(0);
  });

  it("fault: 10,000 connects in 5 s. They are refused beyond the limits, cleanly, and the rest is served", async () => {
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
    // None of them said hello: only so many may wait.
    expect(most).toBeLessThanOrEqual(101);
    expect(outcomes).toEqual({ open: 100, refused: made - 100, other: 0 });
    steady.request(1);
    await vi.waitFor(() => expect(steady.frames).toHaveLength(2), LONG);
    for (const socket of sockets) socket.terminate();
    await vi.waitFor(() => expect(stage.sockets.size).toBe(1), LONG);
    expect(stage.registry.size).toBe(1);
    await expectOthersToWork();
  });

  it("fault: many sessions of one person. No more than allowed live, and those that are left behind go first", async () => {
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

/** Page sockets at a node that does not have the sessions. */
import { readHandshake } from "@vitrine/wire";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { headersOf, NodeStage, type StageNode } from "../../../../../testing/gateway/node-stage.ts";
import { linkTo } from "../../../../../testing/gateway/raw-link.ts";
import { STREAM_TARGET } from "./accepted-link.js";

const LONG = { timeout: 30_000, interval: 20 };

let stage: NodeStage;
afterEach(() => stage.close());

/** Two nodes. The second one has `ada` and `bob`. */
async function openTwo(): Promise<[a: StageNode, b: StageNode]> {
  stage = new NodeStage();
  const [a, b] = [await stage.add("a"), await stage.add("b")];
  for (const user of ["ada", "bob"]) stage.owners.owners.set(user, "b");
  return [a, b];
}

/** A page of raw frames. */
class RawPage {
  readonly frames: string[] = [];
  readonly socket: WebSocket;
  closed: number | undefined;

  constructor(node: StageNode, user = "ada") {
    this.socket = new WebSocket(`${node.listener.origin.replace("http", "ws")}/api/session`, {
      headers: headersOf(node, user),
    });
    this.socket.on("message", (data) => this.frames.push(String(data)));
    this.socket.on("open", () => this.socket.send('hello {"version":1,"received":0}'));
    this.socket.on("close", (code) => (this.closed = code));
    this.socket.on("error", () => {});
    onTestFinished(() => this.socket.terminate());
  }

  async welcomed(): Promise<this> {
    await vi.waitFor(() => expect(this.frames[0]).toMatch(/^welcome /), LONG);
    return this;
  }

  get bye() {
    return readHandshake("bye", this.frames.at(-1) ?? "");
  }
}

describe("a page", () => {
  it("works with its session at another node, which the client does not notice", async () => {
    const [a, b] = await openTwo();
    const states: string[] = [];
    const page = stage.page(a, { onstate: ({ phase }) => states.push(phase) });
    expect(await page.request("gateway/servers", {})).toMatchObject({ node: "b" });
    expect(page.state).toMatchObject({ phase: "open", over: "websocket" });
    expect([a.registry.size, b.registry.size]).toEqual([0, 1]);
    page.close();
    await vi.waitFor(() => expect(b.registry.size).toBe(0), LONG);
    expect(b.ended).toEqual(["the page ended the session"]);
    expect(states).toEqual(["open", "closed"]);
  });

  it("has its session here without a connection to another node, if its user's state is here", async () => {
    const [, b] = await openTwo();
    expect(await stage.page(b).request("gateway/servers", {})).toMatchObject({ node: "b" });
    expect(stage.owners.lookups).toEqual([]);
  });

  it("shares one connection with all others between the two nodes", async () => {
    const [a, b] = await openTwo();
    const pages = await Promise.all(Array.from({ length: 50 }, () => new RawPage(a).welcomed()));
    expect([b.registry.size, b.line.connections]).toEqual([50, 1]);
    for (const { socket } of pages) socket.close();
    await vi.waitFor(() => expect(b.sessions.filter((each) => each.isConnected)).toEqual([]), LONG);
    expect(a.sockets.size).toBe(0);
  });

  it("gets the reason and the code when its session ends", async () => {
    const [a, b] = await openTwo();
    const page = await new RawPage(a).welcomed();
    b.registry.endUser("ada", "ended", "moved");
    await vi.waitFor(() => expect(page.closed).toBe(4000), LONG);
    expect(page.bye).toEqual({ code: "ended", message: "moved" });
    const wrong = await new RawPage(a).welcomed();
    wrong.socket.send("nonsense");
    await vi.waitFor(() => expect(wrong.bye?.code).toBe("malformed"), LONG);
    const binary = await new RawPage(a).welcomed();
    binary.socket.send(Buffer.from("1 0 . {}"), { binary: true });
    await vi.waitFor(() => expect(binary.bye?.code).toBe("malformed"), LONG);
    await vi.waitFor(() => expect(b.registry.size).toBe(0), LONG);
  });

  it("over HTTP has its session at the other node, too", async () => {
    const [a, b] = await openTwo();
    class NoSocket {
      onerror: (() => void) | undefined;
      constructor() {
        setTimeout(() => this.onerror?.());
      }
      close(): void {}
    }
    const page = stage.page(a, { WebSocket: NoSocket as unknown as typeof globalThis.WebSocket });
    expect(await page.request("gateway/servers", {})).toMatchObject({ node: "b" });
    expect(page.state).toMatchObject({ phase: "open", over: "http" });
    expect([a.streams.size, b.streams.size]).toEqual([0, 1]);
    page.close();
    await vi.waitFor(() => expect(b.streams.size).toBe(0), LONG);
  });

  it("resumes its session through another node when its connection breaks", async () => {
    const [a, b] = await openTwo();
    const c = await stage.add("c");
    const page = await new RawPage(a).welcomed();
    const { session, key } = readHandshake("welcome", page.frames[0] ?? "") ?? {};
    page.socket.terminate();
    const next = new RawPage(c);
    next.socket.removeAllListeners("open");
    next.socket.on("open", () =>
      next.socket.send(`hello ${JSON.stringify({ version: 1, received: 0, session, key })}`),
    );
    await next.welcomed();
    expect(readHandshake("welcome", next.frames[0] ?? "")).toMatchObject({ session, resumed: true });
    expect(b.registry.size).toBe(1);
  });
});

describe("when the state of its user moves, a page", () => {
  it("gets a new session at the new owner", async () => {
    const [a, b] = await openTwo();
    const page = stage.page(a);
    expect(await page.request("gateway/servers", {})).toMatchObject({ node: "b" });
    stage.owners.owners.set("ada", "a");
    b.registry.endUser("ada", "ended", "your sessions have moved to another node");
    await vi.waitFor(
      async () => expect(await page.request("gateway/servers", {})).toMatchObject({ node: "a" }),
      LONG,
    );
    expect([a.registry.size, b.registry.size]).toEqual([1, 0]);
  });

  it("reaches the new owner even if its node believes the old one", async () => {
    const [a, b] = await openTwo();
    const c = await stage.add("c");
    a.believed.set("ada", c.ref);
    expect(await stage.page(a).request("gateway/servers", {})).toMatchObject({ node: "b" });
    expect([b.registry.size, c.registry.size]).toEqual([1, 0]);
    expect(stage.owners.forgotten).toEqual(["a ada c"]);
  });

  it("is served here if the state has come here meanwhile", async () => {
    const [a, b] = await openTwo();
    a.believed.set("ada", b.ref);
    stage.owners.owners.set("ada", "c");
    const forget = a.believed.delete.bind(a.believed);
    a.believed.delete = (user) => {
      stage.owners.owners.set("ada", "a");
      return forget(user);
    };
    const page = await new RawPage(a).welcomed();
    page.socket.send('1 0 . {"jsonrpc":"2.0","id":1,"method":"x"}');
    await vi.waitFor(() => expect(page.frames.at(-1)).toContain('"node":"a"'), LONG);
    page.socket.close();
    await vi.waitFor(() => expect(a.sessions[0]?.isConnected).toBe(false), LONG);
  });
});

describe("a slow page", () => {
  const message = JSON.stringify({ jsonrpc: "2.0", method: "x", params: { text: "x".repeat(60_000) } });

  it("does not stop the others on the connection, and gets everything when it reads again", async () => {
    const [a, b] = await openTwo();
    const slow = await new RawPage(a).welcomed();
    const quick = await new RawPage(a, "bob").welcomed();
    slow.socket.pause();
    const [session, other] = b.sessions;
    for (let n = 0; n < 500; n++) session?.send(".", message);
    // The rest waits in the session, where its limits apply.
    await vi.waitFor(() => expect(session?.queuedBytes).toBeGreaterThan(10_000_000), LONG);
    const began = performance.now();
    for (let n = 1; n <= 100; n++) {
      other?.send(".", JSON.stringify({ n }));
      await vi.waitFor(() => expect(quick.frames.at(-1)).toContain(`{"n":${n}}`), {
        timeout: 5000,
        interval: 1,
      });
    }
    expect(performance.now() - began).toBeLessThan(5000);
    expect(slow.frames).toHaveLength(1);
    slow.socket.resume();
    const parts = (): string[] => slow.frames.filter((frame) => /^\d/.test(frame));
    let seen = 0;
    await vi.waitFor(() => {
      // A page acknowledges what it has received.
      if (parts().length > seen) slow.socket.send(`- ${(seen = parts().length)}`);
      expect(seen).toBe(500);
    }, LONG);
    const numbers = parts().map((frame) => Number(frame.split(" ", 1)[0]));
    expect(numbers).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
  });
});

/** Waits until a count has not changed for half a second. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; ; ) {
    if (before === count()) return before;
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

describe("credit", () => {
  it("of a page that sends too fast ends, and its node stops reading", async () => {
    stage = new NodeStage();
    const rate = { burst: 1000, perSecond: 1000 };
    const [a, b] = [
      await stage.add("a"),
      await stage.add("b", { rates: { frames: rate, characters: rate } }),
    ];
    for (const user of ["ada", "bob"]) stage.owners.owners.set(user, "b");
    const page = await new RawPage(a).welcomed();
    const text = "x".repeat(50_000);
    for (let seq = 1; seq <= 20; seq++)
      page.socket.send(`${seq} 0 . {"jsonrpc":"2.0","method":"x","params":"${text}"}`);
    // A window of 262,144 characters, the frame that exceeds it, and frames that were read with it.
    const taken = await settled(() => b.received.length);
    expect(taken).toBeGreaterThan(4);
    expect(taken).toBeLessThan(12);
    expect(await stage.page(a, {}, "bob").request("gateway/servers", {})).toMatchObject({ node: "b" });
  });

  it("that a page's node does not give holds back the frames for this page only", async () => {
    const [, b] = await openTwo();
    const { socket, received, by } = await linkTo(b);
    onTestFinished(() => socket.terminate());
    const open = (id: number, user: string): void => {
      const hello = 'hello {"version":1,"received":0}';
      const caller = { user, origin: "", address: "" };
      socket.send(`o${id} ${by.sign("b", caller, STREAM_TARGET, hello)} ${hello}`);
    };
    open(1, "ada");
    open(2, "bob");
    await vi.waitFor(() => expect(received).toHaveLength(2), LONG);
    const [slow, quick] = b.sessions;
    const message = JSON.stringify({ jsonrpc: "2.0", method: "x", params: "x".repeat(50_000) });
    const framesOf = (id: number): number =>
      received.filter((each) => each.startsWith(`f${id} `) && !each.includes(" welcome ")).length;
    for (let n = 0; n < 15; n++) slow?.send(".", message);
    expect(await settled(() => framesOf(1))).toBe(6);
    quick?.send(".", message);
    await vi.waitFor(() => expect(framesOf(2)).toBe(1), LONG);
    socket.send("w1 100000");
    expect(await settled(() => framesOf(1))).toBe(8);
    // Credit for more than was sent does not widen the window.
    socket.send("w1 1000000");
    expect(await settled(() => framesOf(1))).toBe(14);
    socket.send("w1 300000");
    await vi.waitFor(() => expect(framesOf(1)).toBe(15), LONG);
  });
});

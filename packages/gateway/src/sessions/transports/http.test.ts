import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { readHandshake } from "@vitrine/wire";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { SessionStage } from "../../../../../testing/session-stage.ts";

const LONG = { timeout: 60_000, interval: 20 };

let stage: SessionStage;
beforeEach(async () => {
  stage = await SessionStage.open({ registry: { grace: 60_000 } });
});
afterEach(() => stage.close());

const post = (body: string, headers: Record<string, string> = {}, user = "ann") =>
  fetch(stage.url(user), {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });

const HELLO = JSON.stringify(['hello {"version":1,"received":0}']);

/** A test page: raw frames over HTTP. */
class Page {
  readonly lines: string[] = [];
  isOver = false;
  readonly #stop = new AbortController();
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    onTestFinished(() => this.leave());
  }

  static async open(hello = HELLO): Promise<Page> {
    const { id: transport, frames } = (await (await post(hello)).json()) as {
      id: string;
      frames: string[];
    };
    const page = new Page(transport);
    page.lines.push(...frames);
    void page.read();
    await vi.waitFor(() => expect(page.lines).toContain(": open"), LONG);
    return page;
  }

  get headers() {
    return { "vitrine-transport": this.#name };
  }

  get frames(): string[] {
    return this.lines.filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
  }

  async read(): Promise<void> {
    const { signal } = this.#stop;
    try {
      const { body } = await fetch(stage.url(), { headers: this.headers, signal });
      for await (const chunk of body ?? []) {
        this.lines.push(...new TextDecoder().decode(chunk).split("\n").filter(Boolean));
      }
    } catch {
      // The page left.
    }
    this.isOver = true;
  }

  send(...frames: string[]): Promise<Response> {
    return post(JSON.stringify(frames), this.headers);
  }

  leave(): void {
    this.#stop.abort();
  }
}

const echo = (seq: number, params: object) =>
  `${seq} 0 . ${JSON.stringify({ jsonrpc: "2.0", id: seq, method: "echo", params })}`;

describe("HTTP", () => {
  it("carries a session: POST in, an event stream out, without delay", async () => {
    const page = await Page.open();
    const answer = await page.send(echo(1, { a: "\n\r\u2028" }), echo(2, {}));
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    await vi.waitFor(() => expect(page.frames).toHaveLength(2), LONG);
    expect(page.frames[0]).toBe('1 1 . {"jsonrpc":"2.0","id":1,"result":{"a":"\\n\\r\u2028"}}');
    // Comments show that the gateway is alive.
    stage.http.beat();
    await vi.waitFor(() => expect(page.lines).toContain(": still here"), LONG);
  });

  it("prevents proxies from buffering", async () => {
    const { id: transport } = (await (await post(HELLO)).json()) as { id: string };
    const { headers, body } = await fetch(stage.url(), { headers: { "vitrine-transport": transport } });
    expect([...headers]).toEqual(
      expect.arrayContaining([
        ["content-type", "text/event-stream"],
        ["cache-control", "no-store"],
        ["x-accel-buffering", "no"],
      ]),
    );
    await body?.cancel();
    await vi.waitFor(() => expect(stage.http.size).toBe(0), LONG);
    expect(stage.sessions[0]?.isConnected).toBe(false);
  });

  it("sends frames from before the stream was opened", async () => {
    const { id: transport, frames } = (await (await post(HELLO)).json()) as {
      id: string;
      frames: string[];
    };
    stage.sessions[0]?.send(".", "early");
    expect(frames).toHaveLength(1);
    const page = new Page(transport);
    void page.read();
    await vi.waitFor(() => expect(page.frames).toEqual(["1 0 . early"]), LONG);
  });

  it("is resumed like a WebSocket, and can take over from one", async () => {
    const page = await Page.open();
    const welcome = readHandshake("welcome", page.lines[0] ?? "");
    const hello = { version: 1, received: 0, session: welcome?.session, key: welcome?.key };
    const next = await Page.open(JSON.stringify([`hello ${JSON.stringify(hello)}`]));
    expect(readHandshake("welcome", next.lines[0] ?? "")?.resumed).toBe(true);
    await vi.waitFor(() => expect(page.isOver).toBe(true), LONG);
    expect(page.frames.at(-1)).toMatch(/^bye .*taken-over/);
    expect((await page.send(echo(1, {}))).status).toBe(410);
    expect(stage.noted).toEqual([]);
  });

  it.each([
    ["invalid JSON", "nonsense"],
    ["an object", "{}"],
    ["numbers", "[1]"],
    ["too many frames", JSON.stringify(Array(1001).fill("?"))],
    ["too many bytes", JSON.stringify(["x".repeat(1_100_000)])],
  ])("rejects a body with %s", async (_what, body) => {
    const page = await Page.open();
    expect((await post(body, page.headers)).status).toBe(400);
    expect((await page.send(echo(1, {}))).status).toBe(204);
  });

  it("rejects an unknown transport, or one of another user", async () => {
    const page = await Page.open();
    expect((await post("[]", { "vitrine-transport": "made-up" })).status).toBe(410);
    expect((await fetch(stage.url())).status).toBe(410);
    expect((await post(JSON.stringify([echo(1, {})]), page.headers, "eve")).status).toBe(410);
    expect((await fetch(stage.url("eve"), { headers: page.headers })).status).toBe(410);
    expect((await fetch(stage.url(), { headers: page.headers })).status).toBe(409);
    expect(stage.noted).toEqual([]);
  });

  it("explains why a hello is rejected", async () => {
    const { frames } = (await (await post(JSON.stringify(["1 0 . x"]))).json()) as { frames: string[] };
    expect(frames[0]).toMatch(/^bye .*malformed/);
    expect([stage.http.size, stage.registry.size]).toEqual([0, 0]);
  });

  it("ends the session at an invalid frame", async () => {
    const page = await Page.open();
    expect((await page.send("nonsense")).status).toBe(410);
    await vi.waitFor(() => expect(page.frames.at(-1)).toMatch(/^bye .*malformed/), LONG);
    expect(stage.registry.size).toBe(0);
  });

  it("ends a transport whose stream is never opened", async () => {
    const restless = await SessionStage.open({ heartbeat: 50 });
    onTestFinished(() => restless.close());
    await fetch(restless.url(), { method: "POST", body: HELLO });
    expect(restless.registry.size).toBe(1);
    await vi.waitFor(() => expect(restless.http.size).toBe(0), LONG);
    expect(restless.registry.size).toBe(1);
  });

  it("holds no more for a page that does not read its stream than for any other", async () => {
    // More than the system buffers for a connection, so that the missing reader is noticed.
    const large = await SessionStage.open({ registry: { limits: { window: 32_000_000 } } });
    onTestFinished(() => large.close());
    const hello = await fetch(large.url(), { method: "POST", body: HELLO });
    const { id: transport } = (await hello.json()) as { id: string };
    const stream = request(large.url(), { headers: { "vitrine-transport": transport } }).end();
    onTestFinished(() => void stream.destroy());
    const [answer] = (await once(stream, "response")) as [IncomingMessage];
    answer.on("error", () => {}).pause();
    const [session] = large.sessions;
    for (let n = 0; n < 300; n++) session?.send("a", "x".repeat(100_000));
    await vi.waitFor(() => expect(session?.isFull).toBe(true), LONG);
    // The transport ends, and the session waits with its queue.
    for (const size of [1, 0]) {
      large.http.sweep();
      expect(large.http.size).toBe(size);
    }
    expect(session?.isConnected).toBe(false);
  });
});

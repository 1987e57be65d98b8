/**
 * Two users of one gateway: the time that a call of the second user takes while the first one is idle, and while the first one
 * floods. The flooding pages run in their own process.
 *
 * @module
 */
import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { ms, summary, table, times } from "../statistics.mjs";
import { echoServer, openStage } from "./stage.mjs";

/** Calls that are measured, and milliseconds between them. */
const CALLS = Number(process.env.BENCH_NEIGHBOURS ?? 300);
const PAUSE = 15;
/** Pages of the flooding user, and the calls that each keeps running. */
const PAGES = 8;
const RUNNING = 100;
/** Maximum ratio of the second user's p99 beside a flood to the p99 alone. */
export const EXPECTED_NEIGHBOUR = 2;

/** A page that sends raw calls over a WebSocket. */
class Page {
  #socket;
  #pending = new Map();
  #sent = 0;
  #received = 0;
  #nonce = randomBytes(6).toString("hex");

  static async open(url, headers) {
    const page = new Page();
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    page.#socket = socket;
    await once(socket, "open");
    const welcome = once(socket, "message");
    socket.send('hello {"version":1,"received":0}');
    await welcome;
    socket.on("message", (data) => page.#read(String(data)));
    return page;
  }

  request(method, params) {
    const id = `${this.#nonce}.${++this.#sent}`;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#socket.send(`${this.#sent} ${this.#received} . ${text}`);
    });
  }

  /** Resolves with whether the call was made. */
  call(server) {
    return this.request("gateway/call", { server, name: "change", arguments: { text: "x" } });
  }

  close() {
    this.#socket.terminate();
  }

  #read(frame) {
    const [, seq, text] = /^(\d+) \d+ \. (.*)$/s.exec(frame) ?? [];
    if (text === undefined) return;
    this.#received = Number(seq);
    const { id, result } = JSON.parse(text);
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(result !== undefined);
    // Acknowledges what no request carries.
    if (this.#pending.size === 0) this.#socket.send(`- ${this.#received}`);
  }
}

async function flood({ url, headers, server }) {
  const pages = await Promise.all(Array.from({ length: PAGES }, () => Page.open(url, headers)));
  let done = 0;
  const began = performance.now();
  for (const page of pages) {
    for (let n = 0; n < RUNNING; n++) {
      void (async () => {
        for (;;) if (await page.call(server)) done++;
      })();
    }
  }
  process.on("message", () => process.send(done / ((performance.now() - began) / 1000)));
}

async function timesOf(page, server) {
  const samples = [];
  for (let n = 0; n < CALLS; n++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const began = performance.now();
    if (!(await page.call(server))) throw new Error("a call of the quiet user was refused");
    samples.push(performance.now() - began);
  }
  return summary(samples);
}

const userOf = (name) => {
  const token = randomBytes(32).toString("base64url");
  return { token, user: { name, tokenHash: createHash("sha256").update(token).digest("hex") } };
};

export async function measureNeighbours() {
  const [loud, quiet] = [userOf("loud"), userOf("quiet")];
  const stage = await openStage({
    mcpServers: {
      own: echoServer("process", { limits: {} }),
      shared: echoServer("process", { stateless: true, limits: { concurrency: { total: 4 } } }),
    },
    users: [loud.user, quiet.user],
  });
  const url = `${stage.origin.replace("http", "ws")}/api/session`;
  const headersOf = ({ token }) => ({ authorization: `Bearer ${token}`, origin: stage.origin });
  try {
    const page = await Page.open(url, headersOf(quiet));
    const rows = [];
    for (const server of ["own", "shared"]) {
      for (let n = 0; n < 50; n++) await page.call(server);
      const alone = await timesOf(page, server);
      const child = fork(fileURLToPath(import.meta.url), ["flood"]);
      child.send({ url, headers: headersOf(loud), server });
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const beside = await timesOf(page, server);
      child.send("count");
      const [perSecond] = await once(child, "message");
      child.kill();
      await once(child, "exit");
      rows.push({ server, alone, beside, perSecond });
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
    page.close();
    return rows;
  } finally {
    await stage.close();
  }
}

export const showNeighbours = (rows) =>
  table(
    ["server", "p50 alone", "p50 beside", "p99 alone", "p99 beside", "p99 ratio", "calls/s of the flood"],
    rows.map(({ server, alone, beside, perSecond }) => [
      server,
      ms(alone.p50),
      ms(beside.p50),
      ms(alone.p99),
      ms(beside.p99),
      times(beside.p99 / alone.p99),
      String(Math.round(perSecond)),
    ]),
  );

/** Returns one line for each expectation that is not met. */
export const neighbourShortfalls = (rows) =>
  rows
    .filter(({ alone, beside }) => beside.p99 > EXPECTED_NEIGHBOUR * alone.p99)
    .map(
      ({ server, alone, beside }) =>
        `a user beside a flood waits ${times(beside.p99 / alone.p99)} as long (${server}, p99)`,
    );

if (process.argv[2] === "flood") process.once("message", flood);

/**
 * A gateway in its own process, as users run it, and pages that are connected to it.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectGateway } from "@vitrine/host/gateway";
import { WebSocket } from "ws";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const ECHO = here("./echo-server.mjs");

/**
 * The part of `fetch` that is needed here. Node's own takes longer than the gateway behind it; a browser's
 * is not in this process at all.
 */
const quickFetch = (agent, url, { method = "GET", headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent, signal }, (answer) => {
      // The body is empty and unread.
      if (answer.statusCode === 204) answer.resume();
      const chunks = [];
      const text = async () => {
        for await (const chunk of answer) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      };
      resolve({
        ok: answer.statusCode < 300,
        status: answer.statusCode,
        text,
        json: async () => JSON.parse(await text()),
        // As a page reads it: a browser decodes in native code, and Node's web streams are slow.
        body: { pipeThrough: () => ({ getReader: () => textReader(answer) }) },
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });

function textReader(stream) {
  stream.setEncoding("utf8");
  const chunks = stream[Symbol.asyncIterator]();
  return { read: () => chunks.next() };
}

/** A WebSocket that a proxy blocks. */
class NoSocket {
  constructor() {
    setTimeout(() => this.onerror?.());
  }
  close() {}
}

const MAIN = here("../../packages/gateway/dist/main.js");
export const newToken = () => randomBytes(32).toString("base64url");

/**
 * Starts a gateway with these settings; its pages see the server `echo` by default. `node` has options of Node.js, `env` is the
 * environment, and `token` the token of its user.
 */
export async function openStage(settings = {}, { node = [], env = process.env, token = newToken() } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const file = join(folder, "settings.json");
  const written = {
    mcpServers: { echo: echoServer() },
    listen: { port: 0 },
    sandbox: { port: 0 },
    dataFolder: join(folder, "data"),
    users: [{ name: "bench", tokenHash: createHash("sha256").update(token).digest("hex") }],
    session: { perUser: 10_000 },
    ...settings,
  };
  writeFileSync(file, JSON.stringify(written));
  const child = spawn(
    process.execPath,
    [...(process.env.BENCH_NODE ?? "").split(" ").filter(Boolean), ...node, MAIN, "--config", file],
    {
      env,
      stdio: ["ignore", "pipe", process.env.BENCH_LOG ? "inherit" : "ignore"],
    },
  );
  const origin = await new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", () => reject(new Error("the gateway did not start")));
    child.stdout.on("data", (data) => {
      text += data;
      const found = /→ (http:\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
  });
  const headers = { authorization: `Bearer ${token}`, origin };
  class Socket extends WebSocket {
    constructor(url) {
      super(url, { headers, perMessageDeflate: false });
    }
  }
  const agent = new Agent({ keepAlive: true });
  /** Sends a request as the stage's user, or as the one of another token. */
  const send = (url, { token: other = token, ...init } = {}) =>
    quickFetch(agent, url, {
      ...init,
      headers: { ...init.headers, ...headers, authorization: `Bearer ${other}` },
    });
  const pages = [];
  return {
    origin,
    headers,
    send,
    pid: child.pid,
    /** A page, over a WebSocket or over HTTP. */
    async page(over = "websocket") {
      const gateway = connectGateway({
        url: `${origin}/api/session`,
        fetch: send,
        WebSocket: over === "websocket" ? Socket : NoSocket,
        storage: { getItem: () => null, setItem() {}, removeItem() {} },
      });
      pages.push(gateway);
      await gateway.request("gateway/servers", {});
      if (gateway.state.over !== over) throw new Error(`connected over ${gateway.state.over}, not ${over}`);
      return gateway;
    },
    async close() {
      for (const page of pages) page.close();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      agent.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server that returns its input; its tools may be called without asking. */
export const echoServer = (isolation = "process", more = {}) => ({
  command: process.execPath,
  args: [ECHO],
  isolation,
  policy: { "tools/call": "allow" },
  limits: {
    rates: { call: { burst: 1e9, perSecond: 1e9 } },
    concurrency: { perView: 1000, total: 100_000, waiting: 100_000 },
  },
  ...more,
});

/** Senders that are no nodes, and operations that were not meant for this node, this user or this time. */
import { request as plainRequest } from "node:http";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { headersOf, NodeStage, SECRET, type StageNode } from "../../../../../testing/gateway/node-stage.ts";
import { linkTo } from "../../../../../testing/gateway/raw-link.ts";
import { STREAM_TARGET } from "./accepted-link.js";
import { nodeKeys, tlsOfClient } from "./keys.js";
import { OPERATION_HEADER, OperationSigner } from "./operation.js";

const LONG = { timeout: 30_000, interval: 20 };
const URL_OF_CALL = "/api/servers/weather/tools/call";
const BODY = JSON.stringify({ name: "forecast", arguments: {} });
const KEYS = nodeKeys(SECRET);
const ADA = { user: "ada", origin: "http://x", address: "10.0.0.1" };

let stage: NodeStage;
afterEach(() => stage.close());

async function openOne(): Promise<StageNode> {
  stage = new NodeStage();
  const b = await stage.add("b");
  stage.owners.owners.set("ada", "b");
  return b;
}

interface Sent {
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  body?: string;
  operation?: string;
}

/** Sends a request as a node does that knows the secret. */
function send(
  to: StageNode,
  { method = "POST", url = URL_OF_CALL, headers = {}, body = BODY, operation }: Sent,
) {
  const [host, port] = to.ref.address.split(":");
  const sent = operation === undefined ? {} : { [OPERATION_HEADER]: operation };
  return new Promise<{ status: number; code: string; message: string }>((resolve, reject) => {
    const asked = request(
      { host, port, method, path: url, headers: { ...headers, ...sent }, agent: false, ...tlsOfClient(KEYS) },
      async (answer) => {
        const parsed = JSON.parse((await text(answer)) || "{}");
        resolve({
          status: answer.statusCode ?? 0,
          code: parsed.code ?? parsed.error?.code,
          message: parsed.message,
        });
      },
    );
    asked.on("error", reject).end(body);
  });
}

const HEADERS = { host: "gateway.example", "content-type": "application/json" };
const target = { method: "POST", url: URL_OF_CALL, headers: HEADERS };
const signer = (now?: () => number, id = "a"): OperationSigner =>
  new OperationSigner(KEYS.operation, id, now);

describe("a sender that is not a node", () => {
  it("without encryption gets nothing", async () => {
    const b = await openOne();
    const [host, port] = b.ref.address.split(":");
    const plain = new Promise((resolve) => {
      const asked = plainRequest({ host, port, path: URL_OF_CALL }, () => resolve("an answer"));
      asked.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code)).end();
    });
    expect(await plain).toBe("ECONNRESET");
    const received = new Promise<string>((resolve) => {
      let bytes = "";
      const socket = connectTcp(Number(port), host, () => socket.write("hello\r\n\r\n"));
      socket.on("data", (data) => (bytes += data)).on("error", () => {});
      socket.on("close", () => resolve(bytes));
    });
    expect(await received).not.toContain("HTTP");
    expect(b.calls).toEqual([]);
  });

  it.each([
    ["with another secret", tlsOfClient(nodeKeys("another secret with thirty-two bytes"))],
    ["with certificates", { rejectUnauthorized: false }],
    ["with TLS 1.3", { ...tlsOfClient(KEYS), minVersion: "TLSv1.3", maxVersion: "TLSv1.3" } as const],
  ])("%s fails in the handshake", async (_name, options) => {
    const b = await openOne();
    const [host, port] = b.ref.address.split(":");
    const socket = connect({ host, port: Number(port), ...options });
    const end = await new Promise((resolve) => {
      socket.on("secureConnect", () => resolve("connected")).on("error", () => resolve("refused"));
    });
    expect(end).toBe("refused");
    expect(b.logged.join()).toContain("has another secret, or is no node");
  });

  it("with another secret is told so in its own log, and its callers may try again", async () => {
    const b = await openOne();
    const a = await stage.add("a", { secret: "another secret with thirty-two bytes" });
    const answer = await fetch(`${a.listener.origin}${URL_OF_CALL}`, {
      method: "POST",
      headers: headersOf(a),
      body: BODY,
    });
    expect(answer.status).toBe(503);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("node-unreachable");
    expect(error.message).toContain("their secrets differ");
    await vi.waitFor(() => expect(a.logged.join()).toContain("secrets differ"), LONG);
    expect(b.calls).toEqual([]);
  });
});

describe("an operation", () => {
  it("runs once: the same one again is refused", async () => {
    const b = await openOne();
    const operation = signer().sign("b", ADA, target, BODY);
    expect(await send(b, { headers: HEADERS, operation })).toMatchObject({ status: 200 });
    expect(await send(b, { headers: HEADERS, operation })).toMatchObject({
      status: 409,
      code: "operation-replayed",
    });
    expect(b.calls).toHaveLength(1);
  });

  it("without a signature, or with any part changed, is refused", async () => {
    const b = await openOne();
    const sign = (): string => signer().sign("b", ADA, target, BODY);
    const invalid = { status: 403, code: "operation-invalid" };
    expect(await send(b, { headers: HEADERS })).toMatchObject(invalid);
    expect(await send(b, { headers: HEADERS, operation: "e30.e30" })).toMatchObject(invalid);
    const changes: Sent[] = [
      { url: "/api/servers/mail/tools/call" },
      { url: `${URL_OF_CALL}?x=1` },
      { method: "DELETE" },
      { headers: { ...HEADERS, "idempotency-key": "other" } },
      { headers: { ...HEADERS, host: "other.example" } },
      { body: BODY.replace("forecast", "erase") },
    ];
    for (const change of changes)
      expect(await send(b, { headers: HEADERS, operation: sign(), ...change })).toMatchObject(invalid);
    const [payload = "", signature] = sign().split(".");
    const fields = JSON.parse(Buffer.from(payload, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...fields, user: "bob" })).toString("base64url");
    stage.owners.owners.set("bob", "b");
    expect(await send(b, { headers: HEADERS, operation: `${forged}.${signature}` })).toMatchObject(invalid);
    expect(b.calls).toEqual([]);
  });

  it("for another node is refused, and names both", async () => {
    const b = await openOne();
    const answer = await send(b, { headers: HEADERS, operation: signer().sign("c", ADA, target, BODY) });
    expect(answer).toMatchObject({ status: 421, code: "not-owner" });
    expect(answer.message).toContain("for node c, and this is node b");
    expect(b.calls).toEqual([]);
  });

  it("for a user whose state is elsewhere is refused", async () => {
    const b = await openOne();
    const operation = signer().sign("b", { ...ADA, user: "bob" }, target, BODY);
    expect(await send(b, { headers: HEADERS, operation })).toMatchObject({ status: 421, code: "not-owner" });
    expect(b.calls).toEqual([]);
  });

  it.each([-61_000, 61_000])("signed %i ms from now is refused, and names both times", async (skew) => {
    const b = await openOne();
    const operation = signer(() => Date.now() + skew).sign("b", ADA, target, BODY);
    const answer = await send(b, { headers: HEADERS, operation });
    expect(answer).toMatchObject({ status: 503, code: "clock-skew" });
    expect(answer.message.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g)).toHaveLength(2);
    expect(b.calls).toEqual([]);
  });

  it("of a node with a wrong clock fails with that reason for its callers and pages", async () => {
    const b = await openOne();
    const a = await stage.add("a", { now: () => Date.now() - 120_000 });
    const headers = headersOf(a);
    const answer = await fetch(`${a.listener.origin}${URL_OF_CALL}`, { method: "POST", headers, body: BODY });
    expect([answer.status, JSON.parse(await answer.text()).error.code]).toEqual([503, "clock-skew"]);
    const page = new WebSocket(`${a.listener.origin.replace("http", "ws")}/api/session`, { headers });
    page.on("open", () => page.send('hello {"version":1,"received":0}'));
    const frame = await new Promise((resolve) => page.once("message", (data) => resolve(String(data))));
    expect(frame).toMatch(/^bye \{"code":"overloaded","message":"node a says that it is/);
    expect([b.calls, b.sessions]).toEqual([[], []]);
  });
});

describe("a frame between nodes", () => {
  const HELLO = 'hello {"version":1,"received":0}';

  it("opens a session only with an operation that was never used", async () => {
    const b = await openOne();
    const by = signer();
    const { socket, received } = await linkTo(b, by);
    const operation = by.sign("b", ADA, STREAM_TARGET, HELLO);
    socket.send(`o1 ${operation} ${HELLO}`);
    await vi.waitFor(() => expect(received[0]).toMatch(/^f1 welcome /), LONG);
    socket.send(`o2 ${operation} ${HELLO}`);
    await vi.waitFor(() => expect(received[1]).toMatch(/^r2 \{"code":"operation-replayed"/), LONG);
    // Nor on another connection.
    const other = await linkTo(b, signer(undefined, "c"));
    other.socket.send(`o1 ${operation} ${HELLO}`);
    await vi.waitFor(() => expect(other.received[0]).toMatch(/^r1 \{"code":"operation-replayed"/), LONG);
    expect(b.registry.size).toBe(1);
  });

  it("with another hello or another kind of operation is refused", async () => {
    const b = await openOne();
    const by = signer();
    const { socket, received } = await linkTo(b, by);
    socket.send(`o1 ${by.sign("b", ADA, STREAM_TARGET, HELLO)} ${HELLO.replace("0}", "1}")}`);
    socket.send(`o2 ${by.sign("b", ADA, target, HELLO)} ${HELLO}`);
    socket.send(`o3 ${by.sign("b", { ...ADA, user: "bob" }, STREAM_TARGET, HELLO)} ${HELLO}`);
    await vi.waitFor(() => expect(received).toHaveLength(3), LONG);
    const codes = received.map((message) => JSON.parse(message.slice(3)).code);
    expect(codes).toEqual(["operation-invalid", "operation-invalid", "not-owner"]);
    expect(b.registry.size).toBe(0);
  });

  it.each(["f7 1 0 . {}", "o1 again", "q1 again", "x1", "a1 HTTP/1.1 200 OK", "", "w1 1"])(
    "%j, which has no stream, ends the connection",
    async (message) => {
      const b = await openOne();
      const { socket } = await linkTo(b);
      if (message.endsWith("again")) socket.send("o1 wrong x");
      socket.send(message);
      await new Promise((resolve) => socket.on("close", resolve));
      expect(b.logged.join()).toMatch(/was not opened|was opened before|not understood/);
    },
  );

  it("asks a request only with an operation that was never used", async () => {
    const b = await openOne();
    const { socket, received, by } = await linkTo(b);
    const operation = by.sign("b", ADA, target, BODY);
    socket.send(`q1 ${operation} ${JSON.stringify(target)}\n${BODY}`);
    await vi.waitFor(() => expect(received[0]).toMatch(/^a1 HTTP\/1\.1 200 /), LONG);
    socket.send(`q2 ${operation} ${JSON.stringify(target)}\n${BODY}`);
    await vi.waitFor(() => expect(received[1]).toMatch(/^r2 \{"code":"operation-replayed"/), LONG);
    expect((await send(b, { headers: HEADERS, operation })).code).toBe("operation-replayed");
    expect(b.calls).toHaveLength(1);
  });

  it("asks no request that was changed, or is not for this node, user or time", async () => {
    const b = await openOne();
    const { socket, received, by } = await linkTo(b);
    const signed = by.sign("b", ADA, target, BODY);
    const late = signer(() => Date.now() - 61_000, "late").sign("b", ADA, target, BODY);
    const asked: [operation: string, changed: object, body: string, answer: RegExp][] = [
      [signed, { url: "/api/servers/mail/tools/call" }, BODY, /"code":"operation-invalid"/],
      [signed, { method: "DELETE" }, BODY, /"code":"operation-invalid"/],
      [signed, { headers: { ...HEADERS, "idempotency-key": "other" } }, BODY, /"code":"operation-invalid"/],
      [by.sign("c", ADA, target, BODY), {}, BODY, /"code":"not-owner"/],
      [by.sign("b", { ...ADA, user: "bob" }, target, BODY), {}, BODY, /"code":"not-owner"/],
      [late, {}, BODY, /"code":"clock-skew"/],
      [signed, {}, BODY.replace("forecast", "erase"), / 403 .*its body was changed/s],
    ];
    for (const [at, [operation, changed, body]] of asked.entries())
      socket.send(`q${at + 1} ${operation} ${JSON.stringify({ ...target, ...changed })}\n${body}`);
    await vi.waitFor(() => expect(received).toHaveLength(asked.length), LONG);
    for (const [at, [, , , answer]] of asked.entries()) {
      const message = received.find((each) => new RegExp(`^[ra]${at + 1} `).test(each));
      expect(message).toMatch(answer);
    }
    expect(b.calls).toEqual([]);
  });

  it("needs a signed operation for the connection itself, which works once", async () => {
    const b = await openOne();
    const { operation } = await linkTo(b);
    for (const header of [operation, "", "e30.e30"]) {
      const socket = new WebSocket(`wss://${b.ref.address}/link`, {
        ...tlsOfClient(KEYS),
        headers: { [OPERATION_HEADER]: header },
      });
      const status = await new Promise((resolve) => {
        socket.on("error", () => {});
        socket.on("open", () => resolve(101));
        socket.on("unexpected-response", (_asked, answer) => resolve(answer.statusCode));
      });
      expect([header.length, status]).toEqual([header.length, header === operation ? 409 : 403]);
    }
  });
});

/** A remote server fails in the middle of the whole chain. */
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { argumentsOf, type FaultRemote, startFaultRemote } from "../../../../testing/gateway/fault-remote.ts";
import {
  byPage,
  type Caller,
  codes,
  FaultStage,
  fine,
  many,
  type Outcome,
  remoteServer,
} from "../../../../testing/gateway/fault-stage.ts";
import { type HttpServer, startHttpServer } from "../../../../testing/gateway/http-server.ts";

let stage: FaultStage;
let far: FaultRemote;
/** A server that nothing must be redirected to. */
let other: HttpServer;
let callers: Caller[];

beforeAll(async () => {
  far = await startFaultRemote((key) => stage.remoteEffects.push(key));
  other = await startHttpServer("127.0.0.2");
  stage = await FaultStage.open({
    mcpServers: {
      far: remoteServer(far.url),
      hasty: remoteServer(far.url, { limits: { timeout: 1000 } }),
    },
  });
  const pages = await Promise.all([stage.page(), stage.page({ over: "http" })]);
  callers = [...pages.map(byPage), stage.program()];
});
afterEach(() => {
  far.fault = () => false;
});
afterAll(async () => {
  await stage.close();
  await Promise.all([far.close(), other.close()]);
});

const all = (server = "far"): Promise<Outcome[]> =>
  Promise.all(callers.map((caller) => stage.call(caller, "echo", {}, server)));
const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}): true => {
  response.writeHead(status, headers).end("refused");
  return true;
};
const called = (): number => far.received.filter(({ method }) => method === "tools/call").length;

describe("a remote server", () => {
  it("that answers 401 is not called again until it is started", async () => {
    fine(await all());
    far.fault = (_, response) => refuse(response, 401);
    expect(codes(await all())).toEqual(Array(3).fill("server-unauthorized"));
    const before = far.received.length;
    expect(codes(await all())).toEqual(Array(3).fill("server-unauthorized"));
    expect(far.received.length).toBe(before);
    far.fault = () => false;
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await stage.fetch("/api/servers/far/start", init)).status).toBe(200);
    fine(await all());
    await stage.checkOracle();
  });

  it("that forgot its session (404) is called once in a new one", async () => {
    fine(await all());
    far.session = "forgotten";
    fine((await Promise.all(many(5, () => all()))).flat());
    await stage.checkOracle();
  });

  it("that answers 429 is not called again, and the caller learns when to retry", async () => {
    far.fault = ({ method }, response) =>
      method === "tools/call" && refuse(response, 429, { "retry-after": "7" });
    const before = called();
    const outcomes = await all();
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ code: "overloaded", data: { retryAfter: 7 } });
    expect(called()).toBe(before + 3);
    await stage.checkOracle();
  });

  it("that answered 429 runs the call when it is sent again with the same key, also after a restart", async () => {
    const keys = ["busy-1", "busy-2"];
    const call = (key: string) => stage.program()("far", "echo", { key, text: "hello" }, key);
    far.fault = ({ method }, response) =>
      method === "tools/call" && refuse(response, 429, { "retry-after": "1" });
    for (const key of keys) await expect(call(key)).rejects.toMatchObject({ data: { code: "overloaded" } });
    far.fault = () => false;
    const done = { content: [{ text: "hello" }] };
    expect(await call("busy-1")).toMatchObject(done);
    await stage.end("SIGTERM");
    await stage.start();
    expect(await call("busy-2")).toMatchObject(done);
    await call("busy-1");
    expect(stage.effects().filter((key) => keys.includes(key))).toEqual(keys);
  });

  it("that answers 500 is not called again, and serves later calls", async () => {
    far.fault = ({ method }, response) => method === "tools/call" && refuse(response, 500);
    const before = called();
    expect(codes(await all())).toEqual(Array(3).fill("server-failed"));
    expect(called()).toBe(before + 3);
    far.fault = () => false;
    fine(await all());
    await stage.checkOracle();
  });

  it("whose event stream is cut after the effect ends the call as one that may have run", async () => {
    far.fault = (message, response) => {
      if (message.method !== "tools/call") return false;
      stage.remoteEffects.push(argumentsOf(message).key);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": begun\n\n", () => response.destroy());
      return true;
    };
    for (const outcome of await all()) {
      expect(outcome).toMatchObject({ code: "server-exited", data: { indeterminate: true } });
    }
    far.fault = () => false;
    fine(await all());
    await stage.checkOracle();
  });

  it("whose result is larger than a message to a page ends the call as one that may have run; the page continues", async () => {
    far.fault = (message, response) => {
      if (message.method !== "tools/call") return false;
      stage.remoteEffects.push(argumentsOf(message).key);
      // 17 MB here, and 77 MB as the gateway writes these numbers.
      const result = `{"content":[],"structuredContent":{"numbers":[1e20${",1e20".repeat(3_500_000)}]}}`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
      return true;
    };
    const page = callers[0] as Caller;
    expect(await stage.call(page, "echo", {}, "far")).toMatchObject({
      code: "server-too-large",
      data: { indeterminate: true },
    });
    far.fault = () => false;
    fine([await stage.call(page, "echo", {}, "far")]);
    await stage.checkOracle();
  });

  it("whose answer trickles in is ended in time, and its connection closed", async () => {
    let closed = 0;
    far.fault = ({ method }, response) => {
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.once("close", () => {
        clearInterval(drip);
        closed++;
      });
      return true;
    };
    expect(codes(await all("hasty"))).toEqual(Array(3).fill("timeout"));
    await expect.poll(() => closed).toBe(3);
    await stage.checkOracle();
  });

  it("that redirects to a private address is not followed", async () => {
    for (const location of [other.url, "http://169.254.169.254/latest/meta-data/"]) {
      far.fault = ({ method }, response) => method === "tools/call" && refuse(response, 307, { location });
      expect(codes(await all())).toEqual(Array(3).fill("address-forbidden"));
    }
    expect(other.received).toEqual([]);
    await stage.checkOracle();
  });
});

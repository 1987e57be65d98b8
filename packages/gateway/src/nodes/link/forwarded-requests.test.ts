/** Requests that reach a node which does not have the caller's state. */
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { JsonText } from "@vitrine/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { headersOf, NodeStage, type StageNode } from "../../../../../testing/gateway/node-stage.ts";
import type { GatewayApi } from "../../http/api.js";

const LONG = { timeout: 30_000, interval: 20 };
const CALL = "/api/servers/weather/tools/call";
const BODY = JSON.stringify({ name: "forecast", arguments: { city: "Bern" } });

let stage: NodeStage;
afterEach(() => stage.close());

/** Two nodes. The second one has `ada`. */
async function openTwo(api: Partial<GatewayApi> = {}): Promise<[a: StageNode, b: StageNode]> {
  stage = new NodeStage();
  const a = await stage.add("a");
  const b = await stage.add("b", { api });
  stage.owners.owners.set("ada", "b");
  return [a, b];
}

const begin = (node: StageNode, path: string, body?: string | Buffer, more = {}): ClientRequest => {
  const headers = { ...headersOf(node), ...more };
  const sent = request(`${node.listener.origin}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers,
    agent: false,
  });
  // Reported by the answer, if somebody waits for it.
  sent.on("error", () => {});
  sent.end(body);
  return sent;
};
const head = async (sent: ClientRequest): Promise<IncomingMessage> => {
  const [answer] = await once(sent, "response");
  return answer;
};
const ask = async (node: StageNode, path: string, body?: string | Buffer, more = {}) => {
  const answer = await head(begin(node, path, body, more));
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
};
const codeOf = (answer: { text: string }): string => JSON.parse(answer.text).error.code;

describe("a request", () => {
  it("runs at the node that has the user's state, and the answer comes back unchanged", async () => {
    const [a, b] = await openTwo();
    const [there, here] = [await ask(a, CALL, BODY), await ask(b, CALL, BODY)];
    const call = ["tools/call", "ada", "weather", JSON.parse(BODY), undefined];
    expect(b.calls).toEqual([call, call]);
    expect(a.calls).toEqual([]);
    expect(there.text).toBe(here.text);
    // Each request has a time and a trace of its own.
    const { date: _, traceresponse: trace, ...headers } = there.headers;
    const { date: __, traceresponse: ___, ...expected } = here.headers;
    expect(headers).toEqual(expected);
    expect(trace).toMatch(/^00-[0-9a-f]{32}-/);
  });

  it("runs where it arrives if that node has the user's state, without a lookup", async () => {
    const [, b] = await openTwo();
    expect((await ask(b, CALL, BODY)).status).toBe(200);
    expect(stage.owners.lookups).toEqual([]);
  });

  it("keeps its query, its idempotency key and its errors", async () => {
    const [a, b] = await openTwo();
    await ask(a, CALL, BODY, { "idempotency-key": "one" });
    expect(b.calls[0]?.at(-1)).toBe("one");
    await ask(a, "/api/audit?server=weather&limit=3");
    expect(b.calls[1]).toEqual(["audit", "ada", expect.objectContaining({ server: "weather", limit: 3 })]);
    const wrong = await ask(a, CALL, "{}");
    expect([wrong.status, codeOf(wrong)]).toEqual([400, "bad-request"]);
  });

  it("does not carry the caller's credential to the other node", async () => {
    let seen: Headers | undefined;
    const [a] = await openTwo({
      host: async (_caller, _server, asked) => {
        seen = asked.headers;
        return Response.json({});
      },
    });
    await ask(a, "/api/servers/weather/host", "{}", { cookie: "other=1", "x-trace": "7" });
    expect(seen?.get("x-trace")).toBe("7");
    expect([seen?.get("authorization"), seen?.get("cookie"), seen?.get("vitrine-operation")]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("without a credential is refused where it arrives, also with an operation of its own", async () => {
    const [a, b] = await openTwo();
    const answer = await ask(a, CALL, BODY, { authorization: "Bearer wrong", "vitrine-operation": "e30.AA" });
    expect(answer.status).toBe(401);
    expect(b.calls).toEqual([]);
    expect((await ask(a, CALL, BODY, { "vitrine-operation": "e30.AA" })).status).toBe(200);
  });

  it("about nobody's state is answered where it arrives", async () => {
    const [a] = await openTwo();
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/api/audit/verify"])
      expect([path, (await ask(a, path)).status]).toEqual([path, 200]);
    expect(stage.owners.lookups).toEqual([]);
    expect(a.calls).toEqual([["verify", "ada"]]);
  });

  it("of 16 MB and its answer of 40 MB arrive complete", async () => {
    const large = "y".repeat(40_000_000);
    const [a, b] = await openTwo({
      request: async (_caller, _server, _method, params) => {
        b.calls.push([JSON.stringify(params).length]);
        return new JsonText(JSON.stringify({ large }));
      },
    });
    const body = JSON.stringify({ name: "x", arguments: { text: "x".repeat(16_000_000) } });
    const answer = await ask(a, CALL, body);
    expect(b.calls).toEqual([[body.length]]);
    expect(answer.text.length).toBe(large.length + 12);
    expect((await ask(a, CALL, `${body}${" ".repeat(1_000_000)}`)).status).toBe(413);
  });
});

describe("the connection between two nodes", () => {
  it("carries all small requests at once, and a large one has its own", async () => {
    const [a, b] = await openTwo();
    await Promise.all(Array.from({ length: 50 }, () => ask(a, CALL, BODY)));
    expect([b.calls.length, b.line.connections]).toEqual([50, 1]);
    await ask(a, CALL, JSON.stringify({ name: "x", arguments: { text: "x".repeat(100_000) } }));
    expect(b.line.connections).toBe(2);
  });

  it("carries bodies that are not UTF-8, unchanged", async () => {
    const [a, b] = await openTwo();
    const [there, here] = [Buffer.from([0x7b, 0xff, 0x0a, 0x7d]), Buffer.from([0x7b, 0xff, 0x0a, 0x7d])];
    expect((await ask(a, CALL, there)).text).toContain("the body is not UTF-8");
    expect((await ask(b, CALL, here)).text).toContain("the body is not UTF-8");
  });

  it("passes answers of any size, and short ones while a long one waits for its caller", async () => {
    const sizes = [0, 1, 65_000, 65_536, 70_000, 1_000_000];
    let next = "";
    const [a] = await openTwo({ request: async () => new JsonText(JSON.stringify({ next })) });
    for (const size of sizes) {
      next = "y".repeat(size);
      expect(JSON.parse((await ask(a, CALL, BODY)).text).next).toHaveLength(size);
    }
    next = "y".repeat(10_000_000);
    const waiting = await head(begin(a, CALL, BODY));
    waiting.pause();
    next = "short";
    for (let n = 0; n < 20; n++) expect((await ask(a, CALL, BODY)).text).toContain("short");
    expect((await text(waiting)).length).toBe(10_000_011);
  });
});

describe("a download", () => {
  const row = { seq: 1, time: 1, kind: "entry" as const, hash: "0".repeat(1000) };

  it("is made only as fast as the caller reads", async () => {
    let made = 0;
    const [a] = await openTwo({
      audit: {
        query: async () => [],
        verify: async () => ({ ok: true, rows: 0, head: "" }),
        async *rows() {
          for (; made < 100_000; made++) yield row;
        },
      },
    });
    const answer = await head(begin(a, "/api/audit/export"));
    answer.pause();
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = made > 0 && made === before;
        before = made;
        expect(isStill).toBe(true);
      },
      { ...LONG, interval: 300 },
    );
    // 100 MB in all: the buffers of the two connections hold a part of it.
    expect(made).toBeLessThan(30_000);
    let size = 0;
    for await (const chunk of answer) size += (chunk as Buffer).length;
    expect(size).toBeGreaterThan(100_000_000);
  });

  it("that its caller leaves ends at the other node", async () => {
    const ended = vi.fn();
    const [a] = await openTwo({
      audit: {
        query: async () => [],
        verify: async () => ({ ok: true, rows: 0, head: "" }),
        async *rows() {
          try {
            for (;;) yield row;
          } finally {
            ended();
          }
        },
      },
    });
    const sent = begin(a, "/api/audit/export");
    await head(sent);
    sent.destroy();
    await vi.waitFor(() => expect(ended).toHaveBeenCalled(), LONG);
  });

  it("that fails at the other node is cut off, and does not look complete", async () => {
    const [a] = await openTwo({
      audit: {
        query: async () => [],
        verify: async () => ({ ok: true, rows: 0, head: "" }),
        async *rows() {
          for (let n = 0; n < 100; n++) yield row;
          throw new Error("the database is gone");
        },
      },
    });
    const answer = await head(begin(a, "/api/audit/export"));
    await expect(text(answer)).rejects.toThrow("aborted");
  });
});

describe("a call", () => {
  it("is cancelled at the other node when its caller disconnects", async () => {
    const aborted = vi.fn();
    const [a, b] = await openTwo({
      request: (_caller, _server, _method, _params, { signal }) =>
        new Promise(() => {
          b.calls.push(["began"]);
          signal?.addEventListener("abort", aborted);
        }),
    });
    const sent = begin(a, CALL, BODY);
    sent.on("error", () => {});
    await vi.waitFor(() => expect(b.calls).toHaveLength(1), LONG);
    sent.destroy();
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled(), LONG);
  });

  it("goes to the new owner when the old one refuses it, and runs once", async () => {
    const [a, b] = await openTwo();
    const c = await stage.add("c");
    a.believed.set("ada", c.ref);
    expect((await ask(a, CALL, BODY)).status).toBe(200);
    expect([b.calls.length, c.calls.length]).toEqual([1, 0]);
    expect(stage.owners.forgotten).toEqual(["a ada c"]);
  });

  it("runs where it arrives if the user's state has just come there", async () => {
    const [a, b] = await openTwo();
    a.believed.set("ada", b.ref);
    stage.owners.owners.set("ada", "c");
    stage.owners.nodes.set("c", { id: "c", address: b.ref.address });
    const locate = vi.spyOn(stage.owners.owners, "get");
    locate
      .mockImplementationOnce(() => "c")
      .mockImplementationOnce(() => "c")
      .mockReturnValue("a");
    expect((await ask(a, CALL, BODY)).status).toBe(200);
    expect([a.calls.length, b.calls.length]).toEqual([1, 0]);
  });

  it("ends with an error that can be retried if no node accepts it", async () => {
    const [a, b] = await openTwo();
    stage.owners.owners.set("ada", "c");
    // Everybody believes that another node has the user.
    stage.owners.nodes.set("c", { id: "b", address: b.ref.address });
    const answer = await ask(a, CALL, BODY);
    expect([answer.status, codeOf(answer), answer.headers["retry-after"]]).toEqual([
      503,
      "node-unreachable",
      "1",
    ]);
    expect(b.calls).toEqual([]);
    expect(stage.owners.forgotten.length).toBeGreaterThan(1);
    expect(stage.owners.forgotten.length).toBeLessThan(10);
  });
});

import { JsonText } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeServer, serverSettings } from "../../../testing/gateway/servers.ts";
import { explainFailure, mayRepeat, UnfinishedCall } from "./cut-off.js";
import { DirectRequests, type DirectRequestsOptions } from "./direct-requests.js";
import { RequestTimeouts } from "./request-timeouts.js";

interface Sent {
  id?: string;
  method: string;
  params: { _meta?: Record<string, unknown> };
}

function requests(options: Partial<DirectRequestsOptions> = {}) {
  const sent: Sent[] = [];
  const direct = new DirectRequests({
    send: (text) => sent.push(JSON.parse(text) as Sent),
    timeouts: new RequestTimeouts(60_000),
    ...options,
  });
  return { direct, sent };
}
const large = "x".repeat(120_000);

describe("DirectRequests", () => {
  it("matches answers to requests, with reordered, duplicate and made-up answers", async () => {
    const order = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(order, fc.nat({ max: 30 }), async (ids, count) => {
        const { direct, sent } = requests();
        const results = Array.from({ length: count }, (_, n) =>
          direct.request("tools/list", { cursor: `${n}` }).catch(() => "closed"),
        );
        for (const n of ids) {
          const params = sent[n - 1]?.params;
          direct.take({ jsonrpc: "2.0", id: `v${n}`, result: { ...params, for: n - 1 } });
        }
        direct.close(new Error("end"));
        for (const [n, result] of (await Promise.all(results)).entries()) {
          if (result !== "closed") expect(result).toMatchObject({ cursor: `${n}`, for: n });
          else expect(ids).not.toContain(n + 1);
        }
        expect(direct.size).toBe(0);
      }),
    );
  });

  it("passes on messages that belong to the client", () => {
    const { direct } = requests();
    expect(direct.take({ jsonrpc: "2.0", id: 1, result: {} })).toBe(false);
    expect(direct.take({ jsonrpc: "2.0", id: "v1", method: "ping" })).toBe(false);
    expect(
      direct.take({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1 } }),
    ).toBe(false);
    expect(direct.take({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })).toBe(false);
    expect(direct.takeText(`{"jsonrpc":"2.0","id":1,"result":{"a":"${large}"}}`)).toBe(false);
  });

  it.each([
    ["first", (result: string) => `{"result":${result},"jsonrpc":"2.0","id":"v1"}`],
    ["last", (result: string) => `{"jsonrpc": "2.0", "id": "v1", "result": ${result}}\r`],
  ])("returns a large result as text if it is the %s member of the answer", async (_, write) => {
    const { direct } = requests();
    const answer = direct.request("tools/call", { name: "a" });
    const result = JSON.stringify({ content: [{ type: "text", text: `${large}"}],\\` }] });
    expect(direct.takeText(write(result))).toBe(true);
    expect(await answer).toEqual(new JsonText(result));
  });

  it("leaves large errors and unknown messages to the parser", () => {
    const { direct } = requests();
    void direct.request("tools/call", { name: "a" }).catch(() => {});
    expect(direct.takeText(`{"id":"v1","error":{"code":1,"message":"${large}"}}`)).toBe(false);
    expect(direct.takeText(`{"id":"v1","result":"${large}"}`)).toBe(false);
    expect(direct.takeText(`{"id":"v1","result":{"a":"${large}"},"id":"v2"}`)).toBe(false);
    expect(direct.size).toBe(1);
    direct.close(new Error("end"));
  });

  it("rejects with the server's error, or if the message is not an answer", async () => {
    const { direct } = requests();
    const calls = [1, 2, 3].map(() => direct.request("tools/call", { name: "a" }));
    const failed = Promise.allSettled(calls);
    direct.take({ id: "v1", error: { code: -32_000, message: "no", data: 7 } });
    direct.take({ id: "v2", error: { code: "odd" } });
    direct.take({ id: "v3", result: [] });
    expect(await failed).toMatchObject([
      { reason: { code: -32_000, message: "no", data: 7 } },
      { reason: { code: -32_603 } },
      { reason: { code: "invalid" } },
    ]);
  });

  it("sends nothing for a request that is already aborted, and the next request gets its own answer", async () => {
    const { direct, sent } = requests();
    const signal = AbortSignal.abort();
    const early = direct.request("tools/call", { name: "a" }, { signal });
    await expect(early).rejects.toMatchObject({ code: "aborted" });
    const next = direct.request("tools/call", { name: "b" });
    expect(sent).toMatchObject([{ id: "v1", method: "tools/call", params: { name: "b" } }]);
    direct.take({ id: "v1", result: { for: "b" } });
    expect(await next).toMatchObject({ for: "b" });
    expect(direct.size).toBe(0);
  });

  it("rejects only the call whose progress listener throws", async () => {
    const { direct } = requests();
    const bad = direct.request(
      "tools/call",
      { name: "a" },
      {
        onprogress: () => {
          throw new Error("mine");
        },
      },
    );
    const good = direct.request("tools/call", { name: "b" });
    direct.take({ method: "notifications/progress", params: { progressToken: "v1", progress: 1 } });
    await expect(bad).rejects.toThrow("mine");
    direct.take({ id: "v2", result: {} });
    expect(await good).toEqual({});
  });

  describe("in the second generation", () => {
    const envelope = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const modern = { envelope: () => envelope };

    it("adds the envelope to every request, and a view cannot change it", async () => {
      const { direct, sent } = requests(modern);
      const controller = new AbortController();
      const _meta = { "io.modelcontextprotocol/protocolVersion": "1", progressToken: 3, own: true };
      const call = direct.request("resources/read", { uri: "x://y", _meta }, { signal: controller.signal });
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: "aborted" });
      expect(sent).toMatchObject([
        { method: "resources/read", params: { uri: "x://y", _meta: { ...envelope, own: true } } },
        { method: "notifications/cancelled", params: { requestId: "v1", _meta: envelope } },
      ]);
      expect(sent[0]?.params._meta).not.toHaveProperty("progressToken");
    });

    it("rejects results that are not complete, large or small", async () => {
      const { direct } = requests(modern);
      const calls = ["v1", "v2", "v3", "v4"].map(() => direct.request("tools/call", { name: "a" }));
      const settled = Promise.allSettled(calls);
      direct.take({ id: "v1", result: { resultType: "input_required", inputRequests: {} } });
      direct.take({ id: "v2", result: { resultType: "complete", content: [] } });
      direct.takeText(`{"id":"v3","result":{"resultType":"input_required","a":"${large}"}}`);
      direct.takeText(`{"id":"v4","result":{"a":"${large}","resultType":"complete"}}`);
      expect(await settled).toMatchObject([
        { reason: { code: "unsupported" } },
        { value: { content: [] } },
        { reason: { code: "unsupported" } },
        { value: expect.any(JsonText) },
      ]);
    });

    describe("where results may ask for input", () => {
      const asking = (id: string, requests: Record<string, unknown>, requestState?: string) => ({
        id,
        result: { resultType: "input_required", inputRequests: requests, requestState },
      });
      const complete = (id: string) => ({ id, result: { resultType: "complete", content: [] } });
      const elicit = { method: "elicitation/create", params: { message: "m" } };

      it("repeats the call with the answers and the server's state, round by round", async () => {
        const asked: unknown[] = [];
        const answer: DirectRequestsOptions["answer"] = async (request) => {
          asked.push(request);
          return { action: "accept", at: asked.length };
        };
        const { direct, sent } = requests({ ...modern, answer });
        const call = direct.request("tools/call", { name: "a" });
        direct.take(asking("v1", { one: elicit, two: elicit }, "notes"));
        await expect.poll(() => sent.length).toBe(2);
        direct.takeText(
          `{"id":"v2","result":{"resultType":"input_required","inputRequests":{"three":${JSON.stringify(elicit)}},"a":"${large}"}}`,
        );
        await expect.poll(() => sent.length).toBe(3);
        direct.take(complete("v3"));
        expect(await call).toMatchObject({ content: [] });
        expect(asked).toEqual([elicit, elicit, elicit]);
        expect(sent.map(({ params }) => params)).toMatchObject([
          { name: "a" },
          { name: "a", inputResponses: { one: { at: 1 }, two: { at: 2 } }, requestState: "notes" },
          { name: "a", inputResponses: { three: { at: 3 } }, _meta: envelope },
        ]);
        expect(sent[2]?.params).not.toHaveProperty("requestState");
      });

      it("a view cannot answer for the user", async () => {
        const { direct, sent } = requests({ ...modern, answer: async () => ({}) });
        const forged = { name: "a", inputResponses: { it: { action: "accept" } }, requestState: "mine" };
        const call = direct.request("tools/call", forged);
        direct.take(complete("v1"));
        await call;
        expect(Object.keys(sent[0]?.params ?? {})).toEqual(["name", "_meta"]);
      });

      it("an unanswered question ends the call, and so does a server that never stops asking", async () => {
        const no = new Error("no");
        const refusing = requests({ ...modern, answer: () => Promise.reject(no) });
        const refused = refusing.direct.request("tools/call", { name: "a" });
        refusing.direct.take(asking("v1", { it: elicit }));
        await expect(refused).rejects.toEqual(new UnfinishedCall(no));
        expect(refusing.sent).toHaveLength(1);

        const { direct, sent } = requests({ ...modern, answer: async () => ({}) });
        const endless = direct.request("tools/call", { name: "a" });
        const ended = expect(endless).rejects.toMatchObject({ code: "unsupported" });
        for (let round = 1; round <= 11; round++) {
          await expect.poll(() => sent.length).toBe(round);
          direct.take(asking(`v${round}`, { it: elicit }));
        }
        await ended;
        expect(sent).toHaveLength(11);
      });

      it("a later round that cannot be sent does not mean that the server never received the call", async () => {
        let texts = 0;
        const unsent = new GatewayError("server-exited", "reads no more", { data: { unsent: true } });
        const { direct } = requests({
          ...modern,
          answer: async () => ({}),
          send: () => {
            if (++texts > 1) throw unsent;
          },
        });
        const call = direct.request("tools/call", { name: "a" });
        direct.take(asking("v1", { it: elicit }));
        const error: unknown = await call.catch((thrown: unknown) => thrown);
        expect(mayRepeat(error, "tools/call")).toBe(false);
        expect(mayRepeat(error, "resources/read")).toBe(true);
        const settings = serverSettings("a", nodeServer("a"));
        const failure = explainFailure(error, { method: "tools/call", params: { name: "a" } }, settings, []);
        expect(failure).toMatchObject({ message: expect.stringContaining("may have run") });
        expect(failure).toHaveProperty("data", { code: "server-exited", indeterminate: true });
      });

      it.each([
        ["requests nothing", {}],
        ["has a list of requests", []],
        ["has a request that is a number", { it: 7 }],
        [
          "has too many requests",
          Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`q${n}`, elicit])),
        ],
      ])("rejects a result that %s", async (_, inputRequests) => {
        const { direct } = requests({ ...modern, answer: async () => ({}) });
        const call = direct.request("tools/call", { name: "a" });
        direct.take({ id: "v1", result: { resultType: "input_required", inputRequests } });
        await expect(call).rejects.toMatchObject({ code: "unsupported" });
      });

      it("rejects a list that asks for input, and invalid JSON", async () => {
        const { direct } = requests({ ...modern, answer: async () => ({}) });
        const list = direct.request("tools/list", {});
        direct.take(asking("v1", { it: elicit }));
        await expect(list).rejects.toMatchObject({ code: "unsupported" });
        const call = direct.request("tools/call", { name: "a" });
        direct.takeText(`{"id":"v2","result":{"resultType":"input_required","a":nonsense,"b":"${large}"}}`);
        direct.close(new Error("end"));
        await expect(call).rejects.toBeInstanceOf(Error);
      });

      it("closing the connection cancels the question, and the call fails with the reason", async () => {
        let given: AbortSignal | undefined;
        const answer: DirectRequestsOptions["answer"] = (_, signal) =>
          new Promise((_resolve, reject) => {
            given = signal;
            signal.addEventListener("abort", () => reject(new Error("taken back")));
          });
        const { direct } = requests({ ...modern, answer });
        const call = direct.request("tools/call", { name: "a" });
        direct.take(asking("v1", { it: elicit }));
        await expect.poll(() => given).toBeDefined();
        const gone = new Error("gone");
        direct.close(gone);
        await expect(call).rejects.toBe(gone);
        expect(given?.aborted).toBe(true);
      });
    });
  });
});

import { VitrineError } from "@vitrine/protocol";
import { SESSION_LIMITS, Session, type SessionTransport } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { Calls, portOf } from "./calls.js";

describe("a request that is aborted while the queue is full", () => {
  it("settles, and is cancelled when there is a connection again", async () => {
    const session = new Session({ limits: { ...SESSION_LIMITS, queue: 1000 } });
    const calls = new Calls((...message) => session.send(...message));
    const port = portOf(".", false);
    const controller = new AbortController();
    const aborted = calls.request(port, "gateway/call", {}, { id: "a.1", signal: controller.signal });
    expect(() => {
      for (;;) session.send(".", "x".repeat(50));
    }).toThrow("the send queue is full");
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    const frames: string[] = [];
    const transport: SessionTransport = { send: (frame) => void frames.push(frame), end: () => {} };
    session.attach(transport, { received: 0 });
    expect(frames.at(-1)).toContain('"method":"notifications/cancelled","params":{"requestId":"a.1"');
  });
});

describe("a request", () => {
  it("and the same one under the same id are sent once, and both settle", async () => {
    const sent: string[] = [];
    const calls = new Calls((_channel, text) => void sent.push(text));
    const port = portOf(".", false);
    const both = ["one", "two"].map(() => calls.request(port, "gateway/call", { name: "a" }, { id: "a.1" }));
    expect(sent).toHaveLength(1);
    const other = calls.request(port, "gateway/call", { name: "b" }, { id: "a.1" });
    await expect(other).rejects.toMatchObject({ data: { code: "conflict" } });
    calls.receive(port, '{"jsonrpc":"2.0","id":"a.1","result":{"content":[]}}');
    expect(await Promise.all(both)).toEqual([{ content: [] }, { content: [] }]);
    expect(port.waiting).toBe(0);
  });

  it("is repeated at a new session although the queue is full; one that cannot be sent fails alone", async () => {
    let limit = 1000;
    const session = new Session({ limits: { ...SESSION_LIMITS, queue: 200 } });
    const calls = new Calls((channel, text, isUrgent) => {
      if (text.length > limit) throw new VitrineError("send-failed", "the gateway takes less");
      session.send(channel, text, isUrgent);
    });
    const port = portOf(".", false);
    const ask = (name: string, id: string) => {
      const request = calls.request(port, "gateway/call", { name }, { id });
      session.reset();
      return request;
    };
    const long = ask("x".repeat(100), "a.1");
    const short = [ask("b", "a.2"), ask("c", "a.3"), ask("d", "a.4")];
    limit = 100;
    calls.again(port);
    await expect(long).rejects.toMatchObject({ code: "closed", data: { indeterminate: true } });
    for (const id of ["a.2", "a.3", "a.4"]) calls.receive(port, `{"jsonrpc":"2.0","id":"${id}","result":{}}`);
    expect(await Promise.all(short)).toEqual([{}, {}, {}]);
    // The same holds for the requests that open its views again.
    await expect(calls.request(port, "gateway/open", {})).rejects.toMatchObject({ code: "send-failed" });
    const reopened = calls.request(port, "gateway/open", {}, { id: "a.5", isUrgent: true });
    calls.receive(port, '{"jsonrpc":"2.0","id":"a.5","result":{}}');
    expect(await reopened).toEqual({});
    expect(session.queued).toBeGreaterThan(200);
  });

  it("that never left the page did not run when it fails; one that was sent may have", async () => {
    const calls = new Calls(() => {});
    const port = portOf("v1", true);
    const sent = calls.request(port, "tools/call", { name: "a" });
    port.channel = undefined;
    const kept = calls.request(port, "tools/call", { name: "b" });
    calls.fail("the view is gone", port);
    await expect(sent).rejects.toMatchObject({ code: "closed", data: { indeterminate: true } });
    await expect(kept).rejects.toMatchObject({ code: "closed", data: { indeterminate: false } });
  });

  it("rejects if its listener throws", async () => {
    const calls = new Calls(() => {});
    const port = portOf(".", false);
    const onresult = () => {
      throw new Error("the page cannot use it");
    };
    const request = calls.request(port, "gateway/open", {}, { id: "a.1", onresult });
    calls.receive(port, '{"jsonrpc":"2.0","id":"a.1","result":{}}');
    await expect(request).rejects.toThrow("the page cannot use it");
  });
});

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

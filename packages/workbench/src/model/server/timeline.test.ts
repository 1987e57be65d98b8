import type { TrafficMessage } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { AppLog } from "../app/app-log.js";
import { partnerOf } from "../messages/message-filter.js";
import { ServerTimeline } from "./timeline.js";

const START = 1_000_000;

function setUp() {
  let now = START;
  const timeline = new ServerTimeline(() => now);
  now += 100;
  const app = { id: "v1", title: "Cart", log: new AppLog(() => now - 500_000) };
  let seq = 0;
  const traffic = (more: Partial<TrafficMessage>): TrafficMessage => ({
    seq: ++seq,
    at: now,
    direction: "to-server",
    kind: "request",
    method: "tools/call",
    id: seq,
    size: 10,
    text: "{}",
    ...more,
  });
  return { timeline, app, traffic, at: (time: number) => (now = START + time) };
}

const call = (name: string) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });
const text = (name: string) =>
  JSON.stringify({ ...call(name), params: { name, _meta: { traceparent: "00-…" } } });
const settled = () => new Promise((resolve) => setTimeout(resolve, 80));

describe("the messages of a server and of its apps", () => {
  it("are one list in the order of their time, whichever came first", async () => {
    const { timeline, app, traffic, at } = setUp();
    timeline.follow([app]);
    at(400);
    app.log.add({ direction: "in", message: call("look") });
    const late = traffic({ at: START + 300, id: 7, text: text("other") });
    await settled();
    timeline.take("shop", [
      traffic({ at: START + 500, text: text("look"), by: { actor: "view", view: "v1" } }),
      late,
    ]);
    timeline.flush();
    expect(timeline.messages.map(({ n, at: time, party, direction }) => [n, time, party, direction])).toEqual(
      [
        [1, 300, "the server shop", "out"],
        [2, 400, "the app Cart", "in"],
        [3, 500, "the server shop", "out"],
      ],
    );
  });

  it("show what caused a request: the app's last message with the same params", async () => {
    const { timeline, app, traffic, at } = setUp();
    timeline.follow([app]);
    at(200);
    for (const name of ["look", "other"]) app.log.add({ direction: "in", message: call(name) });
    await settled();
    const by = { actor: "view", view: "v1" };
    timeline.take("shop", [
      traffic({ at: START + 300, text: text("look"), id: "v1", by }),
      traffic({ at: START + 301, text: "{}", id: "v1", kind: "result", direction: "from-server", by }),
      traffic({ at: START + 302, text: text("look"), id: "v2", by: { actor: "model" } }),
    ]);
    timeline.flush();
    const [look, , request, answer, ofModel] = timeline.messages;
    expect(request && timeline.causeOf(request)).toBe(look);
    expect(answer && timeline.causeOf(answer)).toBe(look);
    expect(ofModel && timeline.causeOf(ofModel)).toBeUndefined();
    // Both ends number their requests: those of apps are not answered by servers.
    expect(request && partnerOf(timeline.messages, request)).toBe(answer);
  });

  it("leave out what came before, and of apps that are gone", async () => {
    const { timeline, app, at } = setUp();
    app.log.add({ direction: "in", message: call("before") });
    timeline.follow([app]);
    at(300);
    timeline.follow([]);
    app.log.add({ direction: "in", message: call("after") });
    await settled();
    timeline.flush();
    expect(timeline.messages).toEqual([]);
  });

  it("forget the oldest, and count what was lost", () => {
    const { timeline, traffic } = setUp();
    timeline.take(
      "shop",
      Array.from({ length: 20_010 }, () => traffic({})),
      3,
    );
    timeline.flush();
    expect(timeline.messages).toHaveLength(20_000);
    expect(timeline.messages[0]?.n).toBe(11);
    expect(timeline.dropped).toBe(13);
  });

  it("are shown without text if they are too large, or no JSON", () => {
    const { timeline, traffic } = setUp();
    timeline.take("shop", [traffic({ text: undefined, size: 5_000_000 }), traffic({ text: "hello" })]);
    timeline.flush();
    expect(timeline.messages.map(({ message }) => message)).toEqual([
      expect.stringContaining("too large"),
      "hello",
    ]);
  });
});

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { FRAME_COST, PART } from "./frame.js";
import { SESSION_LIMITS, type SessionLimits } from "./limits.js";
import { Session } from "./session.js";
import type { SessionTransport } from "./session-transport.js";

/** A test connection: two queues that hold frames until they are delivered. */
class Wire {
  readonly toRight: string[] = [];
  readonly toLeft: string[] = [];
  readonly faults: string[] = [];
  readonly left: SessionTransport = this.#end(this.toRight);
  readonly right: SessionTransport = this.#end(this.toLeft);
  isFull = false;

  #end(line: string[]): SessionTransport {
    const isFull = () => this.isFull;
    return {
      send: (frame) => void line.push(frame),
      end: (fault) => void this.faults.push(fault),
      get full() {
        return isFull();
      },
    };
  }
}

/** Two sides, with a manual clock. */
class Pair {
  readonly #timers: (() => void)[] = [];
  readonly left: Session;
  readonly right: Session;
  readonly heard: [string, string][] = [];
  wire = new Wire();

  constructor(limits: Partial<SessionLimits> = {}) {
    const later = (run: () => void) => this.#timers.push(run);
    this.left = new Session({ limits: { ...SESSION_LIMITS, ...limits }, later });
    this.right = new Session({ limits: { ...SESSION_LIMITS, ...limits, holdWhenFull: true }, later });
    this.right.onmessage = (channel, text) => this.heard.push([channel, text]);
  }

  connect(): void {
    this.wire = new Wire();
    const { received } = this.right;
    this.right.attach(this.wire.right, { received: this.left.received });
    this.left.attach(this.wire.left, { received });
  }

  cut(): void {
    this.left.detach(this.wire.left);
    this.right.detach(this.wire.right);
  }

  carry(wire = this.wire): boolean {
    const rightward = wire.toRight.shift();
    if (rightward !== undefined) this.right.receive(wire.right, rightward);
    const leftward = wire.toLeft.shift();
    if (leftward !== undefined) this.left.receive(wire.left, leftward);
    return rightward !== undefined || leftward !== undefined;
  }

  tick(): void {
    for (const run of this.#timers.splice(0)) run();
  }

  settle(): void {
    do {
      while (this.carry());
      this.tick();
    } while (this.wire.toLeft.length + this.wire.toRight.length > 0);
  }
}

describe("a session", () => {
  it("delivers messages both ways, and piggybacks acknowledgements", () => {
    const pair = new Pair();
    const answers: string[] = [];
    pair.left.onmessage = (_channel, text) => answers.push(text);
    pair.right.onmessage = (channel, text) => pair.right.send(channel, `${text}!`);
    pair.connect();
    pair.left.send("a", "one");
    expect(pair.wire.toRight).toEqual(["1 0 a one"]);
    pair.carry();
    expect(answers).toEqual(["one!"]);
    pair.left.send("b", "two");
    expect(pair.wire.toRight).toEqual(["2 1 b two"]);
  });

  it("queues messages without a transport, and sends them once there is one", () => {
    const pair = new Pair();
    pair.left.send(".", "early");
    pair.connect();
    pair.settle();
    expect(pair.heard).toEqual([[".", "early"]]);
    expect(pair.left.kept).toBe(0);
  });

  it("resends lost frames, and drops duplicates", () => {
    const pair = new Pair();
    pair.connect();
    for (const text of ["1", "2", "3"]) pair.left.send("a", text);
    pair.carry();
    pair.cut();
    pair.left.send("a", "4");
    pair.connect();
    // The first arrived before the cut; its acknowledgement did not.
    expect(pair.wire.toRight.map((frame) => frame.split(" ")[0])).toEqual(["2", "3", "4"]);
    pair.right.receive(pair.wire.right, "1 0 a 1");
    pair.settle();
    expect(pair.heard.map(([, text]) => text)).toEqual(["1", "2", "3", "4"]);
  });

  it("ignores a replaced transport", () => {
    const pair = new Pair();
    pair.connect();
    pair.left.send("a", "1");
    const old = pair.wire;
    pair.connect();
    while (pair.carry(old));
    expect(pair.heard).toEqual([]);
    pair.settle();
    expect(pair.heard).toEqual([["a", "1"]]);
  });

  it.each([
    ["gap", "2 0 a x"],
    ["malformed", "not a frame"],
    ["malformed", "1 5 a x"],
    ["malformed", "- 1"],
  ])("closes the transport: %s, at %s", (fault, frame) => {
    const pair = new Pair();
    pair.connect();
    pair.right.receive(pair.wire.right, frame);
    expect(pair.wire.faults).toEqual([fault]);
    expect(pair.heard).toEqual([]);
  });

  it("refuses a side that received what was never sent", () => {
    const session = new Session();
    const { left } = new Wire();
    for (const received of [1, -1, 0.5, Number.NaN]) {
      expect(() => session.attach(left, { received })).toThrow(expect.objectContaining({ code: "invalid" }));
    }
  });

  it("answers a heartbeat", () => {
    const pair = new Pair();
    pair.connect();
    pair.left.ask();
    pair.carry();
    expect(pair.wire.toLeft.concat(pair.wire.toRight)).toEqual([]);
    pair.right.receive(pair.wire.right, "?");
    expect(pair.wire.toLeft).toEqual(["!"]);
  });

  it("starts over after a reset", () => {
    const pair = new Pair();
    pair.connect();
    pair.left.send("a", "old");
    pair.right.send("a", "x".repeat(3 * PART));
    pair.carry();
    pair.left.reset();
    pair.right.reset();
    expect([pair.left.kept, pair.right.kept]).toEqual([0, 0]);
    pair.connect();
    pair.left.send("a", "new");
    expect(pair.wire.toRight).toEqual(["1 0 a new"]);
  });

  it("sends a separate acknowledgement after 32 frames, 64 K characters, or a delay", () => {
    const pair = new Pair();
    pair.connect();
    for (let n = 0; n < 32; n++) pair.left.send("a", "x");
    for (let n = 0; n < 31; n++) pair.right.receive(pair.wire.right, pair.wire.toRight.shift() ?? "");
    expect(pair.wire.toLeft).toEqual([]);
    pair.right.receive(pair.wire.right, pair.wire.toRight.shift() ?? "");
    expect(pair.wire.toLeft.splice(0)).toEqual(["- 32"]);
    pair.right.receive(pair.wire.right, `33 0 a ${"x".repeat(PART)}`);
    expect(pair.wire.toLeft.splice(0)).toEqual(["- 33"]);
    pair.right.receive(pair.wire.right, "34 0 a x");
    pair.tick();
    expect(pair.wire.toLeft).toEqual(["- 34"]);
  });

  it("survives a listener that throws, and reports it", () => {
    const pair = new Pair();
    const onerror = vi.fn();
    pair.right.onerror = onerror;
    pair.right.onmessage = (_channel, text) => {
      if (text === "1") throw new Error("no");
      pair.heard.push(["a", text]);
    };
    pair.connect();
    pair.left.send("a", "1");
    pair.left.send("a", "2");
    pair.settle();
    expect(onerror).toHaveBeenCalledOnce();
    expect(pair.heard).toEqual([["a", "2"]]);
    expect(pair.left.kept).toBe(0);
  });
});

describe("channels", () => {
  it("take turns, so that a small message does not wait for a large one", () => {
    const pair = new Pair();
    pair.left.send("large", "x".repeat(5 * PART));
    pair.left.send("small", "1");
    pair.left.send("small", "2");
    pair.connect();
    expect(pair.wire.toRight.map((frame) => frame.split(" ")[2])).toEqual([
      "large+",
      "small",
      "large+",
      "small",
      "large+",
      "large+",
      "large",
    ]);
    pair.settle();
    expect(pair.heard.map(([channel, text]) => [channel, text.length])).toEqual([
      ["small", 1],
      ["small", 1],
      ["large", 5 * PART],
    ]);
  });

  it("that are closed send no more, but finish what they started", () => {
    const pair = new Pair({ window: PART });
    pair.left.send("a", "x".repeat(3 * PART));
    pair.left.send("a", "never");
    pair.left.send("b", "never");
    pair.connect();
    pair.left.closeChannel("a");
    pair.left.closeChannel("b");
    pair.left.send("a", "again");
    pair.settle();
    expect(pair.heard.map(([channel, text]) => [channel, text.length])).toEqual([
      ["a", 3 * PART],
      ["a", 5],
    ]);
  });

  it("that are closed by the reader deliver nothing that was in transit", () => {
    const pair = new Pair();
    pair.left.send("a", "x".repeat(3 * PART));
    pair.connect();
    pair.carry();
    pair.right.closeChannel("a");
    expect(pair.right.kept).toBe(0);
    pair.settle();
    pair.left.send("a", "next");
    pair.settle();
    expect(pair.heard).toEqual([["a", "next"]]);
  });

  it("are not the session's own, and have valid names", () => {
    const session = new Session();
    expect(() => session.closeChannel(".")).toThrow();
    expect(() => session.send("a b", "x")).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});

describe("limits", () => {
  it("leave no more unacknowledged than the window", () => {
    const pair = new Pair({ window: 1000 });
    pair.connect();
    for (let n = 0; n < 100; n++) pair.left.send("a", "x".repeat(36));
    expect(pair.wire.toRight).toHaveLength(10);
    pair.settle();
    expect(pair.heard).toHaveLength(100);
  });

  it("send nothing into a full transport", () => {
    const pair = new Pair();
    pair.connect();
    pair.wire.isFull = true;
    pair.left.send("a", "1");
    expect(pair.wire.toRight).toEqual([]);
    pair.wire.isFull = false;
    pair.left.flush();
    expect(pair.wire.toRight).toEqual(["1 0 a 1"]);
  });

  it("report when the queue is full, and when it has drained", () => {
    const pair = new Pair({ highWater: 1000, queue: 3000 });
    const told: string[] = [];
    pair.left.onfull = () => told.push("full");
    pair.left.ondrain = () => told.push("drain");
    for (let n = 0; n < 20; n++) pair.left.send("a", "x".repeat(36));
    expect([told, pair.left.isFull, pair.left.queued]).toEqual([["full"], true, 2000]);
    expect(() => pair.left.send("a", "x".repeat(2000))).toThrow(
      expect.objectContaining({ code: "send-failed" }),
    );
    pair.connect();
    expect([told, pair.left.isFull]).toEqual([["full", "drain"], false]);
  });

  it("hold incoming frames while this side is full, and make the other side wait", () => {
    const pair = new Pair({ window: 1000, highWater: 1000 });
    // Every request gets an answer of ten times its size.
    pair.right.onmessage = (channel, text) => {
      pair.heard.push([channel, text]);
      pair.right.send(channel, text.repeat(10));
    };
    const answers: string[] = [];
    pair.left.onmessage = (_channel, text) => answers.push(text);
    pair.connect();
    for (let n = 0; n < 200; n++) pair.left.send("a", "x".repeat(100));
    // The reader does not read.
    while (pair.wire.toRight.length > 0) {
      pair.right.receive(pair.wire.right, pair.wire.toRight.shift() ?? "");
      pair.tick();
    }
    expect(pair.heard.length).toBeLessThan(5);
    expect(pair.right.kept).toBeLessThan(6000);
    pair.settle();
    expect(answers).toHaveLength(200);
    expect(pair.right.kept).toBe(0);
  });

  it("close the transport of a side that exceeds its window", () => {
    const pair = new Pair({ window: 1000, highWater: 1000 });
    pair.right.send("a", "x".repeat(5000));
    pair.right.send("a", "x".repeat(5000));
    pair.connect();
    for (let seq = 1; pair.wire.faults.length === 0; seq++) {
      pair.right.receive(pair.wire.right, `${seq} 0 a ${"x".repeat(PART)}`);
      expect(pair.right.kept).toBeLessThan(20_000 + 4 * PART);
    }
    expect(pair.wire.faults).toEqual(["window"]);
  });

  it("close the transport at a message that is too large, also in many small parts", () => {
    for (const size of [PART, 1]) {
      const pair = new Pair({ message: 3 * PART });
      pair.connect();
      let seq = 0;
      while (pair.wire.faults.length === 0) {
        pair.right.receive(pair.wire.right, `${++seq} 0 a+ ${"x".repeat(size)}`);
      }
      expect(pair.wire.faults).toEqual(["too-large"]);
      expect(seq).toBeLessThanOrEqual((3 * PART) / (size + FRAME_COST) + 1);
    }
  });

  it("let a large message wait while the other side cannot hold it beside the started ones", () => {
    const pair = new Pair({ partial: 5 * PART });
    const [size, small] = [3 * PART, 5];
    for (const channel of ["a", "b", "c"]) pair.left.send(channel, channel.repeat(size));
    pair.left.send("d", "small");
    pair.connect();
    pair.settle();
    expect(pair.wire.faults).toEqual([]);
    // Small messages do not wait.
    const heard = pair.heard.map(([channel, { length }]) => [channel, length]);
    expect(heard).toEqual([["d", small], ...["a", "b", "c"].map((channel) => [channel, size])]);
  });

  it("close the transport at too many incomplete messages", () => {
    const pair = new Pair({ partial: 4 * PART });
    pair.connect();
    for (let seq = 1; pair.wire.faults.length === 0; seq++) {
      pair.right.receive(pair.wire.right, `${seq} 0 a${seq}+ ${"x".repeat(PART / 2)}`);
      expect(seq).toBeLessThan(10);
    }
    expect(pair.wire.faults).toEqual(["too-large"]);
  });
});

describe("whatever happens to transports", () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom("left", "right"), channel: fc.nat(4), size: fc.nat(500) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom("left", "right"),
        channel: fc.nat(4),
        size: fc.nat(3 * PART),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constantFrom("carry", "carryOld", "duplicate"), times: fc.nat(6) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom("cut", "connect", "hello", "welcome", "tick", "halve", "lose", "full"),
      }),
    },
  );

  it("nothing is lost, doubled or out of order in its channel, and memory stays bounded", {
    timeout: 60_000,
  }, () => {
    const limits = { ...SESSION_LIMITS, window: 2000, highWater: 4000 };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const pair = new Pair(limits);
        const sent = { left: new Map<string, string[]>(), right: new Map<string, string[]>() };
        const heard = { left: new Map<string, string[]>(), right: new Map<string, string[]>() };
        const note = (book: Map<string, string[]>, channel: string, text: string) =>
          book.set(channel, [...(book.get(channel) ?? []), `${text.length} ${text.slice(0, 20)}`]);
        const answer = "answer".repeat(100);
        pair.left.onmessage = (channel, text) => void note(heard.left, channel, text);
        pair.right.onmessage = (channel, text) => {
          note(heard.right, channel, text);
          pair.right.send(channel, answer);
          note(sent.left, channel, answer);
        };
        const old: Wire[] = [];
        let helloReceived = 0;
        let welcome: { wire: Wire; received: number } | undefined;
        let counter = 0;
        const connect = () => {
          old.push(pair.wire);
          welcome = undefined;
          pair.connect();
        };
        connect();
        for (const each of steps) {
          if ("size" in each) {
            const end = each.do === "left" ? "left" : "right";
            const channel = each.channel === 0 ? "." : `c${each.channel}`;
            const text = `${++counter}:`.padEnd(each.size, "é");
            pair[end].send(channel, text);
            note(end === "left" ? sent.right : sent.left, channel, text);
          } else if ("times" in each) {
            for (let n = 0; n < each.times; n++) {
              if (each.do === "carry") pair.carry();
              else if (each.do === "duplicate")
                pair.wire.toRight.splice(1, 0, ...pair.wire.toRight.slice(0, 1));
              else for (const wire of old) pair.carry(wire);
            }
          } else if (each.do === "cut") pair.cut();
          else if (each.do === "connect") connect();
          else if (each.do === "tick") pair.tick();
          // The last frame in transit was sent by half, or not at all.
          else if (each.do === "halve") pair.wire.toLeft.pop();
          else if (each.do === "lose") pair.wire.toRight.shift();
          else if (each.do === "full") pair.wire.isFull = !pair.wire.isFull;
          // A handshake with a delay between its halves: the received number is outdated by then.
          else if (each.do === "hello") helloReceived = pair.left.received;
          else if (each.do === "welcome") {
            if (welcome) {
              pair.left.attach(welcome.wire.left, { received: welcome.received });
              old.push(pair.wire);
              pair.wire = welcome.wire;
              welcome = undefined;
            } else {
              const wire = new Wire();
              welcome = { wire, received: pair.right.received };
              pair.right.attach(wire.right, { received: helloReceived });
            }
          }
          for (const end of [pair.left, pair.right]) {
            expect(end.kept - end.queued).toBeLessThanOrEqual(
              2 * (limits.window + PART + FRAME_COST) + 20 * PART,
            );
          }
        }
        // A gap made by the test closes a transport: the next one recovers.
        for (let n = 0; n === 0 || (n < 5 && pair.left.kept + pair.right.kept > 0); n++) {
          connect();
          pair.settle();
        }
        expect(heard).toEqual(sent);
        expect(pair.wire.faults).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

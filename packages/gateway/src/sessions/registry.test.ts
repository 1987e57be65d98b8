import { readHandshake, type Welcome } from "@vitrine/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type BrowserSession,
  type PageTransport,
  SessionRegistry,
  type SessionRegistryOptions,
} from "./registry.js";
import { InputRate } from "./transports/rate.js";

/** A test connection that records its frames and its end. */
class TestTransport implements PageTransport {
  readonly frames: string[] = [];
  last: string | undefined;
  message = "";
  send(frame: string): void {
    this.frames.push(frame);
  }
  end(fault: string): void {
    this.last = fault;
  }
  bye({ code, message }: { code: string; message: string }): void {
    this.last = code;
    this.message = message;
  }
  get welcome(): Welcome {
    const welcome = readHandshake("welcome", this.frames[0] ?? "");
    if (!welcome) throw new Error(`no welcome but ${this.last}`);
    return welcome;
  }
}

let registry: SessionRegistry;
let now = 0;
let sessions: BrowserSession[];
let reported: string[];
afterEach(() => registry.close());

function make(options: Partial<SessionRegistryOptions> = {}): void {
  now = 0;
  sessions = [];
  reported = [];
  registry = new SessionRegistry({
    grace: 1000,
    perUser: 3,
    now: () => now,
    onerror: (cause) => reported.push(`error ${cause}`),
    onsession: (session, { mayBeOld }) => {
      sessions.push(session);
      reported.push(mayBeOld ? "session again" : "session");
      return {
        onmessage: (channel, text) => void reported.push(`${channel} ${text}`),
        onfresh: () => void reported.push("fresh"),
        onend: (reason) => void reported.push(`end: ${reason}`),
      };
    },
    ...options,
  });
}

function open(hello: object, user = "ann") {
  const transport = new TestTransport();
  const session = registry.open(
    `hello ${JSON.stringify({ version: 1, received: 0, ...hello })}`,
    user,
    transport,
  );
  return { transport, session };
}

const nameOf = ({ session, key }: Welcome) => ({ session, key });

describe("sessions", () => {
  it("of a process that may not serve their users now take no request, and go on when it may again", () => {
    let mayServe = true;
    make({ mayServe: () => mayServe });
    const { transport, session } = open({});
    const { welcome } = transport;
    session?.receive(transport, "1 0 a before");
    mayServe = false;
    // Heartbeats change nothing.
    session?.receive(transport, "?");
    session?.receive(transport, "- 0");
    expect(transport.last).toBeUndefined();
    session?.receive(transport, "2 0 a meanwhile");
    expect(transport.last).toBe("stopping");
    mayServe = true;
    const again = open({ ...nameOf(welcome), received: 0 });
    expect(again.transport.welcome).toMatchObject({ resumed: true, received: 1 });
    again.session?.receive(again.transport, "2 0 a meanwhile");
    expect(reported).toEqual(["session", "a before", "a meanwhile"]);
    registry.dismiss("bob");
    expect(again.transport.last).toBeUndefined();
    registry.dismiss("ann");
    expect(again.transport.last).toBe("stopping");
    expect(reported.at(-1)).toBe("a meanwhile");
  });

  it("are resumed only with id and key", () => {
    make({ perUser: 10 });
    const { transport, session } = open({});
    const { welcome } = transport;
    expect(welcome).toMatchObject({ resumed: false, received: 0, grace: 1000, epoch: registry.epoch });
    session?.send("a", "x");
    session?.lose(transport);
    const refused = [
      open({ session: welcome.session }),
      open({ session: welcome.session, key: "" }),
      open({ session: welcome.session, key: `${welcome.key}x` }),
      open({ session: welcome.session, key: welcome.key.toUpperCase() }, "ann"),
      open({ session: "__proto__", key: welcome.key }),
    ];
    for (const each of refused) {
      expect(each.transport.welcome.resumed).toBe(false);
      expect(each.session).not.toBe(session);
    }
    const back = open({ ...nameOf(welcome), received: 0 });
    expect(back.session).toBe(session);
    expect(back.transport.welcome.resumed).toBe(true);
    expect(back.transport.frames[1]).toBe("1 0 a x");
  });

  it("belong to a user: another user's cookie does not resume them, even with id and key", () => {
    make();
    const { transport, session } = open({}, "ann");
    const stolen = open({ ...nameOf(transport.welcome) }, "eve");
    expect(stolen.session).not.toBe(session);
    expect(stolen.transport.welcome.resumed).toBe(false);
    expect(transport.last).toBeUndefined();
  });

  it("end if their page does not return in time, and not earlier", () => {
    make();
    const { transport, session } = open({});
    now = 5000;
    registry.sweep();
    expect(registry.size).toBe(1);
    session?.lose(transport);
    now = 5999;
    registry.sweep();
    expect(registry.size).toBe(1);
    now = 6000;
    registry.sweep();
    expect([registry.size, reported.at(-1)]).toEqual([0, "end: the page did not return in time"]);
    expect(open(nameOf(transport.welcome)).transport.welcome.resumed).toBe(false);
    expect(reported.at(-1)).toBe("session again");
  });

  it("move to the latest page; the previous one is notified", () => {
    make();
    const first = open({});
    const second = open({ ...nameOf(first.transport.welcome), fresh: true });
    expect(first.transport.last).toBe("taken-over");
    expect(second.session).toBe(first.session);
    expect(reported).toEqual(["session", "fresh"]);
    // Later frames of the first page are ignored.
    first.session?.receive(first.transport, "1 0 . late");
    second.session?.receive(second.transport, "1 0 . now");
    expect(reported.at(-1)).toBe(". now");
    expect(reported).not.toContain(". late");
    // Its key permits only another fresh start.
    expect(open(nameOf(first.transport.welcome)).transport.last).toBe("taken-over");
    expect(second.transport.last).toBeUndefined();
    const again = open({ ...nameOf(first.transport.welcome), fresh: true });
    expect([again.session, second.transport.last]).toEqual([first.session, "taken-over"]);
  });

  it("drop messages that were on their way to a page that was reloaded", () => {
    make();
    const first = open({});
    first.session?.send("a", "for the old page");
    const second = open({ ...nameOf(first.transport.welcome), fresh: true });
    second.session?.send("a", "for the new page");
    expect(second.transport.frames.slice(1)).toEqual(["1 0 a for the new page"]);
  });

  it("start anew if the page claims more frames than were sent", () => {
    make();
    const first = open({});
    const other = open({ ...nameOf(first.transport.welcome), received: 5 });
    expect(other.transport.welcome.resumed).toBe(false);
    expect([registry.size, other.session === first.session]).toEqual([1, false]);
  });

  it("are limited per user and in total; one without a page ends first", () => {
    make({ total: 5 });
    const own = [open({}), open({}), open({})];
    const refused = open({}).transport;
    expect([refused.last, refused.message]).toEqual([
      "overloaded",
      expect.stringMatching(/session\.perUser.*close a page/),
    ]);
    own[1]?.session?.lose(own[1].transport);
    expect(open({}).transport.last).toBeUndefined();
    expect(registry.size).toBe(3);
    expect(reported.at(-2)).toMatch(/^end/);
    open({}, "bob");
    open({}, "bob");
    const late = open({}, "eve").transport;
    expect([late.last, late.message]).toEqual([
      "overloaded",
      expect.stringMatching(/session\.total.*try again/),
    ]);
    expect(registry.size).toBe(5);
  });

  it("of one user share a rate, and those of others have their own", () => {
    make({
      rates: { frames: { burst: 3, perSecond: 1 }, characters: { burst: 10_000, perSecond: 10_000 } },
    });
    const [one, two, other] = [open({}), open({}), open({}, "bob")];
    const take = ({ session, transport }: ReturnType<typeof open>) => session?.receive(transport, "?");
    expect([take(one), take(two), take(one)]).toEqual([0, 0, 0]);
    expect([take(two), take(other)]).toEqual([1000, 0]);
  });

  it("that can no longer be reached release their memory", () => {
    make({ limits: { queue: 1000 } });
    const { transport, session } = open({});
    session?.lose(transport);
    for (let n = 0; n < 100; n++) session?.send("a", "x".repeat(100));
    expect(reported.at(-1)).toBe("end: the page reads too slowly");
    expect([registry.size, registry.queued]).toEqual([0, 0]);
    session?.send("a", "after the end");
  });

  it("survive a handler that throws, and report the error", () => {
    make({
      onsession: () => ({
        onmessage: () => {
          throw new Error("in onmessage");
        },
        onend: () => {
          throw new Error("in onend");
        },
      }),
    });
    const { transport, session } = open({});
    session?.receive(transport, "1 0 . x");
    session?.receive(transport, "2 0 . x");
    expect(transport.last).toBeUndefined();
    session?.receive(transport, "bye {}");
    expect(reported).toEqual([
      "error Error: in onmessage",
      "error Error: in onmessage",
      "error Error: in onend",
    ]);
    expect(registry.size).toBe(0);
  });

  it("are notified of the gateway's stop, and no more can start", () => {
    make();
    const { transport } = open({});
    registry.close();
    expect(transport.last).toBe("stopping");
    expect(open({}).transport.last).toBe("stopping");
  });

  it.each([
    ["version", 'hello {"version":2,"received":0}'],
    ["version", "hello nonsense"],
    ["malformed", "1 0 . x"],
    ["malformed", ""],
  ])("do not start (%s) with %s", (code, frame) => {
    make();
    const transport = new TestTransport();
    expect(registry.open(frame, "ann", transport)).toBeUndefined();
    expect([transport.last, registry.size]).toEqual([code, 0]);
  });

  it("end at an invalid frame, but only lose their transport at a gap", () => {
    make();
    const { transport, session } = open({});
    vi.spyOn(transport, "end").mockImplementation((fault) => session?.fault(transport, fault as "gap", "x"));
    session?.receive(transport, "9 0 . x");
    expect([transport.last, registry.size]).toEqual(["gap", 1]);
    const back = open(nameOf(transport.welcome));
    vi.spyOn(back.transport, "end").mockImplementation((fault) =>
      session?.fault(back.transport, fault as "gap", "x"),
    );
    session?.receive(back.transport, "nonsense");
    expect([back.transport.last, registry.size]).toEqual(["malformed", 0]);
  });
});

describe("rates", () => {
  it("allow bursts, and then return the time to wait", () => {
    const rate = new InputRate(
      { frames: { burst: 10, perSecond: 10 }, characters: { burst: 1000, perSecond: 100 } },
      0,
    );
    for (let n = 0; n < 10; n++) expect(rate.take(1, 1, 0)).toBe(0);
    expect(rate.take(1, 1, 0)).toBe(100);
    expect(rate.take(0, 0, 100)).toBe(0);
    expect(rate.take(0, 2000, 1000)).toBeGreaterThan(9000);
    // A clock that was set back adds nothing, and removes nothing.
    expect(rate.take(0, 0, 0)).toBeGreaterThan(9000);
  });
});

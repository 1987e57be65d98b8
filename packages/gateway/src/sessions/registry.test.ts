import { readHandshake, type Welcome } from "@vitrine/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import { InputRate } from "./carriers/rate.js";
import {
  type BrowserSession,
  type PageCarrier,
  SessionRegistry,
  type SessionRegistryOptions,
} from "./registry.js";

/** A test connection that records its frames and its end. */
class TestCarrier implements PageCarrier {
  readonly frames: string[] = [];
  last: string | undefined;
  send(frame: string): void {
    this.frames.push(frame);
  }
  end(fault: string): void {
    this.last = fault;
  }
  bye({ code }: { code: string }): void {
    this.last = code;
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
let told: string[];
afterEach(() => registry.close());

function make(options: Partial<SessionRegistryOptions> = {}): void {
  now = 0;
  sessions = [];
  told = [];
  registry = new SessionRegistry({
    grace: 1000,
    perUser: 3,
    now: () => now,
    onerror: (cause) => told.push(`error ${cause}`),
    onsession: (session, { mayBeOld }) => {
      sessions.push(session);
      told.push(mayBeOld ? "session again" : "session");
      return {
        onmessage: (channel, text) => void told.push(`${channel} ${text}`),
        onfresh: () => void told.push("fresh"),
        onend: (reason) => void told.push(`end: ${reason}`),
      };
    },
    ...options,
  });
}

function open(hello: object, user = "ann") {
  const carrier = new TestCarrier();
  const session = registry.open(
    `hello ${JSON.stringify({ version: 1, received: 0, ...hello })}`,
    user,
    carrier,
  );
  return { carrier, session };
}

const nameOf = ({ session, key }: Welcome) => ({ session, key });

describe("sessions", () => {
  it("are resumed only with id and key", () => {
    make({ perUser: 10 });
    const { carrier, session } = open({});
    const { welcome } = carrier;
    expect(welcome).toMatchObject({ resumed: false, received: 0, grace: 1000, epoch: registry.epoch });
    session?.send("a", "x");
    session?.lose(carrier);
    const refused = [
      open({ session: welcome.session }),
      open({ session: welcome.session, key: "" }),
      open({ session: welcome.session, key: `${welcome.key}x` }),
      open({ session: welcome.session, key: welcome.key.toUpperCase() }, "ann"),
      open({ session: "__proto__", key: welcome.key }),
    ];
    for (const each of refused) {
      expect(each.carrier.welcome.resumed).toBe(false);
      expect(each.session).not.toBe(session);
    }
    const back = open({ ...nameOf(welcome), received: 0 });
    expect(back.session).toBe(session);
    expect(back.carrier.welcome.resumed).toBe(true);
    expect(back.carrier.frames[1]).toBe("1 0 a x");
  });

  it("belong to a user: another user's cookie does not resume them, even with id and key", () => {
    make();
    const { carrier, session } = open({}, "ann");
    const stolen = open({ ...nameOf(carrier.welcome) }, "eve");
    expect(stolen.session).not.toBe(session);
    expect(stolen.carrier.welcome.resumed).toBe(false);
    expect(carrier.last).toBeUndefined();
  });

  it("end if their page does not return in time, and not earlier", () => {
    make();
    const { carrier, session } = open({});
    now = 5000;
    registry.sweep();
    expect(registry.size).toBe(1);
    session?.lose(carrier);
    now = 5999;
    registry.sweep();
    expect(registry.size).toBe(1);
    now = 6000;
    registry.sweep();
    expect([registry.size, told.at(-1)]).toEqual([0, "end: the page did not return in time"]);
    expect(open(nameOf(carrier.welcome)).carrier.welcome.resumed).toBe(false);
    expect(told.at(-1)).toBe("session again");
  });

  it("move to the latest page; the previous one is notified", () => {
    make();
    const first = open({});
    const second = open({ ...nameOf(first.carrier.welcome), fresh: true });
    expect(first.carrier.last).toBe("taken-over");
    expect(second.session).toBe(first.session);
    expect(told).toEqual(["session", "fresh"]);
    // Later frames of the first page are ignored.
    first.session?.receive(first.carrier, "1 0 . late");
    second.session?.receive(second.carrier, "1 0 . now");
    expect(told.at(-1)).toBe(". now");
    expect(told).not.toContain(". late");
    // Its key permits only another fresh start.
    expect(open(nameOf(first.carrier.welcome)).carrier.last).toBe("taken-over");
    expect(second.carrier.last).toBeUndefined();
    const again = open({ ...nameOf(first.carrier.welcome), fresh: true });
    expect([again.session, second.carrier.last]).toEqual([first.session, "taken-over"]);
  });

  it("drop messages that were on their way to a page that was reloaded", () => {
    make();
    const first = open({});
    first.session?.send("a", "for the old page");
    const second = open({ ...nameOf(first.carrier.welcome), fresh: true });
    second.session?.send("a", "for the new page");
    expect(second.carrier.frames.slice(1)).toEqual(["1 0 a for the new page"]);
  });

  it("start anew if the page claims more frames than were sent", () => {
    make();
    const first = open({});
    const other = open({ ...nameOf(first.carrier.welcome), received: 5 });
    expect(other.carrier.welcome.resumed).toBe(false);
    expect([registry.size, other.session === first.session]).toEqual([1, false]);
  });

  it("are limited per user and in total; one without a page ends first", () => {
    make({ total: 5 });
    const own = [open({}), open({}), open({})];
    expect(open({}).carrier.last).toBe("overloaded");
    own[1]?.session?.lose(own[1].carrier);
    expect(open({}).carrier.last).toBeUndefined();
    expect(registry.size).toBe(3);
    expect(told.at(-2)).toMatch(/^end/);
    open({}, "bob");
    open({}, "bob");
    expect(open({}, "eve").carrier.last).toBe("overloaded");
    expect(registry.size).toBe(5);
  });

  it("that can no longer be reached release their memory", () => {
    make({ limits: { queue: 1000 } });
    const { carrier, session } = open({});
    session?.lose(carrier);
    for (let n = 0; n < 100; n++) session?.send("a", "x".repeat(100));
    expect(told.at(-1)).toBe("end: the page reads too slowly");
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
    const { carrier, session } = open({});
    session?.receive(carrier, "1 0 . x");
    session?.receive(carrier, "2 0 . x");
    expect(carrier.last).toBeUndefined();
    session?.receive(carrier, "bye {}");
    expect(told).toEqual(["error Error: in onmessage", "error Error: in onmessage", "error Error: in onend"]);
    expect(registry.size).toBe(0);
  });

  it("are notified of the gateway's stop, and no more can start", () => {
    make();
    const { carrier } = open({});
    registry.close();
    expect(carrier.last).toBe("stopping");
    expect(open({}).carrier.last).toBe("stopping");
  });

  it.each([
    ["version", 'hello {"version":2,"received":0}'],
    ["version", "hello nonsense"],
    ["malformed", "1 0 . x"],
    ["malformed", ""],
  ])("do not start (%s) with %s", (code, frame) => {
    make();
    const carrier = new TestCarrier();
    expect(registry.open(frame, "ann", carrier)).toBeUndefined();
    expect([carrier.last, registry.size]).toEqual([code, 0]);
  });

  it("end at an invalid frame, but only lose their transport at a gap", () => {
    make();
    const { carrier, session } = open({});
    vi.spyOn(carrier, "end").mockImplementation((fault) => session?.fault(carrier, fault as "gap", "x"));
    session?.receive(carrier, "9 0 . x");
    expect([carrier.last, registry.size]).toEqual(["gap", 1]);
    const back = open(nameOf(carrier.welcome));
    vi.spyOn(back.carrier, "end").mockImplementation((fault) =>
      session?.fault(back.carrier, fault as "gap", "x"),
    );
    session?.receive(back.carrier, "nonsense");
    expect([back.carrier.last, registry.size]).toEqual(["malformed", 0]);
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

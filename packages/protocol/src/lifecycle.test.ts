import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, HostLifecycle, type LifecycleLimits, type Outgoing } from "./lifecycle.js";
import * as examples from "./protocol.examples.js";
import { ViewLifecycle } from "./view-lifecycle.js";

fc.configureGlobal({ seed: 20260126 });

const INITIALIZED = "ui/notifications/initialized";
const PARTIAL = "ui/notifications/tool-input-partial";
const INPUT = "ui/notifications/tool-input";
const RESULT = "ui/notifications/tool-result";
const CANCELLED = "ui/notifications/tool-cancelled";
const CONTEXT = "ui/notifications/host-context-changed";
const RESOURCE_UPDATED = "notifications/resources/updated";
const LIST_CHANGED = "notifications/tools/list_changed";

const RESULT_PARAMS = { content: [] };
const args = (city: string): { arguments: { city: string } } => ({ arguments: { city } });
const methods = (messages: Outgoing[]): string[] => messages.map(({ method }) => method);

/** A lifecycle with its own clock; `out` is everything that it let through, in order. */
function life(limits?: Partial<LifecycleLimits>, { answers = true } = {}) {
  const clock = { now: 1_000 };
  const host = new HostLifecycle({ now: () => clock.now, limits });
  const out: Outgoing[] = [];
  const receive = (method: string): boolean => {
    const verdict = host.received(method);
    if (verdict.serve) out.push(...verdict.flush);
    if (verdict.serve && method === "ui/initialize" && answers) out.push(...host.answered());
    return verdict.serve;
  };
  const send: HostLifecycle["send"] = (method, params, key) => {
    const now = host.send(method, params, key);
    out.push(...now);
    return now;
  };
  const become = (...received: string[]): void => {
    for (const method of received) expect([method, receive(method)]).toEqual([method, true]);
  };
  return { host, clock, out, receive, send, become, ready: () => become("ui/initialize", INITIALIZED) };
}

describe("the handshake", () => {
  it("L03: an early view receives nothing before it has the answer", () => {
    const { host, clock, out, become, send } = life({ initialized: 100 }, { answers: false });
    send(INPUT, args("Lisbon"));
    become("ui/initialize", INITIALIZED, "tools/call");
    expect(out).toEqual([]);
    clock.now += 1_000; // The host is slow, not the view: the view's timeout has not started.
    expect(host.expire()).toBeUndefined();
    expect(methods(host.answered())).toEqual([INPUT]);
    expect(host.phase).toBe("ready");
    expect(host.answered()).toEqual([]);
  });

  it("L13: the timeout for becoming ready starts with the answer", () => {
    const { host, clock, become } = life({ initialized: 100 }, { answers: false });
    become("ui/initialize");
    // Until then the view's host is the slow one; it has a limit too.
    expect(host.deadline).toBe(clock.now + DEFAULT_LIMITS.initialize);
    clock.now += 50;
    host.answered();
    expect(host.deadline).toBe(clock.now + 100);
  });

  it("L13: a view that restarts repeatedly times out anyway", () => {
    const { host, clock, become } = life({ initialized: 100 });
    become("ui/initialize");
    for (let time = 0; time < 100; time += 10) {
      clock.now += 10;
      if (time < 90) become("ui/initialize");
    }
    expect(host.expire()?.code).toBe("initialized-timeout");
  });

  it("D18: an undefined limit is the default", () => {
    const { host, clock } = life({ initialize: undefined, teardown: undefined });
    expect(host.deadline).toBe(clock.now + DEFAULT_LIMITS.initialize);
    expect(host.expire()).toBeUndefined();
  });

  it("L01: starts with ui/initialize; any other message before it is refused", () => {
    const { host, receive } = life();
    for (const method of ["tools/call", "ui/message", INITIALIZED, "ui/notifications/size-changed"]) {
      expect(host.received(method)).toEqual({
        serve: false,
        code: "out-of-order",
        message: "ui/initialize comes first",
      });
    }
    expect(host.phase).toBe("loading");
    expect(receive("ui/initialize")).toBe(true);
    expect(host.phase).toBe("initializing");
  });

  it("L10, S03: a ping and the sandbox's own messages are served before it", () => {
    const { host, receive } = life();
    expect(receive("ping")).toBe(true);
    expect(receive("ui/notifications/sandbox-proxy-ready")).toBe(true);
    expect(host.phase).toBe("loading");
  });

  it("S03: messages that the proxy needs to load the view are not queued", () => {
    const { host } = life();
    const params = { html: "<p>" };
    expect(host.send("ui/notifications/sandbox-resource-ready", params)).toEqual([
      { method: "ui/notifications/sandbox-resource-ready", params },
    ]);
    expect(host.phase).toBe("loading");
  });

  it("L02, L03: the view is ready after the answer and its initialized notification", () => {
    const { host, become } = life();
    become("ui/initialize");
    expect(host.phase).toBe("initializing");
    become(INITIALIZED);
    expect(host.phase).toBe("ready");
    expect(host.deadline).toBeUndefined();
    become(INITIALIZED);
    expect(host.phase).toBe("ready");
  });

  it.each([
    "tools/call",
    "resources/read",
    "ui/message",
    "ui/open-link",
    "ui/request-display-mode",
    "tools/list",
  ])("T02: a view that sends %s without initialized is ready as well, and receives the queue", (method) => {
    const { host, send, become, out } = life();
    send(INPUT, args("Rome"));
    become("ui/initialize", method);
    expect(host.phase).toBe("ready");
    expect(methods(out)).toEqual([INPUT]);
  });

  it.each(["ping", "notifications/message", "ui/notifications/size-changed", "notifications/cancelled"])(
    "T02: %s does not make the view ready",
    (method) => {
      const { host, become } = life();
      become("ui/initialize", method);
      expect(host.phase).toBe("initializing");
    },
  );
});

describe("before the view is ready", () => {
  it("L03, D8: nothing is sent", () => {
    const { send, out, become } = life();
    const all = (): void => {
      send(PARTIAL, args("R"));
      send(LIST_CHANGED, {});
      send(CONTEXT, { theme: "dark" });
      send("tools/list", {}, "k");
    };
    all();
    become("ui/initialize", "ping");
    all();
    expect(out).toEqual([]);
  });

  it("L11: messages are queued in order and sent once", () => {
    const { send, out, ready, become } = life();
    send("tools/list", {}, "first");
    send(INPUT, args("Rome"));
    send(LIST_CHANGED, {});
    send(RESULT, RESULT_PARAMS);
    send("tools/call", { name: "x" }, "last");
    ready();
    expect(out).toEqual([
      { method: "tools/list", params: {}, key: "first" },
      { method: INPUT, params: args("Rome") },
      { method: LIST_CHANGED, params: {} },
      { method: RESULT, params: RESULT_PARAMS },
      { method: "tools/call", params: { name: "x" }, key: "last" },
    ]);
    become(INITIALIZED, "tools/call");
    expect(out).toHaveLength(5);
  });

  it("L11: the queue is sent before the message that made the view ready is handled", () => {
    const { host } = life();
    host.received("ui/initialize");
    host.answered();
    host.send(INPUT, args("Rome"));
    expect(host.received("tools/call")).toEqual({
      serve: true,
      flush: [{ method: INPUT, params: args("Rome") }],
      remounted: false,
    });
  });

  it("the queue is bounded: only the last partial input is kept, and none beside the input", () => {
    const one = life();
    for (let n = 0; n < 1_000; n++) one.send(PARTIAL, args(`${n}`));
    one.ready();
    expect(one.out).toEqual([{ method: PARTIAL, params: args("999") }]);
    const two = life();
    two.send(PARTIAL, args("R"));
    two.send(INPUT, args("Rome"));
    two.ready();
    expect(methods(two.out)).toEqual([INPUT]);
  });

  it("the queue is bounded: identical notifications are queued once, requests by their key", () => {
    const { send, out, ready } = life();
    for (let n = 0; n < 100; n++) {
      send(LIST_CHANGED, {});
      send(RESOURCE_UPDATED, { uri: `file:///${n % 2}` });
    }
    send("tools/list", {}, 1);
    send("tools/list", {}, 2);
    ready();
    expect(out.map(({ method, params, key }) => [method, params, key])).toEqual([
      [LIST_CHANGED, {}, undefined],
      [RESOURCE_UPDATED, { uri: "file:///0" }, undefined],
      [RESOURCE_UPDATED, { uri: "file:///1" }, undefined],
      ["tools/list", {}, 1],
      ["tools/list", {}, 2],
    ]);
  });

  it("X02, D20: context changes during initialization are merged into one", () => {
    const { send, out, become } = life();
    become("ui/initialize");
    send(CONTEXT, { theme: "dark", locale: "en" });
    send(CONTEXT, { theme: "light", displayMode: "pip" });
    become(INITIALIZED);
    expect(out).toEqual([{ method: CONTEXT, params: { theme: "light", locale: "en", displayMode: "pip" } }]);
  });

  it("X02, D20: context changes before ui/initialize are in its answer, and not sent again", () => {
    const { send, out, ready } = life();
    send(CONTEXT, { theme: "dark" });
    ready();
    expect(out).toEqual([]);
  });
});

describe("the order of the tool call (D9)", () => {
  const refused = (what: () => unknown, why: string): void =>
    expect(what).toThrow(
      expect.objectContaining({ code: "out-of-order", message: expect.stringContaining(why) }),
    );

  for (const when of ["before the view is ready", "once it is"] as const) {
    describe(when, () => {
      const begin = () => {
        const made = life();
        if (when === "once it is") made.ready();
        return made;
      };
      const end = ({ ready, out }: ReturnType<typeof begin>): string[] => {
        if (when !== "once it is") ready();
        return methods(out);
      };

      it("L04, L06: one input, then one result", () => {
        const made = begin();
        made.send(INPUT, args("Rome"));
        refused(() => made.send(INPUT, args("Oslo")), "the input was sent");
        made.send(RESULT, RESULT_PARAMS);
        refused(() => made.send(RESULT, RESULT_PARAMS), "the tool call is over");
        refused(() => made.send(CANCELLED, {}), "the tool call is over");
        refused(() => made.send(INPUT, args("Oslo")), "the input was sent");
        expect(end(made)).toEqual([INPUT, RESULT]);
      });

      it("L04: no result before the input", () => {
        const made = begin();
        refused(() => made.send(RESULT, RESULT_PARAMS), "the input comes first");
        expect(end(made)).toEqual([]);
      });

      it("L05: partial input before the input, never after", () => {
        const made = begin();
        made.send(PARTIAL, args("R"));
        made.send(INPUT, args("Rome"));
        refused(() => made.send(PARTIAL, args("Ro")), "the input was sent");
        expect(end(made)).toEqual(when === "once it is" ? [PARTIAL, INPUT] : [INPUT]);
      });

      it("L07: a cancellation instead of a result, with or without an input", () => {
        const made = begin();
        made.send(PARTIAL, args("R"));
        made.send(CANCELLED, { reason: "user" });
        refused(() => made.send(INPUT, args("Rome")), "the input was sent");
        refused(() => made.send(RESULT, RESULT_PARAMS), "the tool call is over");
        const other = begin();
        other.send(INPUT, args("Rome"));
        other.send(CANCELLED, {});
        refused(() => other.send(RESULT, RESULT_PARAMS), "the tool call is over");
        expect(end(other)).toEqual([INPUT, CANCELLED]);
      });
    });
  }

  it("L05: each partial input is sent at once when the view is ready", () => {
    const { send, ready, out } = life();
    ready();
    for (const city of ["R", "Ro", "Rom"]) send(PARTIAL, args(city));
    expect(out.map(({ params }) => params)).toEqual([args("R"), args("Ro"), args("Rom")]);
  });

  it("a refused message changes nothing", () => {
    const { send, ready, out } = life();
    refused(() => send(RESULT, RESULT_PARAMS), "the input comes first");
    send(INPUT, args("Rome"));
    send(RESULT, RESULT_PARAMS);
    ready();
    expect(methods(out)).toEqual([INPUT, RESULT]);
  });
});

describe("remount: a view that restarts", () => {
  it("is distinguished from a first start", () => {
    const { host } = life();
    expect(host.received("ui/initialize")).toMatchObject({ serve: true, remounted: false });
    host.received(INITIALIZED);
    expect(host.received("ui/initialize")).toMatchObject({ serve: true, remounted: true, flush: [] });
    expect(host.phase).toBe("initializing");
  });

  it("receives the input and the result again, once it is ready again", () => {
    const { send, ready, become, out } = life();
    ready();
    send(PARTIAL, args("R"));
    send(INPUT, args("Rome"));
    send(RESULT, RESULT_PARAMS);
    out.length = 0;
    become("ui/initialize");
    expect(out).toEqual([]);
    become(INITIALIZED);
    expect(out).toEqual([
      { method: INPUT, params: args("Rome") },
      { method: RESULT, params: RESULT_PARAMS },
    ]);
  });

  it("receives the cancellation again", () => {
    const { send, ready, out } = life();
    ready();
    send(CANCELLED, { reason: "user" });
    out.length = 0;
    ready();
    expect(out).toEqual([{ method: CANCELLED, params: { reason: "user" } }]);
  });

  it("receives the last partial input again while there is no input yet", () => {
    const { send, ready, out } = life();
    ready();
    send(PARTIAL, args("R"));
    send(PARTIAL, args("Ro"));
    out.length = 0;
    ready();
    expect(out).toEqual([{ method: PARTIAL, params: args("Ro") }]);
  });

  it("does not receive the context twice: the answer to ui/initialize has it", () => {
    const { send, ready, become, out } = life();
    ready();
    send(CONTEXT, { theme: "dark" });
    out.length = 0;
    ready();
    expect(out).toEqual([]);
    become("ui/initialize");
    send(CONTEXT, { theme: "light" });
    become("ui/initialize", INITIALIZED);
    expect(out).toEqual([]);
  });

  it("receives the rest of the tool call after the replay", () => {
    const { send, ready, become, out } = life();
    ready();
    send(INPUT, args("Rome"));
    out.length = 0;
    become("ui/initialize");
    send(LIST_CHANGED, {});
    send(RESULT, RESULT_PARAMS);
    become(INITIALIZED);
    expect(methods(out)).toEqual([INPUT, LIST_CHANGED, RESULT]);
  });

  it("that starts twice before it is ready receives everything once", () => {
    const { send, become, out } = life();
    send(INPUT, args("Rome"));
    become("ui/initialize");
    send("tools/list", {}, "k");
    become("ui/initialize", INITIALIZED);
    expect(methods(out)).toEqual([INPUT, "tools/list"]);
  });

  it("has a new timeout", () => {
    const { host, clock, ready, become } = life({ initialized: 50 });
    ready();
    clock.now += 1_000;
    become("ui/initialize");
    expect(host.deadline).toBe(clock.now + 50);
  });
});

describe("time limits", () => {
  it("L13: a view that never starts times out: initialize-timeout", () => {
    const { host, clock, receive } = life();
    expect(host.deadline).toBe(1_000 + DEFAULT_LIMITS.initialize);
    clock.now += DEFAULT_LIMITS.initialize - 1;
    expect(host.expire()).toBeUndefined();
    clock.now += 1;
    expect(host.expire()).toEqual({
      code: "initialize-timeout",
      message: "The app did not start.",
    });
    expect([host.phase, host.cause?.code, host.deadline]).toEqual([
      "failed",
      "initialize-timeout",
      undefined,
    ]);
    expect(receive("ui/initialize")).toBe(false);
    expect(host.expire()).toBeUndefined();
  });

  it("L13: a view that starts but is never ready times out: initialized-timeout", () => {
    const { host, clock, become } = life({ initialized: 5 });
    clock.now += 100;
    become("ui/initialize");
    expect(host.deadline).toBe(clock.now + 5);
    clock.now += 4;
    expect(host.expire()).toBeUndefined();
    clock.now += 1;
    expect(host.expire()?.code).toBe("initialized-timeout");
    expect(host.phase).toBe("failed");
  });

  it("L08: a view that does not answer its teardown times out: teardown-timeout", () => {
    const { host, clock, ready } = life({ teardown: 7 });
    ready();
    expect(host.teardown()).toBe(true);
    expect(host.deadline).toBe(clock.now + 7);
    clock.now += 7;
    expect(host.expire()?.code).toBe("teardown-timeout");
    expect([host.phase, host.cause?.code]).toEqual(["closed", "teardown-timeout"]);
  });

  it("a view that is ready has no deadline", () => {
    const { host, clock, ready } = life();
    ready();
    clock.now += 1e9;
    expect(host.expire()).toBeUndefined();
    expect(host.phase).toBe("ready");
  });

  it("every cause is a message for the user who sees the frame", () => {
    for (const received of [[], ["ui/initialize"]]) {
      const { host, clock, become } = life();
      become(...received);
      clock.now += 1e6;
      expect(host.expire()?.message).toMatch(/^The app .+\.$/);
    }
  });
});

describe("teardown", () => {
  const closed = (what: () => unknown): void =>
    expect(what).toThrow(expect.objectContaining({ code: "closed" }));

  it("L08: a ready view gets a teardown request, and its answer closes it", () => {
    const { host, ready, receive } = life();
    ready();
    expect(host.teardown()).toBe(true);
    expect(host.phase).toBe("closing");
    expect(host.teardown()).toBe(false);
    expect(host.phase).toBe("closing");
    expect(receive("tools/call")).toBe(true);
    host.closed();
    expect([host.phase, host.cause, host.deadline]).toEqual(["closed", undefined, undefined]);
    expect(receive("tools/call")).toBe(false);
  });

  it.each([
    ["loading", []],
    ["initializing", ["ui/initialize"]],
  ])("L03, L08: a view that is still %s is closed immediately, without a request", (phase, received) => {
    const { host, become } = life();
    become(...received);
    expect(host.phase).toBe(phase);
    expect(host.teardown()).toBe(false);
    expect(host.phase).toBe("closed");
  });

  it("a view that is being closed cannot restart", () => {
    const { host, ready } = life();
    ready();
    host.teardown();
    expect(host.received("ui/initialize")).toMatchObject({ serve: false, code: "out-of-order" });
    expect(host.phase).toBe("closing");
  });

  it("after a failure it stays failed, with its cause", () => {
    const { host, clock } = life();
    clock.now += 1e6;
    host.expire();
    expect(host.teardown()).toBe(false);
    host.closed();
    expect([host.phase, host.cause?.code]).toEqual(["failed", "initialize-timeout"]);
  });

  it("the frame may be removed at any time, and twice", () => {
    for (const received of [[], ["ui/initialize"], ["ui/initialize", INITIALIZED]]) {
      const { host, become } = life();
      become(...received);
      host.closed();
      host.closed();
      expect(host.phase).toBe("closed");
    }
  });

  it("A04: sends after the end, and while it ends, throw with code `closed`", () => {
    const { host, ready, send } = life();
    ready();
    host.teardown();
    closed(() => send(LIST_CHANGED, {}));
    host.closed();
    closed(() => send(INPUT, args("Rome")));
    closed(() => send("tools/call", { name: "x" }));
    const failed = life();
    failed.clock.now += 1e6;
    failed.host.expire();
    closed(() => failed.send(CONTEXT, {}));
  });

  it("the queue is dropped with the view", () => {
    const { host, send, out, receive } = life();
    send(INPUT, args("Rome"));
    host.closed();
    expect(receive("ui/initialize")).toBe(false);
    expect(out).toEqual([]);
  });

  it("a view in a new frame has a new timeout, and receives the tool call from its start", () => {
    const { host, clock, ready, send, out, become } = life();
    ready();
    send(PARTIAL, args("Ro"));
    send(INPUT, args("Rome"));
    clock.now += 5_000;
    host.restart();
    expect([host.phase, host.cause]).toEqual(["loading", undefined]);
    out.length = 0;
    send(CONTEXT, { theme: "dark" });
    expect(out).toEqual([]);
    become("ui/initialize", INITIALIZED);
    expect(out.map(({ method }) => method)).toEqual([INPUT]);
  });

  it("L13: also after a failure", () => {
    const { host, clock, send, out, become } = life();
    send(INPUT, args("Rome"));
    clock.now += 1e6;
    expect(host.expire()?.code).toBe("initialize-timeout");
    host.restart();
    expect([host.phase, host.cause]).toEqual(["loading", undefined]);
    expect(host.expire()).toBeUndefined();
    become("ui/initialize", INITIALIZED);
    expect(out.map(({ method }) => method)).toEqual([INPUT]);
  });
});

describe("for any sequence of events", () => {
  type Event =
    | { kind: "receive"; method: string }
    | { kind: "send"; method: "partial" | "input" | "result" | "cancelled" | "context" | "list" | "call" }
    | { kind: "wait"; ms: number }
    | { kind: "teardown" | "closed" | "answer" };

  const event: fc.Arbitrary<Event> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("receive" as const),
        method: fc.constantFrom(
          "ui/initialize",
          "ui/initialize",
          INITIALIZED,
          "ping",
          "tools/call",
          "notifications/message",
        ),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("send" as const),
        method: fc.constantFrom("partial", "input", "result", "cancelled", "context", "list", "call"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 5_000, 60_000) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("answer" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("teardown" as const, "closed" as const) }) },
  );

  const sends = (host: HostLifecycle, method: (Event & { kind: "send" })["method"]): Outgoing[] => {
    switch (method) {
      case "partial":
        return host.send(PARTIAL, args("R"));
      case "input":
        return host.send(INPUT, args("Rome"));
      case "result":
        return host.send(RESULT, RESULT_PARAMS);
      case "cancelled":
        return host.send(CANCELLED, {});
      case "context":
        return host.send(CONTEXT, { theme: "dark" });
      case "list":
        return host.send(LIST_CHANGED, {});
      case "call":
        return host.send("tools/call", { name: "x" }, Symbol("call"));
    }
  };

  /** The messages of its tool call that one mount of a view received. */
  const check = (heard: string[]): void => {
    const count = (method: string): number => heard.filter((name) => name === method).length;
    const [input, result] = [heard.indexOf(INPUT), heard.indexOf(RESULT)];
    expect(count(INPUT)).toBeLessThanOrEqual(1);
    expect(count(RESULT) + count(CANCELLED)).toBeLessThanOrEqual(1);
    if (input >= 0) expect(heard.lastIndexOf(PARTIAL)).toBeLessThan(input);
    if (result >= 0) expect(input >= 0 && input < result).toBe(true);
    const end = Math.max(result, heard.indexOf(CANCELLED));
    if (end >= 0) expect(Math.max(heard.lastIndexOf(PARTIAL), input)).toBeLessThan(end);
  };

  it("nothing before ready, ≤ 1 input, no partial after it, result after input, ≤ 1 end, nothing after closed", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const clock = { now: 0 };
        const host = new HostLifecycle({ now: () => clock.now });
        /** Messages that the view received since its last start. */
        let heard: string[] = [];
        let keys: unknown[] = [];
        let answered = false;
        const hear = (messages: Outgoing[]): void => {
          if (messages.length > 0) expect([host.phase, answered]).toEqual(["ready", true]);
          heard.push(...methods(messages));
          keys.push(...messages.flatMap(({ key }) => key ?? []));
        };
        for (const step of events) {
          const before = host.phase;
          const over = before === "closed" || before === "failed";
          if (step.kind === "receive") {
            const verdict = host.received(step.method);
            if (over) expect(verdict.serve).toBe(false);
            if (verdict.serve && step.method === "ui/initialize") {
              check(heard);
              heard = [];
              answered = false;
            }
            if (verdict.serve) hear(verdict.flush);
          } else if (step.kind === "answer") {
            answered = true;
            hear(host.answered());
          } else if (step.kind === "send") {
            try {
              hear(sends(host, step.method));
              expect(over || before === "closing").toBe(false);
            } catch (error) {
              expect(error).toMatchObject({
                code: over || before === "closing" ? "closed" : "out-of-order",
              });
            }
          } else if (step.kind === "wait") {
            clock.now += step.ms;
            const due = host.deadline !== undefined && clock.now >= host.deadline;
            expect(host.expire() !== undefined).toBe(due);
          } else if (step.kind === "teardown") {
            expect(host.teardown()).toBe(before === "ready");
          } else {
            host.closed();
          }
          if (over) expect(host.phase).toBe(before);
        }
        check(heard);
        expect(new Set(keys).size).toBe(keys.length);
        keys = [];
      }),
      { numRuns: 500 },
    );
  });

  it("L11: no message to a view that starts is lost", () => {
    fc.assert(
      fc.property(fc.nat(5), fc.nat(5), (early, later) => {
        const { send, become, out } = life();
        const keys = Array.from({ length: early + later }, (_, n) => n);
        for (const key of keys.slice(0, early)) send("tools/call", { name: "x" }, key);
        become("ui/initialize");
        for (const key of keys.slice(early)) send("tools/call", { name: "x" }, key);
        become(INITIALIZED);
        expect(out.map(({ key }) => key)).toEqual(keys);
      }),
      { numRuns: 50 },
    );
  });
});

describe("ViewLifecycle", () => {
  it("goes from idle to connecting to ready to closed, and may connect again", () => {
    const view = new ViewLifecycle();
    expect(view.phase).toBe("idle");
    for (const phase of ["connecting", "ready", "closed", "connecting", "closed"] as const) {
      view.enter(phase);
      expect(view.phase).toBe(phase);
    }
  });

  it.each(["connecting", "ready"] as const)("a second connect while %s throws out-of-order", (phase) => {
    const view = new ViewLifecycle();
    view.enter("connecting");
    view.enter(phase === "ready" ? "ready" : "closed");
    if (phase === "connecting") view.enter("connecting");
    expect(() => view.enter("connecting")).toThrow(expect.objectContaining({ code: "out-of-order" }));
    expect(view.phase).toBe(phase);
  });

  it("keeps the last messages about the tool call for a late listener", () => {
    const view = new ViewLifecycle();
    view.keep(PARTIAL, args("R"));
    view.keep(PARTIAL, args("Ro"));
    expect(view.kept.get(PARTIAL)).toEqual(args("Ro"));
    view.keep(INPUT, args("Rome"));
    view.keep(RESULT, RESULT_PARAMS);
    view.keep(CANCELLED, { reason: "late" });
    expect(view.kept.get(INPUT)).toEqual(args("Rome"));
    expect(view.kept.get(RESULT)).toEqual(RESULT_PARAMS);
    expect(view.kept.get(CANCELLED)).toEqual({ reason: "late" });
  });

  it("L05: drops partial input once the input has arrived", () => {
    const view = new ViewLifecycle();
    view.keep(PARTIAL, args("R"));
    view.keep(INPUT, args("Rome"));
    expect(view.kept.get(PARTIAL)).toBeUndefined();
  });

  it("keeps nothing else", () => {
    const view = new ViewLifecycle();
    for (const method of [CONTEXT, LIST_CHANGED, "ui/resource-teardown", "__proto__"]) {
      view.keep(method, {});
      expect(view.kept.get(method)).toBeUndefined();
    }
  });

  it("drops them when it connects again, not when it closes", () => {
    const view = new ViewLifecycle();
    view.enter("connecting");
    view.keep(INPUT, args("Rome"));
    view.enter("closed");
    expect(view.kept.get(INPUT)).toEqual(args("Rome"));
    view.enter("connecting");
    expect(view.kept.get(INPUT)).toBeUndefined();
  });
});

describe("examples", () => {
  it("hostLifecycle and viewLifecycle", () => {
    const posted: Outgoing[] = [];
    const shown: string[] = [];
    const {
      life: host,
      onMessage,
      onAnswered,
      onDeadline,
    } = examples.hostLifecycleExample(
      (message) => posted.push(message),
      (text) => shown.push(text),
    );
    expect(posted).toEqual([]);
    expect(["tools/call", "ui/initialize", INITIALIZED].map(onMessage)).toEqual([false, true, true]);
    expect(posted).toEqual([]);
    onAnswered();
    expect(methods(posted)).toEqual([INPUT]);
    onDeadline();
    expect([host.phase, shown]).toEqual(["ready", []]);
    expect(examples.viewLifecycleExample()).toEqual(args("Rome"));
  });
});

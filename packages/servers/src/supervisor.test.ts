import { VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import { type FakeUpstream, fakeUpstream, tool } from "../../../testing/fake-upstream.ts";
import { manualClock } from "../../../testing/gateway/manual-clock.ts";
import { nodeServer, serverSettings } from "../../../testing/gateway/servers.ts";
import type { ServerConnection } from "./connection.js";
import { isUnsent } from "./cut-off.js";
import type { ServerSettings } from "./settings.js";
import { ManagedServer } from "./supervisor.js";
import { backoff } from "./support/clock.js";

interface FakeConnection extends ServerConnection {
  readonly upstream: FakeUpstream;
  end(error?: GatewayError): void;
  isThere: boolean;
  closed: number;
}

function connection(answers: Parameters<typeof fakeUpstream>[0] = {}): FakeConnection {
  let end: (reason: GatewayError) => void = () => {};
  const ended = new Promise<GatewayError>((resolve) => {
    end = resolve;
  });
  const made: FakeConnection = {
    upstream: fakeUpstream({ "tools/list": () => ({ tools: [tool("a")] }), ...answers }, "shop"),
    ask: async () => ({}),
    setLogLevel: async () => {},
    rootsChanged: async () => {},
    ended,
    isOver: false,
    isThere: true,
    closed: 0,
    pid: 1,
    stderr: "last words",
    end(error = new GatewayError("server-exited", "it ended")) {
      Object.assign(made, { isOver: true });
      end(error);
    },
    ping: async () => made.isThere,
    async close() {
      made.closed++;
      made.end();
    },
  };
  return made;
}

function managed(settings: Partial<ServerSettings> = {}, answers?: Parameters<typeof fakeUpstream>[0]) {
  const clock = manualClock();
  const made: FakeConnection[] = [];
  let fails: Error | undefined;
  const onerror = vi.fn();
  const server = new ManagedServer({
    settings: { ...serverSettings("shop", nodeServer("x"), { idle: 100_000 }), ...settings },
    clock,
    onerror,
    connect: async () => {
      if (fails) throw fails;
      const one = connection(answers);
      made.push(one);
      return one;
    },
  });
  const states: string[] = [];
  server.onStatus(({ state }) => states.push(state));
  return { server, clock, made, states, onerror, fail: (error?: Error) => (fails = error) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("backoff", () => {
  it("doubles from a second to a minute, with half of it random", () => {
    const times = Array.from({ length: 8 }, (_, n) => backoff(n + 1, () => 0));
    expect(times).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(backoff(3, () => 1)).toBe(2_000);
    expect(backoff(1_000_000, () => 0)).toBe(60_000);
  });
});

describe("a start", () => {
  it("waits for the first request, and happens once for many", async () => {
    const { server, made, states } = managed();
    expect(server.status).toMatchObject({ state: "idle", starts: 0, capabilities: {} });
    await Promise.all([1, 2, 3].map(() => server.upstream.request("tools/list", {})));
    expect(made.length).toBe(1);
    expect(states).toEqual(["starting", "ready"]);
  });

  it("that fails is retried with growing delays if the server is eager", async () => {
    const { server, clock, fail, states } = managed({ start: "eager" });
    fail(new GatewayError("server-failed", "no", { data: { stderr: "why" } }));
    await expect(server.start()).rejects.toThrow("no");
    expect(server.status).toMatchObject({ state: "waiting", problem: { message: "no", stderr: "why" } });
    for (const delay of [1_000, 2_000, 4_000, 8_000]) {
      expect(clock.waiting).toEqual([delay]);
      clock.pass(delay);
      await settled();
    }
    fail();
    clock.pass(16_000);
    await settled();
    expect(server.status).toMatchObject({
      state: "ready",
      starts: 6,
      problem: undefined,
      retryAt: undefined,
    });
    expect(states.at(-1)).toBe("ready");
  });

  it("that fails is not retried without requests", async () => {
    const { server, clock, fail } = managed();
    fail(new Error("no"));
    await expect(server.start()).rejects.toThrow("no");
    clock.pass(1_000);
    await settled();
    expect(server.status).toMatchObject({ state: "idle", starts: 1, problem: { message: "no" } });
    expect(clock.waiting).toEqual([]);
  });

  it("that is due soon is waited for; otherwise requests fail at once and say when", async () => {
    const { server, clock, fail } = managed();
    fail(new Error("no"));
    await expect(server.start()).rejects.toThrow();
    const soon = server.upstream.request("tools/list", {});
    fail();
    clock.pass(1_000);
    expect(await soon).toMatchObject({ tools: [{ name: "a" }] });

    const other = managed({ start: "eager" });
    other.fail(new Error("no"));
    await expect(other.server.start()).rejects.toThrow();
    for (const delay of [1_000, 2_000, 4_000]) {
      other.clock.pass(delay);
      await settled();
    }
    await expect(other.server.upstream.request("tools/list", {})).rejects.toMatchObject({
      data: { code: "server-failed", retryAt: other.clock.now() + 8_000 },
    });
    // A user may restart it earlier.
    other.fail();
    await other.server.start();
    expect(other.server.status.state).toBe("ready");
  });

  it("that cannot succeed is not retried automatically", async () => {
    const { server, clock, fail } = managed({ start: "eager" });
    fail(new GatewayError("isolation-unavailable", "no bubblewrap"));
    await expect(server.start()).rejects.toThrow();
    expect(server.status).toMatchObject({ state: "idle", problem: { code: "isolation-unavailable" } });
    expect(clock.waiting).toEqual([]);
  });
});

describe("a request", () => {
  it("that is aborted does not wait for the start, which continues", async () => {
    const { server, fail, clock } = managed();
    fail(new Error("no"));
    await expect(server.start()).rejects.toThrow();
    const controller = new AbortController();
    const request = server.upstream.request("tools/list", {}, { signal: controller.signal });
    controller.abort();
    await expect(request).rejects.toSatisfy(isUnsent);
    await expect(request).rejects.toMatchObject({ code: "aborted" });
    fail();
    clock.pass(1_000);
    await settled();
    expect(server.status.state).toBe("ready");
  });

  it("that finds its session lost is made in a new one, while other calls continue on the old one", async () => {
    let answer = (_: unknown): void => {};
    let sessions = 1;
    const { server, made } = managed(
      {},
      {
        "tools/call": ({ name }) => {
          if (name === "slow") return new Promise((resolve) => (answer = resolve));
          if (sessions-- > 0)
            throw new GatewayError("server-exited", "gone", { data: { unsent: true, session: "lost" } });
          return { content: [] };
        },
      },
    );
    const slow = server.upstream.request("tools/call", { name: "slow" });
    await settled();
    expect(await server.upstream.request("tools/call", { name: "quick" })).toEqual({ content: [] });
    expect([made.length, made[0]?.closed]).toEqual([2, 0]);
    answer({ content: [{ type: "text", text: "late" }] });
    expect(await slow).toMatchObject({ content: [{ text: "late" }] });
    expect(made.map(({ closed }) => closed)).toEqual([1, 0]);
  });
});

describe("an end", () => {
  it("is followed by a start, and listeners are notified that everything may have changed", async () => {
    const { server, clock, made } = managed();
    const heard: string[] = [];
    server.upstream.listen((method) => heard.push(method));
    await server.start();
    made[0]?.upstream.say("notifications/tools/list_changed");
    expect(heard).toEqual(["notifications/tools/list_changed"]);
    made[0]?.end();
    await settled();
    expect(server.status).toMatchObject({ state: "waiting", problem: { stderr: "last words" } });
    clock.pass(1_000);
    await settled();
    expect(server.status.state).toBe("ready");
    expect(heard.slice(1)).toEqual([
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
      "notifications/prompts/list_changed",
    ]);
    made[1]?.upstream.say("notifications/prompts/list_changed");
    expect(heard.length).toBe(5);
    // Notifications of the old connection are ignored.
    made[0]?.upstream.say("notifications/prompts/list_changed");
    expect(heard.length).toBe(5);
  });

  it("after a long run counts as the first failure, but not soon after the start", async () => {
    const { server, clock, made } = managed();
    await server.start();
    for (const [lived, delay] of [
      [10, 1_000],
      [10, 2_000],
      [30_000, 1_000],
    ] as const) {
      clock.pass(lived);
      made.at(-1)?.end();
      await settled();
      expect(clock.waiting).toEqual([delay]);
      clock.pass(delay);
      await settled();
    }
  });

  it("keeps subscriptions: they are restored, and missed updates are reported", async () => {
    const { server, clock, made } = managed({}, { "resources/subscribe": () => ({}) });
    const updated: unknown[] = [];
    server.upstream.listen((method, { uri }) => method.endsWith("updated") && updated.push(uri));
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    made[0]?.end();
    await settled();
    clock.pass(1_000);
    await settled();
    expect(made[1]?.upstream.asked).toContain("resources/subscribe");
    expect(updated).toEqual(["x://1"]);
  });

  it("keeps a subscription if a second crash interrupts its restoration", async () => {
    let answer: () => Promise<object> = async () => ({});
    const { server, clock, made } = managed({}, { "resources/subscribe": () => answer() });
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    let cut: (error: Error) => void = () => {};
    answer = () => new Promise((_, reject) => (cut = reject));
    made[0]?.end();
    await settled();
    clock.pass(1_000);
    await settled();
    expect(made[1]?.upstream.asked).toContain("resources/subscribe");
    answer = async () => ({});
    made[1]?.end();
    cut(new Error("the connection was closed"));
    await settled();
    clock.pass(5_000);
    await settled();
    expect(made[2]?.upstream.asked).toContain("resources/subscribe");
  });

  it("drops a subscription that the server rejects after a restart, and reports it", async () => {
    let answer = (): object => ({});
    const { server, clock, made, onerror } = managed({}, { "resources/subscribe": () => answer() });
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    const refused = new VitrineError(-32002, "no such resource");
    answer = () => {
      throw refused;
    };
    made[0]?.end();
    await settled();
    clock.pass(1_000);
    await settled();
    expect(onerror).toHaveBeenCalledExactlyOnceWith(refused);
    made[1]?.end();
    await settled();
    clock.pass(5_000);
    await settled();
    expect(made[2]?.upstream.asked).not.toContain("resources/subscribe");
  });
});

describe("a subscription", () => {
  const subscribable = (settings: Partial<ServerSettings> = {}) => {
    const answers = { subscribe: (): object => ({}) };
    const stage = managed(settings, {
      "resources/subscribe": () => answers.subscribe(),
      "resources/unsubscribe": () => ({}),
    });
    const updated: unknown[] = [];
    stage.server.upstream.listen((method, { uri }) => method.endsWith("updated") && updated.push(uri));
    const pass = async (milliseconds: number): Promise<void> => {
      stage.clock.pass(milliseconds);
      await settled();
    };
    const end = async (): Promise<void> => {
      stage.made.at(-1)?.end();
      await settled();
    };
    const asked = () =>
      stage.made.at(-1)?.upstream.asked.filter((one) => one === "resources/subscribe").length;
    return { ...stage, answers, updated, pass, end, asked };
  };

  it("is retried after a temporary error, and views are notified of possible changes", async () => {
    const { server, made, answers, updated, onerror, pass, end, asked } = subscribable();
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    const busy = new GatewayError("server-failed", "HTTP 503", { data: { status: 503 } });
    answers.subscribe = () => {
      throw busy;
    };
    await end();
    await pass(1_000);
    expect(onerror).toHaveBeenCalledExactlyOnceWith(busy);
    answers.subscribe = () => ({});
    await pass(1_000);
    expect([made.length, asked()]).toEqual([2, 2]);
    expect(updated).toEqual(["x://1", "x://1"]);
    await pass(120_000);
    expect(asked()).toBe(2);
  });

  it("is not retried after its view has unsubscribed", async () => {
    const { server, answers, pass, end, asked } = subscribable();
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    answers.subscribe = () => {
      throw new GatewayError("server-failed", "HTTP 503");
    };
    await end();
    await pass(1_000);
    await server.upstream.request("resources/unsubscribe", { uri: "x://1" });
    await pass(60_000);
    expect(asked()).toBe(1);
  });

  it("in a session that the server forgets at once is restored in a new session, after a pause", async () => {
    const { server, made, answers, pass, end } = subscribable();
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    answers.subscribe = () => {
      throw new GatewayError("server-exited", "gone", { data: { unsent: true, session: "lost" } });
    };
    await end();
    await pass(1_000);
    expect([made.length, server.status.state]).toEqual([2, "waiting"]);
    answers.subscribe = () => ({});
    await pass(2_000);
    expect([made.length, server.status.state]).toEqual([3, "ready"]);
    expect(made[2]?.upstream.asked).toContain("resources/subscribe");
  });

  it("is reported as possibly changed when the server's notifications were interrupted", async () => {
    const { server, made, updated } = subscribable();
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    made[0]?.onstream?.("reopened");
    expect(updated).toEqual(["x://1"]);
    expect(made.length).toBe(1);
  });

  it("is restored in a new session when the server has ended the session of its notifications", async () => {
    const { server, made, updated, pass, asked } = subscribable();
    await server.start();
    made[0]?.onstream?.("lost");
    expect(server.status.state).toBe("ready");
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    made[0]?.onstream?.("lost");
    await pass(1_000);
    expect([made.length, asked(), updated]).toEqual([2, 1, ["x://1"]]);
    expect(made.map(({ closed }) => closed)).toEqual([1, 0]);
  });

  it("restarts its server, however many starts fail", async () => {
    const { server, fail, pass, end } = subscribable();
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    fail(new GatewayError("server-failed", "no"));
    await end();
    for (const delay of [1_000, 2_000, 4_000]) await pass(delay);
    fail();
    await pass(8_000);
    expect(server.status.state).toBe("ready");
  });

  it("of a view that was closed while the server was down is not restored, and the server may stop", async () => {
    const { server, fail, pass, end, asked } = subscribable();
    await server.upstream.request("resources/subscribe", { uri: "x://1" });
    fail(new GatewayError("server-failed", "no"));
    await end();
    for (const delay of [1_000, 2_000, 4_000]) await pass(delay);
    await expect(server.upstream.request("resources/unsubscribe", { uri: "x://1" })).rejects.toThrow("no");
    fail();
    await pass(8_000);
    await server.start();
    await settled();
    expect(asked()).toBe(0);
    await pass(100_000);
    expect(server.status.state).toBe("idle");
  });
});

describe("an idle server", () => {
  it("is stopped after the idle time, and started by the next request", async () => {
    const { server, clock, made } = managed();
    await server.upstream.request("tools/list", {});
    clock.pass(60_000);
    await server.upstream.request("tools/list", {});
    clock.pass(60_000);
    expect(server.status.state).toBe("ready");
    clock.pass(40_000);
    expect(server.status).toMatchObject({ state: "idle", problem: undefined });
    expect(made[0]?.closed).toBe(1);
    await settled();
    expect(clock.waiting).toEqual([]);
    await server.upstream.request("tools/list", {});
    expect(server.status).toMatchObject({ state: "ready", starts: 2 });
  });

  it("is not stopped during a call, with subscriptions, or if it is eager", async () => {
    let answer = (_: unknown): void => {};
    const slow = () => new Promise((resolve) => (answer = resolve));
    const busy = managed({}, { "tools/call": slow });
    const call = busy.server.upstream.request("tools/call", { name: "a" });
    await settled();
    busy.clock.pass(1_000_000);
    expect(busy.server.status.state).toBe("ready");
    answer({ content: [] });
    await call;
    busy.clock.pass(200_000);
    expect(busy.server.status.state).toBe("idle");

    const subscribed = managed(
      {},
      { "resources/subscribe": () => ({}), "resources/unsubscribe": () => ({}) },
    );
    await subscribed.server.upstream.request("resources/subscribe", { uri: "x://1" });
    subscribed.clock.pass(1_000_000);
    expect(subscribed.server.status.state).toBe("ready");
    await subscribed.server.upstream.request("resources/unsubscribe", { uri: "x://1" });
    subscribed.clock.pass(200_000);
    expect(subscribed.server.status.state).toBe("idle");

    const eager = managed({ start: "eager" });
    await eager.server.start();
    eager.clock.pass(1_000_000);
    expect(eager.server.status.state).toBe("ready");
  });

  it("that does not answer a ping is restarted", async () => {
    const { server, clock, made } = managed();
    await server.start();
    clock.pass(30_000);
    await settled();
    expect(made[0]?.closed).toBe(0);
    Object.assign(made[0] ?? {}, { isThere: false });
    clock.pass(30_000);
    await settled();
    expect(made[0]?.closed).toBe(1);
    expect(server.status).toMatchObject({ state: "waiting", problem: { code: "server-failed" } });
    clock.pass(1_000);
    await settled();
    expect(server.status.state).toBe("ready");
  });
});

describe("listeners", () => {
  it("that throw affect neither the server nor each other", async () => {
    const { server, onerror } = managed();
    const heard = vi.fn();
    server.onStatus(() => {
      throw new Error("mine");
    });
    server.onStatus(heard);
    await server.start();
    expect(heard).toHaveBeenCalledTimes(2);
    expect(onerror).toHaveBeenCalledWith(expect.objectContaining({ message: "mine" }));
  });

  it("that are removed are not called again", async () => {
    const { server, made } = managed();
    const heard = vi.fn();
    const leave = [server.upstream.listen(heard), server.onStatus(heard), server.onChange(heard)];
    for (const one of leave) one();
    await server.start();
    made[0]?.upstream.say("notifications/tools/list_changed");
    expect(heard).not.toHaveBeenCalled();
  });
});

describe("a restart", () => {
  it("ends the running process first, then starts another, behind the same object", async () => {
    const { server, made, states } = managed();
    const heard: string[] = [];
    server.upstream.listen((method) => heard.push(method));
    await server.start();
    let gone = (): void => {};
    Object.assign(made[0] ?? {}, {
      close: () => new Promise<void>((resolve) => (gone = resolve)).then(() => made[0]?.end()),
    });
    const restarted = server.restart();
    const asked = server.upstream.request("tools/list", {});
    await settled();
    expect([made.length, server.status.state]).toEqual([1, "starting"]);
    gone();
    await restarted;
    expect(await asked).toMatchObject({ tools: [{ name: "a" }] });
    expect(made.map(({ upstream }) => upstream.asked)).toEqual([[], ["tools/list"]]);
    expect(states).toEqual(["starting", "ready", "starting", "ready"]);
    expect(heard).toContain("notifications/tools/list_changed");
    expect(server.status).toMatchObject({ starts: 2, problem: undefined });
  });

  it("ends pending calls; it is unknown whether they ran", async () => {
    let fail = (_: unknown): void => {};
    const { server, made } = managed({}, { "tools/call": () => new Promise((_, reject) => (fail = reject)) });
    const call = server.upstream.request("tools/call", { name: "a" });
    call.catch(() => {});
    await settled();
    Object.assign(made[0] ?? {}, {
      close: async () => {
        made[0]?.end();
        fail(new GatewayError("server-exited", "it was closed"));
      },
    });
    await server.restart();
    await expect(call).rejects.toMatchObject({ data: { code: "server-exited", indeterminate: true } });
    expect(server.status.state).toBe("ready");
  });

  it("during a start starts again, and waiting callers get the new connection", async () => {
    const signals: AbortSignal[] = [];
    const good = connection();
    const server = new ManagedServer({
      settings: serverSettings("shop", nodeServer("x")),
      clock: manualClock(),
      connect: (signal) => {
        signals.push(signal);
        if (signals.length === 3) return Promise.resolve(good);
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const asked = server.upstream.request("tools/list", {});
    await settled();
    const restarts = [server.restart(), settled().then(() => server.restart())];
    await Promise.all(restarts);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false]);
    expect(await asked).toMatchObject({ tools: [{ name: "a" }] });
    expect(server.status).toMatchObject({ state: "ready", starts: 3, problem: undefined });
  });

  it("of a server that waits for its next start does not wait, and resets its failures", async () => {
    const { server, clock, fail } = managed({ start: "eager" });
    fail(new Error("no"));
    await expect(server.start()).rejects.toThrow();
    clock.pass(1_000);
    await settled();
    expect(clock.waiting).toEqual([2_000]);
    await expect(server.restart()).rejects.toThrow("no");
    expect(clock.waiting).toEqual([1_000]);
    fail();
    await server.restart();
    expect(server.status).toMatchObject({ state: "ready", problem: undefined });
  });

  it("of a server that is stopped, before or meanwhile, leaves no process", async () => {
    const { server, made } = managed();
    await server.start();
    const restarted = expect(server.restart()).rejects.toMatchObject({ data: { code: "stopping" } });
    await server.stop();
    await restarted;
    expect(made.every(({ isOver }) => isOver)).toBe(true);
    await expect(server.restart()).rejects.toMatchObject({ data: { code: "stopping" } });
  });
});

describe("a crash", () => {
  const crash = async ({ clock, made }: ReturnType<typeof managed>, message = "it ended"): Promise<void> => {
    made.at(-1)?.end(new GatewayError("server-exited", message));
    await settled();
    clock.pass(1_000);
    await settled();
  };

  it("is in the status of a restarted server until it has run for ten minutes, and listeners are notified of both", async () => {
    const stage = managed({ start: "eager" });
    const { server, clock } = stage;
    await server.start();
    expect(server.status.crash).toBeUndefined();
    const heard: unknown[] = [];
    server.onStatus(({ state, crash: last }) => heard.push([state, last]));
    const at = clock.now();
    await crash(stage);
    const last = { at, message: "it ended", stderr: "last words" };
    expect(server.status).toMatchObject({ state: "ready", problem: undefined, crash: last });
    clock.pass(599_999);
    expect(heard).toEqual(["waiting", "idle", "starting", "ready"].map((state) => [state, last]));
    clock.pass(1);
    expect(server.status).toMatchObject({ state: "ready", crash: undefined });
    expect(heard.slice(4)).toEqual([["ready", undefined]]);
  });

  it("is forgotten after ten minutes of running time, not of being stopped; the next crash counts anew", async () => {
    const stage = managed();
    const { server, clock } = stage;
    await server.start();
    await crash(stage, "first");
    // Idle after 100 seconds.
    clock.pass(500_000);
    expect(server.status.state).toBe("idle");
    clock.pass(1_000_000);
    expect(server.status.crash).toMatchObject({ message: "first" });
    await crash(stage, "is over already");
    for (let run = 0; run < 4; run++) {
      await server.start();
      clock.pass(100_000);
    }
    expect(server.status.crash).toMatchObject({ message: "first" });
    await server.start();
    clock.pass(99_999);
    expect(server.status.crash).toMatchObject({ message: "first" });
    await crash(stage, "second");
    clock.pass(50_000);
    expect(server.status.crash).toMatchObject({ message: "second" });
    for (let run = 0; run < 6; run++) {
      clock.pass(100_000);
      await server.start();
    }
    expect(server.status.crash).toBeUndefined();
  });

  it("is forgotten when the server is restarted on request, but not when it is started", async () => {
    const stage = managed();
    await stage.server.start();
    await crash(stage);
    await stage.server.start();
    expect(stage.server.status.crash).toBeDefined();
    await stage.server.restart();
    expect(stage.server.status.crash).toBeUndefined();
    await stage.server.stop();
    expect(stage.clock.waiting).toEqual([]);
  });

  it("does not include a requested stop, or a cut connection to a remote server", async () => {
    const idle = managed();
    await idle.server.start();
    idle.clock.pass(100_000);
    await idle.server.start();
    await idle.server.restart();
    await idle.server.stop();
    expect(idle.server.status.crash).toBeUndefined();

    const remote = managed();
    await remote.server.start();
    Object.assign(remote.made[0] ?? {}, { pid: undefined });
    await crash(remote);
    expect(remote.server.status).toMatchObject({ state: "ready", starts: 2, crash: undefined });
  });
});

describe("a lost connection", () => {
  it("is closed, and the next start waits until its process has ended", async () => {
    const { server, made, clock } = managed();
    await server.start();
    let gone = (): void => {};
    Object.assign(made[0] ?? {}, { close: () => new Promise<void>((resolve) => (gone = resolve)) });
    made[0]?.end();
    await settled();
    clock.pass(1_000);
    await settled();
    expect([made.length, server.status.state]).toEqual([1, "starting"]);
    gone();
    await settled();
    expect([made.length, server.status.state]).toEqual([2, "ready"]);
  });
});

describe("a stop", () => {
  it("is permanent, and clears every timer", async () => {
    const { server, clock, made } = managed();
    await server.start();
    await Promise.all([server.stop(), server.stop()]);
    expect(made[0]?.closed).toBe(1);
    expect(server.status.state).toBe("stopped");
    expect(clock.waiting).toEqual([]);
    await expect(server.start()).rejects.toMatchObject({ data: { code: "stopping" } });
    await expect(server.upstream.request("tools/list", {})).rejects.toMatchObject({
      data: { code: "stopping" },
    });
  });

  it("ends requests that wait for a start", async () => {
    const { server, fail } = managed();
    fail(new Error("no"));
    await expect(server.start()).rejects.toThrow();
    const waiting = server.upstream.request("tools/list", {});
    await settled();
    await server.stop();
    await expect(waiting).rejects.toMatchObject({ data: { code: "stopping" } });
  });
});

import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Channel } from "./channel.js";
import { CheckedPeer } from "./checked-peer.js";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  VitrineError,
} from "./errors.js";
import { HOST_END } from "./host-end.js";
import type { Params, Result } from "./methods.js";
import { Peer, type Progress, type RequestContext } from "./peer.js";
import * as examples from "./protocol.examples.js";
import { acceptText, memoryPair, PortTransport, type Transport } from "./transport.js";
import { VIEW_END } from "./view-end.js";

fc.configureGlobal({ seed: 20260126 });
afterEach(() => {
  vi.useRealTimers();
});

type Message = Record<string, unknown>;
const OK: Result<"tools/call"> = { content: [{ type: "text", text: "ok" }] };
const CALL = { name: "search" };
/** Lets all messages in transit arrive. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
/** The error that a promise rejects with. */
const failure = async (promise: Promise<unknown>): Promise<VitrineError> => {
  const error = await promise.then(
    () => new Error("it was fulfilled"),
    (reason: unknown) => reason,
  );
  if (error instanceof VitrineError) return error;
  throw error;
};
const never = (): Promise<never> => new Promise(() => {});
const boom = (): never => {
  throw new Error("no");
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** A channel whose request ids start at 0, so that a test can predict them. */
function fromZero<C extends Channel<"host"> | Channel<"view">>(channel: C): C {
  (channel as unknown as { nextId: number }).nextId = 0;
  return channel;
}

/** A view and a host, connected. */
function pair() {
  const [viewEnd, hostEnd] = memoryPair();
  const view = fromZero(new Peer<"view">());
  const host = fromZero(new Peer<"host">());
  const reports: VitrineError[] = [];
  view.onreport = host.onreport = (error) => reports.push(error);
  view.open(viewEnd);
  host.open(hostEnd);
  return { view, host, reports, codes: () => reports.map(({ code }) => code) };
}

/** A peer, and the raw other side of its transport. */
function wire<P extends Channel<"host">>(peer: P, accept = (transport: Transport): Transport => transport) {
  fromZero(peer);
  const [mine, other] = memoryPair();
  const sent: Message[] = [];
  const reports: VitrineError[] = [];
  other.start(
    (message) => sent.push(message as Message),
    () => {},
  );
  if (peer instanceof Peer) peer.onreport = (error) => reports.push(error);
  peer.open(accept(mine));
  const say = async (...messages: unknown[]): Promise<void> => {
    for (const message of messages) other.send(message);
    await settle();
  };
  return { peer, sent, say, other, reports, codes: () => reports.map(({ code }) => code) };
}

/** A peer whose transport clones nothing. */
function uncloned<P extends Channel<"host">>(peer: P) {
  fromZero(peer);
  const sent: Message[] = [];
  let deliver: (message: unknown) => void = () => {};
  const reports: VitrineError[] = [];
  if (peer instanceof Peer) peer.onreport = (error) => reports.push(error);
  peer.open({
    start: (receive) => {
      deliver = receive;
    },
    send: (message) => sent.push(message as Message),
    close: () => {},
  });
  return { peer, sent, reports, deliver: (message: unknown) => deliver(message) };
}

const request = (id: unknown, method: string, params?: unknown): Message =>
  params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
const notification = (method: string, params: unknown): Message => ({ jsonrpc: "2.0", method, params });
const refused = (id: unknown, code: number): Message => ({
  jsonrpc: "2.0",
  id,
  error: expect.objectContaining({ code }),
});

describe("requests", () => {
  it("are answered with the handler's result, both ways", async () => {
    const { view, host } = pair();
    host.handle("ui/open-link", async ({ url }) => ({ isError: url !== "https://x" }));
    view.handle("tools/call", ({ name }) => ({ content: [{ type: "text", text: name }] }));
    expect(await view.request("ui/open-link", { url: "https://x" })).toEqual({ isError: false });
    expect(await host.request("tools/call", CALL)).toEqual({ content: [{ type: "text", text: "search" }] });
  });

  it("a handler that returns nothing answers with an empty result", async () => {
    const { view, host } = pair();
    host.handle("ui/open-link", () => undefined as unknown as Result<"ui/open-link">);
    expect(await view.request("ui/open-link", { url: "x" })).toEqual({});
  });

  it("a handler that throws refuses: a VitrineError sets the code and the data", async () => {
    const { view, host } = pair();
    host.handle("ui/open-link", () => {
      throw new VitrineError(-32001, "denied by policy", { data: { policy: "links" } });
    });
    host.handle("tools/call", async () => {
      throw new Error("server gone");
    });
    const denied = await failure(view.request("ui/open-link", { url: "x" }));
    expect([denied.code, denied.message, denied.data]).toEqual([
      -32001,
      "denied by policy",
      { policy: "links" },
    ]);
    const failed = await failure(view.request("tools/call", CALL));
    expect([failed.code, failed.message]).toEqual([INTERNAL_ERROR, "server gone"]);
  });

  it.each([
    ["a text", "text"],
    ["nothing", undefined],
    ["a symbol", Symbol("x")],
    ["an object without a prototype", Object.create(null)],
    ["an error whose message throws", Object.defineProperty({}, "message", { get: boom })],
    ["a code that is no number", { code: "ENOENT", message: "no file" }],
  ])("a handler that throws %s is answered, with -32603", async (_name, thrown) => {
    const { view, host } = pair();
    host.handle("tools/call", () => {
      throw thrown;
    });
    expect((await failure(view.request("tools/call", CALL))).code).toBe(INTERNAL_ERROR);
    expect(await view.request("ping", {})).toEqual({});
  });

  it("fail with code `closed` when the channel is not open", async () => {
    const peer = new Peer<"view">();
    expect((await failure(peer.request("ping", {}))).code).toBe("closed");
    expect(() => peer.notify("ui/notifications/initialized", {})).toThrow(
      expect.objectContaining({ code: "closed" }),
    );
  });

  it("fail with code `send-failed` when the transport cannot send them, and the channel survives", async () => {
    const { view, reports } = pair();
    const bad = { name: "x", arguments: { f: () => {} } };
    expect((await failure(view.request("tools/call", bad))).code).toBe("send-failed");
    expect(() => view.notify("notifications/message", { level: "info", data: () => {} })).toThrow(
      expect.objectContaining({ code: "send-failed" }),
    );
    expect(reports).toEqual([]); // The callers get the errors.
    expect(await view.request("ping", {})).toEqual({});
  });
});

describe("ping", () => {
  it("L10: is answered both ways, with no handler", async () => {
    const { view, host } = pair();
    expect(await view.request("ping", {})).toEqual({});
    expect(await host.request("ping", {})).toEqual({});
    expect(
      await new Promise((resolve) => {
        const [a, b] = memoryPair();
        new Channel<"view">().open(a);
        new Channel<"host">().open(b).request("ping", {}).then(resolve);
      }),
    ).toEqual({});
  });

  it("L10: is answered again after a handler for it was removed", async () => {
    const { peer, say, sent } = wire(new CheckedPeer(HOST_END));
    const remove = peer.handle("ping", () => ({ _meta: { own: true } }));
    await say(request(1, "ping"));
    remove();
    await say(request(2, "ping"));
    expect(sent.map(({ result }) => result)).toEqual([{ _meta: { own: true } }, {}]);
  });
});

describe("I12 cancellation", () => {
  it("an aborted signal rejects with code `aborted`, its reason as cause", async () => {
    const { view, host } = pair();
    host.handle("tools/call", never);
    const controller = new AbortController();
    const asked = view.request("tools/call", CALL, { signal: controller.signal });
    const reason = new Error("the user left");
    controller.abort(reason);
    const error = await failure(asked);
    expect(error.code).toBe("aborted");
    expect(error.cause).toBe(reason);
  });

  it("D6: a token in the given params is not sent", async () => {
    const { peer, sent } = wire(new Peer<"host">());
    void peer.request("tools/call", { ...CALL, _meta: { progressToken: "theirs", kept: 1 } }, { timeout: 0 });
    await settle();
    expect(sent.map(({ params }) => params)).toEqual([{ ...CALL, _meta: { kept: 1 } }]);
  });

  it("an error in `onnotification` is reported, and stops neither listeners nor the message", async () => {
    const { peer, say, sent, codes } = wire(new Peer<"host">());
    const heard = vi.fn();
    peer.onnotification = boom;
    peer.on("ui/notifications/initialized", heard);
    await say(notification("ui/notifications/initialized", {}));
    expect([heard.mock.calls.length, codes(), sent]).toEqual([1, ["listener-failed"], []]);
  });

  it("an error in `onclose` keeps no handler running", async () => {
    const { peer, say } = wire(new Peer<"host">());
    const signals: AbortSignal[] = [];
    peer.handle("tools/call", (_params, { signal }) => {
      signals.push(signal);
      return never();
    });
    await say(request(1, "tools/call", CALL));
    peer.onclose = boom;
    expect(() => peer.close()).toThrow("no");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("a context may be spread", async () => {
    const { peer, say } = wire(new Peer<"host">());
    const seen = vi.fn();
    peer.handle("tools/call", (_params, context) => {
      seen({ ...context });
      return OK;
    });
    await say(request(1, "tools/call", CALL));
    expect(seen.mock.calls[0]?.[0]).toMatchObject({ requestId: 1, signal: expect.any(AbortSignal) });
  });

  it("the other side is notified with notifications/cancelled, under the request's id", async () => {
    const { peer, sent } = wire(new Peer<"host">());
    const controller = new AbortController();
    const asked = peer.request("tools/call", CALL, { signal: controller.signal });
    controller.abort("secret reason");
    await failure(asked);
    await settle();
    expect(sent).toEqual([
      request(0, "tools/call", CALL),
      notification("notifications/cancelled", { requestId: 0, reason: "aborted" }),
    ]);
  });

  it("an already aborted signal sends nothing", async () => {
    const { peer, sent } = wire(new Peer<"host">());
    expect((await failure(peer.request("tools/call", CALL, { signal: AbortSignal.abort() }))).code).toBe(
      "aborted",
    );
    await settle();
    expect(sent).toEqual([]);
  });

  it("the handler's own signal aborts, and nothing is answered after that", async () => {
    const { peer, sent, say } = wire(new Peer<"host">());
    let signal: AbortSignal | undefined;
    let finish: (result: Result<"tools/call">) => void = () => {};
    peer.handle("tools/call", (_params, context) => {
      signal = context.signal;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    await say(request("a", "tools/call", CALL));
    expect(signal?.aborted).toBe(false);
    await say(notification("notifications/cancelled", { requestId: "a", reason: "user" }));
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toBe("user");
    finish(OK);
    await settle();
    expect(sent).toEqual([]);
  });

  it("a handler that throws because of it does not answer either", async () => {
    const { peer, sent, say } = wire(new Peer<"host">());
    peer.handle(
      "tools/call",
      (_params, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    await say(request(1, "tools/call", CALL), notification("notifications/cancelled", { requestId: 1 }));
    expect(sent).toEqual([]);
  });

  it("works end to end, from the view's signal to the host's handler", async () => {
    const { view, host } = pair();
    const aborted = new Promise<void>((resolve) => {
      host.handle("tools/call", (_params, { signal }) => {
        signal.addEventListener("abort", () => resolve());
        return never();
      });
    });
    const controller = new AbortController();
    const asked = view.request("tools/call", CALL, { signal: controller.signal });
    controller.abort();
    await failure(asked);
    await aborted;
  });

  it.each([{ requestId: 99 }, { requestId: "__proto__" }, {}, { requestId: { toString: 1 } }])(
    "notifications/cancelled for an unknown id is ignored: %j",
    async (params) => {
      const { say, sent, reports } = wire(new Peer<"host">());
      await say(notification("notifications/cancelled", params), request(1, "ping"));
      expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
      expect(reports).toEqual([]);
    },
  );

  it("an abort after the answer does nothing, and D21: the signal keeps no listener", async () => {
    const { peer, sent, say } = wire(new Peer<"host">());
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, "addEventListener");
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    const asked = peer.request("tools/call", CALL, { signal: controller.signal });
    await say({ jsonrpc: "2.0", id: 0, result: OK });
    expect(await asked).toEqual(OK);
    controller.abort();
    await settle();
    expect(sent).toHaveLength(1);
    expect(add).toHaveBeenCalledTimes(1);
    expect(remove).toHaveBeenCalledTimes(1);
  });
});

describe("timeouts", () => {
  const timed = () => {
    vi.useFakeTimers();
    return wire(new Peer<"host">());
  };

  it("a request rejects with code `timeout` after its own limit, and the other side is notified", async () => {
    const { peer, sent } = timed();
    const asked = failure(peer.request("tools/call", CALL, { timeout: 500 }));
    await vi.advanceTimersByTimeAsync(499);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await asked).code).toBe("timeout");
    expect(sent[1]).toEqual(notification("notifications/cancelled", { requestId: 0, reason: "timeout" }));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the limit is 60 s by default", async () => {
    const { peer } = timed();
    let code: unknown;
    failure(peer.request("tools/call", CALL)).then((error) => {
      code = error.code;
    });
    await vi.advanceTimersByTimeAsync(59_999);
    expect(code).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(code).toBe("timeout");
  });

  it.each([0, 2 ** 31, Number.POSITIVE_INFINITY])("%d is no limit that fires at once", async (timeout) => {
    const { peer } = timed();
    const settled = vi.fn();
    peer.request("tools/call", CALL, { timeout }).catch(settled);
    await vi.advanceTimersByTimeAsync(100_000_000);
    expect(settled).not.toHaveBeenCalled();
    peer.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("an answer ends the wait, and a late one is reported and dropped", async () => {
    const { peer, other, codes } = timed();
    const asked = peer.request("tools/call", CALL, { timeout: 10 });
    other.send({ jsonrpc: "2.0", id: 0, result: OK });
    await vi.advanceTimersByTimeAsync(0);
    expect(await asked).toEqual(OK);
    expect(vi.getTimerCount()).toBe(0);
    const late = failure(peer.request("tools/call", CALL, { timeout: 10 }));
    await vi.advanceTimersByTimeAsync(10);
    other.send({ jsonrpc: "2.0", id: 1, result: OK });
    await vi.advanceTimersByTimeAsync(0);
    expect((await late).code).toBe("timeout");
    expect(codes()).toEqual(["unknown-response"]);
  });

  it("D7: each progress restarts the limit", async () => {
    const { peer, other } = timed();
    let code: unknown;
    const onprogress = vi.fn();
    failure(peer.request("tools/call", CALL, { timeout: 100, onprogress })).then((error) => {
      code = error.code;
    });
    for (let progress = 1; progress <= 5; progress++) {
      await vi.advanceTimersByTimeAsync(90);
      other.send(notification("notifications/progress", { progressToken: 0, progress }));
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(onprogress).toHaveBeenCalledTimes(5);
    expect(code).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    expect(code).toBe("timeout");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("progress right after the answer is reported, and leaves no timer behind", async () => {
    const { peer, other, codes } = timed();
    const onprogress = vi.fn();
    const asked = peer.request("tools/call", CALL, { onprogress });
    other.send({ jsonrpc: "2.0", id: 0, result: OK });
    other.send(notification("notifications/progress", { progressToken: 0, progress: 1 }));
    await vi.advanceTimersByTimeAsync(0);
    expect(await asked).toEqual(OK);
    expect(onprogress).not.toHaveBeenCalled();
    expect(codes()).toEqual(["unknown-progress"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("I12 progress", () => {
  it("D5: reaches the requester, from a handler on the other side", async () => {
    const { view, host } = pair();
    host.handle("tools/call", async (_params, { progress }) => {
      progress?.({ progress: 1, total: 2, message: "half" });
      progress?.({ progress: 2, total: 2 });
      return OK;
    });
    const heard: Progress[] = [];
    await view.request("tools/call", CALL, { onprogress: (progress) => heard.push(progress) });
    expect(heard).toEqual([
      { progress: 1, total: 2, message: "half" },
      { progress: 2, total: 2 },
    ]);
  });

  it("the token is ours, unique, and beside the rest of _meta", async () => {
    const { peer, sent } = wire(new Peer<"host">());
    const onprogress = (): void => {};
    const params = { ...CALL, _meta: { trace: "t", progressToken: "theirs" } };
    peer.request("tools/call", params, { onprogress }).catch(() => {});
    peer.request("tools/call", CALL, { onprogress }).catch(() => {});
    await settle();
    const metas = sent.map(({ params }) => (params as { _meta: Message })._meta);
    expect(metas[0]).toEqual({ trace: "t", progressToken: sent[0]?.id });
    expect(metas[1]?.progressToken).not.toBe(metas[0]?.progressToken);
    expect(params._meta.progressToken).toBe("theirs");
    peer.close();
  });

  it("is not requested without a listener, and then the handler cannot report it", async () => {
    const { view, host } = pair();
    const contexts: RequestContext[] = [];
    host.handle("tools/call", (_params, context) => {
      contexts.push(context);
      return OK;
    });
    await view.request("tools/call", CALL);
    await view.request("tools/call", CALL, { onprogress: () => {} });
    expect(contexts.map(({ progress }) => typeof progress)).toEqual(["undefined", "function"]);
    expect(contexts.map(({ requestId }) => requestId)).toEqual([0, 1]);
  });

  it("D5, D6: a handler's params have no progressToken, so that passing them on cannot collide", async () => {
    const { peer, say } = wire(new Peer<"host">());
    const seen: unknown[] = [];
    peer.handle("tools/call", (params) => {
      seen.push(params);
      return OK;
    });
    await say(
      request(1, "tools/call", { ...CALL, _meta: { progressToken: 0, trace: "t" } }),
      request(2, "tools/call", { ...CALL, _meta: { progressToken: { forged: true } } }),
      request(3, "tools/call", { ...CALL, _meta: { trace: "t" } }),
    );
    expect(seen).toEqual([
      { ...CALL, _meta: { trace: "t" } },
      { ...CALL, _meta: {} },
      { ...CALL, _meta: { trace: "t" } },
    ]);
  });

  it("D6: a host that forwards a view's call gets its own progress, and the view gets the view's", async () => {
    const { view, host } = pair();
    const server = pair();
    server.view.handle("tools/call", async (_params, { progress }) => {
      progress?.({ progress: 7 });
      return OK;
    });
    const hostHeard: Progress[] = [];
    host.handle("tools/call", (params, { progress }) =>
      server.host.request("tools/call", params, {
        onprogress: (update) => {
          hostHeard.push(update);
          progress?.({ ...update, message: "forwarded" });
        },
      }),
    );
    const viewHeard: Progress[] = [];
    await view.request("tools/call", CALL, { onprogress: (update) => viewHeard.push(update) });
    expect(hostHeard).toEqual([{ progress: 7 }]);
    expect(viewHeard).toEqual([{ progress: 7, message: "forwarded" }]);
  });

  it("of two requests at the same time does not mix", async () => {
    const { view, host } = pair();
    host.handle("tools/call", async ({ name }, { progress }) => {
      for (let step = 1; step <= 3; step++) {
        await settle();
        progress?.({ progress: step, message: name });
      }
      return OK;
    });
    const heard: Record<string, unknown[]> = { a: [], b: [] };
    await Promise.all(
      ["a", "b"].map((name) =>
        view.request("tools/call", { name }, { onprogress: ({ message }) => heard[name]?.push(message) }),
      ),
    );
    expect(heard).toEqual({ a: ["a", "a", "a"], b: ["b", "b", "b"] });
  });

  it("a late or forged one is reported and dropped", async () => {
    const { peer, say, codes } = wire(new Peer<"host">());
    const onprogress = vi.fn();
    const asked = peer.request("tools/call", CALL, { onprogress });
    await say(notification("notifications/progress", { progressToken: "0", progress: 1 }));
    await say({ jsonrpc: "2.0", id: 0, result: OK });
    await asked;
    await say(notification("notifications/progress", { progressToken: 0, progress: 1 }));
    expect(onprogress).not.toHaveBeenCalled();
    expect(codes()).toEqual(["unknown-progress", "unknown-progress"]);
  });

  it("a handler cannot report it after its answer, nor for a later request with the same id", async () => {
    const { peer, sent, say } = wire(new Peer<"host">());
    const reporters: RequestContext["progress"][] = [];
    peer.handle("tools/call", (_params, { progress }) => {
      reporters.push(progress);
      return reporters.length === 1 ? OK : never();
    });
    const asked = request(1, "tools/call", { ...CALL, _meta: { progressToken: 1 } });
    await say(asked);
    reporters[0]?.({ progress: 1 });
    await say(asked);
    reporters[0]?.({ progress: 2 });
    reporters[1]?.({ progress: 3 });
    await settle();
    expect(sent.slice(1)).toEqual([
      notification("notifications/progress", { progressToken: 1, progress: 3 }),
    ]);
  });

  it("D19: a listener to it that throws is reported, and the request continues", async () => {
    const { view, host, codes } = pair();
    host.handle("tools/call", (_params, { progress }) => {
      progress?.({ progress: 1 });
      return OK;
    });
    expect(await view.request("tools/call", CALL, { onprogress: boom })).toEqual(OK);
    expect(codes()).toEqual(["listener-failed"]);
  });
});

describe("handlers", () => {
  it("the last handler of a method counts", async () => {
    const { view, host } = pair();
    host.handle("tools/call", () => OK);
    host.handle("tools/call", () => ({ content: [] }));
    expect(await view.request("tools/call", CALL)).toEqual({ content: [] });
  });

  it("a removed handler makes room for another, and removing twice does not remove that one", async () => {
    const { view, host } = pair();
    const remove = host.handle("tools/call", () => OK);
    remove();
    expect((await failure(view.request("tools/call", CALL))).code).toBe(METHOD_NOT_FOUND);
    host.handle("tools/call", () => ({ content: [] }));
    remove();
    expect(await view.request("tools/call", CALL)).toEqual({ content: [] });
  });

  it("L12: an unknown request gets -32601, an unknown notification is ignored", async () => {
    const { say, sent, reports } = wire(new Peer<"host">());
    await say(request("x", "no/such"), notification("no/such", {}));
    expect(sent).toEqual([refused("x", METHOD_NOT_FOUND)]);
    expect(reports).toEqual([]);
  });

  it("a result that cannot be cloned is answered with -32603, without the result", async () => {
    const { view, host, codes } = pair();
    host.handle("tools/call", () => ({ content: [], structuredContent: { secret: () => "s3cret" } }));
    const error = await failure(view.request("tools/call", CALL));
    expect(error.code).toBe(INTERNAL_ERROR);
    expect(error.message).not.toContain("s3cret");
    expect(codes()).toEqual(["send-failed"]);
    expect(await view.request("ping", {})).toEqual({});
  });

  it("types: each side sends and handles the methods of the table, with their params and results", () => {
    const view = new Peer<"view">();
    const host = new Peer<"host">();
    const _compiled = (): unknown[] => [
      // @ts-expect-error only a host tears down
      view.request("ui/resource-teardown", {}),
      // @ts-expect-error only a view opens links
      host.request("ui/open-link", { url: "x" }),
      // @ts-expect-error a url is a string
      view.request("ui/open-link", { url: 1 }),
      // @ts-expect-error there is no such method
      view.request("ui/no-such", {}),
      // @ts-expect-error a view does not serve its own requests
      view.handle("ui/open-link", () => ({})),
      // @ts-expect-error the result must be one of tools/call
      view.handle("tools/call", () => ({ content: "text" })),
      // @ts-expect-error a view does not send tool input
      view.notify("ui/notifications/tool-input", {}),
      // @ts-expect-error a host does not hear tool input
      host.on("ui/notifications/tool-input", () => {}),
      // @ts-expect-error params have the type of the method
      view.on("ui/notifications/tool-cancelled", ({ reason }: { reason: number }) => reason),
      view.handle("tools/call", ({ name, arguments: args }, { signal, progress, requestId }) => {
        const all: [string, Record<string, unknown> | undefined, AbortSignal, string | number] = [
          name,
          args,
          signal,
          requestId,
        ];
        progress?.({ progress: all.length });
        return OK;
      }),
    ];
    expect(typeof _compiled).toBe("function");
  });
});

describe("notifications", () => {
  it("reach every listener, in the order they were added, until it is removed", async () => {
    const { view, host } = pair();
    const heard: string[] = [];
    const remove = view.on("ui/notifications/tool-cancelled", ({ reason }) => heard.push(`1 ${reason}`));
    view.on("ui/notifications/tool-cancelled", ({ reason }) => heard.push(`2 ${reason}`));
    host.notify("ui/notifications/tool-cancelled", { reason: "a" });
    await settle();
    remove();
    remove();
    host.notify("ui/notifications/tool-cancelled", { reason: "b" });
    await settle();
    expect(heard).toEqual(["1 a", "2 a", "2 b"]);
  });

  it("D19: a listener that throws, now or later, is reported and stops no other", async () => {
    const { view, host, reports } = pair();
    const sync = new Error("sync");
    const later = new Error("later");
    const heard = vi.fn();
    view.on("ui/notifications/tool-cancelled", () => {
      throw sync;
    });
    view.on("ui/notifications/tool-cancelled", async () => {
      await settle();
      throw later;
    });
    view.on("ui/notifications/tool-cancelled", heard);
    host.notify("ui/notifications/tool-cancelled", {});
    await settle();
    await settle();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(reports.map(({ code, cause }) => [code, cause])).toEqual([
      ["listener-failed", sync],
      ["listener-failed", later],
    ]);
  });

  it("a listener that removes another, or adds one, changes the next round only", async () => {
    const { view, host } = pair();
    const heard: string[] = [];
    view.on("ui/notifications/tool-cancelled", () => {
      heard.push("first");
      removeSecond();
      view.on("ui/notifications/tool-cancelled", () => heard.push("added"));
    });
    const removeSecond = view.on("ui/notifications/tool-cancelled", () => heard.push("second"));
    host.notify("ui/notifications/tool-cancelled", {});
    await settle();
    expect(heard).toEqual(["first", "second"]);
  });

  it("onnotification gets every one of them, cancellation and progress too", async () => {
    const { peer, say } = wire(new Peer<"host">());
    const methods: string[] = [];
    peer.onnotification = (method) => methods.push(method);
    const heard = vi.fn();
    peer.on("notifications/progress", heard);
    await say(
      notification("notifications/cancelled", { requestId: 1 }),
      notification("notifications/progress", { progressToken: 1, progress: 1 }),
      notification("ui/notifications/initialized", {}),
    );
    expect(methods).toEqual([
      "notifications/cancelled",
      "notifications/progress",
      "ui/notifications/initialized",
    ]);
    expect(heard).toHaveBeenCalledTimes(1);
  });
});

describe("invalid messages are answered and survived (L12)", () => {
  const PING = request("after", "ping");
  const PONG = { jsonrpc: "2.0", id: "after", result: {} };

  it.each([
    ["array params: -32602 with the id", request(5, "tools/call", [1]), refused(5, INVALID_PARAMS)],
    ["null params: -32602 with the id", request(5, "tools/call", null), refused(5, INVALID_PARAMS)],
    ["text params: -32602 with the id", request("a", "tools/call", "x"), refused("a", INVALID_PARAMS)],
    ["no version: -32600", { id: 1, method: "ping" }, refused(null, INVALID_REQUEST)],
    ["another version: -32600", { jsonrpc: "1.0", id: 1, method: "ping" }, refused(null, INVALID_REQUEST)],
    ["an id of null: -32600", request(null, "ping"), refused(null, INVALID_REQUEST)],
    ["an id of true: -32600", request(true, "ping"), refused(null, INVALID_REQUEST)],
    ["an id that is an object: -32600", request({ a: 1 }, "ping"), refused(null, INVALID_REQUEST)],
    ["an id with a fraction: -32600", request(1.5, "ping"), refused(null, INVALID_REQUEST)],
    ["an id of NaN: -32600", request(Number.NaN, "ping"), refused(null, INVALID_REQUEST)],
    ["an id of 1e308: -32600", request(1e308, "ping"), refused(null, INVALID_REQUEST)],
    ["an id of 2**60: -32600", request(2 ** 60, "ping"), refused(null, INVALID_REQUEST)],
    ["an id of 10 MB: -32600", request("x".repeat(10_000_000), "ping"), refused(null, INVALID_REQUEST)],
    ["a batch: -32600", [request(1, "ping"), request(2, "ping")], refused(null, INVALID_REQUEST)],
    ["an empty batch: -32600", [], refused(null, INVALID_REQUEST)],
    ["nothing: -32600", undefined, refused(null, INVALID_REQUEST)],
    ["null: -32600", null, refused(null, INVALID_REQUEST)],
    ["a number: -32600", 5, refused(null, INVALID_REQUEST)],
    ["an empty object: -32600", {}, refused(null, INVALID_REQUEST)],
    [
      "a method that is no text: -32600",
      { jsonrpc: "2.0", id: 1, method: 1 },
      refused(null, INVALID_REQUEST),
    ],
    ["an error that is text: -32600", { jsonrpc: "2.0", id: 1, error: "x" }, refused(null, INVALID_REQUEST)],
    ["text that is not JSON: -32700", "{oops", refused(null, PARSE_ERROR)],
  ])("%s", async (_name, message, answer) => {
    const { say, sent, codes } = wire(new Peer<"host">());
    await say(message, PING);
    expect(sent).toEqual([expect.objectContaining(answer), PONG]);
    expect(codes().length).toBeLessThanOrEqual(1);
  });

  it.each([0, -0, -7, 2 ** 53 - 1, "", "__proto__", "x".repeat(256)])(
    "the id %j is valid, and comes back",
    async (id) => {
      const { say, sent } = wire(new Peer<"host">());
      await say(request(id, "ping"));
      expect(sent).toEqual([{ jsonrpc: "2.0", id, result: {} }]);
    },
  );

  it("a notification with bad params is reported, and not answered", async () => {
    const { say, sent, codes } = wire(new Peer<"host">());
    await say(notification("notifications/message", [1]), notification("x", null));
    expect(sent).toEqual([]);
    expect(codes()).toEqual(["malformed", "malformed"]);
  });

  it("two peers that do not understand each other do not answer each other forever", async () => {
    const { sent, say, codes } = wire(new Peer<"host">());
    await say("{oops", { jsonrpc: "2.0", id: null, error: { code: -32700, message: "not JSON" } });
    expect(sent).toHaveLength(1);
    expect(codes()).toEqual(["malformed", "unknown-response"]);
  });

  it.each([
    ["a getter that throws for the version", Object.defineProperty({}, "jsonrpc", { get: boom })],
    [
      "a getter that throws for params",
      Object.defineProperty(request(1, "tools/call"), "params", { get: boom }),
    ],
    [
      "a getter that throws for _meta",
      request(1, "tools/call", Object.defineProperty({}, "_meta", { get: boom })),
    ],
    [
      "a getter that throws inside _meta",
      request(1, "tools/call", {
        _meta: Object.defineProperty({}, "progressToken", { get: boom, enumerable: true }),
      }),
    ],
    [
      "a getter that throws in a cancellation",
      notification("notifications/cancelled", new Proxy({}, { get: boom })),
    ],
    [
      "a getter that throws in progress",
      notification("notifications/progress", new Proxy({}, { get: boom })),
    ],
    ["a revoked proxy", revoked()],
    ["a revoked proxy as params", request(1, "ping", revoked())],
    [
      "a getter that throws beside a token",
      request(
        1,
        "tools/call",
        Object.defineProperty({ _meta: { progressToken: 1 } }, "name", { get: boom, enumerable: true }),
      ),
    ],
    ["a revoked proxy as _meta", request(1, "ping", { _meta: revoked() })],
    ["a revoked proxy as error", { jsonrpc: "2.0", id: 1, error: revoked() }],
    [
      "an error message that is no text",
      { jsonrpc: "2.0", id: 1, error: { message: { toString: 1, valueOf: 1 } } },
    ],
    [
      "an error code that is no number",
      { jsonrpc: "2.0", id: 1, error: { code: Object.create(null), message: "" } },
    ],
  ])("%s, never cloned", async (_name, message) => {
    const { peer, sent, deliver, reports } = uncloned(new CheckedPeer(HOST_END));
    peer.handle("tools/call", () => OK);
    deliver(message);
    await settle();
    deliver(PING);
    await settle();
    expect(sent.at(-1)).toEqual(PONG);
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(reports.every(({ code }) => /^(malformed|unknown|invalid)/.test(`${code}`))).toBe(true);
  });

  it("cycles are data", async () => {
    const { peer, say, sent } = wire(new Peer<"host">());
    const cycle: Record<string, unknown> = { name: "x" };
    cycle.self = cycle;
    let got: unknown;
    peer.handle("tools/call", (params) => {
      got = params;
      return OK;
    });
    await say(request(1, "tools/call", cycle));
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: OK }]);
    expect((got as { self: unknown }).self).toBe(got);
  });

  it("prototype pollution: __proto__ is a method, a param and an id like any other", async () => {
    const { peer, sent, say } = wire(new CheckedPeer(HOST_END), acceptText);
    const seen: Params<"tools/call">[] = [];
    peer.handle("tools/call", (params) => {
      seen.push(params);
      return OK;
    });
    await say(
      '{"jsonrpc":"2.0","id":"__proto__","method":"__proto__","params":{"__proto__":{"polluted":1}}}',
      '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
      '{"jsonrpc":"2.0","method":"__proto__","params":{"__proto__":{"polluted":1}}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","__proto__":{"polluted":1},"_meta":{"progressToken":1,"__proto__":{"polluted":1}}}}',
      '{"jsonrpc":"2.0","id":"__proto__","result":{"polluted":1}}',
    );
    expect(sent.map((text) => JSON.parse(`${text}`))).toEqual([
      refused("__proto__", METHOD_NOT_FOUND),
      refused(1, METHOD_NOT_FOUND),
      { jsonrpc: "2.0", id: 2, result: OK },
    ]);
    expect(seen).toHaveLength(1);
    expect((seen[0] as unknown as Message).polluted).toBeUndefined();
    expect(({} as Message).polluted).toBeUndefined();
  });

  it("10,000 junk messages, and afterwards a normal request still works", async () => {
    const { peer, sent, deliver } = uncloned(new CheckedPeer(HOST_END));
    peer.handle("ui/open-link", () => ({}));
    peer.on("notifications/message", () => {});
    const anything = fc.anything({ maxDepth: 2, withBigInt: true, withNullPrototype: true, withMap: true });
    const almost = fc.record(
      {
        jsonrpc: fc.constant("2.0"),
        id: anything,
        method: fc.oneof(
          fc.constantFrom("ui/open-link", "notifications/message", "notifications/cancelled"),
          fc.constantFrom("notifications/progress", "ping", "__proto__"),
          anything,
        ),
        params: anything,
        result: anything,
        error: anything,
      },
      { requiredKeys: ["jsonrpc"] },
    );
    const junk = fc.sample(fc.oneof(anything, almost), 2_000);
    for (let round = 0; round < 5; round++) for (const message of junk) deliver(message);
    await settle();
    const answered = sent.length;
    deliver(request("after", "ui/open-link", { url: "https://x" }));
    await settle();
    expect(sent.slice(answered)).toEqual([{ jsonrpc: "2.0", id: "after", result: {} }]);
  }, 20_000);
});

describe("answers", () => {
  it("an unknown id, and a second answer, are ignored and reported", async () => {
    const { peer, say, codes, sent } = wire(new Peer<"host">());
    const asked = peer.request("tools/call", CALL);
    await say(
      { jsonrpc: "2.0", id: 99, result: {} },
      { jsonrpc: "2.0", id: "0", result: {} },
      { jsonrpc: "2.0", id: 0, result: OK },
      { jsonrpc: "2.0", id: 0, result: { content: [] } },
      { jsonrpc: "2.0", id: 0, error: { code: 1, message: "x" } },
    );
    expect(await asked).toEqual(OK);
    expect(codes()).toEqual(new Array(4).fill("unknown-response"));
    expect(sent).toHaveLength(1);
  });

  it("a refusal has the other end's number, sentence and data", async () => {
    const { peer, say } = wire(new Peer<"host">());
    const asked = failure(peer.request("tools/call", CALL));
    await say({ jsonrpc: "2.0", id: 0, error: { code: -32000, message: "busy", data: { retry: 1 } } });
    const error = await asked;
    expect([error.code, error.message, error.data]).toEqual([-32000, "busy", { retry: 1 }]);
  });

  it("two requests of theirs under one id: the first is answered, the second reported", async () => {
    const { peer, say, sent, codes } = wire(new Peer<"host">());
    const handler = vi.fn(async () => {
      await settle();
      return OK;
    });
    peer.handle("tools/call", handler);
    await say(request(1, "tools/call", CALL), request(1, "tools/call", CALL));
    await settle();
    expect(handler).toHaveBeenCalledTimes(1);
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: OK }]);
    expect(codes()).toEqual(["duplicate-request"]);
    await say(request(1, "tools/call", CALL));
    await settle();
    expect(sent).toHaveLength(2);
  });
});

describe("closing", () => {
  it("rejects pending requests with code `closed`, aborts handlers, and calls onclose once", async () => {
    const { view, host } = pair();
    let signal: AbortSignal | undefined;
    view.handle("tools/call", (_params, context) => {
      signal = context.signal;
      return never();
    });
    host.handle("tools/call", never);
    const waiting = [failure(view.request("tools/call", CALL)), failure(view.request("tools/call", CALL))];
    const theirs = failure(host.request("tools/call", CALL));
    const closes = [vi.fn(), vi.fn()];
    [view.onclose, host.onclose] = closes;
    await settle();
    view.close();
    view.close();
    await settle();
    expect((await Promise.all([...waiting, theirs])).map(({ code }) => code)).toEqual([
      "closed",
      "closed",
      "closed",
    ]);
    expect(signal?.aborted).toBe(true);
    expect(closes.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it("a handler that ends afterwards sends no answer", async () => {
    const { peer, sent, say } = wire(new Peer<"host">());
    let finish: () => void = () => {};
    peer.handle("tools/call", () => new Promise((resolve) => (finish = () => resolve(OK))));
    await say(request(0, "tools/call", CALL));
    const next = wire(peer);
    finish();
    await settle();
    expect([...sent, ...next.sent]).toEqual([]);
  });

  it("a request of the new channel is served with an id that the old one still uses", async () => {
    const first = wire(new Peer<"host">());
    const { peer } = first;
    const answers = [never, () => OK];
    peer.handle("tools/call", () => answers.shift()?.() ?? { content: [] });
    await first.say(request(0, "tools/call", CALL));
    const second = wire(peer);
    await second.say(request(0, "tools/call", CALL));
    expect(second.sent).toEqual([{ jsonrpc: "2.0", id: 0, result: OK }]);
    expect(second.reports).toEqual([]);
  });

  it("reopening works, handlers and listeners stay, and late answers of the old channel are dropped", async () => {
    const first = wire(new Peer<"host">());
    const { peer } = first;
    peer.handle("ui/open-link", () => ({ isError: false }));
    const heard = vi.fn();
    peer.on("ui/notifications/initialized", heard);
    const lost = failure(peer.request("tools/call", CALL));
    const second = wire(peer);
    (peer as unknown as { nextId: number }).nextId = 1; // `wire` restarted its ids.
    expect((await lost).code).toBe("closed");
    const asked = peer.request("tools/call", CALL);
    await settle();
    await first.say({ jsonrpc: "2.0", id: 0, result: OK }, { jsonrpc: "2.0", id: 1, result: OK });
    // The other side may be the same program, with a late answer to an earlier request:
    await second.say({ jsonrpc: "2.0", id: 0, result: { content: [] } });
    expect(second.codes()).toEqual(["unknown-response"]);
    await second.say({ jsonrpc: "2.0", id: 1, result: OK });
    expect(await asked).toEqual(OK);
    await second.say(
      request(0, "ui/open-link", { url: "x" }),
      notification("ui/notifications/initialized", {}),
    );
    expect(second.sent.at(-1)).toEqual({ jsonrpc: "2.0", id: 0, result: { isError: false } });
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it("reopening in the same tick in which the other side closed keeps the new channel open", async () => {
    const { view, host } = pair();
    host.close();
    const [viewEnd, hostEnd] = memoryPair();
    view.open(viewEnd);
    host.open(hostEnd);
    await settle();
    expect(await view.request("ping", {})).toEqual({});
  });

  it("a listener may close its own channel", async () => {
    const { view, host } = pair();
    view.on("ui/notifications/tool-cancelled", () => view.close());
    host.notify("ui/notifications/tool-cancelled", {});
    host.notify("ui/notifications/tool-cancelled", {});
    await settle();
    expect((await failure(view.request("ping", {}))).code).toBe("closed");
    expect((await failure(host.request("ping", {}))).code).toBe("closed");
  });
});

describe("over text (T03)", () => {
  it("JSON text is accepted, and answered as text", async () => {
    const { say, sent } = wire(new Peer<"host">(), acceptText);
    await say('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    await say('{"jsonrpc":"2.0","id":2,"method":"no/such"}');
    expect(sent[0]).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(JSON.parse(`${sent[1]}`)).toMatchObject({ id: 2, error: { code: METHOD_NOT_FOUND } });
  });

  it("text that is not JSON is a parse error: -32700", async () => {
    const { say, sent } = wire(new Peer<"host">(), acceptText);
    await say("{oops");
    expect(sent).toEqual([refused(null, PARSE_ERROR)]);
  });

  it("a result that JSON cannot hold is answered with -32603", async () => {
    const { peer, say, sent } = wire(new Peer<"host">(), acceptText);
    peer.handle("tools/call", () => ({ content: [], structuredContent: 1n }));
    await say(JSON.stringify(request(1, "tools/call", CALL)));
    expect(JSON.parse(`${sent[0]}`)).toMatchObject({ id: 1, error: { code: INTERNAL_ERROR } });
  });
});

describe("over a MessagePort", () => {
  const ports = () => {
    const { port1, port2 } = new MessageChannel();
    return {
      view: new Peer<"view">().open(new PortTransport(port1)),
      host: new Peer<"host">().open(new PortTransport(port2)),
    };
  };

  it("requests, progress and cancellation work", async () => {
    const { view, host } = ports();
    host.handle("tools/call", async (_params, { progress }) => {
      progress?.({ progress: 1 });
      return OK;
    });
    const onprogress = vi.fn();
    expect(await view.request("tools/call", CALL, { onprogress })).toEqual(OK);
    expect(onprogress).toHaveBeenCalledWith({ progress: 1 });
    view.close();
  });

  it("the other side's close rejects pending requests with code `closed`", async () => {
    const { view, host } = ports();
    host.handle("tools/call", never);
    const asked = failure(view.request("tools/call", CALL));
    host.close();
    expect((await asked).code).toBe("closed");
  });

  it("a result that cannot be cloned is answered with -32603", async () => {
    const { view, host } = ports();
    host.handle("tools/call", () => ({ content: [], structuredContent: () => {} }));
    expect((await failure(view.request("tools/call", CALL))).code).toBe(INTERNAL_ERROR);
    view.close();
  });
});

describe("CheckedPeer", () => {
  it("a view's peer checks its host's messages and answers", async () => {
    const [viewEnd, hostEnd] = memoryPair();
    const host = new Peer<"host">().open(hostEnd);
    const view = new CheckedPeer(VIEW_END).open(viewEnd);
    const reports: string[] = [];
    view.onreport = ({ message }) => reports.push(message);
    const heard = vi.fn();
    view.on("ui/notifications/host-context-changed", heard);
    host.notify("ui/notifications/host-context-changed", { theme: 5 as never });
    host.notify("ui/notifications/host-context-changed", { theme: "dark", locale: null as never });
    host.handle("resources/read", () => ({ contents: "none" }) as never);
    const error = await failure(view.request("resources/read", { uri: "ui://a/b" }));
    expect([error.code, error.message]).toEqual([
      "invalid",
      "resources/read: result.contents must be an array, not string",
    ]);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain("params.theme");
    // D11: a removed key.
    expect(heard.mock.calls).toEqual([[{ theme: "dark", locale: undefined }]]);
    view.close();
  });

  it("L12: refuses invalid params with -32602, the id and the field; the handler never sees them", async () => {
    const { peer, say, sent } = wire(new CheckedPeer(HOST_END));
    const handler = vi.fn(() => ({}));
    peer.handle("ui/open-link", handler);
    await say(request(1, "ui/open-link", { url: 5 }));
    await say(request(2, "ui/open-link", {}));
    await say(request(3, "ui/open-link", []));
    expect(sent).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        error: {
          code: INVALID_PARAMS,
          message: "params.url must be a string, not number",
          data: { field: "params.url" },
        },
      },
      expect.objectContaining({
        id: 2,
        error: expect.objectContaining({ message: "params.url is missing" }),
      }),
      refused(3, INVALID_PARAMS),
    ]);
    expect(handler).not.toHaveBeenCalled();
  });

  it("T01, T04, T05: the handler gets deviating params in the specified form", async () => {
    const { peer, say } = wire(new CheckedPeer(HOST_END));
    const seen: unknown[] = [];
    peer.handle("ui/request-display-mode", ({ mode }) => {
      seen.push(mode);
      return { mode };
    });
    peer.handle("ui/message", ({ content }) => {
      seen.push(content);
      return {};
    });
    const block = { type: "text", text: "Hi" };
    await say(
      request(1, "ui/request-display-mode", { mode: "picture-in-picture" }),
      request(2, "ui/message", { role: "user", content: block }),
    );
    expect(seen).toEqual(["pip", [block]]);
  });

  it("reports invalid params of a notification, with the field, and no listener sees them", async () => {
    const { peer, say, reports } = wire(new CheckedPeer(HOST_END));
    const heard = vi.fn();
    peer.on("ui/notifications/size-changed", heard);
    peer.onnotification = heard;
    await say(notification("ui/notifications/size-changed", { height: "tall" }));
    expect(heard).not.toHaveBeenCalled();
    expect(reports.map(({ code, message }) => [code, message])).toEqual([
      ["invalid", "ui/notifications/size-changed: params.height must be a finite number, not string"],
    ]);
    await say(notification("ui/notifications/size-changed", { height: 5 }));
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it("passes methods of an extension, which are not in the table", async () => {
    const { peer, say, sent } = wire(new CheckedPeer(HOST_END));
    const heard = vi.fn();
    peer.handle("x/echo" as "ping", (params) => params as Result<"ping">);
    peer.on("x/hint" as "notifications/cancelled", heard);
    await say(request(1, "x/echo", { any: "thing" }), notification("x/hint", { more: 1 }));
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: { any: "thing" } }]);
    expect(heard).toHaveBeenCalledExactlyOnceWith({ more: 1 });
    const asked = peer.request("x/ask" as "ping", {});
    await say({ jsonrpc: "2.0", id: 0, result: "whatever" });
    expect(await asked).toBe("whatever");
  });

  it("checks progress and cancellation as well", async () => {
    const { peer, say, codes } = wire(new CheckedPeer(HOST_END));
    const onprogress = vi.fn();
    const asked = peer.request("tools/call", CALL, { onprogress });
    await say(
      notification("notifications/progress", { progressToken: 0, progress: "half" }),
      notification("notifications/progress", { progressToken: 0, progress: 1 }),
      notification("notifications/cancelled", { requestId: {} }),
      { jsonrpc: "2.0", id: 0, result: OK },
    );
    await asked;
    expect(onprogress.mock.calls).toEqual([[{ progress: 1 }]]);
    expect(codes()).toEqual(["invalid", "invalid"]);
  });

  it("passes on notifications that are not in the table, for extensions", async () => {
    const { peer, say, reports } = wire(new CheckedPeer(HOST_END));
    const methods: string[] = [];
    peer.onnotification = (method) => methods.push(method);
    await say(notification("acme/notifications/custom", { any: 1 }));
    expect(methods).toEqual(["acme/notifications/custom"]);
    expect(reports).toEqual([]);
  });

  it("rejects an invalid result with code `invalid` and the field", async () => {
    const { peer, say } = wire(new CheckedPeer(HOST_END));
    const asked = failure(peer.request("tools/call", CALL));
    await say({ jsonrpc: "2.0", id: 0, result: { content: [{ type: "text" }] } });
    const error = await asked;
    expect([error.code, error.message]).toEqual(["invalid", "tools/call: result.content[0].text is missing"]);
  });

  it("D2: a second handler for a method throws; none is replaced silently", () => {
    const peer = new CheckedPeer(HOST_END);
    const remove = peer.handle("ui/open-link", () => ({}));
    const again = (): unknown => peer.handle("ui/open-link", () => ({}));
    const refusal = { code: "duplicate-handler", message: expect.stringContaining("ui/open-link") };
    expect(again).toThrow(expect.objectContaining(refusal));
    remove();
    expect(again).not.toThrow();
    remove();
    expect(again).toThrow(expect.objectContaining(refusal));
  });
});

describe("Channel: the smallest one", () => {
  it("requests, notifications, timeouts and closing", async () => {
    const [a, b] = memoryPair();
    const view = new Channel<"view">().open(a);
    const host = new Channel<"host">().open(b);
    const heard = vi.fn();
    host.handle("ui/open-link", ({ url }) => ({ isError: url === "" }));
    host.on("ui/notifications/size-changed", heard);
    view.notify("ui/notifications/size-changed", { height: 1 });
    expect(await view.request("ui/open-link", { url: "" })).toEqual({ isError: true });
    expect(heard).toHaveBeenCalledWith({ height: 1 });
    expect((await failure(view.request("tools/call", CALL))).code).toBe(METHOD_NOT_FOUND);
    host.handle("tools/call", never);
    expect((await failure(view.request("tools/call", CALL, { timeout: 1 }))).code).toBe("timeout");
    const lost = failure(view.request("tools/call", CALL));
    host.close();
    expect((await lost).code).toBe("closed");
  });

  it("survives invalid messages, and does not answer them", async () => {
    const { say, sent } = wire(new Channel<"host">());
    await say(5, "{oops", {}, [], null, { jsonrpc: "2.0", id: 9, result: {} }, request(1, "ping"));
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("D19: a listener that throws stops no other, and the window gets its error", async () => {
    const thrown: unknown[] = [];
    class Probe extends Channel<"host"> {
      protected override failed(cause: unknown): void {
        const rethrow = vi.spyOn(globalThis, "queueMicrotask").mockImplementationOnce((callback) => {
          try {
            callback();
          } catch (error) {
            thrown.push(error);
          }
        });
        super.failed(cause);
        rethrow.mockRestore();
      }
    }
    const { peer, say } = wire(new Probe());
    const heard = vi.fn();
    peer.on("ui/notifications/initialized", boom);
    peer.on("ui/notifications/initialized", heard);
    await say(notification("ui/notifications/initialized", {}));
    expect(heard).toHaveBeenCalledTimes(1);
    expect(thrown).toEqual([new Error("no")]);
  });

  it("an unsendable message rejects immediately, and the channel continues", async () => {
    const [a, b] = memoryPair();
    const view = new Channel<"view">().open(a);
    new Channel<"host">().open(b);
    await expect(
      view.request("tools/call", { name: "x", arguments: { f: () => {} } }, { timeout: 0 }),
    ).rejects.toThrow(/could not be cloned/);
    expect(await view.request("ping", {})).toEqual({});
  });
});

describe("reports", () => {
  it("D22: never contain a payload", async () => {
    const SECRET = "s3cret-payload";
    const secret = { [SECRET]: SECRET, text: SECRET };
    const { peer, say, reports } = wire(new CheckedPeer(HOST_END));
    peer.handle("ui/open-link", never);
    await say(
      SECRET,
      secret,
      [secret],
      request({ id: SECRET }, "ping", secret),
      request(1, "ui/open-link", [SECRET]),
      { jsonrpc: "2.0", id: SECRET, result: secret },
      { jsonrpc: "2.0", id: SECRET, error: { code: 1, message: SECRET, data: secret } },
      request(2, "ui/open-link", { url: SECRET }),
      request(2, "ui/open-link", { url: SECRET }),
      notification("notifications/progress", { progressToken: SECRET, progress: 1, message: SECRET }),
      notification("notifications/message", { level: SECRET, data: secret, _meta: secret }),
      notification("ui/notifications/size-changed", { height: SECRET, ...secret }),
    );
    await failure(peer.request("tools/call", { name: SECRET, arguments: { ...secret, f: () => {} } }));
    expect(new Set(reports.map(({ code }) => code))).toEqual(
      new Set(["malformed", "unknown-response", "duplicate-request", "unknown-progress", "invalid"]),
    );
    for (const { message, stack, data, cause } of reports) {
      const told = [message, stack, JSON.stringify(data), `${cause}`, cause instanceof Error && cause.stack];
      expect(told.join("\n")).not.toContain(SECRET);
    }
    peer.close();
  });

  it("D22: nothing is written to the console", async () => {
    const spies = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    );
    const { view, host } = pair();
    host.handle("tools/call", boom);
    await failure(view.request("tools/call", CALL));
    const { say } = wire(new Peer<"host">());
    await say("junk", {}, request(1, "no/such"));
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe("examples", () => {
  it("peer", async () => {
    const [a, b] = memoryPair();
    const host = new Peer<"host">().open(b);
    host.handle("tools/call", (_params, { progress }) => {
      progress?.({ progress: 1, total: 2 });
      return OK;
    });
    const shown: string[] = [];
    const result = await examples.peerExample(a, new AbortController().signal, (line) => shown.push(line));
    expect(result).toEqual(OK);
    expect(shown).toEqual(["1 of 2"]);
    expect(await host.request("tools/call", { name: "draw" })).toEqual({
      content: [{ type: "text", text: "draw is done" }],
    });
    host.close();
  });

  it("channel", async () => {
    const [a, b] = memoryPair();
    const document = { title: "" };
    vi.stubGlobal("document", document);
    const host = new Peer<"host">().open(b);
    host.handle("ui/request-display-mode", ({ mode }) => ({ mode }));
    expect(await examples.channelExample(a)).toBe("fullscreen");
    host.notify("ui/notifications/tool-cancelled", {});
    await settle();
    expect(document.title).toBe("Cancelled: no reason given");
    vi.unstubAllGlobals();
    host.close();
  });

  it("checkedPeer", async () => {
    const [a, b] = memoryPair();
    const log: string[] = [];
    const host = examples.checkedPeerExample(b, (line) => log.push(line));
    const view = new Peer<"view">().open(a);
    expect(await view.request("ui/open-link", { url: "http://x" })).toEqual({ isError: true });
    view.notify("ui/notifications/size-changed", { height: "x" as unknown as number });
    await settle();
    expect(log).toEqual([
      "invalid: ui/notifications/size-changed: params.height must be a finite number, not string",
    ]);
    host.close();
  });

  it("error", async () => {
    const { view, host } = pair();
    const shown: string[] = [];
    const run = (): Promise<void> => examples.errorExample(view, (line) => shown.push(line));
    const remove = host.handle("tools/call", () => {
      throw new VitrineError(INVALID_PARAMS, "no such tool");
    });
    await run();
    remove();
    expect((await failure(run())).code).toBe(METHOD_NOT_FOUND);
    vi.useFakeTimers();
    host.handle("tools/call", never);
    const slow = run();
    await vi.advanceTimersByTimeAsync(2_000);
    await slow;
    expect(shown).toEqual(["The host refused: no such tool", "The server is slow today."]);
  });

  it("portTransport", async () => {
    const worker = {
      postMessage: ({ port }: { port: MessagePort }) => {
        new Peer<"host">().open(new PortTransport(port));
      },
    };
    const peer = await examples.portTransportExample(worker as unknown as Worker);
    peer.close();
  });
});

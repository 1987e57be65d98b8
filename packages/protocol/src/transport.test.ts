import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CONTRACT, End, KEEPS_EARLY, type Pair } from "../../../testing/transport-contract.js";
import * as examples from "./protocol.examples.js";
import { acceptText, memoryPair, PortTransport, type Transport } from "./transport.js";
import { WindowTransport } from "./window-transport.js";

/** Runs the contract of all transports over one kind of transport. */
function describeTransport(name: string, makePair: () => Pair): void {
  describe(`transport contract: ${name}`, () => {
    for (const [behaviour, run] of Object.entries(CONTRACT)) {
      if (behaviour === KEEPS_EARLY && name.startsWith("WindowTransport")) continue;
      it(behaviour, () => run(makePair(), 5));
    }
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** Counts the current listeners of a port. Node adds a permanent one of its own for `onmessage`. */
function countingPort(port: MessagePort): () => number {
  const there = new Set<unknown>();
  const add = port.addEventListener.bind(port);
  const remove = port.removeEventListener.bind(port);
  port.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    if (type !== "message") there.add(listener);
    add(type, listener);
  };
  port.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    there.delete(listener);
    remove(type, listener);
  };
  return () => there.size + (port.onmessage ? 1 : 0);
}

type Handle = Pick<Window, "postMessage">;
type Posted = { data: unknown; targetOrigin: string };

/** Two windows on one message bus; each knows the other by a handle, as across origins. */
class FakeWindows {
  readonly listeners = new Set<(event: MessageEvent) => void>();
  readonly posted: Posted[] = [];
  readonly host: Handle = this.#handle(() => ({ source: this.view, origin: this.viewOrigin }), "hostOrigin");
  readonly view: Handle = this.#handle(() => ({ source: this.host, origin: this.hostOrigin }), "viewOrigin");
  hostOrigin = "https://host.example";
  viewOrigin = "https://view.example";

  install(): void {
    vi.stubGlobal("addEventListener", (type: string, listener: (event: MessageEvent) => void) => {
      expect(type).toBe("message");
      this.listeners.add(listener);
    });
    vi.stubGlobal("removeEventListener", (_type: string, listener: (event: MessageEvent) => void) => {
      this.listeners.delete(listener);
    });
  }

  /** A message event as a browser would create it. */
  dispatch(event: { source: unknown; origin: string; data: unknown }): void {
    for (const listener of [...this.listeners]) listener(event as MessageEvent);
  }

  #handle(sender: () => { source: Handle; origin: string }, own: "hostOrigin" | "viewOrigin"): Handle {
    return {
      postMessage: (message: unknown, target?: unknown) => {
        const data = structuredClone(message);
        const targetOrigin = String(target);
        this.posted.push({ data, targetOrigin });
        const { source, origin } = sender();
        queueMicrotask(() => {
          const is = this[own];
          if (targetOrigin === "*" || targetOrigin === is) this.dispatch({ source, origin, data });
        });
      },
    };
  }
}

const windows = { current: new FakeWindows() };
beforeEach(() => {
  windows.current = new FakeWindows();
  windows.current.install();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describeTransport("memoryPair", () => {
  const [a, b] = memoryPair();
  return { a: new End(a), b: new End(b), tellsClose: true };
});

describeTransport("acceptText over memoryPair", () => {
  const [a, b] = memoryPair();
  return { a: new End(acceptText(a)), b: new End(acceptText(b)), tellsClose: true };
});

describeTransport("PortTransport", () => {
  const { port1, port2 } = new MessageChannel();
  const [one, two] = [countingPort(port1), countingPort(port2)];
  const [a, b] = [new End(new PortTransport(port1), one), new End(new PortTransport(port2), two)];
  return { a, b, tellsClose: true };
});

describeTransport("WindowTransport", () => {
  const { host, view, hostOrigin, viewOrigin, listeners } = windows.current;
  const count = (): number => listeners.size;
  return {
    a: new End(new WindowTransport({ target: view, origin: viewOrigin }), count),
    b: new End(new WindowTransport({ target: host, origin: hostOrigin }), count),
    tellsClose: false,
  };
});

describeTransport("WindowTransport to an opaque origin", () => {
  const fake = windows.current;
  fake.viewOrigin = "null";
  return {
    a: new End(new WindowTransport({ target: fake.view, origin: "null" })),
    b: new End(new WindowTransport({ target: fake.host, origin: undefined })),
    tellsClose: false,
  };
});

/** A transport that has started, and what it received. */
function started(transport: Transport): { received: unknown[]; closed: ReturnType<typeof vi.fn> } {
  const received: unknown[] = [];
  const closed = vi.fn();
  transport.start((message) => received.push(message), closed);
  return { received, closed };
}

describe("memoryPair", () => {
  it("delivers a copy: later changes of the original are not visible", async () => {
    const [a, b] = memoryPair();
    const { received } = started(b);
    const message = { n: 1 };
    a.send(message);
    message.n = 2;
    await turn();
    expect(received).toEqual([{ n: 1 }]);
  });

  it("delivers early messages after start has returned, before those in transit", async () => {
    const [a, b] = memoryPair();
    a.send(1);
    await turn();
    a.send(2);
    const { received } = started(b);
    expect(received).toEqual([]);
    await turn();
    expect(received).toEqual([1, 2]);
  });

  it("delivers no early message after a close from inside receive", async () => {
    const [a, b] = memoryPair();
    a.send(1);
    a.send(2);
    await turn();
    const received: unknown[] = [];
    b.start(
      (message) => {
        received.push(message);
        b.close();
      },
      () => {},
    );
    await turn();
    expect(received).toEqual([1]);
  });

  it("an end that starts after the other has closed still gets the sent messages, and then the close", async () => {
    const [a, b] = memoryPair();
    a.send("last words");
    a.close();
    await turn();
    const { received, closed } = started(b);
    await turn();
    expect(received).toEqual(["last words"]);
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it("an end that closed in the same tick as the other is not notified", async () => {
    const [a, b] = memoryPair();
    const { closed } = started(b);
    a.close();
    b.close();
    await turn();
    expect(closed).not.toHaveBeenCalled();
  });
});

describe("acceptText (T03)", () => {
  const pair = (): { host: Transport; view: Transport; heard: unknown[]; received: unknown[] } => {
    const [host, view] = memoryPair();
    const accepting = acceptText(host);
    return { host: accepting, view, received: started(accepting).received, heard: started(view).received };
  };
  const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

  it("reads JSON text, and from then on writes it", async () => {
    const { host, view, heard, received } = pair();
    host.send({ n: 0 });
    view.send(JSON.stringify(PING));
    await turn();
    expect(received).toEqual([PING]);
    host.send({ jsonrpc: "2.0", id: 1, result: {} });
    await turn();
    expect(heard).toEqual([{ n: 0 }, '{"jsonrpc":"2.0","id":1,"result":{}}']);
  });

  it("writes objects to a side that writes objects", async () => {
    const { host, view, heard } = pair();
    view.send(PING);
    await turn();
    host.send({ n: 1 });
    await turn();
    expect(heard).toEqual([{ n: 1 }]);
  });

  it("delivers text that is not JSON as a string", async () => {
    const { host, view, heard, received } = pair();
    view.send("{oops");
    await turn();
    host.send({ n: 1 });
    await turn();
    expect(received).toEqual(["{oops"]);
    expect(heard).toEqual([{ n: 1 }]);
  });

  it.each(['{"type":"webpackOk"}', "5", '"text"', "null", "[]"])(
    "unrelated text (%s) from elsewhere in the page does not change the form",
    async (stray) => {
      const { host, view, heard } = pair();
      view.send(stray);
      await turn();
      host.send({ n: 1 });
      await turn();
      expect(heard).toEqual([{ n: 1 }]);
    },
  );

  it("a __proto__ in the text is data", async () => {
    const { view, received } = pair();
    view.send('{"jsonrpc":"2.0","method":"x","params":{"__proto__":{"polluted":true}}}');
    await turn();
    expect(received).toHaveLength(1);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("WindowTransport", () => {
  const VIEW = "https://view.example";

  it("S08: ignores another window, even on the right origin", () => {
    const { view } = windows.current;
    const { received } = started(new WindowTransport({ target: view, origin: VIEW }));
    windows.current.dispatch({ source: { postMessage() {} }, origin: VIEW, data: "forged" });
    windows.current.dispatch({ source: null, origin: VIEW, data: "from nobody" });
    windows.current.dispatch({ source: view, origin: VIEW, data: "real" });
    expect(received).toEqual(["real"]);
  });

  it.each(["https://evil.example", "null", "", "https://view.example:8443", "http://view.example"])(
    "S08: ignores the right window on the wrong origin %j",
    (origin) => {
      const { view } = windows.current;
      const { received } = started(new WindowTransport({ target: view, origin: VIEW }));
      windows.current.dispatch({ source: view, origin, data: "navigated" });
      expect(received).toEqual([]);
    },
  );

  it("S08: messages of an opaque frame must have the origin `null`", () => {
    const { view } = windows.current;
    const { received } = started(new WindowTransport({ target: view, origin: "null" }));
    windows.current.dispatch({ source: view, origin: VIEW, data: "navigated" });
    windows.current.dispatch({ source: view, origin: "null", data: "opaque" });
    expect(received).toEqual(["opaque"]);
  });

  it("pins the first origin if none was given, and only the right window can set it", () => {
    const { host } = windows.current;
    const transport = new WindowTransport({ target: host, origin: undefined });
    const { received } = started(transport);
    windows.current.dispatch({ source: {}, origin: "https://evil.example", data: "forged" });
    windows.current.dispatch({ source: host, origin: "https://host.example", data: 1 });
    windows.current.dispatch({ source: host, origin: "https://evil.example", data: 2 });
    windows.current.dispatch({ source: host, origin: "https://host.example", data: 3 });
    expect(received).toEqual([1, 3]);
    transport.send("secret");
    expect(windows.current.posted).toEqual([{ data: "secret", targetOrigin: "https://host.example" }]);
  });

  it("posts to the given origin, from the first message on", () => {
    const transport = new WindowTransport({ target: windows.current.view, origin: VIEW });
    transport.send("secret");
    expect(windows.current.posted).toEqual([{ data: "secret", targetOrigin: VIEW }]);
  });

  it("uses * only for an opaque origin, and while the origin is not known", () => {
    const { host, view } = windows.current;
    new WindowTransport({ target: view, origin: "null" }).send(1);
    const unknown = new WindowTransport({ target: host, origin: undefined });
    started(unknown);
    unknown.send(2);
    windows.current.dispatch({ source: host, origin: "null", data: "hello" });
    unknown.send(3);
    expect(windows.current.posted.map(({ targetOrigin }) => targetOrigin)).toEqual(["*", "*", "*"]);
  });

  it("a frame that was navigated to another origin does not receive messages", async () => {
    const heard = started(new WindowTransport({ target: windows.current.host, origin: undefined })).received;
    const transport = new WindowTransport({ target: windows.current.view, origin: VIEW });
    windows.current.viewOrigin = "https://evil.example";
    transport.send("secret");
    await turn();
    expect(heard).toEqual([]);
  });

  it("adds one listener when it starts, none before, and D21: removes it when it closes", () => {
    const { view, listeners } = windows.current;
    const transport = new WindowTransport({ target: view, origin: VIEW });
    expect(listeners.size).toBe(0);
    started(transport);
    expect(listeners.size).toBe(1);
    transport.close();
    expect(listeners.size).toBe(0);
  });
});

describe("examples", () => {
  it("memoryPair", async () => {
    expect(await examples.memoryPairExample()).toBe(false);
  });

  it("transport: over a socket", () => {
    const sent: string[] = [];
    const socket = {
      onmessage: null as ((event: { data: string }) => void) | null,
      onclose: null as (() => void) | null,
      send: (text: string) => sent.push(text),
      close: () => {},
    };
    const transport = examples.transportExample(socket as unknown as WebSocket);
    const { received, closed } = started(transport);
    socket.onmessage?.({ data: '{"n":1}' });
    socket.onmessage?.({ data: "{oops" });
    transport.send({ n: 2 });
    socket.onclose?.();
    expect(received).toEqual([{ n: 1 }, "{oops"]);
    expect(sent).toEqual(['{"n":2}']);
    expect(closed).toHaveBeenCalledTimes(1);
    transport.close();
    expect(socket.onmessage).toBeNull();
  });

  it("windowTransport and acceptText", () => {
    const { view, host, listeners, posted } = windows.current;
    vi.stubGlobal("window", { parent: host });
    vi.stubGlobal("location", {});
    const { toView, toHost } = examples.windowTransportExample({ contentWindow: view } as HTMLIFrameElement);
    toView.send(1);
    toHost.send(2);
    expect(posted.map(({ targetOrigin }) => targetOrigin)).toEqual(["https://app-1.sandbox.example", "*"]);
    const peer = examples.acceptTextExample(view as Window);
    expect(listeners.size).toBe(1);
    peer.close();
    expect(listeners.size).toBe(0);
  });
});

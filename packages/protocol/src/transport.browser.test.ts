/**
 * The contract of every transport, in Chromium: real windows on different origins, real ports, a real worker.
 */
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundle, inlineScript, type Site, serveSite, sharedChromium } from "../../../testing/browser.js";
import {
  CONTRACT,
  type End,
  KEEPS_EARLY,
  type Pair,
  type Remote,
} from "../../../testing/transport-contract.js";
import type { PortTransport } from "./transport.js";
import type { WindowTransport } from "./window-transport.js";

/** Globals of each realm. */
interface Kit {
  End: typeof End;
  WindowTransport: typeof WindowTransport;
  PortTransport: typeof PortTransport;
  /** Counts the message listeners of this realm's window. */
  windowListeners: () => number;
  /** Counts the listeners of a port. */
  portListeners: (port: MessagePort) => () => number;
  /** This realm's end of the transport under test. */
  end: End;
  /** Everything that was sent to the window, by anyone. */
  raw: { data: unknown; origin: string }[];
}

const KIT = `
  import { End } from "./testing/transport-contract.js";
  import { PortTransport } from "./packages/protocol/src/transport.js";
  import { WindowTransport } from "./packages/protocol/src/window-transport.js";
  const raw = [];
  addEventListener("message", ({ data, origin }) => raw.push({ data, origin }));
  const count = (target) => {
    const there = new Set();
    const { addEventListener, removeEventListener } = target;
    target.addEventListener = (type, listener) => {
      there.add(listener);
      addEventListener.call(target, type, listener);
    };
    target.removeEventListener = (type, listener) => {
      there.delete(listener);
      removeEventListener.call(target, type, listener);
    };
    return () => there.size + (target !== globalThis && target.onmessage ? 1 : 0);
  };
  const windowListeners = count(globalThis);
  Object.assign(globalThis, { End, PortTransport, WindowTransport, windowListeners, portListeners: count, raw });
`;
/** Uses the port that it receives. */
const TAKE_PORT = `
  onmessage = ({ data, ports: [port] }) => {
    if (data === "port") globalThis.end = new End(new PortTransport(port), portListeners(port));
  };
`;
const EVIL = `
  globalThis.raw = [];
  addEventListener("message", ({ data, origin }) => raw.push({ data, origin }));
  parent.postMessage("evil: hello", "*");
`;

/** A frame or a worker. */
type Realm = Pick<Frame, "evaluate">;

/** An end in another realm. */
class RemoteEnd implements Remote {
  readonly #realm: Realm;
  constructor(realm: Realm) {
    this.#realm = realm;
  }
  #call<T>(method: keyof Remote, messages: unknown[] = []): Promise<T> {
    return this.#realm.evaluate(
      ([name, sent]) => {
        const { end } = globalThis as unknown as Kit;
        return end[name](sent) as Promise<never>;
      },
      [method, messages] as const,
    );
  }
  start = (): Promise<void> => this.#call("start");
  send = (messages: unknown[]): Promise<number> => this.#call("send", messages);
  sendUncloneable = (): Promise<string> => this.#call("sendUncloneable");
  echo = (): Promise<void> => this.#call("echo");
  received = (): Promise<unknown[]> => this.#call("received");
  closed = (): Promise<number> => this.#call("closed");
  close = (): Promise<void> => this.#call("close");
  listeners = (): Promise<number> => this.#call("listeners");
}

let browser: Browser;
let site: Site;
let page: Page;
let frameHtml: string;

beforeAll(async () => {
  const kit = await bundle(KIT);
  const html = (...scripts: string[]): string => `<!doctype html>${scripts.map(inlineScript).join("")}`;
  frameHtml = html(kit, TAKE_PORT);
  site = await serveSite({
    "/": html(kit),
    "view/frame": frameHtml,
    "evil/frame": html(EVIL),
    "/worker.js": { body: kit + TAKE_PORT, type: "text/javascript" },
  });
  browser = await sharedChromium();
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
beforeEach(async () => {
  await page.goto(site.origin());
});

/** Adds a frame to the host page, and waits until its scripts have run. */
async function addFrame(attributes: Record<string, string>): Promise<Frame> {
  await page.evaluate(async (given) => {
    const frame = document.createElement("iframe");
    for (const [name, value] of Object.entries(given)) frame.setAttribute(name, value);
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
    document.body.append(frame);
    await loaded;
  }, attributes);
  return childFrame();
}
const childFrame = (): Frame => {
  const frame = page.frames().find((candidate) => candidate.parentFrame());
  if (!frame) throw new Error("there is no frame");
  return frame;
};

/** The host's end, to one frame on this origin, and the view's, to its parent. */
async function windowPair(frame: Frame, origin: string): Promise<Pair> {
  await page.evaluate((given) => {
    const kit = globalThis as unknown as Kit;
    const target = document.querySelector("iframe")?.contentWindow;
    if (!target) throw new Error("there is no window");
    kit.end = new kit.End(new kit.WindowTransport({ target, origin: given }), kit.windowListeners);
  }, origin);
  await frame.evaluate(() => {
    const kit = globalThis as unknown as Kit;
    kit.end = new kit.End(
      new kit.WindowTransport({ target: window.parent, origin: undefined }),
      kit.windowListeners,
    );
  });
  return {
    a: new RemoteEnd(page.mainFrame()),
    b: new RemoteEnd(frame),
    tellsClose: false,
  };
}

/** Whether this Chromium notifies a port when the other is gone. */
const portsTell = (): Promise<boolean> => page.evaluate(() => "onclose" in MessagePort.prototype);

/** A port here, and one that is sent to the frame or worker. */
async function portPair(to: "frame" | "worker"): Promise<Pair> {
  if (to === "frame") await addFrame({ src: `${site.origin("view")}/frame` });
  // Not `page.workers()`: the previous test's worker may still be listed.
  const worker = to === "worker" ? page.waitForEvent("worker") : undefined;
  await page.evaluate((kind) => {
    const kit = globalThis as unknown as Kit;
    const { port1, port2 } = new MessageChannel();
    kit.end = new kit.End(new kit.PortTransport(port1), kit.portListeners(port1));
    if (kind === "worker") new Worker("/worker.js").postMessage("port", [port2]);
    else document.querySelector("iframe")?.contentWindow?.postMessage("port", "*", [port2]);
  }, to);
  const realm: Realm = (await worker) ?? childFrame();
  await expect.poll(() => realm.evaluate(() => "end" in globalThis)).toBe(true);
  return {
    a: new RemoteEnd(page.mainFrame()),
    b: new RemoteEnd(realm),
    tellsClose: await portsTell(),
  };
}

function describeTransport(name: string, makePair: () => Promise<Pair>): void {
  describe(`transport contract in Chromium: ${name}`, () => {
    for (const [behaviour, run] of Object.entries(CONTRACT)) {
      if (behaviour === KEEPS_EARLY && name.startsWith("WindowTransport")) continue;
      it(behaviour, async () => run(await makePair(), 30));
    }
  });
}

describeTransport("WindowTransport, a frame on another origin", async () =>
  windowPair(await addFrame({ src: `${site.origin("view")}/frame` }), site.origin("view")),
);
describeTransport("WindowTransport, a sandboxed srcdoc frame on an opaque origin", async () =>
  windowPair(await addFrame({ sandbox: "allow-scripts", srcdoc: frameHtml }), "null"),
);
describeTransport("PortTransport, to a frame on another origin", () => portPair("frame"));
describeTransport("PortTransport, to a worker", () => portPair("worker"));

const rawOf = (realm: Frame): Promise<Kit["raw"]> => realm.evaluate(() => (globalThis as unknown as Kit).raw);
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

describe("WindowTransport in Chromium", () => {
  it("S08: a frame that navigates to a third origin can neither send nor receive", async () => {
    const { a, b } = await windowPair(
      await addFrame({ src: `${site.origin("view")}/frame` }),
      site.origin("view"),
    );
    await Promise.all([a.start(), b.start()]);
    await b.send(["view: hello"]);
    await expect.poll(() => a.received()).toEqual(["view: hello"]);
    await childFrame().evaluate((url) => location.assign(url), `${site.origin("evil")}/frame`);
    // For the host it is the same window, and its messages do reach the page …
    await expect
      .poll(() => rawOf(page.mainFrame()))
      .toContainEqual({ data: "evil: hello", origin: site.origin("evil") });
    await a.send(["secret"]);
    await pause();
    // … but not the transport, and the transport's messages do not reach it.
    expect(await a.received()).toEqual(["view: hello"]);
    expect(await rawOf(childFrame())).toEqual([]);
  });

  it("S08: messages of another frame on the right origin are ignored", async () => {
    const first = await addFrame({ src: `${site.origin("view")}/frame` });
    const { a } = await windowPair(first, site.origin("view"));
    await a.start();
    await addFrame({ src: `${site.origin("view")}/frame`, name: "second" });
    const second = page.frame("second");
    await second?.evaluate(() => window.parent.postMessage("forged", "*"));
    await expect
      .poll(() => rawOf(page.mainFrame()))
      .toContainEqual({ data: "forged", origin: site.origin("view") });
    expect(await a.received()).toEqual([]);
  });

  it("S08: messages of a sandboxed srcdoc frame arrive with the origin `null`", async () => {
    const { a, b } = await windowPair(
      await addFrame({ sandbox: "allow-scripts", srcdoc: frameHtml }),
      "null",
    );
    await Promise.all([a.start(), b.start()]);
    await b.send(["view: hello"]);
    await expect.poll(() => a.received()).toEqual(["view: hello"]);
    expect(await rawOf(page.mainFrame())).toEqual([{ data: "view: hello", origin: "null" }]);
  });
});

describe("PortTransport in Chromium", () => {
  it("reports when the frame on the other side is removed, if the platform does", async () => {
    const { a, b, tellsClose } = await portPair("frame");
    await Promise.all([a.start(), b.start()]);
    await page.evaluate(() => document.querySelector("iframe")?.remove());
    await expect.poll(() => a.closed()).toBe(tellsClose ? 1 : 0);
  });
});

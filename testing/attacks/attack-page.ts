/**
 * A hostile page. It runs attacks, each against its own target, and reports when the last one has finished.
 * The same text serves as an app in the sandbox and as an uncontained page.
 */
import { inlineScript } from "../browser.ts";
import type { Target } from "./collector.ts";

/** Helpers for attacks in the page. */
export interface Tools {
  /** Adds an element, and waits until it loaded or failed. */
  element(tag: string, attributes: Record<string, string>, place?: Element): Promise<void>;
  /** Adds HTML, and waits until one of its elements loaded or failed. */
  html(text: string): Promise<void>;
  style(text: string): Promise<void>;
  /** Runs text as an inline script. */
  script(text: string, type?: string): Promise<void>;
  /** Opens a peer connection that asks these STUN servers, and waits until it has asked. */
  gather(server: RTCIceServer, connection?: typeof RTCPeerConnection): Promise<void>;
  /** Runs text in a worker that inherits the policy, until the worker reports its end. */
  worker(text: string, url?: string): Promise<void>;
  /** A frame without an address of its own. */
  child(srcdoc?: string): Promise<Window & typeof globalThis>;
  wait(milliseconds: number): Promise<void>;
}

/** Code of an attack. Its text goes into the page, so it can use nothing but its arguments. */
export type Attack = (at: Target, tools: Tools, declared: string) => unknown;

/** An attack, and where it sends stolen data. */
export interface Job {
  at: Target;
  attack: Attack | string;
}

/** Longest time for one attack. A blocked attack may never report its end. */
const LIMIT = 4000;

/** Runs in the page. */
function runtime(
  jobs: readonly (Job & { attack: Attack })[],
  options: AttackPageOptions,
  limit: number,
): void {
  const { end, clicked, removed } = options;
  const post = (message: object): void => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const settled = (target: EventTarget, ...names: string[]) =>
    new Promise<void>((resolve) => {
      for (const name of names) target.addEventListener(name, () => resolve(), { once: true, capture: true });
    });
  const tools: Tools = {
    wait,
    element: (tag, attributes, place = document.body) => {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      const done = settled(element, "load", "error", "loadedmetadata");
      place.append(element);
      return done;
    },
    html: (text) => {
      const place = document.body.appendChild(document.createElement("div"));
      const done = settled(place, "load", "error", "loadedmetadata");
      place.innerHTML = text;
      return done;
    },
    style: (text) => append("style", text),
    script: (text, type) => append("script", text, type),
    gather: async (server, connection = RTCPeerConnection) => {
      const peer = new connection({ iceServers: [server] });
      peer.createDataChannel("");
      await peer.setLocalDescription(await peer.createOffer());
      while (peer.iceGatheringState !== "complete") await settled(peer, "icegatheringstatechange");
    },
    worker: (text, url) => {
      const code = `(async()=>{${text}})().catch(()=>{}).then(()=>postMessage(0))`;
      const worker = new Worker(url ?? URL.createObjectURL(new Blob([code])));
      return new Promise((resolve, reject) => {
        worker.onmessage = () => resolve();
        worker.onerror = () => reject(new Error("no worker"));
      });
    },
    child: async (srcdoc) => {
      const frame = document.createElement("iframe");
      if (srcdoc !== undefined) frame.srcdoc = srcdoc;
      const loaded = settled(frame, "load");
      document.body.append(frame);
      await loaded;
      return frame.contentWindow as Window & typeof globalThis;
    },
  };
  async function append(tag: string, text: string, type = ""): Promise<void> {
    const element = document.createElement(tag);
    if (type) element.setAttribute("type", type);
    element.textContent = text;
    document.head.append(element);
    await wait(50);
  }
  const run = async (): Promise<void> => {
    const outcomes = await Promise.all(
      jobs.map(async ({ at, attack }) => {
        let outcome = "nothing heard";
        const attempt = async () => {
          const attacked = attack(at, tools, end);
          // Resources of style sheets load when styles are computed, and a frame off the screen may never be
          // painted.
          void document.body?.offsetHeight;
          await attacked;
          outcome = "done";
        };
        await Promise.race([attempt(), wait(limit)]).catch((error) => {
          outcome = `${error}`;
        });
        return [at.secret, outcome];
      }),
    );
    Object.assign(globalThis, { outcomes });
    post({ method: "notifications/message", params: { level: "info", data: outcomes } });
    // A beacon outlives its page.
    const last = (): void => void navigator.sendBeacon(`${end}/end`);
    if (removed) addEventListener("pagehide", last);
    else last();
  };
  // The click comes only after the app is ready.
  if (clicked) document.getElementById("go")?.addEventListener("click", run);
  const start = (): void => void (clicked || run());
  if (parent === window) {
    start();
    return;
  }
  addEventListener("message", ({ data: { id } }) => {
    if (id === "initialize") {
      post({ method: "ui/notifications/initialized" });
      // Once this request is answered, the host knows that the app is ready.
      post({ id: "ready", method: "ping" });
    } else if (id === "ready") start();
  });
  const params = {
    protocolVersion: "2026-01-26",
    appInfo: { name: "app", version: "1" },
    appCapabilities: {},
  };
  post({ id: "initialize", method: "ui/initialize", params });
}

/** Options of the attack page. */
export interface AttackPageOptions {
  /** Origin of the page's last request; a contained page has declared it. */
  end: string;
  /** Waits for a click. */
  clicked?: boolean | undefined;
  /** Sends that last request when the page is removed. */
  removed?: boolean | undefined;
}

/** The page's HTML. */
export function attackPage(jobs: readonly Job[], options: AttackPageOptions): string {
  const list = jobs.map(({ at, attack }) => `{at:${JSON.stringify(at)},attack:${attack}}`);
  const script = `(${runtime})([${list.join(",\n")}],${JSON.stringify(options)},${LIMIT})`;
  return `<!doctype html><title>app</title><body><button id="go">go</button>${inlineScript(script)}`;
}

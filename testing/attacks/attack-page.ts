/**
 * A hostile page: it runs attacks, each against a target of its own, and says when the last one ran to its end. The
 * same text is an app in the sandbox, or a page that nothing contains.
 */
import { inlineScript } from "../browser.ts";
import type { Target } from "./collector.ts";

/** What attacks have at hand in the page. */
export interface Tools {
  /** Adds an element, and waits until it loaded or failed. */
  element(tag: string, attributes: Record<string, string>, place?: Element): Promise<void>;
  /** Adds HTML, and waits until one of its elements loaded or failed. */
  html(text: string): Promise<void>;
  style(text: string): Promise<void>;
  /** Runs text as an inline script. */
  script(text: string, type?: string): Promise<void>;
  /** Opens a peer connection that asks these servers who it is, and waits until it has asked. */
  gather(server: RTCIceServer, connection?: typeof RTCPeerConnection): Promise<void>;
  /** Runs text in a worker that inherits the policy, until it says that it ended. */
  worker(text: string, url?: string): Promise<void>;
  /** A frame without an address of its own. */
  child(srcdoc?: string): Promise<Window & typeof globalThis>;
  wait(milliseconds: number): Promise<void>;
}

/** What an attack does; its text goes into the page, so it can use nothing but its arguments. */
export type Attack = (at: Target, tools: Tools) => unknown;

/** An attack and where it sends what it stole. */
export interface Job {
  name: string;
  at: Target;
  attack: Attack;
}

/** Longest time for one attack: those that are blocked may never say so. */
const LIMIT = 4000;

/** Runs in the page. */
function runtime(jobs: readonly Job[], end: string, limit: number, clicked: boolean): void {
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
    style: (text) => tools.element("style", {}, document.head).then(() => {}, void append("style", text)),
    script: (text, type) => append("script", text, type),
    gather: async (server, connection = RTCPeerConnection) => {
      const peer = new connection({ iceServers: [server] });
      peer.createDataChannel("");
      await peer.setLocalDescription(await peer.createOffer());
      while (peer.iceGatheringState !== "complete") await settled(peer, "icegatheringstatechange");
    },
    worker: (text, url = URL.createObjectURL(new Blob([`(async()=>{${text}})().catch(()=>{}).then(()=>postMessage(0))`]))) =>
      settled(new Worker(url), "message", "error"),
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
      jobs.map(async ({ name, at, attack }) => {
        let outcome = "nothing heard";
        const attempt = async () => {
          await attack(at, tools);
          outcome = "done";
        };
        await Promise.race([attempt(), wait(limit)]).catch((error) => {
          outcome = `${error}`;
        });
        return [name, outcome];
      }),
    );
    Object.assign(globalThis, { outcomes });
    post({ method: "notifications/message", params: { level: "info", data: outcomes } });
    if (end) fetch(`${end}/end`, { mode: "no-cors" }).catch(() => {});
  };
  const start = (): void => {
    if (clicked) document.getElementById("go")?.addEventListener("click", run);
    else void run();
  };
  if (parent === window) {
    start();
    return;
  }
  addEventListener("message", ({ data: { id } }) => {
    if (id !== "initialize") return;
    post({ method: "ui/notifications/initialized" });
    start();
  });
  const params = { protocolVersion: "2026-01-26", appInfo: { name: "app", version: "1" }, appCapabilities: {} };
  post({ id: "initialize", method: "ui/initialize", params });
}

/** The page's HTML. What it does last is a request to `end`, if there is one; `clicked` makes it wait for a click. */
export function attackPage(jobs: readonly Job[], { end = "", clicked = false } = {}): string {
  const list = jobs.map(
    ({ name, at, attack }) =>
      `{name:${JSON.stringify(name)},at:${JSON.stringify(at)},attack:${attack}}`,
  );
  const script = `(${runtime})([${list.join(",\n")}],${JSON.stringify(end)},${LIMIT},${clicked})`;
  return `<!doctype html><title>app</title><body><button id="go" style="width:200px;height:60px">go</button>${inlineScript(script)}`;
}

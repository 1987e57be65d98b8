/**
 * Shared by the three host pages of the bench: one small API over the few differences between hosts. Runs in
 * the browser.
 */
import type { FrameView } from "@vitrine/host";
import type { CallToolResult } from "@vitrine/protocol";

/** An app, as its server describes it to every host alike. */
export interface BenchApp {
  name: string;
  tool: string;
  uri: string;
  input: Record<string, unknown>;
  /** Its registration with our sandbox; other hosts ignore it. */
  view: FrameView;
}

/** An app in the page. Messages sent before it is ready are queued until it is. */
export interface Shown {
  /** The frame of its proxy. */
  frame(): HTMLIFrameElement | null | undefined;
  sendInput(input: Record<string, unknown>): void;
  /** An object or, for a host that accepts it, the text as it came from the wire. */
  sendResult(result: CallToolResult | string): void;
  /** The state in which the host shows it, for hosts that know one. */
  state?(): string;
}

/** A host: the only part that differs. */
export interface BenchHost {
  /** Prepares for a connected server, before the user clicks. */
  connect?(app: BenchApp): Promise<void>;
  show(app: BenchApp, place: HTMLElement): Shown;
}

/** The host info of every host. */
export const INFO = { name: "bench", version: "1.0.0" };
/** The immediate answer of every host to `tools/call`. */
export const ANSWER: CallToolResult = {
  content: [{ type: "text", text: "ok" }],
  structuredContent: { ok: true, value: 42 },
};
/** The peers' proxy page: lean, and on another port of the same name, as in their own examples. */
export const PROXY = new URL(new URLSearchParams(location.search).get("proxy") ?? location.href);

/** Peers log lines to the console, some with whole results; they are dropped here. */
console.debug = console.log = () => {};

const post = async (path: string) => (await fetch(path, { method: "POST", body: "{}" })).json();

const read = new Map<string, Promise<ReadResult>>();
interface ReadResult {
  contents: { uri: string; mimeType: string; text: string }[];
}

/** Fetches an app's resource from its server, once. */
export function readResource({ name }: BenchApp): Promise<ReadResult> {
  const reading = read.get(name) ?? post(`/read/${name}`);
  read.set(name, reading);
  return reading;
}

const now = (): number => performance.timeOrigin + performance.now();

/** About a hundred bytes each. */
const record = (id: number) => ({
  id,
  name: `record ${id}`,
  email: `user${id}@example.com`,
  active: id % 2 === 0,
  score: id * 1.5,
});

const longText = (bytes: number): string => "It is 21 degrees in Rome, and sunny.\n".repeat(bytes / 37);

const LARGE: Record<string, (bytes: number) => CallToolResult> = {
  text: (bytes) => ({ content: [{ type: "text", text: longText(bytes) }] }),
  records: (bytes) => ({
    content: [{ type: "text", text: "records" }],
    structuredContent: { records: Array.from({ length: bytes / 100 }, (_, id) => record(id)) },
  }),
};

/** Gaps between two tasks of the page: the longest is the time for which it was blocked. */
function watchStalls(): () => number {
  let longest = 0;
  let last = performance.now();
  const turn = (): void => {
    const time = performance.now();
    longest = Math.max(longest, time - last);
    last = time;
    timer = setTimeout(turn);
  };
  let timer = setTimeout(turn);
  return () => {
    clearTimeout(timer);
    return Math.max(longest, performance.now() - last);
  };
}

/** A report of a view: its input or result arrived, or how long its calls took. */
interface Heard {
  what: string;
  number: number;
  at: unknown;
}

/** Milliseconds after which the bench gives up. */
const PATIENCE = 90_000;

/** Reports of views, as they arrive. */
function listenToViews(heard: Heard[]): (what: string, count: number) => Promise<Heard[]> {
  const waiting = new Set<() => void>();
  const failures: string[] = [];
  addEventListener("error", ({ message }) => failures.push(message));
  addEventListener("message", ({ data }) => {
    const said: Heard | undefined = Object(data).bench;
    if (!said) return;
    heard.push(said);
    for (const look of [...waiting]) look();
  });
  return (what, count) =>
    new Promise((resolve, reject) => {
      const found = () => heard.filter((each) => each.what === what);
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(new Error(`${found().length} of ${count} views had their ${what}; ${failures.join("; ")}`));
      }, PATIENCE);
      const look = (): void => {
        if (found().length < count) return;
        waiting.delete(look);
        clearTimeout(timer);
        resolve(found());
      };
      waiting.add(look);
      look();
    });
}

/** Creates `globalThis.bench` for a host. */
export function serveBench(host: BenchHost) {
  const apps = new Map<string, BenchApp>();
  const shown: Shown[] = [];
  let large: CallToolResult | string = "";
  let stalls = (): number => 0;
  const opened: Shown[] = [];
  const heard: Heard[] = [];
  const until = listenToViews(heard);
  let runs = 0;

  const appOf = (name: string): BenchApp => {
    const app = apps.get(name);
    if (!app) throw new Error(`${name} was not connected`);
    return app;
  };

  /** Shows an app and calls its tool. The result has a number by which the view's listener identifies it. */
  async function click(name: string, place: HTMLElement, number: number): Promise<void> {
    const app = appOf(name);
    const called = post(`/call/${name}`);
    const view = host.show(app, place);
    view.sendInput(app.input);
    const result: CallToolResult = await called;
    view.sendResult({ ...result, _meta: { ...result._meta, bench: number } });
  }

  const slot = (): HTMLElement => {
    const place = document.createElement("section");
    document.body.append(place);
    return place;
  };

  const bench = {
    /** Waits until this many views have received something; returns when each did. */
    until,
    /** Makes the opened view call a tool so many times; returns the duration of each call. */
    async run(calls: number): Promise<unknown> {
      const view = shown[0]?.frame()?.contentWindow?.[0];
      if (!view) throw new Error("no view");
      view.postMessage({ calls }, "*");
      return (await until("times", ++runs)).at(-1)?.at;
    },
    /** Connects to servers, as a host does long before the user clicks. */
    async connect(names: string[]): Promise<void> {
      for (const name of names) apps.set(name, await (await fetch(`/apps/${name}`)).json());
      for (const name of names) await host.connect?.(appOf(name));
    },
    /** Simulates a click; returns its time. */
    click(name: string): number {
      const place = slot();
      const began = now();
      void click(name, place, 0);
      return began;
    },
    /**
     * Opens a long conversation, with its results, at its end. Returns the time, and which of its apps are
     * on screen.
     */
    async openAll(names: string[]): Promise<{ began: number; visible: number[] }> {
      const results = new Map<string, CallToolResult>();
      for (const name of new Set(names)) results.set(name, await post(`/call/${name}`));
      const places = names.map(slot);
      scrollTo(0, document.documentElement.scrollHeight);
      const visible = places.flatMap((place, index) => {
        // Fully visible only: an app is at the top of its element, and may be out of sight if only half of
        // that is visible.
        return place.getBoundingClientRect().top >= 0 ? [index] : [];
      });
      const began = now();
      for (const [index, name] of names.entries()) {
        const app = appOf(name);
        const view = host.show(app, places[index] ?? slot());
        opened.push(view);
        view.sendInput(app.input);
        const result = results.get(name);
        view.sendResult({
          ...result,
          content: result?.content ?? [],
          _meta: { ...result?._meta, bench: index },
        });
      }
      return { began, visible };
    },
    /** The numbers of all apps that have had their result, and when each had it first. */
    results(): { number: number; at: unknown }[] {
      const first = new Map<number, unknown>();
      for (const { what, number, at } of heard)
        if (what === "result" && !first.has(number)) first.set(number, at);
      return [...first].map(([number, at]) => ({ number, at }));
    },
    /** The number of opened apps in each state. */
    states(): Record<string, number> {
      const counts: Record<string, number> = {};
      for (const view of opened) {
        const state = view.state?.() ?? "unknown";
        counts[state] = (counts[state] ?? 0) + 1;
      }
      return counts;
    },
    /** Scrolls up by so many pixels in each frame; returns the milliseconds of each frame. */
    scroll(frames: number, pixels: number): Promise<number[]> {
      const times: number[] = [];
      let last = performance.now();
      return new Promise((resolve) => {
        const turn = (now: number): void => {
          times.push(now - last);
          last = now;
          scrollBy({ top: -pixels, behavior: "instant" });
          if (times.length <= frames) requestAnimationFrame(turn);
          else resolve(times.slice(1));
        };
        requestAnimationFrame(turn);
      });
    },
    /** Shows an app that has only its input. */
    open(name: string): void {
      const view = host.show(appOf(name), slot());
      view.sendInput(appOf(name).input);
      shown.push(view);
    },
    /** Creates a result of that size, as an object or as text. */
    prepare(kind: string, bytes: number, asText: boolean): number {
      const result = LARGE[kind]?.(bytes) ?? { content: [] };
      const text = JSON.stringify(result);
      large = asText ? text : result;
      return text.length;
    },
    /** Sends the result to the opened app. Returns the start time, once the host's call has returned. */
    send(): number {
      stalls = watchStalls();
      const began = now();
      for (const view of shown) view.sendResult(large);
      return began;
    },
    /** The longest stall of this page since then. */
    stall: (): number => stalls(),
  };
  Object.assign(globalThis, { bench });
  return bench;
}

/** Functions that the bench calls in a host page, as `bench`. */
export type Bench = ReturnType<typeof serveBench>;

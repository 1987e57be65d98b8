/**
 * Hostile apps that deceive and deny service (attacks.md, part D), in a real browser through the whole
 * stack, beside an innocent app of another server. After each test the page and the innocent app are
 * unchanged.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { CDPSession, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { outcome, PageStage, type Scene, watchPage } from "../../../testing/attacks/page-stage.ts";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

let stage: PageStage;
let scene: Scene;
let page: Page;
let attacker: Frame;
let session: CDPSession;
let seen: string[];

beforeAll(async () => {
  stage = await PageStage.open();
});
afterAll(() => stage?.close());
// A new page for each test: everything that an app did is over, and its process is gone with its frames.
beforeEach(async () => {
  const before = page;
  scene = await stage.renewScene();
  ({ page, attacker } = scene);
  if (page !== before) session = await page.context().newCDPSession(page);
  seen = watchPage(page);
  stage.called.length = 0;
});
// The oracle, without Playwright, for which a page is gone once the process of one of its frames is.
afterEach(async () => {
  await inPage("host.app('victim').bridge.ping({ timeout: 60000 }).then(() => 1)");
  expect(await inPage("[location.href, document.title, host.app('victim').state]")).toEqual([
    `${stage.stage.origin}/`,
    "Host",
    "ready",
  ]);
  expect(seen).toEqual([]);
});

/** Runs code in the host page. */
async function inPage<T = unknown>(expression: string): Promise<T> {
  const options = { expression, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", options);
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
/** Waits for a condition in the host page; reports the page's log if it does not come. */
const untilLogged = (name: string): Promise<Record<string, unknown>> =>
  inPage(`host.log.until(${JSON.stringify(name)})`);
const ask = (view: Frame, method: string, params: object = {}): Promise<Record<string, unknown>> =>
  view.evaluate(
    ([name, given]) =>
      raw.ask(name, given).then(
        (result) => result as Record<string, unknown>,
        ({ code, data }) => ({ code, word: data?.code }),
      ),
    [method, params] as const,
  );

describe("time and memory", () => {
  /** Responsiveness of the host page. */
  interface Waits {
    /** Longest frame in each quarter of the first seconds. */
    frames: number[];
    /** Delay of each click until it is handled. */
    clicks: number[];
  }

  /** Makes the host page draw for two and a half seconds, and at least so many frames, while an action runs. */
  const drawn = (meanwhile: string): Promise<number[]> =>
    inPage(`new Promise((resolve) => {
      const longest = Array(10).fill(0);
      const start = performance.now();
      let last = start;
      let frames = 0;
      const look = () => {
        const now = performance.now();
        // In all quarters of its duration.
        for (let at = Math.floor((last - start) / 250); at < 10 && at <= (now - start) / 250; at++)
          longest[at] = Math.max(longest[at], now - last);
        last = now;
        if (++frames < 60 || now - start < 2500) requestAnimationFrame(look);
        else resolve(longest);
      };
      requestAnimationFrame(look);
      setTimeout(() => { ${meanwhile} }, 500);
    })`);

  /** Clicks in the host page, five times within a second or two. */
  const clicked = async (): Promise<number[]> => {
    const at = await inPage<{ x: number; y: number }>(`(() => {
      globalThis.delays = [];
      const target = document.getElementById("host");
      target.onclick = ({ timeStamp }) => delays.push(performance.now() - timeStamp);
      const { x, y } = target.getBoundingClientRect();
      return { x: x + 5, y: y + 5 };
    })()`);
    const send = (type: "mousePressed" | "mouseReleased"): Promise<unknown> =>
      session.send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
    for (let click = 1; click <= 5; click++) {
      // Not by the page's clock, which stops with the page; nor one after the other's answer.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await Promise.all([send("mousePressed"), send("mouseReleased")]);
    }
    const delays = await inPage<number[]>("delays");
    expect(delays).toHaveLength(5);
    return delays;
  };
  const measure = async (meanwhile = ""): Promise<Waits> => {
    const [frames, clicks] = await Promise.all([drawn(meanwhile), clicked()]);
    return { frames, clicks };
  };

  /**
   * Measures while the attacker spins, for three seconds and until everything is measured. A page that waits
   * for the attacker sees none of its frames before the end, however slow the machine. Undefined if the
   * attacker did not spin from the beginning.
   */
  const measureBeside = async (view: Frame): Promise<Waits | undefined> => {
    // Only a session that existed before can end it, and only a frame in its own process has a session.
    const spinning = await page.context().newCDPSession(view.parentFrame() ?? view);
    let isOver = false;
    const spun = view
      .evaluate(() => {
        Object.assign(globalThis, { spunFrom: Date.now() });
        for (const end = performance.now() + 60_000; performance.now() < end; );
      })
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    try {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const start = Date.now();
      const [waits] = await Promise.all([measure(), new Promise((resolve) => setTimeout(resolve, 2900))]);
      expect(isOver).toBe(false);
      await spinning.send("Runtime.terminateExecution");
      await spun;
      const spunFrom = await view.evaluate<number>(() => Object(globalThis).spunFrom);
      return spunFrom <= start ? waits : undefined;
    } finally {
      // It has stopped spinning, whatever the outcome.
      if (!isOver) await spinning.send("Runtime.terminateExecution");
      await spun;
      await ask(view, "ping");
      await spinning.detach();
    }
  };

  /** Measures while something unrelated to the page spins. */
  const measureApart = async (): Promise<Waits> => {
    const worker = new Worker("for (;;);", { eval: true });
    try {
      await once(worker, "online");
      return await measure();
    } finally {
      await worker.terminate();
    }
  };

  it("attack D01: an app that spins for 3 s costs the page no frame, and delays no click", async () => {
    // Other work on the machine disturbs a measurement now and then. The app's cost appears at the same
    // moment of every turn, and is higher than that of something that spins elsewhere.
    const beside: Waits[] = [];
    const apart: Waits[] = [];
    const best = (turns: Waits[], of: keyof Waits, at: number): number =>
      Math.min(...turns.map((turn) => turn[of][at] ?? Number.POSITIVE_INFINITY));
    const excess = (of: keyof Waits, allowed: number): number[] =>
      Array.from({ length: of === "frames" ? 10 : 5 }, (_, at) => {
        const elsewhere = apart.length > 0 ? best(apart, of, at) + 50 : 0;
        return best(beside, of, at) - Math.max(allowed, elsewhere);
      }).filter((over) => over > 0);
    // A frame at 60 a second, plus 50 ms; a tenth of a second.
    const spoiled = (): number[] => [...excess("frames", 1000 / 60 + 50), ...excess("clicks", 100)];
    for (let turn = 0; turn < 10 && spoiled().length > 0; turn++) {
      if (turn > 0) apart.push(await measureApart());
      const waits = await measureBeside(attacker);
      if (waits) beside.push(waits);
    }
    expect(spoiled(), JSON.stringify({ beside, apart })).toEqual([]);
    // The control: in the page's own process both are visible.
    const block = "{ const end = performance.now() + 1000; while (performance.now() < end); }";
    const { frames, clicks } = await measure(block);
    expect(Math.max(...frames)).toBeGreaterThan(900);
    expect(Math.max(...clicks)).toBeGreaterThan(200);
  });

  it("attack D03: 100,000 messages are a burst and one notice, and the page continues", async () => {
    const began = performance.now();
    await attacker.evaluate(() => {
      setTimeout(() => {
        for (let index = 0; index < 100_000; index++)
          raw.tell("notifications/message", { level: "info", data: index });
      });
    });
    await expect
      .poll(() => inPage("host.log.values('report').filter(({ code }) => code === 'flooded').length"), {
        timeout: 60_000,
      })
      .toBeGreaterThan(0);
    // Meanwhile a user can use the page, and the other app its server.
    const victims = await ask(scene.victim, "tools/call", { name: "read_mail" });
    expect(victims).toMatchObject({ content: [{ text: "read_mail of victim" }] });
    // Everything has arrived when an answer has. Dropped messages, requests included, stay dropped until
    // there is room.
    await expect
      .poll(
        () =>
          outcome(attacker, () =>
            Promise.race([raw.ask("ping"), new Promise((done) => setTimeout(done, 500))]),
          ),
        { timeout: 60_000 },
      )
      .toBe("got [object Object]");
    const counts = await inPage<number[]>(`[
      host.log.values("log").length,
      host.log.values("audit").filter(({ outcome, server }) => outcome === "refused" && server === "attacker").length,
      host.log.values("report").filter(({ code }) => code === "flooded").length,
    ]`);
    // The control: a burst of it was received.
    expect(counts[0]).toBeGreaterThanOrEqual(100);
    expect(counts[0]).toBeLessThan(5000);
    expect(counts[1]).toBe(1);
    // Another notice for each pause in which the proxy could take half a burst again.
    expect(counts[2]).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1250));
  });

  it("attack D03: messages past the proxy, to the page, have no effect", async () => {
    await attacker.evaluate(() => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "look" } };
      // Fewer than the number that ends an app (E10).
      for (let index = 0; index < 200; index++) top?.postMessage(call, "*");
      return raw.ask("ping");
    });
    const victims = await ask(scene.victim, "tools/call", { name: "read_mail" });
    expect(victims).toMatchObject({ content: [{ text: "read_mail of victim" }] });
    // The control: the same request in the right place is done.
    await ask(attacker, "tools/call", { name: "look" });
    expect(stage.called).toEqual(["victim read_mail", "attacker look"]);
  });

  it("attack D03: a message of 100 MB stays where it is, and one past the proxy is not even read", async () => {
    const sent = await outcome(attacker, () => {
      const text = "x".repeat(1e8);
      raw.post({
        id: "giant",
        method: "ui/message",
        params: { role: "user", content: [{ type: "text", text }] },
      });
      top?.postMessage({ jsonrpc: "2.0", method: "notifications/message", params: { data: text } }, "*");
      return raw.ask("ping");
    });
    expect(sent).toBe("got [object Object]");
    expect(await inPage("host.log.values('report').map(({ code, id }) => code)")).toContain("too-large");
    expect(await inPage("host.log.names('message', 'log')")).toEqual([]);
    // The control: a smaller one arrives.
    await ask(attacker, "ui/message", { role: "user", content: [{ type: "text", text: "x" }] });
    expect(await inPage("host.log.names('message')")).toEqual(["message"]);
  });

  it("attack D03: endlessly nested or invalid JSON does not reach the page", async () => {
    const answer = await attacker.evaluate(() => {
      let deep: unknown = 1;
      for (let level = 0; level < 1000; level++) deep = { deep };
      raw.tell("notifications/message", { level: "info", data: deep } as object);
      const cycle: Record<string, unknown> = {};
      cycle["cycle"] = cycle;
      raw.tell("notifications/message", { level: "info", data: cycle });
      raw.tell("notifications/message", { level: "info", data: 1n } as object);
      parent.postMessage(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`, "*");
      raw.tell("notifications/message", { level: "info", data: [[[["fine"]]]] });
      return raw.ask("ping");
    });
    expect(answer).toEqual({});
    expect(await inPage("host.log.values('report').filter(({ code }) => code === 'malformed').length")).toBe(
      4,
    );
    // The control is the last of them.
    expect(await inPage("host.log.values('log')")).toMatchObject([{ data: [[[["fine"]]]] }]);
  });

  it("attack D05: of 10,000 calls at once a few run, and the other app does not wait for them", async () => {
    const { answers } = stage.attackerServer;
    const call = answers["tools/call"];
    let running = 0;
    let most = 0;
    let duration = 1000;
    answers["tools/call"] = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, duration));
      running--;
      return { content: [] };
    };
    await attacker.evaluate(() => {
      const words: Record<string, number> = {};
      Object.assign(globalThis, { words });
      const count = (word: string): void => {
        words[word] = (words[word] ?? 0) + 1;
      };
      for (let index = 0; index < 10_000; index++)
        raw.ask("tools/call", { name: "look" }).then(
          () => count("done"),
          ({ data }) => count(`${data?.code}`),
        );
    });
    const words = (): Promise<Record<string, number>> => attacker.evaluate(() => Object(globalThis).words);
    await expect.poll(() => running, { timeout: 60_000 }).toBeGreaterThan(0);
    const victims = await ask(scene.victim, "tools/call", { name: "read_mail" });
    expect(victims).toMatchObject({ content: [{ text: "read_mail of victim" }] });
    expect((await words())["done"] ?? 0).toBeLessThan(100);
    duration = 100;
    // The wire itself drops messages beyond its burst; of the rest, each that may not wait gets an error.
    await expect.poll(async () => (await words())["rate-limited"], { timeout: 60_000 }).toBeGreaterThan(3000);
    await expect.poll(async () => (await words())["done"], { timeout: 60_000 }).toBeGreaterThanOrEqual(100);
    expect(most).toBeLessThanOrEqual(16);
    if (call) answers["tools/call"] = call;
  });

  it("attack D11: an app that creates more and more frames is stopped, and others have room", async () => {
    const html = (each: number): string =>
      rawView(`start().then(async () => {
        const add = (place) => place.body.append(place.createElement("iframe"));
        for (let outer = 0; outer < ${each}; outer++) {
          add(document);
          for (let inner = 0; inner < ${each}; inner++) add(frames[outer].document);
        }
        tell("notifications/message", { level: "info", data: "made" });
      })`);
    await stage.serve("few", { server: "attacker", html: html(4) });
    await stage.serve("many", { server: "another", html: html(11) });
    await stage.stage.mount(page, "few");
    await inPage("host.mount('many')");
    expect(await untilLogged("many failed")).toMatchObject({ code: "stopped", detail: "too many frames" });
    expect(await inPage("host.app('many').shadowRoot.querySelectorAll('iframe').length")).toBe(0);
    // The control: an app with visible content is left alone, also after the next check.
    await inPage("new Promise((resolve) => setTimeout(resolve, 2500))");
    expect(await inPage("host.app('few').state")).toBe("ready");
    await inPage("host.mount('victim', { id: 'third' })");
    await untilLogged("third ready");
  });

  it("attack D11: an app that fills a hundred 4k canvases takes nothing from the page and the other app", async () => {
    const script = `start().then(() => setTimeout(() => {
      globalThis.kept = [];
      for (let index = 0; index < 100; index++) {
        const canvas = Object.assign(document.createElement("canvas"), { width: 3840, height: 2160 });
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.fillRect(0, 0, 3840, 2160);
        document.body.append(canvas);
        if (context.getImageData(3839, 2159, 1, 1).data[3] === 255) kept.push(context);
      }
      tell("notifications/message", { level: "info", data: kept.length });
    }))`;
    await stage.serve("canvases", { server: "painter", html: rawView(script) });
    await inPage("host.mount('canvases')");
    await untilLogged("canvases ready");
    // Meanwhile, and after, the other app answers quickly, whatever happens to this one.
    const start = Date.now();
    const times: number[] = [];
    for (let isOver = false; !isOver; ) {
      isOver = await inPage("host.log.names('log', 'canvases failed').length > 0");
      const asked = Date.now();
      await inPage("host.app('victim').bridge.ping({ timeout: 60000 }).then(() => 1)");
      times.push(Date.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(Math.max(...times)).toBeLessThan(5000);
    expect(Date.now() - start).toBeLessThan(60_000);
    // The control: all of it was allocated, or its process was ended for it.
    const failure = await inPage("host.log.values('canvases failed').map(({ code }) => code)[0]");
    const painted = await inPage("host.log.values('log').map(({ data }) => data)[0]");
    if (failure === undefined) expect(painted).toBe(100);
    else expect(failure).toBe("crashed");
    await inPage("host.app('canvases').remove()");
  });

  it("attack D10: an app that never starts, and one that never answers at its end, are not waited for", async () => {
    await stage.serve("silent", { server: "attacker", html: rawView("") });
    await stage.serve("stays", {
      server: "attacker",
      html: rawView('delete answers["ui/resource-teardown"]; start();'),
    });
    await inPage("host.mount('silent', { options: { limits: { initialize: 2000 } } })");
    await stage.stage.mount(page, "stays");
    expect(await untilLogged("silent failed")).toMatchObject({ code: "handshake-timeout" });
    const took = await inPage<number>(
      "(async (start) => { await host.app('stays').close(); return performance.now() - start; })(performance.now())",
    );
    // The host waited for it, but not for long.
    expect(took).toBeGreaterThan(1000);
    expect(took).toBeLessThan(10_000);
    const left =
      "['silent', 'stays'].map((id) => document.querySelector('#' + id).shadowRoot.querySelectorAll('iframe').length)";
    expect(await inPage(left)).toEqual([0, 0]);
    // The control: apps that do start are shown, in the default time.
    expect(await inPage("host.app('attacker').state")).toBe("ready");
  });
});

describe("deception", () => {
  it("attack D06: dialogs, printing and beforeunload are not for apps", async () => {
    await attacker.click("#go");
    const got = await attacker.evaluate(() => {
      const answers: unknown[] = [];
      for (let times = 0; times < 20; times++) answers.push(alert("!"), confirm("?"), prompt("?"));
      print();
      addEventListener("beforeunload", (event) => {
        event.preventDefault();
        Object.assign(event, { returnValue: "stay" });
      });
      return [...new Set(answers)];
    });
    // Nothing was answered; `alert` returns nothing, which arrives as null.
    expect(got.filter((each) => each !== null && each !== undefined)).toEqual([false]);
    await inPage("host.app('attacker').remove()");
    expect(seen).toEqual([]);
    // The control: uncontained, it is visible.
    const free = await stage.openFree();
    const opened = watchPage(free.page);
    await free.attacker.evaluate(() => void confirm("?"));
    expect(opened).toEqual(["dialog confirm"]);
    await free.page.close();
  });

  it("attack D07: its owner is shown outside of its frame, in every mode, and it cannot draw there", async () => {
    const html = rawView(
      "start();",
      `<title>Bank</title><header style="position:fixed;inset:-500px 0 auto 0;z-index:99999">victim · Your bank</header>
       <dialog open style="position:fixed;top:-100px">victim asks: Allow?</dialog><button id="go">go</button>`,
    );
    await stage.serve("poses", { html, server: "attacker.example", meta: { prefersBorder: false } });
    const view = await stage.stage.mount(page, "poses", { title: "Your bank" });
    for (const mode of ["inline", "pip", "fullscreen"]) {
      await view.click("#go");
      await ask(view, "ui/request-display-mode", { mode });
      const title = page.locator("#poses [part=server]");
      expect(await title.textContent()).toBe("attacker.example");
      expect(await title.isVisible()).toBe(true);
      const [bar, frame] = [await title.boundingBox(), await page.locator("#poses iframe").boundingBox()];
      expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(frame?.y ?? 0);
      // The topmost element there belongs to the page.
      const drawn = await page.evaluate(
        ({ x, y }) => host.app("poses").shadowRoot?.elementFromPoint(x + 3, y + 3)?.tagName,
        bar ?? { x: 0, y: 0 },
      );
      expect(drawn).toBe("SPAN");
    }
  });

  it("attack D09: an app cannot read what the user copies, pastes, drags or types in the page", async () => {
    await page.evaluate(() => {
      document.body.prepend(Object.assign(document.createElement("textarea"), { id: "chat" }));
      document.body.prepend(
        Object.assign(document.createElement("p"), { id: "drag", draggable: true, textContent: "host text" }),
      );
      document
        .getElementById("drag")
        ?.addEventListener("dragstart", ({ dataTransfer }) =>
          dataTransfer?.setData("text", "dragged secret"),
        );
    });
    await attacker.evaluate(() => {
      const noted: string[] = [];
      Object.assign(globalThis, { noted });
      const note = (event: Event): void => {
        const { clipboardData, dataTransfer, key } = event as ClipboardEvent & DragEvent & KeyboardEvent;
        noted.push(`${event.type} ${(clipboardData ?? dataTransfer)?.getData("text") ?? key ?? ""}`);
      };
      for (const type of ["copy", "cut", "paste", "dragover", "drop", "keydown", "input", "beforeinput"])
        addEventListener(type, note, true);
      addEventListener("dragover", (event) => event.preventDefault());
    });
    const noted = (): Promise<string[]> => attacker.evaluate(() => Object(globalThis).noted);
    await page.click("#chat");
    await page.keyboard.type("typed secret");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+C");
    await page.keyboard.press("Control+V");
    expect(await page.inputValue("#chat")).toBe("typed secret");
    expect(await outcome(attacker, () => document.execCommand("paste"))).toBe("got false");
    expect(await outcome(attacker, () => navigator.clipboard.readText())).toBe("NotAllowedError");
    expect(await noted()).toEqual([]);
    // Dragged across the app and dropped in the page: the app sees that something passes, but not what.
    const box = await page.locator("#attacker iframe").boundingBox();
    const over = { x: (box?.x ?? 0) + 40, y: (box?.y ?? 0) + 40 };
    await page.hover("#drag");
    await page.mouse.down();
    await page.mouse.move(over.x, over.y, { steps: 4 });
    await page.mouse.move(over.x + 5, over.y + 5, { steps: 4 });
    await page.hover("#chat");
    await page.mouse.up();
    expect((await noted()).filter((each) => each.trim() !== "dragover")).toEqual([]);
    // The control: the app gets what a user drops into it.
    await attacker.click("#field");
    await page.keyboard.press("Control+V");
    await expect.poll(noted).toContain("paste typed secret");
  });
});

describe("in a browser that has little memory, with a user who allows notifications", () => {
  let shared: PageStage;
  beforeAll(async () => {
    shared = stage;
    // Enough room for this test, and little enough for an app to fill it quickly.
    stage = await PageStage.open({ args: ["--js-flags=--max-old-space-size=300"] });
  });
  afterAll(async () => {
    await stage.close();
    stage = shared;
  });

  it("attack D02: an app that exhausts its memory dies alone, and can be restarted", async () => {
    await attacker.evaluate(() => {
      setTimeout(() => {
        const kept: unknown[] = [];
        // In large pieces: with small ones the garbage collector would run for half a minute.
        for (;;) kept.push(new Array(1_000_000).fill(Math.random()));
      }, 100);
    });
    expect(await untilLogged("attacker failed")).toMatchObject({ code: "crashed" });
    expect(await inPage("host.app('attacker').shadowRoot.querySelectorAll('iframe').length")).toBe(0);
    await inPage("[...host.app('attacker').shadowRoot.querySelectorAll('button')].at(-1).click()");
    await expect.poll(() => inPage("host.app('attacker').state"), { timeout: 60_000 }).toBe("ready");
  });

  it("attack D12: by itself it makes no sound, does not speak, vibrate, hold the screen or notify", async () => {
    const noise = async () => {
      const name = (error: unknown): string => (error as Error).name;
      const within = <T>(made: Promise<T>): Promise<T | string> =>
        Promise.race([made, new Promise<string>((resolve) => setTimeout(resolve, 3000, "nothing"))]);
      // A moment of silence, as a file.
      const words = [0x52494646, 0x2c000000, 0x57415645, 0x666d7420, 0x10000000, 0x01000100];
      words.push(0x401f0000, 0x401f0000, 0x01000800, 0x64617461, 0x08000000, 0x80808080, 0x80808080);
      const file = new DataView(new ArrayBuffer(words.length * 4));
      for (const [index, word] of words.entries()) file.setUint32(index * 4, word);
      const audio = new Audio(URL.createObjectURL(new Blob([file], { type: "audio/wav" })));
      const sound = new AudioContext();
      const speech = new SpeechSynthesisUtterance("x");
      const spoken = new Promise<string>((resolve) => {
        speech.onstart = () => resolve("spoke");
        speech.onerror = ({ error }) => resolve(error);
      });
      speechSynthesis.speak(speech);
      return {
        clicked: navigator.userActivation.hasBeenActive,
        // First, while the click still counts.
        pointer: await within(Promise.resolve(document.body.requestPointerLock()).then(() => "locked", name)),
        fullscreen: await within(document.body.requestFullscreen().then(() => "full", name)),
        play: await within(audio.play().then(() => "played", name)),
        sound: await within(sound.resume().then(() => sound.state)),
        speech: await within(spoken),
        vibrate: navigator.vibrate(1),
        lock: await within(navigator.wakeLock.request("screen").then(() => "locked", name)),
        notify: await within(Notification.requestPermission()),
        shown: await within(
          new Promise<string>((resolve) => {
            const note = new Notification("x");
            note.onshow = () => resolve("shown");
            note.onerror = () => resolve("error");
          }),
        ),
      };
    };
    const refused = {
      lock: "NotAllowedError",
      notify: "denied",
      shown: "error",
      pointer: "SecurityError",
      fullscreen: "TypeError",
    };
    // The host page may; that does not affect its apps.
    expect(await inPage("Notification.permission")).toBe("granted");
    const script = `start().then(${noise}).then((data) => tell("notifications/message", { level: "info", data }))`;
    await stage.serve("loud", { server: "attacker", html: rawView(script) });
    await inPage("host.mount('loud')");
    expect((await untilLogged("log"))["data"]).toEqual({
      ...refused,
      clicked: false,
      play: "NotAllowedError",
      sound: "nothing",
      speech: "not-allowed",
      vibrate: false,
    });
    // A user who clicks in it may hear it, and nothing more.
    await attacker.click("#go");
    expect(await attacker.evaluate(noise)).toMatchObject({ ...refused, clicked: true });
    // The control: an uncontained page may.
    const free = await stage.openFree();
    await free.attacker.click("#go");
    expect(await free.attacker.evaluate(noise)).toEqual({
      clicked: true,
      play: "played",
      sound: "running",
      // This machine may have no voice, but the attempt was allowed.
      speech: expect.stringMatching(/^(spoke|synthesis-failed|synthesis-unavailable|voice-unavailable)$/),
      vibrate: true,
      lock: "locked",
      notify: "granted",
      shown: "shown",
      pointer: "locked",
      fullscreen: "full",
    });
    await free.page.close();
  });
});

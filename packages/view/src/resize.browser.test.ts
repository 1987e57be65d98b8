import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findHeadlessShell } from "../../../scripts/chromium.mjs";
import {
  type Page as Answer,
  bundle,
  launchChromium,
  type Site,
  serveSite,
} from "../../../testing/browser.js";
import {
  box,
  type FrameOptions,
  type FrameState,
  HOST_PAGE,
  LAYOUTS,
  layoutPath,
  TEXT,
  TRAPS,
  viewPage,
} from "../../../testing/layouts.mjs";

/** A host page for all tests. Each case is a separate frame on another site, so in another process. */
let browser: Browser;
let site: Site;
let host: Page;
const pages: Record<string, Answer> = { "/host": HOST_PAGE };

const SCRIPT = `
import { App, View } from "@vitrine/view";
window.view = VIEW;
window.connected = window.view.connect();
window.events = [];
for (const type of ["transitionrun", "transitioncancel"]) {
  addEventListener(type, () => window.events.push(type), true);
}
window.measured = 0;
const { querySelectorAll } = document;
document.querySelectorAll = (selectors) => {
  if (selectors === "*") window.measured++;
  return querySelectorAll.call(document, selectors);
};`;

beforeAll(async () => {
  const script = async (view: string): Promise<Answer> => ({
    body: await bundle(SCRIPT.replace("VIEW", view)),
    type: "text/javascript",
  });
  const info = '{ name: "view", version: "1" }';
  pages["/view.js"] = await script(`new View(${info})`);
  pages["/off.js"] = await script(`new App(${info}, {}, { autoResize: false })`);
  pages["/on.js"] = await script(`new App(${info}, {}, { strict: true })`);
  for (const { name, html } of [...LAYOUTS, ...TRAPS]) pages[layoutPath(name)] = html;
  site = await serveSite(pages);
  // With real scroll bars, which take width and so height, and with one process per site.
  browser = await launchChromium(["--site-per-process"], {
    executablePath: findHeadlessShell(),
    ignoreDefaultArgs: ["--hide-scrollbars"],
  });
  host = await openHost();
});

async function openHost(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
  await page.goto(`${site.origin()}/host`);
  return page;
}

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Long enough for a slow machine. */
const WAIT = { timeout: 60_000, interval: 50 };

/** Options of `settle` in the host page. */
type SettleOptions = {
  quiet?: number;
  limit?: number;
  since?: number;
  width?: number;
  height?: number;
  messages?: number;
};

/** A view in a frame of the host page, removed at the end of its block. */
class Case {
  private constructor(
    readonly index: number,
    readonly frame: Frame,
    readonly page: Page,
  ) {}

  static async open(path: string, options: Partial<FrameOptions> = {}, page = host): Promise<Case> {
    const src = `${site.origin("view")}${path}`;
    const spec: FrameOptions = { src, height: 150, keep: true, ...options };
    const index = await page.evaluate<number>(`add(${JSON.stringify(spec)})`);
    const element = (await page.evaluateHandle<HTMLIFrameElement>(`hosts[${index}].frame`)).asElement();
    const frame = await element?.contentFrame();
    if (!frame) throw new Error("no frame");
    return new Case(index, frame, page);
  }

  /** A separate document. */
  static html(name: string, html: string, options?: Partial<FrameOptions>, page?: Page): Promise<Case> {
    pages[`/${name}`] = html;
    return Case.open(`/${name}`, options, page);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.page === host) await this.page.evaluate(`remove(${this.index})`);
    else await this.page.close();
  }

  async settle(options: SettleOptions = {}): Promise<FrameState> {
    const state = await this.page.evaluate<FrameState>(`settle(${this.index}, ${JSON.stringify(options)})`);
    // A frame outside the viewport gets no size.
    const isSeen = await this.inHost("host.frame.checkVisibility() && host.frame.offsetTop < innerHeight");
    if (!state.stable || !isSeen) return state;
    // The view gets its size in another process. On a busy machine that takes time, and then the view may
    // answer.
    const theirs = () => this.inView("[innerWidth, innerHeight]");
    const ours = () => this.inHost("[host.frame.clientWidth, host.frame.clientHeight]");
    await vi.waitFor(async () => expect(await theirs()).toEqual(await ours()), WAIT);
    const said = await this.inHost<number>("host.sizes.length");
    return said === state.sizes.length + (options.since ?? 0) ? state : this.settle(options);
  }

  /** Runs code in the view. Resolves, once no more messages arrive, with those that arrived. */
  async after(code: string, options: SettleOptions = {}): Promise<FrameState> {
    const since = await this.inHost<number>("host.sizes.length");
    await this.inView(code);
    return this.settle({ since, ...options });
  }

  /** The frame reaches this height and stays there, with few messages. */
  async expectHeight(height: number, messages: number, options?: SettleOptions): Promise<FrameState> {
    const state = await this.settle({ height, ...options });
    expectHeight(state, height, messages);
    return state;
  }

  async expectHeightAfter(code: string, height: number, messages: number, quiet?: number): Promise<void> {
    expectHeight(await this.after(code, { height, ...(quiet && { quiet }) }), height, messages);
  }

  inView<T>(code: string): Promise<T> {
    return this.frame.evaluate<T>(code);
  }

  inHost<T>(code: string): Promise<T> {
    return this.page.evaluate<T>(`(({ host }) => (${code}))({ host: hosts[${this.index}] })`);
  }

  /** The part of the content that is cut off at the bottom edge. */
  hidden(): Promise<string[]> {
    return this.inView(`[...document.querySelectorAll(".c")].flatMap((content) => {
      const { top, bottom } = content.getBoundingClientRect();
      const edges = [innerHeight];
      for (let e = content.parentElement; e !== document.body; e = e.parentElement) {
        if (getComputedStyle(e).overflowY !== "visible") edges.push(e.getBoundingClientRect().bottom);
      }
      return top < -1 || bottom > Math.min(...edges) + 1 ? [\`\${top}..\${bottom} in \${edges}\`] : [];
    })`);
  }
}

function expectHeight(state: FrameState, height: number, messages: number): void {
  expect(
    Math.abs(state.height - height),
    `${state.height} px, not ${height}: ${JSON.stringify(state.sizes)}`,
  ).toBeLessThanOrEqual(1);
  expect(state).toMatchObject({ stable: true });
  expect(state.sizes.length, JSON.stringify(state.sizes)).toBeLessThanOrEqual(messages);
}

const SVG = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='100' height='300'/>";

it("the scroll bars take width, so that the tests below can detect one", async () => {
  await using view = await Case.html(
    "bars",
    viewPage("body{margin:0}#app{height:50px;overflow:scroll}", '<div id="app"></div>'),
  );
  await view.settle();
  const bars =
    "(({ offsetWidth, clientWidth }) => offsetWidth - clientWidth)(document.querySelector('#app'))";
  expect(await view.inView(bars)).toBeGreaterThan(5);
});

describe.concurrent("layouts at rest", () => {
  it.each([...LAYOUTS, ...TRAPS])("$name", async (layout) => {
    const check = async (from: number): Promise<void> => {
      await using view = await Case.open(layoutPath(layout.name), { height: from });
      await view.settle({ messages: layout.natural === "frame" && from ? 0 : 1 });
      const natural =
        layout.natural === "flow"
          ? await view.inView<number>("document.documentElement.getBoundingClientRect().height")
          : layout.natural === "frame"
            ? from || 150
            : layout.natural;
      const state = await view.expectHeight(natural, 2);
      expect(state.width).toBe(layout.width ?? 400);
      expect(state.sizes.every(({ width }) => width >= 400)).toBe(true);
      expect(state.sizes.every(({ height }) => height >= Math.min(natural, 50))).toBe(true);
      if (!layout.clipped) expect(await view.hidden()).toEqual([]);
      // No scroll bar is left.
      if (layout.natural === "flow") {
        expect(await view.inView("innerWidth - document.documentElement.clientWidth")).toBe(0);
      }
    };
    await Promise.all((layout.from ?? [0, 150, 600]).map(check));
  });

  it.each([0, 150, 600])("quirks mode, from %d px: all is visible, nothing grows", async (from) => {
    for (const more of ["", "#app{height:100%}"]) {
      const html = viewPage(more, `<div id="app">${box(200)}</div>`, { doctype: "" });
      await using view = await Case.html(`quirks-${from}${more.length}`, html, { height: from });
      const state = await view.settle({ messages: 1 });
      expect(state.stable).toBe(true);
      expect(state.height).toBeGreaterThanOrEqual(208);
      expect(state.height).toBeLessThanOrEqual(Math.max(from, 216));
      expect(state.sizes.length).toBeLessThanOrEqual(2);
      expect(await view.hidden()).toEqual([]);
    }
  });
});

describe.concurrent("content that changes", () => {
  const grow = (height: number): string =>
    `document.querySelector(".c").style.height = "${height}px"; undefined`;

  it.each([
    ["flow", "body{margin:0}", 0],
    ["body-min-height", "body{margin:0;min-height:100vh}", 0],
    ["app-min-height", "#app{min-height:100vh}", 16],
    ["height-padding", "body{margin:0}#app{height:100vh;padding:20px}", 40],
    ["percent", "html,body,#app{height:100%;margin:0}", 0],
    ["scroller", "html,body,#app{height:100%;margin:0}#app{overflow:auto}", 0],
    ["flex", "body{margin:0;display:flex;flex-direction:column;height:100vh}#app{flex:1;overflow:auto}", 0],
    ["grid", "body{margin:0;display:grid;place-items:center;min-height:100vh}#app{width:100%}", 0],
  ])("grows and shrinks: %s", async (name, css, around) => {
    await using view = await Case.html(`grow-${name}`, viewPage(css, `<div id="app">${box(200)}</div>`));
    await view.expectHeight(200 + around, 2);
    for (const height of [500, 100, 300]) {
      await view.expectHeightAfter(grow(height), height + around, 3);
      expect(await view.hidden()).toEqual([]);
    }
  });

  it.each([
    ["flow", ""],
    ["scroller", "#app{height:100vh;overflow:auto}"],
  ])("images, fonts, fields, details: %s", async (name, css) => {
    await using view = await Case.html(
      `parts-${name}`,
      viewPage(
        `body{margin:0}${css}img,textarea,input{display:block;border:0;padding:0;margin:0}
         p{margin:0;font:20px/1 monospace}textarea{font:20px/1 monospace;field-sizing:content}
         details,summary{display:block;font:20px/1 monospace}#more{height:60px}
         #tick:checked+#extra{height:70px}`,
        `<div id="app"><img><p>Text</p><textarea></textarea>
         <details><summary>More</summary><div id="more"></div></details>
         <input type="checkbox" id="tick" style="height:20px"><div id="extra"></div></div>`,
      ),
      {},
      // A separate page: typed keys go to the focused field of the page.
      await openHost(),
    );
    await view.expectHeight(80, 2);
    await view.expectHeightAfter(`document.querySelector("img").src = "${SVG}"`, 380, 3);
    await view.expectHeightAfter(`document.querySelector("p").style.fontSize = "60px"`, 420, 3);
    const since = (await view.settle({ quiet: 0 })).sizes.length;
    await view.frame.locator("textarea").fill("a\nb\nc");
    await view.expectHeight(460, 3, { since });
    await view.expectHeightAfter(`document.querySelector("details").open = true`, 520, 3);
    await view.expectHeightAfter(`document.querySelector("details").open = false`, 460, 3);
    // The DOM does not change here, only the checked state.
    await view.expectHeightAfter(`document.querySelector("#tick").checked = true`, 530, 3);
  });

  it("popups open and close", async () => {
    await using view = await Case.html(
      "popup",
      viewPage(
        "#pop{position:absolute;top:80px;display:none}.open #pop,#by:checked~#pop{display:block}",
        `<input type="checkbox" id="by" style="position:absolute">${box(100)}<div id="pop">${box(300, "width:50px")}</div>`,
      ),
    );
    for (const [open, close] of [
      ["document.body.className = 'open'", "document.body.className = ''"],
      ["document.querySelector('#by').checked = true", "document.querySelector('#by').checked = false"],
    ] as const) {
      await view.expectHeight(116, 9);
      await view.expectHeightAfter(open, 380, 1);
      expect(await view.hidden()).toEqual([]);
      await view.expectHeightAfter(close, 116, 1);
    }
  });

  it.each([
    ["flow", "body{margin:0}"],
    ["scroller", "body{margin:0}#app{height:100vh;overflow:auto}"],
  ])("accordions: %s", async (name, css) => {
    await using view = await Case.html(
      `accordion-${name}`,
      viewPage(
        `${css}#panel{height:0;overflow:hidden;transition:height .3s}.open #panel{height:200px}`,
        `<div id="app">${box(100)}<div id="panel"></div></div>`,
      ),
      {},
      // A separate page, where nothing else moves.
      await openHost(),
    );
    await view.settle();
    // On a busy machine this looks like a loop for a while.
    await view.expectHeightAfter("document.body.className = 'open'", 300, 30, 3000);
    await view.expectHeightAfter("document.body.className = ''", 100, 30, 3000);
    expect(await view.inView("events")).toEqual(["transitionrun", "transitionrun"]);
  });

  it("measuring starts no transition and interrupts none", async () => {
    await using view = await Case.html(
      "transitions",
      viewPage(
        `*{transition:all .2s}html,body{height:100%}#app{min-height:100vh;max-height:200vh}#b{height:50vh}
         #fade{transition:opacity 600s;min-height:10vh}`,
        `<div id="app">${box(100)}<p>Text</p><div id="b"></div></div><div id="fade"></div>`,
      ),
    );
    await view.settle({ messages: 1 });
    // Transitions that the frame's new size itself started.
    const isMoving = "document.getAnimations().length";
    await vi.waitFor(async () => expect(await view.inView(isMoving)).toBe(0), WAIT);
    await view.inView("events.length = 0");
    for (let times = 0; times < 2; times++) {
      const measured = await view.inView<number>("measured");
      await view.after(`document.querySelector("p").append(".")`);
      await vi.waitFor(async () => expect(await view.inView("measured")).toBeGreaterThan(measured), WAIT);
    }
    expect(await view.inView("events")).toEqual([]);
    expect(await view.inView(isMoving)).toBe(0);
    await view.inView(`document.querySelector("#fade").style.opacity = 0`);
    await view.after(`document.querySelector("p").append(".")`);
    expect(await view.inView("events")).toEqual(["transitionrun"]);
    expect(await view.inView(isMoving)).toBe(1);
  });

  it("X05: content gets wider, then narrower", async () => {
    await using view = await Case.html("wider", viewPage("body{margin:0}", box(100)));
    await view.settle();
    for (const width of [600, 800]) {
      const state = await view.after(`document.querySelector(".c").style.width = "${width}px"`, { width });
      expect(state).toMatchObject({ stable: true, width, height: 100 });
      expect(state.sizes.length).toBeLessThanOrEqual(2);
    }
    const state = await view.after(`document.querySelector(".c").style.width = "50px"`);
    expect(state).toMatchObject({ stable: true, width: 800, height: 100, sizes: [] });
  });
});

describe.concurrent("hosts", () => {
  const SCROLLER = viewPage(
    "body{margin:0}#app{height:100vh;overflow:auto;scroll-behavior:smooth}",
    `<div id="app">${box(600)}<p style="margin:0">Text</p></div>`,
  );

  it("X05: clamps: few messages, and a scroller keeps its position", async () => {
    await using view = await Case.html("clamp-scroller", SCROLLER, { max: 300 });
    const first = await view.settle({ height: 300 });
    expect(first).toMatchObject({ stable: true, height: 300 });
    expect(first.sizes.length).toBeLessThanOrEqual(2);
    await view.inView(`document.querySelector("#app").scrollTo({ top: 123, behavior: "instant" })`);
    const state = await view.after(
      `for (let i = 0; i < 9; i++) document.querySelector("p").append(document.createElement("br"), "x")`,
      { messages: 1 },
    );
    expect(state.sizes).toHaveLength(1);
    expect(await view.inView(`document.querySelector("#app").scrollTop`)).toBe(123);
  });

  it("does not interrupt a smooth scroll, whatever changes meanwhile", async () => {
    const html = viewPage(
      "body{margin:0}#app{height:300px;overflow:auto}",
      `<div id="app">${box(3000)}<p style="margin:0">Text</p></div>`,
    );
    await using view = await Case.html("smooth", html);
    await view.settle();
    const reached = await view.inView<number>(`(async () => {
      const app = document.querySelector("#app");
      const changes = setInterval(() => document.querySelector("p").append("x"), 30);
      app.scrollTo({ top: 1000, behavior: "smooth" });
      await new Promise((resolve) => app.addEventListener("scrollend", resolve, { once: true }));
      clearInterval(changes);
      return app.scrollTop;
    })()`);
    expect(reached).toBe(1000);
  });

  it("clamps: the document keeps its scroll position, focus and selection", async () => {
    await using view = await Case.html(
      "clamp-document",
      viewPage(
        "html{scroll-behavior:smooth}body{margin:0;min-height:100vh}",
        `${box(600)}<p>Some text</p><input>`,
      ),
      { max: 300 },
      // A separate page, where no other frame takes the focus.
      await openHost(),
    );
    await view.settle();
    await view.inView(`scrollTo({ top: 234, behavior: "instant" });
      document.querySelector("input").focus({ preventScroll: true });
      getSelection().setBaseAndExtent(document.querySelector("p").firstChild, 1, document.querySelector("p").firstChild, 4)`);
    const state = await view.after(`document.body.append("more"); undefined`);
    expect(state.sizes.length).toBeLessThanOrEqual(1);
    expect(await view.inView("[scrollY, String(getSelection()), document.activeElement.tagName]")).toEqual([
      234,
      "ome",
      "INPUT",
    ]);
  });

  it.each(["100vh", "110vh", "calc(100vh - 20px)"])("ignores: few messages for %s", async (height) => {
    const html = viewPage(`#app{min-height:${height}}`, `<div id="app">${box(200)}</div>`);
    for (const options of [{ ignore: true }, { max: 100 }, { fixedWidth: true, max: 300, height: 0 }]) {
      const name = `ignore-${height.replace(/\W+/g, "-")}-${Object.keys(options).length}-${options.max}`;
      await using view = await Case.html(name, html, options);
      const state = await view.settle();
      expect(state).toMatchObject({ stable: true });
      expect(state.sizes.length).toBeLessThanOrEqual(2);
    }
  });

  it("is resized to other widths", async () => {
    await using view = await Case.html("drag", viewPage("", `<p class="c">${TEXT}</p>`), {
      fixedWidth: true,
    });
    await view.settle();
    await view.inHost(`(async () => {
      for (let width = 400; width >= 150; width -= 5) {
        host.frame.style.width = width + "px";
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })()`);
    const state = await view.settle({ quiet: 1500 });
    const natural = await view.inView<number>("document.documentElement.getBoundingClientRect().height");
    expect(natural).toBeGreaterThan(300);
    expectHeight(state, natural, 60);
    expect(await view.inView("innerWidth - document.documentElement.clientWidth")).toBe(0);
    expect(await view.hidden()).toEqual([]);
  });

  it("goes to full screen and back", async () => {
    await using view = await Case.open(layoutPath("app min-height 100vh"));
    await view.expectHeight(200, 2);
    await view.inHost(`host.frame.style.height = "800px", host.context({ displayMode: "fullscreen" })`);
    await view.settle();
    const full = await view.after(`document.querySelector(".c").append("x")`);
    expect(full).toMatchObject({ stable: true, height: 800, sizes: [] });
    const since = await view.inHost<number>("host.sizes.length");
    await view.inHost(`host.context({ displayMode: "inline" })`);
    await view.expectHeight(200, 2, { since, messages: 1 });
  });

  it("shows the frame later", async () => {
    // Inside the body's default margins.
    await using view = await Case.html("shown-later", viewPage("", box(260)), { style: "display:none" });
    const before = await view.settle();
    expect(before.sizes).toEqual([]);
    await view.inHost(`host.frame.style.display = "block"`);
    const state = await view.expectHeight(276, 2);
    expect(state.width).toBe(400);
  });

  it.each([0, 150])("has the frame below the fold, from %d px", async (height) => {
    await using view = await Case.open(layoutPath("app min-height 100vh"), { height, style: "top:9000px" });
    await view.expectHeight(200, 2);
    await view.expectHeightAfter(`document.querySelector(".c").style.height = "320px"`, 320, 3);
  });

  it("has the frame below the fold, with an image that loads late", async () => {
    const html = viewPage("body{margin:0}img{display:block}", `${box(50)}<img>`);
    await using view = await Case.html("late-below", html, { style: "top:9000px" });
    await view.expectHeight(50, 2);
    await view.expectHeightAfter(`document.querySelector("img").src = "${SVG}"`, 350, 3);
  });
});

// Alone: the number of messages depends on how soon the host reacts.
describe("loops that no style sheet reveals", () => {
  it.each([
    ["grows", "innerHeight + 4"],
    ["shrinks", "innerHeight - 20"],
    ["explodes", "innerHeight * 1.1"],
  ])("%s: slows down, even while other content changes", async (name, height) => {
    const html = viewPage(
      "body{margin:0}",
      `<div id="app"></div><p style="margin:0"></p><script>
        const fit = () => { document.querySelector("#app").style.height = ${height} + "px"; };
        fit(); addEventListener("resize", fit);
        setInterval(() => { document.querySelector("p").title += "x"; }, 50);
      </script>`,
    );
    let [first, later] = [99, 99];
    // When the machine stalls, the loop seems over and starts anew. That may fail one round, but not all of
    // them.
    for (let turn = 0; turn < 3 && (first > 10 || later > 3); turn++) {
      await using view = await Case.html(`loop-${name}`, html, { height: 400 });
      await view.settle({ quiet: 60_000, limit: 3000 });
      first = (await view.settle({ quiet: 0 })).sizes.length;
      later = (await view.settle({ quiet: 60_000, limit: 2000, since: first })).sizes.length;
    }
    expect(first).toBeLessThanOrEqual(10);
    expect(later).toBeLessThanOrEqual(3);
  });
});

describe.concurrent("options", () => {
  const html = (script: string): string => viewPage("body{margin:0}", box(200), { script });

  it("autoResize: false sends nothing", async () => {
    await using view = await Case.html("off", html("/off.js"));
    expect((await view.settle()).sizes).toEqual([]);
    expect((await view.after(`document.querySelector(".c").style.height = "300px"`)).sizes).toEqual([]);
  });

  it("options without autoResize leave it on (D18)", async () => {
    await using view = await Case.html("on", html("/on.js"));
    await view.expectHeight(200, 1);
  });

  it("the function returned by setupSizeChangedNotifications stops it for good, even after context changes (D21)", async () => {
    await using view = await Case.html("stop", html("/off.js"));
    await view.settle();
    const state = await view.after(`(async () => {
      const stop = view.setupSizeChangedNotifications();
      await new Promise((resolve) => setTimeout(resolve, 100));
      stop();
    })()`);
    expect(state.sizes).toHaveLength(1);
    await view.inHost(
      `host.frame.contentWindow.postMessage({ jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: { theme: "dark" } }, "*")`,
    );
    expect((await view.after(`document.querySelector(".c").style.height = "300px"`)).sizes).toEqual([]);
  });

  it("close() stops the measuring (D21)", async () => {
    await using view = await Case.html("close", html("/on.js"));
    await view.settle();
    // A measurement is due when it closes.
    const state = await view.after(`(async () => {
      document.querySelector(".c").style.height = "300px";
      await Promise.resolve();
      await view.close();
      window.measured = 0;
      await new Promise((resolve) => setTimeout(resolve, 100));
      document.querySelector(".c").style.height = "400px";
      document.body.append("more");
    })()`);
    expect(state.sizes).toEqual([]);
    expect(await view.inView("measured")).toBe(0);
  });
});

/** `<mcp-app>` in a page: its appearance, the app's input, and the state after it is removed. */
import { MemoryRecords, type RecordStore } from "@vitrine/sandbox";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { crash } from "../../../../testing/host/crash.ts";
import type { HostApi, MountOptions } from "../../../../testing/host/host-page.ts";
import { HostStage } from "../../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView & { told: ReturnType<RawView["start"]>; mark: string; isDone?: boolean };

let stage: HostStage;
let page: Page;
/** The sandbox has lost its documents. */
let lost = false;
beforeAll(async () => {
  const kept = new MemoryRecords();
  const records: RecordStore = {
    get: (name) => (lost ? undefined : kept.get(name)),
    set: (name, record) => kept.set(name, record),
  };
  stage = await HostStage.open({ sandbox: { records } });
  await stage.serve("plain", { html: rawView() });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.freshPage();
});

const RESULT = { content: [{ type: "text" as const, text: "Sunny, 21 degrees" }] };
const until = (name: string, count = 1): Promise<unknown> =>
  page.evaluate(([key, times]) => host.log.until(key, times), [name, count] as const);
const stateOf = (id: string): Promise<string> => page.evaluate((app) => host.app(app).state, id);

describe("an app that works", () => {
  it("L04, L06: gets the input and the result that were there before it", async () => {
    const view = await stage.mount(page, "plain", { input: { city: "Rome" }, result: RESULT });
    await view.waitForFunction(() => raw.heard.length >= 2);
    expect(await view.evaluate(() => raw.heard.map(({ method, params }) => ({ method, params })))).toEqual([
      { method: "ui/notifications/tool-input", params: { arguments: { city: "Rome" } } },
      { method: "ui/notifications/tool-result", params: RESULT },
    ]);
  });

  it("X01: knows where it runs", async () => {
    await stage.serve("asks", { html: rawView("raw.told = start();") });
    const view = await stage.mount(page, "asks");
    const { hostContext } = await view.evaluate(() => raw.told);
    expect(hostContext).toMatchObject({
      theme: "light",
      displayMode: "inline",
      availableDisplayModes: ["inline", "fullscreen", "pip"],
      containerDimensions: { width: expect.any(Number), maxHeight: 4000 },
      locale: "en-US",
      timeZone: expect.any(String),
      platform: "web",
      userAgent: "test host/1.0.0",
      deviceCapabilities: { touch: expect.any(Boolean), hover: expect.any(Boolean) },
      styles: { variables: { "--color-text-primary": expect.stringContaining("light-dark(") } },
    });
  });

  it("X04: knows its width from the first message on, before the page was drawn", async () => {
    await stage.serve("asks", { html: rawView("raw.told = start();") });
    await page.evaluate(() => {
      // Never received, as in a page that is busy until the app has asked.
      globalThis.ResizeObserver = class {
        observe(): void {}
        unobserve(): void {}
        disconnect(): void {}
      };
    });
    const view = await stage.mount(page, "asks");
    const { hostContext } = await view.evaluate(() => raw.told);
    const width = await page.locator("#asks").evaluate((element) => element.clientWidth);
    expect(width).toBeGreaterThan(300);
    expect(hostContext).toMatchObject({ containerDimensions: { width } });
  });

  it("X02: receives its new width and theme, and nothing else", async () => {
    const view = await stage.mount(page, "plain");
    await page.emulateMedia({ colorScheme: "dark" });
    await view.waitForFunction(() => raw.heard.some(({ params }) => params["theme"] === "dark"));
    await page.evaluate(() => {
      host.app("plain").style.width = "333px";
    });
    await view.waitForFunction(() => raw.heard.length >= 2);
    const changes = await view.evaluate(() => raw.heard.map(({ params }) => params));
    expect(changes.map((change) => Object.keys(change))).toEqual([["theme"], ["containerDimensions"]]);
    expect(changes[1]).toMatchObject({ containerDimensions: { width: 333 } });
  });

  it("has a name, a tab position, and its owner outside of its frame", async () => {
    await stage.serve("typed", { html: rawView("start();", "<input>") });
    const view = await stage.mount(page, "typed", { title: "Weather in Rome" });
    expect(await page.getByRole("group", { name: "Weather in Rome" }).count()).toBe(1);
    expect(await page.locator("#typed iframe").getAttribute("title")).toBe("Weather in Rome");
    expect(await page.locator("#typed [part=title]").textContent()).toBe("Weather in Rome");
    expect(await page.locator("#typed [part=server]").textContent()).toBe("typed");
    await page.keyboard.press("Tab");
    await expect.poll(() => view.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    const focused = () => page.evaluate(() => host.app("typed").shadowRoot?.activeElement?.tagName);
    await expect.poll(focused).toBe("IFRAME");
  });

  it("I13: is not offered features without a handler, and gets -32601 for them", async () => {
    await stage.serve("asks", { html: rawView("raw.told = start();") });
    const offered = async (without: NonNullable<MountOptions["without"]>) => {
      const view = await stage.mount(page, "asks", { consent: "allow", without });
      const { hostCapabilities } = await view.evaluate(() => raw.told);
      const codes = await view.evaluate(() => {
        const content = { type: "text", text: "hi" };
        const file = { type: "resource", resource: { uri: "file:///a.txt", text: "hi" } };
        const answers = [
          raw.ask("sampling/createMessage", { messages: [{ role: "user", content }], maxTokens: 9 }),
          raw.ask("ui/download-file", { contents: [file] }),
          raw.ask("ui/open-link", { url: "https://example.com/" }),
        ];
        return Promise.all(
          answers.map((answer) =>
            answer.then(
              () => "done",
              ({ code }) => code,
            ),
          ),
        );
      });
      await page.evaluate(() => host.app("asks").remove());
      return [...["sampling", "downloadFile", "openLinks"].map((name) => name in hostCapabilities), ...codes];
    };
    expect(await offered([])).toEqual([true, true, true, "done", "done", "done"]);
    await page.evaluate(() => host.log.clear());
    expect(await offered(["createMessage", "downloadFile"])).toEqual([
      false,
      false,
      true,
      -32601,
      -32601,
      "done",
    ]);
    expect(await page.evaluate(() => host.log.names("asked", "sampling", "download", "open-link"))).toEqual([
      "asked",
      "open-link",
    ]);
  });

  it("S01, S02: has a proxy on another origin, which may run scripts and keep its origin, and no more", async () => {
    await stage.mount(page, "plain");
    const [sandbox, src, allow] = await page
      .locator("#plain iframe")
      .evaluate((frame: HTMLIFrameElement) => [frame.getAttribute("sandbox"), frame.src, frame.allow]);
    expect(sandbox?.split(" ").sort()).toEqual(["allow-forms", "allow-same-origin", "allow-scripts"]);
    expect(new URL(src ?? "").origin).not.toBe(stage.origin);
    expect(allow).toBe("");
  });
});

describe("mounted, unmounted and mounted again while its resource is being read", () => {
  /**
   * Mounts an app that reads its resource on each mount, unmounts and mounts it again, and settles both reads
   * in turn.
   */
  const mountTwice = (on: Page, first: "resolves" | "rejects"): Promise<void> =>
    on.evaluate(async (outcome) => {
      const { view } = await host.describe("plain");
      if (!("src" in view)) throw new Error(view.error.message);
      const readings: { resolve: (found: typeof view) => void; reject: (error: Error) => void }[] = [];
      const task = () => new Promise((done) => setTimeout(done));
      // biome-ignore lint/suspicious/noThenProperty: each mount reads the resource again.
      const reading = { then: (resolve: never, reject: never) => void readings.push({ resolve, reject }) };
      await host.mount("plain", { options: { view: reading as never } });
      await task();
      const app = host.app("plain");
      app.remove();
      document.body.append(app);
      await task();
      if (outcome === "resolves") readings[0]?.resolve(view);
      else readings[0]?.reject(new Error("too slow"));
      await task();
      readings[1]?.resolve(view);
      await host.log.until("plain ready");
    }, first);

  it("it has one frame, on a machine where several frames load at a time", async () => {
    const other = await stage.context.newPage();
    await other.addInitScript(() => Object.defineProperty(navigator, "hardwareConcurrency", { value: 8 }));
    await other.goto(stage.origin);
    await other.waitForFunction(() => "host" in globalThis);
    await mountTwice(other, "resolves");
    expect(await other.locator("#plain iframe").count()).toBe(1);
    await other.close();
  });

  it("a reading that was given up does not fail the next one", async () => {
    await mountTwice(page, "rejects");
    expect(await page.evaluate(() => host.log.names("plain failed"))).toEqual([]);
  });
});

describe("its size", () => {
  const height = (id = "plain"): Promise<number> =>
    page.locator(`#${id} iframe`).evaluate((frame: HTMLElement) => frame.getBoundingClientRect().height);
  const report = async (...sizes: unknown[]): Promise<void> => {
    const view = await stage.viewOf(page, "plain");
    await view.evaluate((all) => {
      for (const size of all) raw.tell("ui/notifications/size-changed", { height: size } as object);
      return raw.ask("ping");
    }, sizes);
  };

  it("I08: follows its content, up to the limit", async () => {
    await stage.mount(page, "plain");
    await report(321);
    await expect.poll(height).toBe(321);
    await report(1e9);
    await expect.poll(height).toBe(4000);
    await report(100.2);
    await expect.poll(height).toBe(101);
  });

  it("attack C13: invalid heights change nothing", async () => {
    await stage.mount(page, "plain");
    await report(200);
    await expect.poll(height).toBe(200);
    await report(-5, Number.NaN, Number.POSITIVE_INFINITY, "900", null);
    expect(await height()).toBe(200);
  });

  it("I08, X04: is not the app's to change when it is fixed", async () => {
    await stage.mount(page, "plain", { options: { dimensions: { height: 250 } } });
    await report(900);
    expect(await height()).toBe(250);
  });

  it.each([
    [{ height: 250 }, { width: 1264, height: 250 }, [1264, 250]],
    [{ maxHeight: 300 }, { width: 1264, maxHeight: 300 }, [1264, 300]],
    [{ width: 500 }, { width: 500, maxHeight: 4000 }, [500, 700]],
    [{ maxWidth: 600 }, { maxWidth: 600, maxHeight: 4000 }, [600, 700]],
    [{ maxWidth: 1000, height: 100 }, { maxWidth: 1000, height: 100 }, [900, 100]],
  ])("I08, X04: each axis is fixed or bounded on its own: %j", async (dimensions, told, [width, height]) => {
    await stage.serve("asks", { html: rawView("raw.told = start();") });
    const view = await stage.mount(page, "asks", { options: { dimensions } });
    expect((await view.evaluate(() => raw.told)).hostContext["containerDimensions"]).toEqual(told);
    await view.evaluate(() => raw.tell("ui/notifications/size-changed", { width: 900, height: 700 }));
    await until("size");
    const box = await page.locator("#asks iframe").boundingBox();
    expect([box?.width, box?.height]).toEqual([width, height]);
  });

  it("X04: is bounded by the host's limits", async () => {
    await stage.mount(page, "plain", { options: { dimensions: { maxHeight: 300 } } });
    await report(900);
    await expect.poll(height).toBe(300);
  });

  it.each([
    ["by a constant", "innerHeight + 20"],
    ["by a share", "innerHeight * 1.1"],
  ])("I08: a view that grows %s because its frame grew is held", async (_by, next) => {
    const html = rawView(
      `
      start().then(() => new ResizeObserver(() => {
        tell("ui/notifications/size-changed", { height: ${next} });
      }).observe(document.documentElement));
    `,
      '<div style="height: 100vh"></div>',
    );
    await stage.serve("grows", { html });
    await stage.mount(page, "grows");
    await until("size", 31);
    await expect.poll(() => height("grows")).toBe(150);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await height("grows")).toBe(150);
  });

  it.each([
    // Enough lines that the frame grows more often than it may without a check, even where frames are
    // dropped.
    ["as fast as it can", 0, 190],
    ["twenty lines a second", 50, 100],
    ["two lines a second", 500, 40],
  ])("I08: a log that grows line by line keeps growing: %s", async (_speed, pause, lines) => {
    const html = rawView(
      `
      const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
      start().then(async () => {
        new ResizeObserver(() => {
          tell("ui/notifications/size-changed", { height: document.getElementById("log").offsetHeight });
        }).observe(document.getElementById("log"));
        for (let line = 0; line < ${lines}; line++) {
          document.getElementById("log").append(document.createElement("p"));
          await wait(${pause});
        }
        raw.isDone = true;
      });
    `,
      '<style>p { height: 20px; margin: 0 } #log { min-height: 20px }</style><div id="log"></div>',
    );
    await stage.serve("log", { html });
    const view = await stage.mount(page, "log");
    await page.locator("#log iframe").evaluate((frame: HTMLElement) => {
      new ResizeObserver(() => host.log.add("height", frame.offsetHeight)).observe(frame);
    });
    await expect.poll(() => view.evaluate(() => raw.isDone)).toBe(true);
    await expect.poll(() => height("log")).toBe(lines * 20);
    // It never shrank along the way; at the start it may have been higher than its first lines.
    const heights = (await page.evaluate(() => host.log.values("height"))) as number[];
    const grown = heights.slice(heights.indexOf(Math.min(...heights)));
    expect(grown).toEqual(grown.toSorted((a, b) => a - b));
  });

  it("is kept for the next time, so that nothing jumps", async () => {
    await stage.mount(page, "plain");
    await report(456);
    await expect.poll(height).toBe(456);
    await page.evaluate(() => host.app("plain").remove());
    await page.evaluate(() => host.mount("plain", { id: "again" }));
    expect(
      await page.locator("#again [part=stage]").evaluate((stage: HTMLElement) => stage.style.height),
    ).toBe("456px");
  });
});

describe("display modes", () => {
  it("I07, X02: fullscreen and back by Escape, without a reload, and the focus returns", async () => {
    const view = await stage.mount(page, "plain");
    await page.evaluate(() =>
      document.body.prepend(Object.assign(document.createElement("button"), { id: "before" })),
    );
    await page.focus("#before");
    // A press that does not move the focus.
    await view.evaluate(() => {
      Object.assign(raw, { mark: "still me" });
      addEventListener("mousedown", (event) => event.preventDefault());
    });
    await view.locator("p").click();
    const answer = await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "fullscreen" }));
    expect(answer).toEqual({ mode: "fullscreen" });
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    const box = await page.locator("#plain [part=box]").boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0, width, height });
    expect(await page.getByRole("dialog", { name: "plain" }).count()).toBe(1);
    await page.keyboard.press("Escape");
    await view.waitForFunction(() => raw.heard.some(({ params }) => params["displayMode"] === "inline"));
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("before");
    expect(await view.evaluate(() => raw.mark)).toBe("still me");
  });

  it("Escape inside the app closes it too, unless the app has a use for it", async () => {
    const view = await stage.mount(page, "plain");
    await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "fullscreen" }));
    await view.locator("p").click();
    await view.evaluate(() =>
      addEventListener("keydown", (event) => event.preventDefault(), { once: true, capture: true }),
    );
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => host.app("plain").bridge?.context.displayMode)).toBe("fullscreen");
    await page.keyboard.press("Escape");
    await expect
      .poll(() => page.evaluate(() => host.app("plain").bridge?.context.displayMode))
      .toBe("inline");
  });

  it("I07: pip, and back by its button", async () => {
    const view = await stage.mount(page, "plain");
    expect(await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "pip" }))).toEqual({
      mode: "pip",
    });
    const box = await page.locator("#plain [part=box]").boundingBox();
    expect(box?.width).toBeLessThan(500);
    expect(box?.x).toBeGreaterThan(500);
    await page.locator("#plain [part=close]").click();
    await expect
      .poll(() => page.evaluate(() => host.app("plain").bridge?.context.displayMode))
      .toBe("inline");
  });

  it("I07, X04: pip of an app higher than the window shows its bar, reports the available room, and ends with Escape", async () => {
    await page.setViewportSize({ width: 800, height: 400 });
    const view = await stage.mount(page, "plain");
    await view.evaluate(() => raw.tell("ui/notifications/size-changed", { height: 700 }));
    await until("size");
    await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "pip" }));
    const heights = (): Promise<number[]> =>
      page.evaluate(() => {
        const app = host.app("plain");
        const told = app.bridge?.context.containerDimensions as { maxHeight?: number } | undefined;
        return [app.shadowRoot?.querySelector("iframe")?.offsetHeight ?? -1, told?.maxHeight ?? -1];
      });
    const topOf = async (part: string): Promise<number> =>
      (await page.locator(`#plain [part=${part}]`).boundingBox())?.y ?? -1;
    expect(await topOf("box")).toBe(8);
    expect(await topOf("close")).toBeGreaterThan(8);
    const [real = 0, told] = await heights();
    expect(real).toBeGreaterThan(300);
    expect(real).toBeLessThan(384);
    expect(told).toBe(real);
    // The window sets the limit, whatever its size.
    await page.setViewportSize({ width: 800, height: 300 });
    await expect.poll(heights).toEqual([real - 100, real - 100]);
    expect(await page.evaluate(() => host.app("plain").shadowRoot?.activeElement?.textContent)).toBe("Close");
    await page.keyboard.press("Escape");
    await expect
      .poll(() => page.evaluate(() => host.app("plain").bridge?.context))
      .toMatchObject({ displayMode: "inline", containerDimensions: { maxHeight: 4000 } });
  });

  it("pip is over the page, and a dialog of the page over pip", async () => {
    const view = await stage.mount(page, "plain");
    await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "pip" }));
    const atCorner = (): Promise<string | undefined> =>
      page.evaluate(() => document.elementFromPoint(innerWidth - 40, innerHeight - 40)?.localName);
    await page.evaluate(() => {
      const style = "position:fixed;inset:0;z-index:1";
      document.body.append(Object.assign(document.createElement("main"), { style }));
    });
    expect(await atCorner()).toBe("mcp-app");
    await page.evaluate(() => {
      const style = "position:fixed;inset:0;z-index:10";
      document.body.append(Object.assign(document.createElement("aside"), { style }));
    });
    expect(await atCorner()).toBe("aside");
  });

  it("I07: a host that decides about modes itself is followed", async () => {
    const view = await stage.mount(page, "plain", { modes: ["pip"] });
    await view.locator("p").click();
    const ask = (mode: string) =>
      view.evaluate((wanted) => raw.ask("ui/request-display-mode", { mode: wanted }), mode);
    expect(await ask("fullscreen")).toEqual({ mode: "inline" });
    expect(await ask("pip")).toEqual({ mode: "pip" });
    expect(await page.locator("#plain [part=box]").getAttribute("data-mode")).toBe("pip");
  });

  it("I07: a mode that this page does not have is not granted", async () => {
    const view = await stage.mount(page, "plain", { options: { displayModes: ["inline"] } });
    expect(await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "pip" }))).toEqual({
      mode: "inline",
    });
  });

  it("I07: the host itself cannot put an app into a mode that the page or the app does not have", async () => {
    await stage.serve("inline", { html: rawView('start({ availableDisplayModes: ["inline"] });') });
    await stage.mount(page, "inline");
    await stage.mount(page, "plain", { options: { displayModes: ["inline", "fullscreen"] } });
    const set = (id: string, mode: "inline" | "fullscreen" | "pip") =>
      page.evaluate(
        ([app, wanted]) => {
          try {
            host.app(app).frame?.setDisplayMode(wanted);
            return host.app(app).bridge?.context.displayMode;
          } catch (error) {
            return (error as { code?: unknown }).code;
          }
        },
        [id, mode] as const,
      );
    expect(await set("inline", "fullscreen")).toBe("unsupported");
    expect(await set("inline", "inline")).toBe("inline");
    expect(await set("plain", "pip")).toBe("unsupported");
    // It declares no modes, so it supports those of the page.
    expect(await set("plain", "fullscreen")).toBe("fullscreen");
  });

  it("T05: the long name of pip", async () => {
    const view = await stage.mount(page, "plain");
    const answer = view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "picture-in-picture" }));
    expect(await answer).toEqual({ mode: "pip" });
  });
});

describe("an app that fails", () => {
  const failure = async (id: string): Promise<{ code: string; message: string; detail?: string }> =>
    (await until(`${id} failed`)) as { code: string; message: string; detail?: string };
  const shown = (id: string): Promise<string | null> => page.locator(`#${id} [part~=failure]`).textContent();
  /** The first of two events: the failure, or the end of 2 s since it was evident. */
  const first = async (id: string): Promise<string | undefined> => {
    await until("evident");
    return page.evaluate((app) => host.log.names(`${app} failed`, "too late")[0], id);
  };

  /** The view of an app that has sent nothing, once its document has loaded. */
  const begun = async (id: string): Promise<Frame> => {
    let view: Frame | undefined;
    await expect
      .poll(async () => {
        view = await stage.viewOf(page, id).catch(() => undefined);
        return view?.url();
      })
      .toMatch(/^http/);
    return view as Frame;
  };

  it("L13, C07: an app that never starts times out; the cause and the text of the result are shown", async () => {
    await stage.serve("silent", { html: rawView("") });
    await page.evaluate(
      (result) => host.mount("silent", { result, input: {}, options: { limits: { initialize: 1500 } } }),
      RESULT,
    );
    expect(await failure("silent")).toMatchObject({ code: "handshake-timeout" });
    expect(await shown("silent")).toContain("did not start in time");
    expect(await shown("silent")).toContain("Sunny, 21 degrees");
    expect(await page.locator("#silent iframe").count()).toBe(0);
  });

  it("a static document is shown as one when it has loaded, and is not given up on", async () => {
    await stage.serve("report", { html: "<!doctype html><h1>Yearly report</h1>" });
    await page.evaluate(
      (result) => host.mount("report", { result, input: {}, options: { limits: { initialize: 1000 } } }),
      RESULT,
    );
    await expect.poll(() => stateOf("report")).toBe("ready");
    await (await begun("report")).getByText("Yearly report").waitFor();
    // Longer than its start timeout.
    await page.waitForTimeout(1500);
    expect(await stateOf("report")).toBe("ready");
    expect(await page.locator("#report [part~=notice]").textContent()).toContain("Static document");
    await page.evaluate(() => host.app("report").close());
  });

  it("an app whose policy blocks a script that it needs reports it within 2 s", async () => {
    await stage.serve("blocked", {
      html: `<!doctype html><script src="https://cdn.example/app.js"></script>`,
    });
    await page.evaluate(async () => {
      await host.mount("blocked");
      const codes = new Set<unknown>();
      // It was blocked, and the document loads without it.
      for (let count = 1; !codes.has("csp-violation") || !codes.has("loaded"); count++)
        codes.add(Object(await host.log.until("report", count)).code);
      host.evident();
    });
    const { code, detail } = await failure("blocked");
    expect(code).toBe("csp-blocked");
    expect(detail).toContain("https://cdn.example/app.js");
    expect(await first("blocked")).toBe("blocked failed");
  });

  it("an app that needs eval to start reports it; one that only probes for it, and starts late, is waited for", async () => {
    await stage.serve("evals", { html: `<!doctype html><script>new Function("start()")</script>` });
    await page.evaluate(() => host.mount("evals"));
    const { code, detail } = await failure("evals");
    expect(code).toBe("csp-blocked");
    expect(detail).toContain("unsafe-eval");
    const tries = "try { new Function('') } catch {} setTimeout(start, 3000)";
    await stage.serve("tries", { html: rawView(tries) });
    await stage.mount(page, "tries");
    expect(await stateOf("tries")).toBe("ready");
  });

  it("an app that its sandbox has lost reports it within 2 s", async () => {
    const view = await stage.serve("gone", { html: rawView() });
    if (!("src" in view)) throw view;
    await page.evaluate(
      async (src) => {
        const { view } = await host.describe("gone");
        if (!("src" in view)) throw new Error("no view");
        await host.mount("plain", { id: "gone", options: { view: { ...view, src } } });
        const { shadowRoot } = host.app("gone");
        shadowRoot?.addEventListener("load", () => host.evident(), { capture: true, once: true });
      },
      `${view.origin}/${"a".repeat(52)}`,
    );
    expect(await failure("gone")).toMatchObject({
      code: "load-failed",
      cause: "view-unknown",
    });
    expect(await first("gone")).toBe("gone failed");
  });

  it("C08, attack B08: an app with an invalid description is a readable error within 2 s", async () => {
    const meta = { csp: { connectDomains: ["https://x.example; script-src *"] } };
    await stage.serve("wrong", { html: rawView(), meta });
    await page.evaluate(async (result) => {
      await host.describe("wrong");
      host.evident();
      await host.mount("wrong", { result, input: {} });
    }, RESULT);
    expect(await failure("wrong")).toMatchObject({
      code: "bad-resource",
      detail: expect.stringContaining("csp.connectDomains[0]"),
    });
    expect(await first("wrong")).toBe("wrong failed");
    expect(await shown("wrong")).toContain("Sunny, 21 degrees");
  });

  it("an app that leaves its page loses its channel and its frame within 2 s", async () => {
    const view = await stage.mount(page, "plain");
    // The proxy sees it first. Most of the 2 s pass there, the rest where the failure is logged.
    await page.evaluate(() =>
      addEventListener("message", ({ data }) => data === "left" && host.evident(500)),
    );
    const left = vi.fn();
    await page.exposeFunction("left", left);
    await view.parentFrame()?.evaluate(() =>
      document.querySelector("iframe")?.addEventListener("load", () => {
        Object(globalThis).left();
        setTimeout(() => parent.postMessage("left", "*"), 1500);
      }),
    );
    await view.evaluate(() => {
      location.href = "/elsewhere";
    });
    await expect.poll(() => left).toHaveBeenCalled();
    expect(await failure("plain")).toMatchObject({ code: "navigated-away" });
    expect(await page.evaluate(() => host.log.names("plain failed", "too late")[0])).toBe("plain failed");
    expect(await page.locator("#plain iframe").count()).toBe(0);
  });

  it("an app that restarts by itself continues, and receives its messages again", async () => {
    const view = await stage.mount(page, "plain", { input: { city: "Rome" }, result: RESULT });
    await view.waitForFunction(() => raw.heard.length >= 2);
    await view.evaluate(() => location.reload());
    await until("plain ready", 2);
    const fresh = await stage.viewOf(page, "plain");
    await fresh.waitForFunction(() => typeof raw === "object" && raw.heard.length >= 2);
    expect(await stateOf("plain")).toBe("ready");
  });

  it("attack D02: an app whose process dies reports it within 2 s, and the page continues", async () => {
    const view = await stage.mount(page, "plain");
    await page.evaluate(() => {
      const frame = host.app("plain").shadowRoot?.querySelector("iframe");
      const timer = setInterval(() => {
        if (frame?.contentWindow?.length) return;
        clearInterval(timer);
        host.evident();
      }, 10);
    });
    const evaluate = await crash(page, view.url());
    expect(await evaluate('host.log.until("plain failed")')).toMatchObject({ code: "crashed" });
    await evaluate('host.log.until("evident")');
    expect(await evaluate('host.log.names("plain failed", "too late")[0]')).toBe("plain failed");
    await evaluate('[...host.app("plain").shadowRoot.querySelectorAll("button")].at(-1).click()');
    await evaluate('host.log.until("plain ready", 2)');
    expect(await evaluate('host.app("plain").state')).toBe("ready");
  });

  it("attack D02: an app whose process dies before it started reports it too", async () => {
    await stage.serve("silent", { html: rawView("") });
    await page.evaluate(() => host.mount("silent"));
    const evaluate = await crash(page, (await begun("silent")).url());
    expect(await evaluate('host.log.until("silent failed")')).toMatchObject({ code: "crashed" });
  });

  /** Ends an endless loop of a view. It must exist before the loop starts. */
  const ending = async (view: Frame): Promise<() => Promise<unknown>> => {
    // The proxy's session: they share a process.
    const session = await page.context().newCDPSession(view.parentFrame() as Frame);
    return () => session.send("Runtime.terminateExecution");
  };

  it("attack D01: an app that loops before it started can be stopped, and may still start", async () => {
    await stage.serve("slow", { html: rawView("") });
    await page.evaluate(() => host.mount("slow", { options: { limits: { initialize: 60_000 } } }));
    const view = await begun("slow");
    const end = await ending(view);
    await view.waitForFunction(() => "raw" in globalThis);
    await view.evaluate(() => {
      setTimeout(() => {
        setTimeout(raw.start);
        for (;;);
      });
    });
    await until("slow unresponsive");
    const buttons = page.locator("#slow").getByRole("button");
    expect(await buttons.allTextContents()).toContain("Stop it");
    await end();
    await until("slow ready");
    await expect.poll(() => page.locator("#slow").getByRole("button", { name: "Stop it" }).count()).toBe(0);
  });

  it("attack D01: an app that loops can be stopped, and the page keeps painting", async () => {
    const view = await stage.mount(page, "plain");
    const end = await ending(view);
    void view
      .evaluate(() => {
        for (;;);
      })
      .catch(() => {});
    await until("plain unresponsive");
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          let frames = 0;
          const paint = () => (++frames < 30 ? requestAnimationFrame(paint) : resolve());
          requestAnimationFrame(paint);
        }),
    );
    // It is still looping, so this happened meanwhile; a page that had to wait for the loop would see the app
    // responding again.
    expect(await stateOf("plain")).toBe("unresponsive");
    await page.locator("#plain").getByRole("button", { name: "Stop it" }).click();
    expect(await failure("plain")).toMatchObject({ code: "stopped" });
    expect(await page.locator("#plain iframe").count()).toBe(0);
    // Its process, if it still exists, has nothing more to do.
    await end().catch(() => {});
  });

  it("an app that responds again is as before", async () => {
    const view = await stage.mount(page, "plain");
    const end = await ending(view);
    await view.evaluate(() => {
      setTimeout(() => {
        for (;;);
      });
    });
    await until("plain unresponsive");
    await end();
    await until("plain ready", 2);
    expect(await page.locator("#plain [part~=notice]").isVisible()).toBe(false);
  });

  it("may be retried, and receives everything", async () => {
    await stage.serve("second", { html: rawView() });
    lost = true;
    await page.evaluate((result) => host.mount("second", { result, input: {} }), RESULT);
    expect(await failure("second")).toMatchObject({ code: "load-failed" });
    lost = false;
    await page.locator("#second").getByRole("button", { name: "Try again" }).click();
    await until("second ready");
    const view = await stage.viewOf(page, "second");
    await view.waitForFunction(() => raw.heard.length >= 2);
    expect(await page.locator("#second [part~=failure]").isHidden()).toBe(true);
  });
});

describe("the end", () => {
  it("L08: the app is asked first, and is gone when it answered", async () => {
    await stage.serve("saves", {
      html: rawView(
        'answers["ui/resource-teardown"] = ({ reason }) => { tell("notifications/message", { level: "info", data: reason }); return {}; }; start();',
      ),
    });
    await stage.mount(page, "saves");
    await page.evaluate(() => host.app("saves").close("the chat was closed"));
    expect(await page.evaluate(() => host.log.values("log"))).toEqual([
      { id: "saves", level: "info", data: "the chat was closed" },
    ]);
    expect(await page.locator("#saves iframe").count()).toBe(0);
    expect(await stateOf("saves")).toBe("idle");
  });

  it("L08, attack D10: an app that never answers is not waited for", async () => {
    await stage.serve("stays", { html: rawView('delete answers["ui/resource-teardown"]; start();') });
    await stage.mount(page, "stays", { options: { limits: { teardown: 300 } } });
    await page.evaluate(() => host.app("stays").close());
    expect(await page.locator("#stays iframe").count()).toBe(0);
  });

  it("L08: closed twice, it is closed once", async () => {
    await stage.mount(page, "plain");
    const closed = await page.evaluate(async () => {
      const { frame } = host.app("plain");
      await Promise.all([frame?.close(), frame?.close()]);
      return host.log.names("plain closed").length;
    });
    expect(closed).toBe(1);
  });

  it("L09: a request to be removed is reported", async () => {
    const view = await stage.mount(page, "plain");
    const asked = page.evaluate(
      () => new Promise((resolve) => host.app("plain").bridge?.on("teardown-requested", resolve)),
    );
    await view.evaluate(() => raw.tell("ui/notifications/request-teardown"));
    expect(await asked).toEqual({});
  });

  it("removed and inserted again: restarts and receives its messages again", async () => {
    await stage.mount(page, "plain", { input: { city: "Rome" }, result: RESULT });
    await page.evaluate(() => {
      const app = host.app("plain");
      app.remove();
      document.body.append(app);
    });
    await until("plain ready", 2);
    const view = await stage.viewOf(page, "plain");
    await view.waitForFunction(() => typeof raw === "object" && raw.heard.length >= 2);
  });

  it.each(["closed", "only taken out of the page"])(
    "D21: apps that are %s leave nothing behind",
    async (how) => {
      // Not by `stage.mount`: Playwright would keep references to everything it has inspected.
      for (let turn = 0; turn < 10; turn++) {
        await page.evaluate(async (isClosed) => {
          await host.mount("plain");
          await host.log.until("plain ready");
          const app = host.app("plain");
          if (isClosed) await app.close();
          app.remove();
          host.log.clear();
        }, how === "closed");
      }
      const session = await page.context().newCDPSession(page);
      const left = async (expression: string): Promise<unknown> => {
        const { result } = await session.send("Runtime.evaluate", { expression: `${expression}.prototype` });
        const { objects } = await session.send("Runtime.queryObjects", {
          prototypeObjectId: result.objectId ?? "",
        });
        const functionDeclaration = "function () { return this.length }";
        const { objectId } = objects;
        const count = await session.send("Runtime.callFunctionOn", { objectId, functionDeclaration });
        // Otherwise the inspected elements would stay because they were inspected.
        await session.send("Runtime.releaseObject", { objectId: objectId ?? "" });
        return count.result.value;
      };
      // The page's last task may still hold A.
      await expect.poll(() => left("HTMLIFrameElement")).toBeLessThanOrEqual(1);
      await expect.poll(() => left('customElements.get("mcp-app")')).toBeLessThanOrEqual(1);
      await expect.poll(() => left("MessagePort")).toBeLessThanOrEqual(2);
    },
  );
});

describe("many apps, and apps made ready before", () => {
  it("visible apps load before invisible ones", async () => {
    const ready = await page.evaluate(async () => {
      const spacer = document.createElement("div");
      spacer.style.height = "5000px";
      document.body.append(spacer);
      await host.describe("plain");
      // All at once, the visible ones last.
      const below = Array.from({ length: 6 }, (_, index) => `below${index}`);
      const above = ["above0", "above1"];
      await Promise.all([
        ...below.map((id) => host.mount("plain", { id })),
        ...above.map((id) => host.mount("plain", { id, place: "start" })),
      ]);
      for (const id of [...below, ...above]) await host.log.until(`${id} ready`);
      return host.log.names().filter((name) => name.endsWith(" ready"));
    });
    expect(ready).toHaveLength(8);
    expect(ready.slice(0, 2).sort()).toEqual(["above0 ready", "above1 ready"]);
  });

  it("a preloaded one is moved into place without reloading, and shows its view only then", async () => {
    await page.evaluate(() => host.warm("plain"));
    const spare = page.locator("body > div[hidden] iframe");
    await expect.poll(() => spare.count()).toBe(1);
    await expect
      .poll(async () => (await spare.elementHandle())?.contentFrame().then((frame) => frame?.url()))
      .toContain("#later");
    const waiting = async () => (await (await spare.elementHandle())?.contentFrame())?.childFrames()[0];
    // Its document is shown as text: nothing in it runs.
    const scripts = () => document.querySelector("plaintext") && document.scripts.length;
    await expect.poll(async () => (await waiting())?.evaluate(scripts)).toBe(1);
    await stage.mount(page, "plain", { input: {}, result: RESULT });
    expect(await spare.count()).toBe(0);
    expect(await page.locator("#plain iframe").evaluate((frame: HTMLIFrameElement) => frame.src)).toContain(
      "#later",
    );
  });
});

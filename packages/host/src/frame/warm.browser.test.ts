/** Apps that were started before they are shown. */
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { crash } from "../../../../testing/host/crash.ts";
import type { HostApi } from "../../../../testing/host/host-page.ts";
import { HostStage } from "../../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView & { told: ReturnType<RawView["start"]> };

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("early", { html: rawView("raw.told = start(); raw.mark = {};") });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.openPage();
});
afterEach(() => page.close());

/** The frame of the preloaded proxy. */
const spare = () => page.locator("body > div > iframe");
const isRunning = (frame: Frame): Promise<boolean> => frame.evaluate(() => "raw" in globalThis);

/** Starts an app out of sight. Resolves with its frame once it runs. */
async function startEarly(name: string): Promise<Frame> {
  await page.evaluate((app) => host.warm(app, { run: true }), name);
  let frame: Frame | undefined;
  await expect
    .poll(async () => {
      frame = (await (await spare().elementHandle())?.contentFrame())?.childFrames()[0];
      return frame && isRunning(frame);
    })
    .toBe(true);
  return frame as Frame;
}

/** Starts an app out of sight that will not stay. Returns the largest number of preloaded frames at once. */
const startedSpares = (name: string): Promise<number> =>
  page.evaluate(async (app) => {
    await host.warm(app, { run: true });
    return document.querySelectorAll("body > div > iframe").length;
  }, name);

describe("an app that was started before it is shown", () => {
  it("is the one that is shown, and gets its host's answer only then", async () => {
    const early = await startEarly("early");
    await early.evaluate(() => {
      raw.told.then(() => Object.assign(raw, { isTold: true }));
    });
    // The control: there is room to draw, and no answer yet.
    await expect.poll(() => early.evaluate(() => innerWidth)).toBeGreaterThan(300);
    expect(await early.evaluate(() => Object(raw).isTold)).toBe(undefined);

    const result = { content: [{ type: "text" as const, text: "Sunny" }] };
    const view = await stage.mount(page, "early", { input: { city: "Rome" }, result });
    expect(view).toBe(early);
    expect(await spare().count()).toBe(0);
    await view.waitForFunction(() => raw.heard.length >= 2);
    expect(await view.evaluate(() => raw.heard.map(({ method }) => method).slice(0, 2))).toEqual([
      "ui/notifications/tool-input",
      "ui/notifications/tool-result",
    ]);
    const { hostContext } = await view.evaluate(() => raw.told);
    const width = await page.locator("#early").evaluate((element) => element.clientWidth);
    expect(hostContext).toMatchObject({ containerDimensions: { width } });
  });

  it("reports the app's first message, and reports at once when nothing of it is run", async () => {
    const started = (run: boolean): Promise<boolean> =>
      page.evaluate(async (isRun) => {
        let isTold = false;
        const told = new Promise<void>((onstarted) => void host.warm("early", { run: isRun, onstarted }));
        void told.then(() => {
          isTold = true;
        });
        await host.warm("early");
        // Nothing of the app has crossed to this page yet.
        const atOnce = isTold;
        await told;
        return atOnce;
      }, run);
    expect(await started(false)).toBe(true);
    expect(await started(true)).toBe(false);
    const early = await spare().elementHandle();
    const view = (await early?.contentFrame())?.childFrames()[0];
    expect(await view?.evaluate(() => "told" in raw)).toBe(true);
  });

  it("is one that was made ready as text before", async () => {
    await page.evaluate(() => host.warm("early"));
    await expect.poll(() => spare().count()).toBe(1);
    await page.waitForFunction(() => document.querySelector("iframe")?.contentWindow?.length === 1);
    const early = await startEarly("early");
    expect(await spare().count()).toBe(1);
    expect(await stage.mount(page, "early")).toBe(early);
  });

  it("cannot be seen, clicked, or reached by keys", async () => {
    await stage.serve("typed", { html: rawView("start();", "<input autocomplete=off>") });
    await page.evaluate(() => {
      const field = document.createElement("input");
      document.body.prepend(field);
      field.focus();
    });
    const early = await startEarly("typed");
    expect(await page.evaluate(() => document.elementFromPoint(5, 100)?.tagName)).not.toBe("IFRAME");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
    await page.keyboard.type("hidden");
    const opacity = await spare().evaluate(
      (frame) => getComputedStyle(frame.parentElement as Element).opacity,
    );
    expect(opacity).toBe("0");
    // The control: shown, it can.
    await stage.mount(page, "typed");
    const top = await page.locator("#typed iframe").evaluate((frame) => frame.getBoundingClientRect().top);
    expect(await page.evaluate((y) => document.elementFromPoint(20, y)?.tagName, top + 5)).toBe("MCP-APP");
    await page.locator("body > input").focus();
    await page.keyboard.press("Tab");
    await expect.poll(() => early.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.type("shown");
    await expect.poll(() => early.locator("input").inputValue()).toBe("shown");
  });

  it("an app that takes the focus is dropped, and the focus returned", async () => {
    const grab =
      "const field = document.createElement('input'); document.body.append(field); field.focus(); focus();";
    await stage.serve("grabs", { html: rawView(`start(); ${grab}`) });
    await page.evaluate(() => {
      const field = document.createElement("input");
      document.body.prepend(field);
      field.focus();
      return host.warm("grabs", { run: true });
    });
    await expect.poll(() => spare().count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.type("mine");
    expect(await page.locator("input").inputValue()).toBe("mine");
    // The control: it takes the focus when it is shown, and keeps it because no field has it.
    await page.locator("input").evaluate((field) => field.blur());
    await page.waitForTimeout(300);
    await stage.mount(page, "grabs");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("MCP-APP");
  });

  it("does not run twice when it is shown before its proxy is ready", async () => {
    await page.evaluate(async () => {
      await host.warm("early", { run: true });
      await host.mount("early");
      await host.log.until("early ready");
    });
    await expect.poll(() => spare().count()).toBe(0);
    expect(await page.evaluate(() => host.app("early").state)).toBe("ready");
  });

  it("an app whose process has ended is not shown", async () => {
    const early = await startEarly("early");
    const evaluate = await crash(page, early.url());
    await expect.poll(() => evaluate('document.querySelector("iframe").contentWindow.length')).toBe(0);
    await evaluate('host.mount("early").then(() => host.log.until("early ready"))');
    expect(await evaluate('host.app("early").state')).toBe("ready");
    await expect.poll(() => evaluate('document.querySelectorAll("body > div > iframe").length')).toBe(0);
  });

  it("an app that takes the focus from another app is dropped too", async () => {
    await stage.serve("visible", { html: rawView("start();", "<input autofocus>") });
    const visible = await stage.mount(page, "visible");
    await visible.locator("input").click();
    await stage.serve("later", {
      html: rawView(
        "start(); const field = document.createElement('input'); document.body.append(field); setTimeout(() => { field.focus(); focus(); }, 500);",
      ),
    });
    expect(await startedSpares("later")).toBe(1);
    await expect.poll(() => spare().count()).toBe(0);
  });

  it("an app that was granted a device is not started unseen", async () => {
    await stage.serve("camera", {
      html: rawView(),
      meta: { permissions: { camera: {} } },
      grant: () => true,
    });
    await page.evaluate(() => host.warm("camera", { run: true }));
    await expect.poll(() => spare().count()).toBe(1);
    expect(await spare().evaluate((frame: HTMLIFrameElement) => frame.src)).toContain("#later");
    expect(await page.locator("body > div[hidden] iframe").count()).toBe(1);
  });

  it("can be dropped; of very many only the last are kept", async () => {
    const counts = await page.evaluate(async () => {
      const { view } = await host.describe("early");
      if (!("src" in view)) return [];
      const spares = () => document.querySelectorAll("body > div > iframe").length;
      const letGo = host.warmView(view);
      const before = spares();
      letGo();
      const after = spares();
      for (let index = 0; index < 30; index++) host.warmView({ ...view, src: `${view.src}?${index}` });
      return [before, after, spares()];
    });
    expect(counts).toEqual([1, 0, 20]);
  });

  it("an app whose process has ended is preloaded again", async () => {
    await page.evaluate(() => host.warm("early"));
    const waiting = async () => (await (await spare().elementHandle())?.contentFrame())?.childFrames()[0];
    await expect.poll(async () => (await waiting())?.url()).toMatch(/^http/);
    const evaluate = await crash(page, `${(await waiting())?.url()}`);
    const windows = () =>
      evaluate('[...document.querySelectorAll("iframe")].map((frame) => frame.contentWindow.length)');
    await expect.poll(windows).toEqual([0]);
    await evaluate('host.warm("early")');
    await expect.poll(windows).toEqual([1]);
  });

  it("is not put into a place that is not in the page, and that keeps no other from loading", async () => {
    const early = await startEarly("early");
    await page.evaluate(async () => {
      const { view } = await host.describe("early");
      if (!("src" in view)) throw new Error("no view");
      const nowhere = document.createElement("mcp-app");
      nowhere.app = { info: { name: "test host", version: "1.0.0" }, title: "nowhere", view };
      await nowhere.frame?.mount();
    });
    // It lets the next one start all the same. The running app was ended, so that it does not run twice.
    await stage.mount(page, "early");
    await expect.poll(() => early.isDetached()).toBe(true);
  });

  it("earlier policy violations are reported when it is shown", async () => {
    await stage.serve("blocked", {
      html: rawView(
        "start(); fetch('https://example.com/').catch(() => {}); setTimeout(() => { throw Error('oops') });",
      ),
    });
    await startEarly("blocked");
    await stage.mount(page, "blocked");
    const codes = () => page.evaluate(() => host.log.values("report").map((report) => Object(report).code));
    await expect.poll(codes).toEqual(expect.arrayContaining(["csp-violation", "script-error", "loaded"]));
  });

  it("is stopped when no page shows it; its text is kept", async () => {
    await page.clock.install();
    const early = await startEarly("early");
    await page.clock.runFor(21_000);
    await expect.poll(() => early.isDetached()).toBe(true);
    const waiting = async () => (await (await spare().elementHandle())?.contentFrame())?.childFrames()[0];
    await expect
      .poll(async () => (await waiting())?.evaluate(() => !!document.querySelector("plaintext")))
      .toBe(true);
    await stage.mount(page, "early");
  });

  it("is not stopped once it is shown", async () => {
    await page.clock.install();
    await startEarly("early");
    const view = await stage.mount(page, "early");
    await page.clock.runFor(21_000);
    expect(view.isDetached()).toBe(false);
    // All those seconds passed at once: it may have had no time to answer, and does so now.
    await expect.poll(() => page.evaluate(() => host.app("early").state)).toBe("ready");
  });

  it.each([
    ["says too much", "for (let i = 0; i < 60; i++) tell('x', {});"],
    ["says something too long", "tell('x', { text: 'x'.repeat(200_000) });"],
    ["leaves", "onload = () => setTimeout(() => { location.href = '/elsewhere'; });"],
  ])("an app that %s is dropped", async (name, code) => {
    await stage.serve(name, { html: rawView(`start(); ${code}`) });
    expect(await startedSpares(name)).toBe(1);
    await expect.poll(() => spare().count(), { timeout: 20_000 }).toBe(0);
    // The app that is shown instead works as well.
    if (name !== "leaves") await stage.mount(page, name, { id: "shown" });
  });
});

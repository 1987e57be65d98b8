/** Apps that work against the guards of focus and links themselves (attacks E03, E07). */
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Collector, type Target } from "../../../testing/attacks/collector.ts";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

/** Reports every key that it gets to the host. */
const THIEF = `
  start();
  const input = document.querySelector("input");
  addEventListener("keydown", ({ code }) => tell("notifications/message", { level: "info", data: code }), true);
  globalThis.steal = () => { window.focus(); input.focus(); };
`;
const BODY = "<input aria-label='Mine'><p style='height:100px;margin:0'>Text</p>";

/** Replaces functions that a guard in the same realm might call. */
const PATCHES = `
  const lie = (proto, name, value) => Object.defineProperty(proto, name, { configurable: true, get: () => value });
  Event.prototype.preventDefault = () => {};
  Event.prototype.stopImmediatePropagation = () => {};
  Event.prototype.composedPath = () => [];
  RegExp.prototype.test = () => false;
  Array.prototype.some = () => false;
  Reflect.apply = () => {};
  Function.prototype.call = () => {};
  lie(Event.prototype, "target", null);
  lie(KeyboardEvent.prototype, "key", "Tab");
  for (const name of ["altKey", "ctrlKey", "shiftKey", "metaKey"]) lie(MouseEvent.prototype, name, false);
  lie(MouseEvent.prototype, "button", 0);
  lie(Element.prototype, "localName", "p");
`;

const collector = new Collector();
let stage: HostStage;
let page: Page;
let evil: Target;
beforeAll(async () => {
  stage = await HostStage.open();
  evil = await collector.listen("secret");
  const link = `<a id="link" href="${evil.http}/x" style="display:block;height:40px">link</a>`;
  await stage.serve("thief", { html: rawView(THIEF, BODY) });
  await stage.serve("second", { html: rawView(THIEF, BODY) });
  await stage.serve("patched", { html: rawView(PATCHES + THIEF, BODY) });
  await stage.serve("linked", { html: rawView(`${PATCHES} start();`, link) });
  const shadow = `start(); document.querySelector("div").attachShadow({ mode: "closed" }).innerHTML = ${JSON.stringify(link)};`;
  await stage.serve("shadow", { html: rawView(shadow, "<div id=link></div>") });
  const controls = `<label id=label><input type=checkbox id=box><span>Label</span></label>`;
  await stage.serve("controls", { html: rawView("start();", controls) });
  const slotted = `start(); for (const host of document.querySelectorAll("div")) host.attachShadow({ mode: "closed" })
    .innerHTML = '<a href="${evil.http}/slotted" style="display:inline-block"><slot></slot></a>';`;
  const slots = [
    "<label class=target>Label</label>",
    "<button type=button class=target>B</button>",
    "<input type=checkbox class=target>",
    "<img class=target style='width:20px;height:20px'>",
  ];
  await stage.serve("slotted", {
    html: rawView(slotted, slots.map((each) => `<div>${each}</div>`).join("")),
  });
  const pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const others = `
    <form action="${evil.http}/form" target=_blank><button class=target>Send</button>
      <input type=submit class=target formtarget=_blank formaction="${evil.http}/submit"></form>
    <svg width=50 height=30><a href="${evil.http}/svg"><rect class=target width=50 height=30 /></a></svg>
    <img class=target usemap="#map" width=40 height=40 src="${pixel}" style="display:block">
    <map name=map><area shape=rect coords="0,0,40,40" href="${evil.http}/area"></map>
    <a href="${evil.http}/button"><button type=button class=target>B</button></a>
    <a href="${evil.http}/output"><output id=out>o</output></a><label class=target for=out>Label</label>
    <a class=target href="#here" ping="${evil.http}/ping">Ping</a>`;
  await stage.serve("others", { html: rawView("start();", others) });
  // Without `document.close()` it never loads, so that nothing outside notices it.
  const opener = `start().then(() => { document.open(); document.write(${JSON.stringify(link)}); });`;
  await stage.serve("opener", { html: rawView(opener) });
});
afterAll(async () => {
  await stage.close();
  collector.close();
});
beforeEach(async () => {
  page = await stage.openPage();
  await page.evaluate(() => {
    for (const name of ["First", "Composer"]) {
      const input = document.createElement("input");
      input.ariaLabel = name;
      document.body.append(input);
    }
  });
});
afterEach(() => page.close());

const composer = () => page.getByLabel("Composer");
const keys = (): Promise<unknown[]> => page.evaluate(() => host.log.values("log"));
const steal = (view: Frame) => view.evaluate(() => Object(globalThis).steal());
const type = async (text: string): Promise<void> => {
  for (const key of text) {
    await page.keyboard.press(key);
    await page.waitForTimeout(40);
  }
};
/** Types for longer than the keys of a view that just took the focus are dropped. */
const SECRET = "correct-horse-battery";

describe("attack E03: the focus is not taken by", () => {
  it("an app that forges a press with a label", async () => {
    const view = await stage.mount(page, "thief");
    await composer().click();
    await type("ab");
    await view.evaluate(() => {
      const div = document.body.appendChild(document.createElement("div"));
      const root = div.attachShadow({ mode: "closed" });
      root.innerHTML = "<label><input type=checkbox></label>";
      const init = { pointerType: "mouse", pointerId: 1, detail: 1 };
      root.querySelector("label")?.dispatchEvent(new PointerEvent("click", init));
    });
    await page.waitForTimeout(100);
    await steal(view);
    await type(SECRET);
    expect(await keys()).toEqual([]);
  });

  it("an app that was pressed before another one was", async () => {
    const view = await stage.mount(page, "thief");
    const other = await stage.mount(page, "second");
    await view.locator("p").click();
    await other.getByLabel("Mine").click();
    await page.waitForTimeout(600);
    await steal(view);
    await type(SECRET);
    expect(await keys()).toEqual(
      await page.evaluate(() => host.log.values("log").filter((row) => Object(row).id === "second")),
    );
  });

  it("an app that was pressed, after Tab led out of it", async () => {
    const view = await stage.mount(page, "thief", { place: "start" });
    await view.getByLabel("Mine").click();
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe("First");
    await page.waitForTimeout(600);
    // The app has reported its own keys, Tab too.
    const before = (await keys()).length;
    await steal(view);
    await type(SECRET);
    expect((await keys()).slice(before)).toEqual([]);
  });

  it("an app just after Tab moved the focus within the page", async () => {
    const view = await stage.mount(page, "thief");
    await page.getByLabel("First").click();
    await page.keyboard.press("Tab");
    await steal(view);
    await type(SECRET);
    expect(await keys()).toEqual([]);
  });

  it("an app that replaces the prototypes of events", async () => {
    const view = await stage.mount(page, "patched");
    await composer().click();
    // Receives it late, like a busy page.
    await page.evaluate(() =>
      addEventListener("blur", () => {
        const end = performance.now() + 150;
        while (performance.now() < end);
      }),
    );
    await type("ab");
    await steal(view);
    await type("secret");
    expect(await keys()).toEqual([]);
  });

  it("no app when Tab leads from one app into the next (the control)", async () => {
    const view = await stage.mount(page, "thief");
    const other = await stage.mount(page, "second");
    await view.getByLabel("Mine").click();
    await page.waitForTimeout(700);
    await page.keyboard.press("Tab");
    await page.waitForTimeout(300);
    await type("ok");
    expect(await other.getByLabel("Mine").inputValue()).toBe("ok");
  });

  it("no app when an app that was pressed fills the window (the control)", async () => {
    const view = await stage.mount(page, "thief");
    await view.locator("p").click();
    await view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "fullscreen" }));
    await steal(view);
    await page.waitForTimeout(300);
    await type("ok");
    expect(await view.getByLabel("Mine").inputValue()).toBe("ok");
  });
});

describe("attack E07: a modified click on a link", () => {
  it.each(["linked", "shadow"])("that an app hides sends no request (%s)", async (name) => {
    const view = await stage.mount(page, name);
    const before = collector.evidence(evil).requests.length;
    for (const modifier of ["Alt", "Control", "Shift"] as const) {
      await view.locator("#link").click({ modifiers: [modifier], noWaitAfter: true, force: true });
    }
    await view.locator("#link").click({ button: "middle", noWaitAfter: true, force: true });
    await page.waitForTimeout(1000);
    expect(collector.evidence(evil).requests.slice(before)).toEqual([]);
    expect(stage.context.pages()).toHaveLength(1);
  });

  it.each(["slotted", "others"])("on everything else that can be one sends no request (%s)", async (name) => {
    const view = await stage.mount(page, name);
    const before = collector.evidence(evil).requests.length;
    const targets = await view.locator(".target").all();
    expect(targets.length).toBeGreaterThan(3);
    for (const target of targets) {
      const options = { noWaitAfter: true, force: true, position: { x: 4, y: 4 } };
      for (const modifier of ["Alt", "Control", "Shift"] as const)
        await target.click({ modifiers: [modifier], ...options });
      await target.click({ button: "middle", ...options });
    }
    await page.waitForTimeout(1000);
    expect(collector.evidence(evil).requests.slice(before)).toEqual([]);
    expect(stage.context.pages()).toHaveLength(1);
    expect(await page.evaluate((id) => host.app(id).state, name)).toBe("ready");
  });

  it("in a document that the app opens and never closes sends no request", async () => {
    const view = await stage.mount(page, "opener");
    await view.locator("#link").waitFor();
    const before = collector.evidence(evil).requests.length;
    await view.locator("#link").click({ modifiers: ["Alt"], noWaitAfter: true, force: true });
    await page.waitForTimeout(1000);
    expect(collector.evidence(evil).requests.slice(before)).toEqual([]);
  });

  it("leaves form fields alone (the control)", async () => {
    const view = await stage.mount(page, "controls");
    await view.locator("#box").click({ modifiers: ["Shift"] });
    expect(await view.locator("#box").isChecked()).toBe(true);
    await view.locator("#label span").click({ modifiers: ["Control"] });
    expect(await view.locator("#box").isChecked()).toBe(false);
  });
});

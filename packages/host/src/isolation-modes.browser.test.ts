/**
 * Apps that request a display mode to get the focus or an approval (attacks C12, E02, E03); and users of
 * display modes.
 */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;

/**
 * Does what the host names in its locale: `x-fullscreen` requests that mode, `x-focus` takes the focus,
 * `x-link` asks a question, `x-escape` reports that Escape was pressed. Reports all keys.
 */
const APP = `
  start();
  const field = document.querySelector("input");
  addEventListener("keydown", ({ key }) => tell("notifications/message", { level: "info", data: key }), true);
  const mode = (wanted) => ask("ui/request-display-mode", { mode: wanted });
  document.querySelector("button").onclick = () => mode("fullscreen");
  document.querySelector("button").onmousedown = (event) => event.preventDefault();
  addEventListener("message", ({ data }) => {
    const [, what] = /^x-([a-z]+)/.exec(Object(data).params?.locale) ?? [];
    if (what === "focus") field.focus();
    else if (what === "link") ask("ui/open-link", { url: "https://example.com/" }).catch(() => {});
    else if (what === "escape") tell("ui/notifications/sandbox-report", { code: "escape" });
    else if (what) mode(what);
  });
`;
const BODY = "<input aria-label='Mine'><button>Fullscreen</button><p style='height:60px;margin:0'>Text</p>";

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("app", { html: rawView(APP, BODY) });
  const inner = "<button>Inside</button><script>onclick = () => parent.postMessage('go', '*')</script>";
  const framed = `start(); addEventListener("message", ({ data }) => data === "go" && ask("ui/request-display-mode", { mode: "fullscreen" }));`;
  await stage.serve("framed", {
    html: rawView(framed, `<iframe sandbox="allow-scripts" srcdoc="${inner}"></iframe>`),
  });
});
afterAll(() => stage.close());

async function open(hasTouch = false): Promise<void> {
  const context = await stage.browser.newContext({ hasTouch });
  page = await context.newPage();
  await page.goto(stage.origin);
  await page.waitForFunction(() => "host" in globalThis);
  await page.evaluate(() => {
    for (const name of ["First", "Composer"]) {
      const input = document.createElement("input");
      input.ariaLabel = name;
      document.body.append(input);
    }
  });
}
beforeEach(() => open());
afterEach(() => page.context().close());

const composer = () => page.getByLabel("Composer");
/** Tells the app what to do, without a gesture in it. */
const order = (what: string, id = "app"): Promise<void> =>
  page.evaluate(
    ([app, word]) => host.app(app).frame?.setContext({ locale: `x-${word}-${performance.now()}` }),
    [id, what] as const,
  );
const modeOf = (id = "app"): Promise<string | null> =>
  page.locator(`#${id} [part=box]`).getAttribute("data-mode");
const isFocused = (label: string): Promise<boolean> =>
  page.getByLabel(label).evaluate((input) => document.activeElement === input);

describe("attack C12: an app does not come over the page", () => {
  it("while the user types in the page, and reads none of their keys", async () => {
    await stage.mount(page, "app");
    await composer().click();
    await page.keyboard.type("ab");
    await order("fullscreen");
    await page.waitForTimeout(400);
    await order("focus");
    for (const key of "secret") {
      await page.keyboard.press(key);
      await page.waitForTimeout(40);
    }
    expect(await modeOf()).toBe("inline");
    expect(await page.evaluate(() => host.log.values("log"))).toEqual([]);
  });

  it("after the user pressed a button of the page, also if it takes the focus from there", async () => {
    await stage.mount(page, "app");
    await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement("button"), { textContent: "Send" }));
    });
    await page.getByRole("button", { name: "Send" }).click();
    await order("focus");
    await page.waitForTimeout(300);
    await order("fullscreen");
    await page.waitForTimeout(400);
    expect(await modeOf()).toBe("inline");
  });

  it("after the user pressed another app", async () => {
    await stage.mount(page, "app");
    const other = await stage.mount(page, "app", { id: "other" });
    await other.locator("p").click();
    await order("fullscreen");
    await page.waitForTimeout(400);
    expect(await modeOf()).toBe("inline");
  });

  it("while the page shows a question of another app (attack E02)", async () => {
    const view = await stage.mount(page, "app");
    await stage.mount(page, "app", { id: "other" });
    await order("link", "other");
    await page.getByRole("alertdialog").waitFor();
    await view.locator("p").click();
    await order("fullscreen");
    await page.waitForTimeout(400);
    expect(await modeOf()).toBe("inline");
    // The control.
    await page.getByRole("button", { name: "Deny" }).click();
    await view.locator("p").click();
    await order("fullscreen");
    await expect.poll(() => modeOf()).toBe("fullscreen");
  });
});

it("attack E03: an app that leaves the corner of the window does not move the focus", async () => {
  const view = await stage.mount(page, "app");
  await page.getByLabel("First").click();
  await view.getByRole("button", { name: "Fullscreen" }).hover();
  await page.mouse.down();
  await page.mouse.up();
  await expect.poll(() => modeOf()).toBe("fullscreen");
  await order("pip");
  await expect.poll(() => modeOf()).toBe("pip");
  await composer().click();
  await page.keyboard.type("ab");
  await order("inline");
  await expect.poll(() => modeOf()).toBe("inline");
  expect(await isFocused("Composer")).toBe(true);
});

it("attack E02: an app that reports that Escape was pressed stays where it is while its question is open", async () => {
  const view = await stage.mount(page, "app");
  await view.getByRole("button", { name: "Fullscreen" }).click();
  await expect.poll(() => modeOf()).toBe("fullscreen");
  await order("link");
  await page.getByRole("button", { name: "Answer", exact: true }).waitFor();
  await order("escape");
  await page.waitForTimeout(300);
  expect(await modeOf()).toBe("fullscreen");
  // The control: the user can always close it.
  await page.getByRole("button", { name: "Close" }).click();
  expect(await modeOf()).toBe("inline");
});

describe("an app fills the window when the user asks for it", () => {
  const fullscreen = () => expect.poll(() => modeOf()).toBe("fullscreen");

  it("with the mouse, while a field of the page has the focus and right after typing there", async () => {
    const view = await stage.mount(page, "app");
    await composer().click();
    await page.keyboard.type("ab");
    await view.getByRole("button", { name: "Fullscreen" }).click();
    await fullscreen();
    // The focus returns to where it was.
    await page.keyboard.press("Escape");
    await expect.poll(() => isFocused("Composer")).toBe(true);
  });

  it("with Tab and Enter", async () => {
    await stage.mount(page, "app");
    await composer().click();
    await page.keyboard.type("ab");
    for (const key of ["Tab", "Tab", "Enter"]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(200);
    }
    await fullscreen();
  });

  it("with a finger", async () => {
    await page.context().close();
    await open(true);
    const view = await stage.mount(page, "app");
    await composer().tap();
    await page.keyboard.type("ab");
    await view.getByRole("button", { name: "Fullscreen" }).tap();
    await fullscreen();
  });

  it("with a key of an app that has the focus since it started", async () => {
    const view = await stage.mount(page, "app");
    await order("focus");
    await expect.poll(() => view.evaluate(() => document.hasFocus())).toBe(true);
    await view.evaluate(() => {
      const button = document.querySelector("button");
      addEventListener("keyup", ({ key }) => key === "f" && button?.click());
    });
    await page.keyboard.press("f");
    await fullscreen();
  });

  it("in a third-party frame of an app", async () => {
    const view = await stage.mount(page, "framed");
    await composer().click();
    await page.keyboard.type("ab");
    // Until the page knows that the app is idle.
    await page.waitForTimeout(7000);
    await view.childFrames()[0]?.getByRole("button", { name: "Inside" }).click();
    await expect.poll(() => modeOf("framed")).toBe("fullscreen");
  });
});
